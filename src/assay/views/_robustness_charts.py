"""Charts of the controls: shuffled signals, one bar late, parts of the period."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from assay.judge import SubPeriod, Verdict
from assay.views._axes import legend, nothing_to_show, zero_line
from assay.views._one import of_one
from assay.views._style import BAND, BLUE, GREEN, MUTED, VERMILION, chart_style, new_figure

if TYPE_CHECKING:
    from matplotlib.figure import Figure


@of_one
def plot_robustness(verdict: Verdict) -> Figure:
    """The mean RankIC beside the band of signals without information, and one bar late."""
    shuffle, late = verdict.robustness.shuffle, verdict.robustness.late_rank_ic
    with chart_style():
        figure, axes = new_figure(height=1.9, left=1.0)
        if shuffle is None:
            return nothing_to_show(figure, axes, "controls were not run")
        axes.axvspan(shuffle.low, shuffle.high, color=BAND, linewidth=0, label="band without information")
        axes.axvline(0.0, color=MUTED, linewidth=0.9)
        axes.plot(shuffle.means, np.zeros(len(shuffle.means)), "o", color=MUTED, markersize=4)
        axes.plot([shuffle.observed], [2], "D", color=BLUE, markersize=7)
        axes.plot([late], [1], "s", color=GREEN, markersize=6)
        axes.set_yticks([0, 1, 2], ["shuffled", "one bar late", "as judged"])
        axes.set_ylim(-0.6, 2.6)
        axes.set_xlabel("mean RankIC")
        axes.grid(visible=False, axis="y")
        legend(axes)
    return figure


@of_one
def plot_sub_periods(verdict: Verdict) -> Figure:
    """Mean RankIC of each part of the period, with two standard errors."""
    parts = verdict.robustness.sub_periods
    with chart_style():
        figure, axes = new_figure(height=2.3, bottom=0.42, top=0.08)
        if not parts:
            return nothing_to_show(figure, axes, "sub-periods were not computed")
        zero_line(axes)
        place = np.arange(len(parts))
        values = np.array([part.rank_ic for part in parts])
        colours = [BLUE if value >= 0 else VERMILION for value in values]
        axes.bar(place, np.nan_to_num(values), color=colours, width=0.62)
        axes.errorbar(place, values, yerr=_errors(parts), fmt="none", ecolor=MUTED, capsize=3)
        axes.set_xticks(place, [f"{part.start:%Y-%m} to\n{part.end:%Y-%m}" for part in parts])
        axes.set_ylabel("mean RankIC, \u00b12 s.e.")
        axes.grid(visible=False, axis="x")
    return figure


def _errors(parts: tuple[SubPeriod, ...]) -> list[float]:
    """Two standard errors of each mean, from its t."""
    sizes = [abs(2 * part.rank_ic / part.t) if part.t else float("nan") for part in parts]
    return [size if np.isfinite(size) else 0.0 for size in sizes]
