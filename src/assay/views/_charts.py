from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from assay.judge import Verdict
from assay.views._ic_charts import (
    plot_ic_decay,
    plot_ic_heatmap,
    plot_ic_histogram,
    plot_ic_series,
    plot_neutral_rank_ic,
)
from assay.views._return_charts import plot_book, plot_quantile_returns, plot_quantiles
from assay.views._robustness_charts import plot_robustness, plot_sub_periods
from assay.views._signal_charts import plot_coverage, plot_turnover
from assay.views._svg import to_svg

if TYPE_CHECKING:
    from matplotlib.figure import Figure


@dataclass(frozen=True, slots=True)
class Plot:
    """One chart of the tear sheet: its title, what it shows, and the function that draws it."""

    title: str
    caption: str
    draw: Callable[[Verdict], Figure]


@dataclass(frozen=True, slots=True)
class Chart:
    """A drawn chart, ready for a page; ``svg`` is markup that :func:`to_svg` made and escaped."""

    title: str
    caption: str
    svg: str


PLOTS: Mapping[str, Plot] = {
    "quantiles": Plot(
        "Return by group",
        "Mean label of each group by factor value, less the mean of all groups. Before cost.",
        plot_quantiles,
    ),
    "quantile-returns": Plot(
        "Value of each group",
        "Equal weights, daily rebalancing, no cost. Top minus bottom is theoretical without shorting.",
        plot_quantile_returns,
    ),
    "book": Plot(
        "After cost",
        "Value of the book before and after cost, and of the benchmark; below, the fall from the peak.",
        plot_book,
    ),
    "ic-series": Plot(
        "RankIC by day",
        "Spearman correlation of signal and label over the names of each day.",
        plot_ic_series,
    ),
    "ic-histogram": Plot("RankIC distribution", "Days by their RankIC.", plot_ic_histogram),
    "neutral": Plot(
        "Raw and neutral RankIC",
        "Neutral: industry and the ranks of volatility, traded value and return are taken out day by day.",
        plot_neutral_rank_ic,
    ),
    "ic-heatmap": Plot("RankIC by month", "Mean of the daily RankIC.", plot_ic_heatmap),
    "ic-decay": Plot(
        "Decay by horizon",
        "Against labels over more and more bars; standard errors allow for overlapping labels (Newey-West).",
        plot_ic_decay,
    ),
    "turnover": Plot(
        "Turnover of the top group",
        "For each bar, the share of the top group's names that were not in it the bar before (the book's own "
        "turnover, a multiple a year, is among the figures above); the signal's rank correlation with the "
        "bar before.",
        plot_turnover,
    ),
    "coverage": Plot(
        "Coverage", "Share of the universe with a value, and the names in each day's IC.", plot_coverage
    ),
    "robustness": Plot(
        "Controls",
        "Values dealt out anew among the names of each day (dots) hold no information. Their RankIC of a "
        "day with n names has variance 1/(n-1), so the mean over all days stays in the band with "
        "probability 0.999.",
        plot_robustness,
    ),
    "sub-periods": Plot("Sub-periods", "The period in equal parts.", plot_sub_periods),
}


def draw_all(verdict: Verdict, *, prefix: str) -> dict[str, Chart]:
    """Every chart of a tear sheet as markup; ``prefix`` is unique within the page."""
    return {
        key: Chart(
            plot.title,
            plot.caption,
            to_svg(plot.draw(verdict), name=f"{prefix}-{key}", description=plot.title),
        )
        for key, plot in PLOTS.items()
    }
