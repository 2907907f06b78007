"""What an extractor hands over: candidates, and one spec, refusal or conflict for the chosen one."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Literal, Protocol

from assay.errors import Reason
from assay.reports._document import Document
from assay.reports._reasons import UNSUPPORTED_OP
from assay.spec import UNDECLARED, Direction, EvidenceSpan, FactorSpec
from assay.tools import Trajectory

Status = Literal["spec", "refused", "conflict"]


@dataclass(frozen=True, slots=True)
class Candidate:
    """A factor that the report defines or names.

    Parameters
    ----------
    name : as the report calls it; what ``--target`` takes.
    pages : where it is defined, from 1.
    definition : one line of the text that defines it.
    computable : whether its formula can be written and run here.
    why_not : the reason, exactly where it is not computable.
    """

    name: str
    pages: tuple[int, ...]
    definition: str
    computable: bool
    why_not: Reason | None = None

    def __post_init__(self) -> None:
        if self.computable == (self.why_not is not None):
            raise ValueError("a candidate that is not computable, and only such a one, says why")

    def as_dict(self) -> dict[str, Any]:
        """JSON-ready."""
        return {
            "name": self.name,
            "pages": list(self.pages),
            "definition": self.definition,
            "computable": self.computable,
            "why_not": self.why_not.code if self.why_not is not None else None,
        }


@dataclass(frozen=True, slots=True)
class Extraction:
    """The outcome for one target of one report; :meth:`found`, :meth:`refused` and :meth:`conflict` make it.

    Parameters
    ----------
    status : ``spec``: the text states it; ``refused``: it cannot or must not be made; ``conflict``: the text
        contradicts itself, and ``evidence`` cites the places.
    reason : of a refusal or a conflict; None of a spec.
    note : the particulars for a person: which op, which two windows.
    target : the name of the candidate that was asked for, or the only one.
    spec : of status ``spec`` alone.
    direction : whether a high value of the formula, as the text writes it, predicts a high return.
    evidence : of a spec, its own; else what the refusal or the conflict rests on.
    candidates : every factor that was seen, the target among them.
    trajectory : of the episode, where an agent read the report.
    core_formula : of a refusal for ``extract.unsupported_op`` alone: the formula in the core dialect, where
        the extractor read it and that dialect can write it; it parses and types. It is an offer beside the
        refusal: no gate has seen it.
    """

    status: Status
    reason: Reason | None
    note: str
    target: str | None
    spec: FactorSpec | None
    direction: Direction
    evidence: tuple[EvidenceSpan, ...]
    candidates: tuple[Candidate, ...]
    trajectory: Trajectory | None = field(default=None, compare=False)
    core_formula: str | None = None

    def __post_init__(self) -> None:
        if (self.status == "spec") != (self.spec is not None) or (self.status == "spec") != (
            self.reason is None
        ):
            raise ValueError(
                "an extraction of status 'spec' has a spec and no reason, every other the reverse"
            )
        if self.core_formula is not None and (
            self.reason is not UNSUPPORTED_OP or self.core_formula != core_formula(self.core_formula)
        ):
            raise ValueError(
                "only a refusal for an unsupported op offers a formula, and it is one of the core dialect"
            )

    @classmethod
    def found(
        cls,
        spec: FactorSpec,
        direction: Direction,
        *,
        target: str | None = None,
        candidates: tuple[Candidate, ...] = (),
        note: str = "",
        trajectory: Trajectory | None = None,
    ) -> Extraction:
        """A spec, with the evidence that it carries."""
        name = target if target is not None else spec.name
        return cls("spec", None, note, name, spec, direction, spec.evidence, candidates, trajectory)

    @classmethod
    def refused(
        cls,
        reason: Reason,
        *,
        note: str = "",
        target: str | None = None,
        evidence: tuple[EvidenceSpan, ...] = (),
        candidates: tuple[Candidate, ...] = (),
        trajectory: Trajectory | None = None,
        core_formula: str | None = None,
    ) -> Extraction:
        """A refusal with its reason."""
        return cls(
            "refused", reason, note, target, None, "undeclared", evidence, candidates, trajectory,
            core_formula,
        )  # fmt: skip

    @classmethod
    def conflict(
        cls,
        reason: Reason,
        *,
        note: str = "",
        target: str | None = None,
        evidence: tuple[EvidenceSpan, ...] = (),
        candidates: tuple[Candidate, ...] = (),
        trajectory: Trajectory | None = None,
    ) -> Extraction:
        """A contradiction in the text; ``evidence`` cites its places."""
        return cls("conflict", reason, note, target, None, "undeclared", evidence, candidates, trajectory)

    @property
    def undeclared(self) -> tuple[str, ...]:
        """Fields of the spec that the text does not state, and ``direction`` where it is silent on that."""
        if self.spec is None:
            return ()
        return (*self.spec.undeclared, *(("direction",) if self.direction == UNDECLARED else ()))

    def as_dict(self) -> dict[str, Any]:
        """JSON-ready, without readings and verdict, which the gate adds."""
        return {
            "status": self.status,
            "reason": self.reason.code if self.reason is not None else None,
            "note": self.note,
            "target": self.target,
            "spec": self.spec.model_dump(mode="json") if self.spec is not None else None,
            "direction": self.direction if self.spec is not None else None,
            "evidence": [span.model_dump(mode="json") for span in self.evidence],
            "undeclared": list(self.undeclared),
            "candidates": [candidate.as_dict() for candidate in self.candidates],
        }


def core_formula(text: str) -> str | None:
    """A formula that an engine can evaluate, as the core dialect prints it; None of any other text."""
    from assay.expr import check, to_text

    result = check(text, "core")
    if result.expression is None or result.error is not None or result.expression.kind != "number":
        return None
    return to_text(result.expression.node, "core")


class Extractor(Protocol):
    """Reads a document; keeps nothing between calls. The text is data and never an instruction."""

    @property
    def name(self) -> str:
        """``rules``, or the role of a model."""
        ...

    def candidates(self, document: Document) -> tuple[Candidate, ...]:
        """Every factor that the document defines, in the order of the text."""
        ...

    def extract(self, document: Document, target: str | None = None) -> Extraction:
        """One of them. Without a target, the only computable candidate; several are refused."""
        ...
