"""A spec that passed the extraction gate: the only kind that is evolved or served."""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final, Literal, get_args

from assay.base import canonical_json, unique_keys
from assay.errors import Refusal
from assay.spec._parse import parse_spec
from assay.spec._reasons import ALTERED, NOT_ADMITTED
from assay.spec._spec import Direction, FactorSpec

FORMAT: Final = "assay-gated-spec/1"
_KEYS: Final = ("format", "spec_id", "hash", "verdict_hash", "verdict")

GateCheckName = Literal[
    "spec", "declarations", "executable", "citations", "fields", "numbers", "words", "direction",
    "contradictions", "readings",
]  # fmt: skip
"""What the gate looks at, in this order. A verdict holds each of them once."""

GATE_CHECKS: Final[tuple[GateCheckName, ...]] = get_args(GateCheckName)


@dataclass(frozen=True, slots=True)
class GateFinding:
    """Why a spec is not admitted: a reason's code, the particulars, and the field concerned."""

    code: str
    message: str
    where: str = ""


@dataclass(frozen=True, slots=True)
class GateCheck:
    """One check. ``passed`` is None where it did not apply, or an earlier one made it impossible."""

    name: GateCheckName
    passed: bool | None
    detail: str = ""


@dataclass(frozen=True, slots=True)
class Reading:
    """One way to understand the cited text, evaluated on the search period.

    Parameters
    ----------
    name : what it takes the text to say: ``as written``, ``month = 20 trading days``.
    expr : its formula, in the report dialect.
    rank_ic, t_stat : mean RankIC of the formula and its t statistic; None where undefined.
    trial : id of the trial that the evaluation counted as, where a ledger is kept.
    """

    name: str
    expr: str
    rank_ic: float | None
    t_stat: float | None
    trial: str | None = None


@dataclass(frozen=True, slots=True)
class GateVerdict:
    """What the gate found of one extraction."""

    spec: FactorSpec | None
    direction: Direction
    document_sha256: str
    findings: tuple[GateFinding, ...]
    checks: tuple[GateCheck, ...]
    readings: tuple[Reading, ...] = ()

    @property
    def admitted(self) -> bool:
        """Whether there is a spec, every check was made or did not apply, and nothing was found."""
        whole = tuple(check.name for check in self.checks) == GATE_CHECKS
        clean = not self.findings and all(check.passed is not False for check in self.checks)
        return self.spec is not None and whole and clean

    @property
    def reasons(self) -> tuple[str, ...]:
        """Codes of the reasons against it, each once."""
        return tuple(dict.fromkeys(finding.code for finding in self.findings))

    @property
    def spread(self) -> float | None:
        """Largest minus smallest RankIC of the readings; None with fewer than two that are defined."""
        known = [item.rank_ic for item in self.readings if item.rank_ic is not None]
        return max(known) - min(known) if len(known) > 1 else None

    def as_dict(self) -> dict[str, Any]:
        """JSON-ready."""
        return {
            "admitted": self.admitted,
            "spec": self.spec.model_dump(mode="json") if self.spec is not None else None,
            "direction": self.direction,
            "document_sha256": self.document_sha256,
            "findings": [_plain(item) for item in self.findings],
            "checks": [_plain(item) for item in self.checks],
            "readings": [_plain(item) for item in self.readings],
        }

    @property
    def hash(self) -> str:
        """Hex SHA-256 of the canonical JSON."""
        return _hash(self.as_dict())


