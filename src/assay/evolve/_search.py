"""Figures of a candidate on the search period, the only ones that a policy sees."""

from __future__ import annotations

import math
from dataclasses import dataclass, fields, replace
from typing import TYPE_CHECKING, Any, Final, Protocol

from assay.config import PeriodPlan
from assay.expr import Expression
from assay.tools import Caller
from assay.tools.builtin import SearchView

if TYPE_CHECKING:
    from assay.judge import JudgeSettings, Robustness, Verdict
    from assay.ledger import Ledger

DESK: Final = "evolve"


@dataclass(frozen=True, slots=True)
class SearchFigures:
    """A formula on the search period, rounded; ``None`` where a figure is undefined.

    Parameters
    ----------
    ir : annualised information ratio of the book after cost, over the equally weighted members.
    net_excess : yearly return after cost in excess of them.
    rank_ic : mean daily Spearman correlation of signal and label.
    t : Newey-West t of the mean RankIC.
    turnover : one-way turnover in a year, as a multiple of the book.
    coverage : mean share of the members that have a value.
    late_share : share of the RankIC that remains when the signal comes one bar later.
    shuffled_share : largest share of it that a shuffled cross-section shows; what is real leaves little.
    days : days with a defined RankIC.
    """

    ir: float | None
    net_excess: float | None
    rank_ic: float | None
    t: float | None
    turnover: float | None
    coverage: float | None
    late_share: float | None
    shuffled_share: float | None
    days: int

    @property
    def defined(self) -> bool:
        """Whether the backtest gave an information ratio."""
        return self.ir is not None

    def as_dict(self) -> dict[str, Any]:
        """JSON-ready."""
        return {item.name: getattr(self, item.name) for item in fields(self)}


class SearchJudge(Protocol):
    """Judges one formula on the search period alone, and counts it as a trial."""

    def evaluate(self, expression: Expression, caller: Caller) -> SearchFigures:
        """The figures of a formula whose high values are bought; the trial is ``caller``'s."""
        ...


class PanelSearch:
    """The judge on a search view.

    Parameters
    ----------
    view : what is judged on; nothing beyond it can be read.
    settings : how; see :func:`assay.evolve.judge_settings`. The period is the view's.
    ledger : where each evaluation is a trial of the caller; without it nothing is recorded of a data set in
        memory.
    """

    def __init__(self, view: SearchView, settings: JudgeSettings, *, ledger: Ledger | None = None) -> None:
        self._view = view
        self._plan = PeriodPlan(search=view.search)
        self._ledger = ledger
        self._settings = replace(
            settings,
            period="search",
            start=None,
            end=None,
            allow_hidden=False,
            horizons=(settings.horizon,),
            robustness="quick",
            leak_checks="off",  # formulas of the dialect; the reward checks those of the winner
            bootstrap=0,
            neutral=False,
        )

    def evaluate(self, expression: Expression, caller: Caller) -> SearchFigures:
        """See :class:`SearchJudge`."""
        from assay.judge import Recording, judge

        recording = None
        if self._ledger is not None:
            recording = Recording(self._ledger, caller.operator, desk=DESK, run=caller.run)
        found = judge(expression, self._view.panel, self._settings, plan=self._plan, recording=recording)
        return figures_of(found[0])


def figures_of(verdict: Verdict) -> SearchFigures:
    """The figures of a verdict."""
    summary, robustness = verdict.summary, verdict.robustness
    return SearchFigures(
        ir=_rounded(summary["ir"], 3),
        net_excess=_rounded(summary["net_excess"], 4),
        rank_ic=_rounded(summary["rank_ic"], 4),
        t=_rounded(summary["t"], 2),
        turnover=_rounded(summary["turnover"], 1),
        coverage=_rounded(summary["coverage"], 3),
        late_share=_rounded(robustness.late_share, 2),
        shuffled_share=_rounded(_shuffled_share(robustness), 2),
        days=int(summary["days"]),
    )


def _shuffled_share(robustness: Robustness) -> float:
    control = robustness.shuffle
    if control is None or not control.means or not control.observed:
        return math.nan
    return max(abs(mean) for mean in control.means) / abs(control.observed)


def _rounded(value: float, digits: int) -> float | None:
    return round(float(value), digits) + 0.0 if math.isfinite(value) else None
