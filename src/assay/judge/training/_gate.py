"""The candidate gate: what must hold of a formula before anything is measured of it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar, TypeAlias

from assay.errors import ExpressionError, Reason
from assay.expr import DialectName, Expression, FieldInfo, Limits, check
from assay.judge.training import _gate_reasons as reasons
from assay.judge.training._gate_data import DataFinding, check_on_data
from assay.judge.training._gate_reasons import DuplicateOf
from assay.judge.training._judge import SIGNAL_KINDS, TrainingJudge

_SIZE = frozenset({"formula_too_long", "formula_too_deep", "formula_too_large", "lookback_too_long"})
_FIELD = frozenset({"unknown_field", "unsupported_field"})
_LISTED = 60
_SOURCES: tuple[DuplicateOf, ...] = ("reference", "known", "zoo", "run")
_NAMED: Mapping[DuplicateOf, str] = {
    "reference": "the reference factor",
    "known": "the known factor",
    "zoo": "the admitted factor",
    "run": "the earlier trial",
    "round": "the earlier candidate of this round",
}


@dataclass(frozen=True, slots=True)
class GatePassed:
    """A candidate that may be scored. ``notes`` say what the checks could not tell."""

    passed: ClassVar[bool] = True
    text: str
    dialect: DialectName
    expression: Expression
    notes: tuple[str, ...] = ()

    def body(self) -> dict[str, Any]:
        """What a ``gate_verdict`` record says of it, JSON-ready."""
        return {
            "gate": "candidate",
            "passed": True,
            "text": self.text,
            "dialect": self.dialect,
            "fingerprint": self.expression.fingerprint,
            "notes": list(self.notes),
        }


@dataclass(frozen=True, slots=True)
class GateRefused:
    """A candidate that is refused, with what its proposer needs to mend it.

    Parameters
    ----------
    reason : of the closed vocabulary ``candidate.*``.
    message : the particulars.
    fix : what to do.
    details : JSON-ready: the place in the text, names that may have been meant, what it is a duplicate of.
    """

    passed: ClassVar[bool] = False
    text: str
    dialect: DialectName
    reason: Reason
    message: str
    fix: str
    details: Mapping[str, Any] = field(default_factory=dict)
    expression: Expression | None = None

    @property
    def feedback(self) -> str:
        """Reason, particulars and remedy in one paragraph, for the proposer."""
        return f"{self.reason.code}: {self.message}. {self.fix}"

    def body(self) -> dict[str, Any]:
        """What a ``gate_verdict`` or ``refusal`` record says of it, JSON-ready."""
        return {
            "gate": "candidate",
            "passed": False,
            "text": self.text,
            "dialect": self.dialect,
            "fingerprint": None if self.expression is None else self.expression.fingerprint,
            "reason": self.reason.code,
            "message": self.message,
            "fix": self.fix,
            "details": dict(self.details),
        }


GateVerdict: TypeAlias = GatePassed | GateRefused


class CandidateGate:
    """Checks candidates on the segment of a training judge. A refusal is no trial.

    Order of the checks: grammar, types, fields and size; a formula that is known already; then on data the
    adjustment factor, an output that does not vary, and the leak certificate. The first that fails is told.

    Parameters
    ----------
    judge : gives the data, the universe, and how much the leak checks do.
    known : formulas by name that candidates must differ from, by where they come from. Two formulas are the
        same when their values are, but for rounding, sign and a constant factor.
    fields : the vocabulary; by default all fields of the data.
    limits : size limits; by default those of the dialect.
    """

    def __init__(
        self,
        judge: TrainingJudge,
        known: Mapping[DuplicateOf, Mapping[str, Expression]] | None = None,
        *,
        fields: Iterable[str] | None = None,
        limits: Limits | None = None,
    ) -> None:
        self._judge = judge
        self._limits = limits
        chosen = judge.fields if fields is None else dict.fromkeys(fields)
        self._fields: dict[str, FieldInfo] = {
            name: info for name, info in judge.fields.items() if name in chosen
        }
        self._known: dict[DuplicateOf, dict[str, tuple[str, str]]] = {source: {} for source in _SOURCES}
        for source, factors in (known or {}).items():
            for name, factor in factors.items():
                self.add(source, name, factor)

    def add(self, source: DuplicateOf, name: str, factor: Expression) -> None:
        """Let candidates differ from one more formula."""
        self._known.setdefault(source, {}).setdefault(factor.signature, (name, factor.fingerprint))

    def check(
        self, text: str, dialect: DialectName = "core", *, round_so_far: Sequence[Expression] = ()
    ) -> GateVerdict:
        """The verdict on one candidate; see :meth:`check_many`."""
        return self.check_many([text], dialect, round_so_far=round_so_far)[0]

    def check_many(
        self, texts: Sequence[str], dialect: DialectName = "core", *, round_so_far: Sequence[Expression] = ()
    ) -> tuple[GateVerdict, ...]:
        """Verdicts on candidates in the order given, as one by one; what needs data runs as one batch.

        Parameters
        ----------
        round_so_far : candidates of this round that have passed. Those of ``texts`` that pass count for the
            ones after them.
        """
        read = [self._read(text, dialect) for text in texts]
        earlier = {one.signature: one for one in reversed(round_so_far)}
        leaders: dict[str, Expression] = {}
        for one in read:
            if isinstance(one, Expression) and self._duplicate(one, earlier) is None:
                leaders.setdefault(one.signature, one)
        findings = check_on_data(leaders, self._judge)
        verdicts: list[GateVerdict] = []
        for one in read:
            verdict = one if isinstance(one, GateRefused) else self._verdict(one, earlier, findings)
            if isinstance(verdict, GatePassed):
                earlier[verdict.expression.signature] = verdict.expression
            verdicts.append(verdict)
        return tuple(verdicts)

    def _read(self, text: str, dialect: DialectName) -> Expression | GateRefused:
        found = check(text, dialect, fields=self._fields, limits=self._limits)
        if found.error is not None:
            return self._unreadable(text, dialect, found.error, parsed=found.level is not None)
        expression = found.expression
        if expression is None or expression.kind not in SIGNAL_KINDS:
            kind = "value" if expression is None else expression.kind
            message = f"the formula gives a {kind}, and a signal is a number for each stock and date"
            return GateRefused(text, dialect, reasons.TYPE, message, reasons.TYPE.fix, expression=expression)
        return expression

    def _unreadable(
        self, text: str, dialect: DialectName, error: ExpressionError, *, parsed: bool
    ) -> GateRefused:
        code = error.reason.code
        details: dict[str, Any] = {"cause": code, **error.details}
        fix = error.fix or error.reason.fix
        if error.suggestions:
            fix = f"Did you mean {', '.join(error.suggestions)}?"
        if code in _SIZE:
            reason = reasons.TOO_LARGE
        elif code in _FIELD:
            reason = reasons.UNKNOWN_FIELD
            names = sorted(self._fields)
            more = f" and {len(names) - _LISTED} more" if len(names) > _LISTED else ""
            fix = f"{fix} Fields: {', '.join(names[:_LISTED])}{more}."
        else:
            reason = reasons.TYPE if parsed else reasons.PARSE
        return GateRefused(text, dialect, reason, f"{error.message}, at {error.where}", fix, details)

    def _duplicate(self, one: Expression, earlier: Mapping[str, Expression]) -> GateRefused | None:
        for source in _SOURCES:
            if one.signature in self._known[source]:
                return _refused_duplicate(one, source, *self._known[source][one.signature])
        if one.signature in earlier:
            other = earlier[one.signature]
            return _refused_duplicate(one, "round", other.text, other.fingerprint)
        return None

    def _verdict(
        self, one: Expression, earlier: Mapping[str, Expression], findings: Mapping[str, DataFinding]
    ) -> GateVerdict:
        same = self._duplicate(one, earlier)
        if same is not None:
            return same
        # a copy of a candidate that was refused on data is refused for the same: its values are the same
        finding = findings[one.signature]
        if finding.reason is None:
            return GatePassed(one.text, one.dialect, one, finding.notes)
        return GateRefused(
            one.text,
            one.dialect,
            finding.reason,
            finding.message,
            finding.reason.fix,
            finding.details,
            expression=one,
        )


def _refused_duplicate(one: Expression, source: DuplicateOf, name: str, fingerprint: str) -> GateRefused:
    exact = one.fingerprint == fingerprint
    how = "the same formula as" if exact else "but for sign or a constant factor the same formula as"
    reason = reasons.DUPLICATES[source]
    return GateRefused(
        one.text,
        one.dialect,
        reason,
        f"it is {how} {_NAMED[source]} {name!r}",
        reason.fix,
        {"source": source, "name": name, "match": "fingerprint" if exact else "signature"},
        expression=one,
    )
