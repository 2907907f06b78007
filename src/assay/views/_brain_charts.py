"""Charts of a session on BRAIN or its simulator: the course of the search, and PnL curves."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np

from assay.brain import DailyPnl, JobResult
from assay.views._axes import date_axis, legend, nothing_to_show, thinned, zero_line
from assay.views._style import GREEN, MUTED, SERIES, SKY, VERMILION, chart_style, new_figure

if TYPE_CHECKING:
    from matplotlib.figure import Figure

MOST_CURVES = 6
"""PnL curves that one chart holds; with more, their colours can no longer be told apart."""


def plot_course(results: Sequence[JobResult], least: float) -> Figure:
    """Sharpe ratio of each simulation in the order of submission, the best so far, and the limit.

    Parameters
    ----------
    least : the Sharpe ratio that is asked for.
    """
    known = [(place, item, item.sharpe) for place, item in enumerate(results, 1) if item.sharpe is not None]
    with chart_style():
        figure, axes = new_figure(7.6, 2.8)
        if not known:
            return nothing_to_show(figure, axes, "no simulation was completed")
        x = np.array([place for place, _, _ in known], dtype=float)
        y = np.array([sharpe for _, _, sharpe in known], dtype=float)
        passing = np.array([not item.failing and not item.pending for _, item, _ in known])
        zero_line(axes)
        axes.axhline(least, color=VERMILION, linestyle="--", linewidth=1.0, label=f"limit {least:g}")
        axes.step(x, np.maximum.accumulate(y), where="post", color=MUTED, linewidth=1.0, label="best so far")
        axes.plot(x[~passing], y[~passing], "o", color=SKY, markersize=3.4, label="simulation")
        if passing.any():
            axes.plot(x[passing], y[passing], "o", color=GREEN, markersize=5.0, label="passes all checks")
        axes.set_xlabel("simulation, in the order of submission")
        axes.set_ylabel("Sharpe ratio, in sample")
        axes.xaxis.get_major_locator().set_params(integer=True)
        legend(axes, columns=4)
    return figure


def plot_pnl(curves: Mapping[str, DailyPnl]) -> Figure:
    """Running sums of daily PnL in millions, of at most :data:`MOST_CURVES` alphas."""
    with chart_style():
        figure, axes = new_figure(7.6, 3.0)
        drawn = [(name, pnl) for name, pnl in curves.items() if len(pnl.values) > 1][:MOST_CURVES]
        if not drawn:
            return nothing_to_show(figure, axes, "no daily PnL is recorded")
        zero_line(axes)
        for colour, (name, pnl) in zip(SERIES, drawn, strict=False):
            days = np.array(pnl.dates, dtype="datetime64[D]")
            rows = thinned(len(days))
            axes.plot(days[rows], np.nancumsum(pnl.values)[rows] / 1e6, color=colour, label=name)
        axes.set_ylabel("PnL, sum, millions")
        date_axis(axes)
        legend(axes, columns=len(drawn))
    return figure
