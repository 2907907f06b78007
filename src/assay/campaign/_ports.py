"""What the loop wants of the judge, as narrow as it gets; ``_judging`` binds the real one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from assay.campaign._types import Correlations
    from assay.expr import Expression


@dataclass(frozen=True, slots=True)
class GateVerdict:
    """What the candidate gate said. A refusal has a reason and the text that the proposer needs.

    ``expression`` is None where the formula could not be read.
    """

    passed: bool
    expression: Expression | None = None
    reason: str = ""
    text: str = ""


@dataclass(frozen=True, slots=True)
class Scored:
    """The figures of one formula on the training segment; ``source`` is the judge's own object."""

    expression: Expression
    figures: Mapping[str, float | None]
    source: Any = None


@dataclass(frozen=True, slots=True)
class Count:
    """N of the ledger, and the variance of the trials' Sharpe ratios; None where it cannot say."""

    n: int | None
    variance: float | None


@dataclass(frozen=True, slots=True)
class AdmissionVerdict:
    """Whether a factor joins the zoo; the first reason, a sentence, and every check."""

    admitted: bool
    reason: str = ""
    detail: str = ""
    checks: tuple[Mapping[str, Any], ...] = field(default_factory=tuple)


@dataclass(frozen=True, slots=True)
class Near:
    """The earlier trial that a formula is most like, and how much."""

    trial: str
    correlation: float


class Judging(Protocol):
    """The judge of one run. It knows the pools and grows them as factors are admitted."""

    def read(self, text: str) -> Expression:
        """A formula that has passed the gate before."""
        ...

    def gate(self, texts: Sequence[str], round_so_far: Sequence[Expression]) -> tuple[GateVerdict, ...]:
        """Hold formulas to the candidate gate, as one by one; nothing is measured against returns.

        ``round_so_far`` are those of this round that have passed; of ``texts``, those that pass count for the
        ones after them.
        """
        ...

    def score(self, items: Sequence[Expression]) -> tuple[Scored, ...]:
        """Measure formulas in one batch. Each is a trial of the run, on the disk when this returns; what
        the run has tried already is served from its record and adds none."""
        ...

    def count(self) -> Count:
        """How many trials the ledger has, those scored last included."""
        ...

    def admit(self, scored: Scored, count: Count) -> AdmissionVerdict:
        """Hold a factor to the rule, against the pool as it is now."""
        ...

    def join(self, trial: str, scored: Scored) -> None:
        """An admitted factor joins the zoo and the pool."""
        ...

    def remember(self, trial: str, expression: Expression) -> None:
        """An evaluated trial joins those that the gate refuses to try again."""
        ...

    def tried(self, trial: str, scored: Scored) -> None:
        """An evaluated trial joins those that likeness is told of."""
        ...

    def nearest(self, items: Sequence[Expression]) -> tuple[Near | None, ...]:
        """Of the tried trials, for each formula that whose values are most like it; no figure is read."""
        ...

    def correlation(self, left: str, right: str) -> float | None:
        """See :class:`TriedTrials`."""
        ...

    def correlations(self, ids: Sequence[str]) -> Correlations:
        """See :class:`TriedTrials`."""
        ...