@dataclass(frozen=True, slots=True)
class GatedSpec:
    """A spec, its direction, and the verdict that admitted it. Make it with :meth:`of`.

    The hash covers all of it. It finds a document that was edited or cut; it is no signature, and somebody
    who writes a whole new document with its hash is found by running the gate on the report again.

    Raises
    ------
    Refusal
        ``spec_not_admitted``: the verdict does not admit the spec.
    """

    gate: GateVerdict

    def __post_init__(self) -> None:
        if not self.gate.admitted:
            shown = ", ".join(self.gate.reasons) or "the checks are incomplete"
            raise Refusal(NOT_ADMITTED, f"the gate did not admit the spec: {shown}", where="gate")

    @classmethod
    def of(cls, verdict: GateVerdict) -> GatedSpec:
        """The spec that a verdict admits."""
        return cls(verdict)

    @property
    def spec(self) -> FactorSpec:
        """The spec."""
        assert self.gate.spec is not None  # admitted
        return self.gate.spec

    @property
    def direction(self) -> Direction:
        """Whether a high value predicts a high return."""
        return self.gate.direction

    @property
    def document_sha256(self) -> str:
        """Of the report's bytes."""
        return self.gate.document_sha256

    @property
    def verdict_hash(self) -> str:
        """Of the verdict."""
        return self.gate.hash

    @property
    def hash(self) -> str:
        """Hex SHA-256 over all of it: what a ledger and a certificate cite."""
        return _hash({"format": FORMAT, "verdict": self.gate.as_dict()})

    @property
    def spec_id(self) -> str:
        """A short name of the hash, as an id of Assay."""
        return f"spec-{self.hash[:16]}"

    def as_dict(self) -> dict[str, Any]:
        """JSON-ready; :meth:`from_json` reads it back."""
        return {
            "format": FORMAT,
            "spec_id": self.spec_id,
            "hash": self.hash,
            "verdict_hash": self.verdict_hash,
            "verdict": self.gate.as_dict(),
        }

    def to_json(self) -> str:
        """The document as canonical JSON: equal specs give equal text."""
        return canonical_json(self.as_dict())

    @classmethod
    def from_json(cls, text: str) -> GatedSpec:
        """Read a document back.

        Raises
        ------
        Refusal
            ``spec_altered``: it is not what :meth:`to_json` wrote; ``spec_not_admitted``.
        """
        data = _document(text)
        try:
            gated = cls.of(_verdict(data["verdict"]))
        except KeyError as error:
            raise _altered(f"its verdict has no {error}") from error
        except (ValueError, TypeError, AttributeError, RecursionError) as error:
            raise _altered(f"its verdict cannot be read: {error}") from error
        except Refusal as error:
            if error.reason is NOT_ADMITTED:
                raise
            raise _altered(error.message) from error
        if data != gated.as_dict():
            raise _altered("its hash is not that of its content")
        return gated


def _document(text: str) -> dict[str, Any]:
    try:
        data = json.loads(text, object_pairs_hook=unique_keys)
    except (ValueError, RecursionError) as error:
        raise _altered(f"this is not JSON: {error}") from error
    if not isinstance(data, dict):
        raise _altered("this is not a JSON object")
    missing = [name for name in _KEYS if name not in data]
    if missing:
        raise Refusal(
            ALTERED,
            f"this is no gated spec: it has no {', '.join(missing)}",
            where="gated spec",
            fix="give the file that 'assay report extract REPORT --out FILE' writes of an admitted spec",
        )
    return data


def _altered(message: str) -> Refusal:
    return Refusal(ALTERED, message, where="gated spec")


def _verdict(data: Mapping[str, Any]) -> GateVerdict:
    direction = data["direction"]
    if direction not in get_args(Direction):
        raise ValueError(f"direction {direction!r}")
    return GateVerdict(
        spec=parse_spec(data["spec"]) if data["spec"] is not None else None,
        direction=direction,
        document_sha256=data["document_sha256"],
        findings=tuple(GateFinding(**item) for item in data["findings"]),
        checks=tuple(GateCheck(**item) for item in data["checks"]),
        readings=tuple(Reading(**item) for item in data["readings"]),
    )


def _plain(item: GateFinding | GateCheck | Reading) -> dict[str, Any]:
    values = {name: getattr(item, name) for name in item.__slots__}
    return {
        name: None if isinstance(value, float) and not math.isfinite(value) else value
        for name, value in values.items()
    }


def _hash(value: object) -> str:
    return hashlib.sha256(canonical_json(value).encode("utf-8", "surrogatepass")).hexdigest()
