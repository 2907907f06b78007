"""Charts of the signal itself: how fast it changes, how many names have a value."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from assay.judge import Verdict
from assay.views._axes import daily_bars, date_axis, legend, nothing_to_show
from assay.views._ic_charts import ROLLING, rolling_mean
from assay.views._one import of_one
from assay.views._style import BLUE, GREEN, MUTED, VERMILION, chart_style, new_figure, new_stack

if TYPE_CHECKING:
    from matplotlib.figure import Figure


@of_one
def plot_turnover(verdict: Verdict) -> Figure:
    """Daily one-way turnover of the top group, and the signal's rank correlation with a bar ago."""
    turnover = verdict.series["turnover"]
    autocorrelation = verdict.series["rank_autocorrelation"]
    with chart_style():
        if not np.isfinite(turnover).any() and not np.isfinite(autocorrelation).any():
            return nothing_to_show(*new_figure(), "the signal has no defined turnover")
        figure, (upper, lower) = new_stack((1, 1))
        window = min(ROLLING, max(2, len(turnover) // 4))
        daily_bars(upper, verdict.dates, 100 * turnover, label="daily")
        upper.plot(
            verdict.dates, 100 * rolling_mean(turnover, window), color=BLUE, label=f"mean of {window} bars"
        )
        upper.set_ylabel("new names (%)")
        upper.set_ylim(bottom=0)
        legend(upper)
        lower.plot(verdict.dates, rolling_mean(autocorrelation, window), color=GREEN)
        lower.set_ylabel("rank autocorr.")
        date_axis(lower)
    return figure


@of_one
def plot_coverage(verdict: Verdict) -> Figure:
    """Share of the universe's names that have a value, and the names of each day's IC."""
    coverage, names = verdict.series["coverage"], verdict.series["names"]
    with chart_style():
        figure, (upper, lower) = new_stack((1, 1), height=2.7, gap=0.3)
        upper.plot(verdict.dates, 100 * coverage, color=BLUE, linewidth=1.0)
        upper.set_ylim(0, 105)
        upper.set_ylabel("coverage (%)")
        lower.plot(verdict.dates, names, color=VERMILION, linewidth=1.0)
        lower.axhline(
            verdict.settings.min_names, color=MUTED, linestyle="--", linewidth=0.9, label="least for an IC"
        )
        lower.set_ylim(bottom=0)
        lower.set_ylabel("names in the IC")
        date_axis(lower)
        legend(lower)
    return figure
