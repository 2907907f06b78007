"""What the hidden score period may tell of a winner: one rounded number."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Protocol

from assay.config import LookBudgets, PeriodPlan
from assay.evolve._search import DESK
from assay.expr import Expression
from assay.tools import Caller

if TYPE_CHECKING:
    from assay.judge import JudgeSettings, Reward
    from assay.ledger import Ledger
    from assay.market import Panel


class Rewarder(Protocol):
    """Reads the score period once for a candidate."""

    def reward(self, candidate: Expression, seed: Expression, caller: Caller) -> Reward:
        """After-cost IR of the candidate minus the baseline, clipped, rounded to 0.05, at least -1.

        Both formulas are as they are traded: high is bought.

        Raises
        ------
        Refusal
            ``look_budget_exhausted``, ``unknown_period``, ``score_unavailable``.
        """
        ...


@dataclass(frozen=True)
class JudgeRewarder:
    """The judge on the whole data set. No tool and no policy holds one.

    Parameters
    ----------
    panel, plan : data and periods.
    settings : as for the search; see :func:`assay.evolve.judge_settings`.
    ledger : where the look is charged.
    budgets : looks that may be charged.
    """

    panel: Panel
    plan: PeriodPlan
    settings: JudgeSettings
    ledger: Ledger
    budgets: LookBudgets = field(default_factory=LookBudgets)

    def reward(self, candidate: Expression, seed: Expression, caller: Caller) -> Reward:
        """See :class:`Rewarder`; the baseline is the better of the seed and the judge's references."""
        from assay.judge import Recording, reference_expressions, score_reward

        return score_reward(
            candidate,
            self.panel,
            baseline=(seed, *reference_expressions(self.panel)),
            settings=self.settings,
            recording=Recording(self.ledger, caller.operator, self.budgets, DESK, caller.run),
            plan=self.plan,
        )
