from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Protocol

from assay.config import PeriodPlan
from assay.errors import Refusal
from assay.expr import Expression
from assay.tools._tool import Caller
from assay.tools.builtin._reasons import BAD_EXPRESSION, BAD_HORIZON
from assay.tools.builtin._view import SearchView

if TYPE_CHECKING:
    from assay.judge import JudgeSettings, Recording, Verdict
    from assay.ledger import Ledger

MAX_HORIZON = 60


@dataclass(frozen=True, slots=True)
class SearchScore:
    """The figures of a factor on the search period; ``None`` where one is undefined.

    Parameters
    ----------
    rank_ic : mean daily Spearman correlation of signal and label.
    rank_icir : mean over standard deviation of the daily RankIC.
    t : Newey-West t of the mean RankIC.
    turnover : one-way turnover in a year, as a multiple of the book.
    coverage : mean share of the members that have a value.
    days : days with a defined RankIC.
    """

    rank_ic: float | None
    rank_icir: float | None
    t: float | None
    turnover: float | None
    coverage: float | None
    days: int


class SearchJudge(Protocol):
    """Scores one formula on the search period alone, and counts it as a trial."""

    def evaluate(self, expression: Expression, horizon: int, caller: Caller) -> SearchScore:
        """The figures against the label over ``horizon`` bars; the trial is ``caller``'s.

        Raises
        ------
        Refusal
            ``bad_expression``: the formula cannot be ranked. ``bad_horizon``: the period is too short for it.
        """
        ...


class PanelJudge:
    """The judge on a search view.

    Parameters
    ----------
    view : what is judged on; nothing beyond it can be read.
    settings : how; horizon, universe and period are those of the call and the view.
    ledger : where each evaluation is recorded as a trial of the caller. Without it the judge records in the
        workspace in which the data set lies, and a data set in memory is judged unrecorded.
    desk : the desk in whose name trials are recorded.
    """

    def __init__(
        self,
        view: SearchView,
        settings: JudgeSettings | None = None,
        *,
        ledger: Ledger | None = None,
        desk: str = "tools",
    ) -> None:
        from assay.judge import JudgeSettings  # slow to import

        self._view = view
        self._settings = settings or JudgeSettings(
            robustness="off", leak_checks="off", bootstrap=0, neutral=False
        )
        self._plan = PeriodPlan(search=view.search)
        self._ledger = ledger
        self._desk = desk

    def evaluate(self, expression: Expression, horizon: int, caller: Caller) -> SearchScore:
        """See :class:`SearchJudge`."""
        from assay.judge import judge

        longest = self._view.days - 2
        if horizon > longest:
            raise Refusal(BAD_HORIZON, f"the horizon is {horizon} bars; the data allows {max(0, longest)}")
        settings = replace(
            self._settings,
            horizon=horizon,
            horizons=(horizon,),
            universe=self._view.universe,
            period="search",
            start=None,
            end=None,
            allow_hidden=False,
        )
        if expression.kind in ("group", "vector"):
            raise Refusal(BAD_EXPRESSION, f"the value of the formula is a {expression.kind}, not a number")
        recording = self._recording(caller)
        return _score(judge(expression, self._view.panel, settings, plan=self._plan, recording=recording)[0])

    def _recording(self, caller: Caller) -> Recording | None:
        from assay.judge import Recording

        if self._ledger is None:
            return None
        return Recording(self._ledger, caller.operator, desk=self._desk, run=caller.run)


def _score(verdict: Verdict) -> SearchScore:
    summary = verdict.summary
    return SearchScore(
        rank_ic=_rounded(summary["rank_ic"], 4),
        rank_icir=_rounded(summary["rank_icir"], 3),
        t=_rounded(summary["t"], 2),
        turnover=_rounded(summary["turnover"], 1),
        coverage=_rounded(summary["coverage"], 3),
        days=int(summary["days"]),
    )


def _rounded(value: float, digits: int) -> float | None:
    return None if value != value else round(float(value), digits)
