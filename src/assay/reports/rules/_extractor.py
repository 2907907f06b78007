"""The extractor without a model: what its tables can read it hands over, the rest it refuses."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TypeVar

from assay.errors import Reason
from assay.reports._document import Document
from assay.reports._extraction import Candidate, Extraction
from assay.reports._reasons import (
    CONFLICTING_DIRECTION,
    CONFLICTING_FIELD,
    NO_FACTOR,
    SEVERAL_TARGETS,
    UNKNOWN_TARGET,
    UNREAD,
    UNSUPPORTED_OP,
)
from assay.reports.rules._core import offered
from assay.reports.rules._direction import Statement, leads_with_minus, sign_for
from assay.reports.rules._evidence import Citing, letters_told
from assay.reports.rules._factors import Analysis, Factor, key_of
from assay.reports.rules._facts import FACT_FIELDS, Fact, FactField
from assay.reports.rules._formula import Settled, settle
from assay.reports.rules._limits import BeyondLimitError
from assay.reports.rules._scope import Obstacle
from assay.reports.rules._tree import text_of
from assay.reports.verifier import ground
from assay.spec import UNDECLARED, Direction, EvidenceSpan, FactorSpec, ReportExpr, read_expr

_LINE = 200
_SHORT_LINE = 60
_Placed = TypeVar("_Placed", Fact, Statement)


@dataclass(frozen=True, slots=True)
class _Contradiction:
    """Two statements that cannot both hold."""

    reason: Reason
    note: str
    spans: tuple[EvidenceSpan, ...]


@dataclass(slots=True)
class _Stated:
    """What was found for the spec, field by field."""

    values: dict[str, str] = field(default_factory=dict)
    spans: list[EvidenceSpan] = field(default_factory=list)
    direction: Direction = "undeclared"


class RulesExtractor:
    """Reads the definitions, settings and directions that its tables know, Chinese and English.

    It needs no model, keeps nothing between calls, and gives the same answer for the same document. What it
    cannot read it refuses with ``extract.unread``; it never guesses.
    """

    @property
    def name(self) -> str:
        """``rules``."""
        return "rules"

    def candidates(self, document: Document) -> tuple[Candidate, ...]:
        """Every factor that the document defines, in the order of the text.

        Of a document that holds more than is read, the place where it does, as what is not computable.
        """
        try:
            return _candidates(Analysis(document))
        except BeyondLimitError as limit:
            return (_unread(document, limit),)

    def extract(self, document: Document, target: str | None = None) -> Extraction:
        """One factor of the document; without a target the only computable one, and several are refused."""
        try:
            return self._extract(Analysis(document), target)
        except BeyondLimitError as limit:
            return Extraction.refused(
                UNREAD, note=str(limit), target=target, candidates=(_unread(document, limit),)
            )

    def _extract(self, analysis: Analysis, target: str | None) -> Extraction:
        listed = _candidates(analysis)
        if not listed:
            return Extraction.refused(NO_FACTOR, target=target)
        chosen = _choose(analysis.factors, listed, target)
        if isinstance(chosen, Extraction):
            return chosen
        return _Assembly(analysis, chosen, listed).extraction()


def _unread(document: Document, limit: BeyondLimitError) -> Candidate:
    place = document.locate(limit.start, limit.start + 1)
    words = " ".join(document.text[limit.start : limit.start + _LINE].split())
    return Candidate(words[:_SHORT_LINE], (place.page_start,), words, False, UNREAD)


def _candidates(analysis: Analysis) -> tuple[Candidate, ...]:
    found = []
    for factor in analysis.factors:
        first = factor.first
        why_not = None
        if first.tree is None:
            assert first.obstacle is not None
            why_not = first.obstacle.reason
        else:
            settled = settle(analysis, factor)
            if isinstance(settled, Settled) and settled.reason is UNREAD:
                why_not = UNREAD
        line = " ".join(first.sentence.text.split())[:_LINE]
        found.append(Candidate(factor.name, analysis.pages(first), line, why_not is None, why_not))
    return tuple(found)


def _choose(
    factors: Sequence[Factor], listed: tuple[Candidate, ...], target: str | None
) -> Factor | Extraction:
    if target is None:
        computable = [
            factor for factor, candidate in zip(factors, listed, strict=True) if candidate.computable
        ]
        if len(computable) == 1:
            return computable[0]
        if not computable and len(factors) == 1:
            return factors[0]
        if not computable:
            reasons = {candidate.why_not for candidate in listed}
            if len(reasons) == 1:
                return factors[0]
        names = ", ".join(repr(candidate.name) for candidate in listed)
        return Extraction.refused(SEVERAL_TARGETS, note=f"candidates: {names}", candidates=listed)
    wanted = target.casefold().strip()
    exact = [f for f in factors if f.name.casefold() == wanted]
    near = exact or [
        f for f in factors if wanted and (wanted in f.name.casefold() or f.name.casefold() in wanted)
    ]
    if len(near) == 1:
        return near[0]
    names = ", ".join(repr(candidate.name) for candidate in listed)
    return Extraction.refused(UNKNOWN_TARGET, note=f"candidates: {names}", target=target, candidates=listed)


@dataclass(frozen=True, slots=True)
class _Assembly:
    """Puts one factor together."""

    analysis: Analysis
    factor: Factor
    listed: tuple[Candidate, ...]

    def extraction(self) -> Extraction:
        first = self.factor.first
        cite = Citing(self.analysis.document)
        if first.tree is None:
            assert first.obstacle is not None
            return self._stopped(cite, first.obstacle)
        settled = settle(self.analysis, self.factor)
        if settled.reason is not None:
            spans = tuple(span for start, end in settled.places for span in cite.spans("windows", start, end))
            make = Extraction.refused if settled.reason is UNREAD else Extraction.conflict
            return make(
                settled.reason,
                note=settled.note,
                target=self.factor.name,
                evidence=spans,
                candidates=self.listed,
            )
        stated = self._stated(cite, settled)
        if isinstance(stated, _Contradiction):
            return Extraction.conflict(
                stated.reason, note=stated.note, target=self.factor.name, evidence=stated.spans,
                candidates=self.listed,
            )  # fmt: skip
        return self._spec(cite, settled, stated)

    def _stopped(self, cite: Citing, obstacle: Obstacle) -> Extraction:
        """Refused for what the definition asks for; a formula that only lacks an op is offered beside it."""
        first = self.factor.first
        spans = cite.spans("expr", first.start, first.end)
        offer = offered(self.analysis, self.factor) if obstacle.reason is UNSUPPORTED_OP else None
        if offer is None:
            return self._refused(obstacle.reason, obstacle.what, spans)
        for start, end in ((first.start, first.end), *offer.windows):
            spans += cite.spans("windows", start, end)
        return Extraction.refused(
            obstacle.reason, note=obstacle.what, target=self.factor.name, evidence=spans,
            candidates=self.listed, core_formula=offer.formula,
        )  # fmt: skip

    def _refused(self, reason: Reason, note: str, spans: tuple[EvidenceSpan, ...]) -> Extraction:
        return Extraction.refused(
            reason, note=note, target=self.factor.name, evidence=spans, candidates=self.listed
        )

    def _spec(self, cite: Citing, settled: Settled, stated: _Stated) -> Extraction:
        assert settled.tree is not None
        expr = text_of(settled.tree)
        read = read_expr(expr)
        if read.refusal is not None:
            return self._refused(UNREAD, f"{expr}: {read.refusal}", cite.spans("expr", *settled.places[0]))
        spans = [span for start, end in settled.places for span in cite.spans("expr", start, end)]
        for start, end in settled.places:
            for value in self.analysis.scanner.bound_in(start, end):
                spans += cite.spans("expr", value.start, value.end)
            for told in letters_told(self.analysis.document, start, end, self.analysis.trusted):
                spans += cite.spans("expr", told.start, told.end)
        if read.windows:
            spans += [span for start, end in settled.places for span in cite.spans("windows", start, end)]
        spans += [span for start, end in settled.windows for span in cite.spans("windows", start, end)]
        spans += cite.name(self.factor)
        spec = FactorSpec(
            name=self.factor.name[:200],
            universe=stated.values.get("universe", UNDECLARED),  # type: ignore[arg-type]
            frequency=stated.values.get("frequency", UNDECLARED),  # type: ignore[arg-type]
            neutralization=stated.values.get("neutralization", UNDECLARED),  # type: ignore[arg-type]
            rebalance=stated.values.get("rebalance", UNDECLARED),  # type: ignore[arg-type]
            expr=expr,
            windows=read.windows,
            evidence=tuple(dict.fromkeys((*spans, *stated.spans))),
        )
        doubts = _doubts(self.analysis.document, spec, read)
        if doubts:
            return self._refused(UNREAD, f"{expr}: {doubts[0]}", cite.spans("expr", *settled.places[0]))
        return Extraction.found(
            spec, stated.direction, target=self.factor.name, candidates=self.listed, note=settled.note
        )

    # -- settings and direction ---------------------------------------------------------------------------
    def _stated(self, cite: Citing, settled: Settled) -> _Stated | _Contradiction:
        stated = _Stated()
        for name in FACT_FIELDS:
            facts = self._nearest([fact for fact in self.analysis.facts if fact.field == name])
            chosen = _one_value(facts)
            if chosen is None and facts:
                if len(self.analysis.factors) > 1 and not self._inside(facts):
                    continue
                return _contradiction(cite, name, facts)
            if chosen is not None:
                stated.values[name] = chosen.value
                stated.spans += cite.spans(name, chosen.start, chosen.end)
        return self._directed(cite, settled, stated)

    def _directed(self, cite: Citing, settled: Settled, stated: _Stated) -> _Stated | _Contradiction:
        assert settled.tree is not None
        statements = self._nearest(list(self.analysis.directions))
        statements = self._plainest(statements)
        final = [statement for statement in statements if statement.final]
        if leads_with_minus(settled.tree) and all(item.names for item in statements):
            return stated  # a name such as *reversal* may speak of the formula with its minus, or without
        # a quantity that a later step turns around has its name for itself
        named = not self.factor.first.steps
        signs = {
            sign_for(statement, settled.tree, of_factor=named and self._mentions(statement))
            for statement in final or statements
        }
        if len(signs) == 2:
            if len(self.analysis.factors) > 1 and not self._inside(statements):
                return stated
            spans = tuple(span for s in statements for span in cite.spans("direction", s.start, s.end))
            return _Contradiction(CONFLICTING_DIRECTION, "both signs are stated", spans)
        if signs:
            stated.direction = signs.pop()
            chosen = (final or statements)[0]
            stated.spans += cite.spans("direction", chosen.start, chosen.end)
        return stated

    def _plainest(self, statements: list[Statement]) -> list[Statement]:
        """Those that speak of the factor by name; else of its value; else of anything; names alone last."""
        plain = [statement for statement in statements if not statement.names]
        by_name = [statement for statement in plain if self._mentions(statement)]
        of_value = [item for item in plain if item.of_value]
        if len(self.analysis.factors) == 1:  # what speaks of the factor without its name may contradict
            by_name = [item for item in plain if item in by_name or item.of_value] if by_name else []
        return by_name or of_value or plain or statements

    def _mentions(self, statement: Statement) -> bool:
        key = key_of(self.factor.name)
        return bool(key) and key in key_of(self.analysis.document.text[statement.start : statement.end])

    def _nearest(self, items: list[_Placed]) -> list[_Placed]:
        """Of several factors' statements, those beside this one; else those that stand for all."""
        if len(self.analysis.factors) == 1:
            return items
        low, high = self.analysis.block(self.factor)
        return [item for item in items if low <= item.start < high] or items

    def _inside(self, items: Sequence[Fact] | Sequence[Statement]) -> bool:
        low, high = self.analysis.block(self.factor)
        return all(low <= item.start < high for item in items)


def _doubts(document: Document, spec: FactorSpec, read: ReportExpr) -> tuple[str, ...]:
    """What the cited words say and the formula leaves out, or the formula says and they do not."""
    assert read.expression is not None
    grounding = ground(document, spec, "undeclared", read.expression.node)
    unmet = (f"{need.what} is not stated" for need in grounding.unmet("number", "op", "data"))
    return (*grounding.parts_only, *grounding.unexplained, *unmet)


def _one_value(facts: Sequence[Fact]) -> Fact | None:
    """The statement that holds: the only value, or the one that the text calls final."""
    plain = [fact for fact in facts if fact.strong]
    for considered in ([fact for fact in plain if fact.final], plain, [fact for fact in facts if not plain]):
        if considered and len({fact.value for fact in considered}) == 1:
            return considered[-1] if considered[0].final else considered[0]
    return None


def _contradiction(cite: Citing, name: FactField, facts: Sequence[Fact]) -> _Contradiction:
    values = ", ".join(dict.fromkeys(fact.value for fact in facts))
    spans = tuple(span for fact in facts for span in cite.spans(name, fact.start, fact.end))
    return _Contradiction(CONFLICTING_FIELD, f"{name}: {values}", spans)
