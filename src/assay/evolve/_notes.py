"""What an episode has come to so far, taken from the outcomes of its calls and from nothing else.

A resumed run answers recorded calls from the record without running the tools, so the tools themselves keep
no state.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from assay.evolve._search import SearchFigures
from assay.llm import ToolCall
from assay.tools import Caller, Failed, Ok, Outcome, Refused, ToolSink

VALIDATE: Final = "evolve.validate_expr"
EVALUATE: Final = "evolve.evaluate_factor"


@dataclass(frozen=True, slots=True)
class Evaluated:
    """A candidate that was backtested on the search period.

    ``is_seed``: it is the seed up to sign, scale and rank, or has exactly the seed's figures.
    """

    name: str | None
    formula: str
    fingerprint: str
    is_seed: bool
    figures: SearchFigures

    def as_dict(self) -> dict[str, Any]:
        """JSON-ready."""
        return {
            "name": self.name,
            "formula": self.formula,
            "fingerprint": self.fingerprint,
            "is_seed": self.is_seed,
            "figures": self.figures.as_dict(),
        }

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Evaluated:
        """What :meth:`as_dict` wrote."""
        return cls(**{**data, "figures": SearchFigures(**data["figures"])})


@dataclass
class Notes:
    """Counts and candidates of one episode.

    Parameters
    ----------
    valid, invalid : formulas that were validated, by what came of it.
    validated : fingerprints of the valid ones.
    evaluated : candidates in the order of their evaluation.
    illegal, unvalidated : evaluations that were refused: a formula that is not legal; one not validated.
    failed : backtests that broke through no fault of the policy.
    """

    valid: int = 0
    invalid: int = 0
    validated: set[str] = field(default_factory=set)
    evaluated: list[Evaluated] = field(default_factory=list)
    illegal: int = 0
    unvalidated: int = 0
    failed: int = 0

    @property
    def begun(self) -> int:
        """Backtests that were begun, failed ones included."""
        return len(self.evaluated) + self.failed

    @property
    def best(self) -> Evaluated | None:
        """The winner: of the candidates that are not the seed, the highest IR on search; the first of equals.

        Search figures alone choose it, so that the score period is read for one candidate.
        """
        known = [item for item in self.evaluated if item.figures.defined and not item.is_seed]
        return max(known, key=lambda item: item.figures.ir or 0.0, default=None)

    def take(self, call: ToolCall, outcome: Outcome) -> None:
        """Note what a call came to."""
        if call.name == VALIDATE and isinstance(outcome, Ok):
            self._validated(outcome.result)
        elif call.name == EVALUATE:
            self._evaluated(outcome)

    def _validated(self, result: Mapping[str, Any]) -> None:
        self.valid += bool(result["ok"])
        self.invalid += not result["ok"]
        if result["ok"]:
            self.validated.add(result["fingerprint"])

    def _evaluated(self, outcome: Outcome) -> None:
        if isinstance(outcome, Ok):
            plain = {name: outcome.result[name] for name in _KEPT}
            figures = {name: outcome.result[name] for name in SearchFigures.__slots__}
            self.evaluated.append(Evaluated(**plain, figures=SearchFigures(**figures)))
        elif isinstance(outcome, Refused):
            self.illegal += outcome.reason == "illegal_expr"
            self.unvalidated += outcome.reason == "not_validated"
        elif isinstance(outcome, Failed):
            self.failed += 1


_KEPT = ("name", "formula", "fingerprint", "is_seed")


@dataclass(frozen=True)
class NotingSink:
    """A sink that records first, and then notes."""

    notes: Notes
    inner: ToolSink | None = None

    def record(self, step: int, call: ToolCall, outcome: Outcome, caller: Caller) -> None:
        """Record a call and note what it came to."""
        if self.inner is not None:
            self.inner.record(step, call, outcome, caller)
        self.notes.take(call, outcome)
