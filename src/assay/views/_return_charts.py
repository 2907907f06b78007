"""Charts of returns: groups by factor value, and the book after cost."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from assay.judge import Verdict
from assay.views._arrays import FloatArray
from assay.views._axes import date_axis, legend, nothing_to_show, ramp, thinned, zero_line
from assay.views._one import of_one
from assay.views._style import BAND, BLUE, MUTED, TEXT, VERMILION, chart_style, new_figure, new_stack

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_NO_GROUPS = "too few names with values to form groups"


@of_one
def plot_quantiles(verdict: Verdict) -> Figure:
    """Mean label of each group by factor value, minus the mean of all groups, in basis points."""
    quantiles = verdict.quantiles
    with chart_style():
        figure, axes = new_figure(top=0.08)
        if quantiles is None:
            return nothing_to_show(figure, axes, _NO_GROUPS)
        groups = [row.quantile for row in quantiles.rows]
        excess = [1e4 * row.excess for row in quantiles.rows]
        zero_line(axes)
        axes.bar(groups, excess, color=ramp(len(groups)), width=0.78)
        axes.set_xticks(groups)
        axes.set_xlabel("group (1 = lowest factor values)")
        axes.set_ylabel(f"mean {verdict.settings.horizon}-bar excess (bp)")
        axes.grid(visible=False, axis="x")
    return figure


@of_one
def plot_quantile_returns(verdict: Verdict) -> Figure:
    """Compounded value of each group and of the top minus the bottom: equal weights, before cost."""
    quantiles = verdict.quantiles
    with chart_style():
        figure, axes = new_figure(height=3.0)
        if quantiles is None:
            return nothing_to_show(figure, axes, _NO_GROUPS)
        count = quantiles.values.shape[1]
        kept = thinned(len(quantiles.dates))
        dates = quantiles.dates[kept]
        zero_line(axes, 1.0)
        for index, colour in enumerate(ramp(count)):
            end = index in (0, count - 1)
            label = {0: "group 1 (lowest)", count - 1: f"group {count} (highest)"}.get(index)
            axes.plot(
                dates,
                quantiles.values[kept, index],
                color=colour,
                linewidth=1.5 if end else 0.8,
                label=label,
            )
        spread = f"{count} minus 1"
        axes.plot(dates, quantiles.spread[kept], color=TEXT, linestyle="--", linewidth=1.2, label=spread)
        _log_values(axes, np.column_stack([quantiles.values, quantiles.spread]))
        axes.set_ylabel(_value_label(axes))
        date_axis(axes)
        legend(axes, columns=3)
    return figure


@of_one
def plot_book(verdict: Verdict) -> Figure:
    """Value of the book before and after cost and of the benchmark; below it the fall from the peak."""
    book = verdict.book
    with chart_style():
        if book is None:
            return nothing_to_show(*new_figure(), "no book: too few names with values")
        figure, (upper, lower) = new_stack((3, 1), height=3.3)
        zero_line(upper, 1.0)
        upper.plot(
            book.dates, book.value_gross, color=BLUE, linestyle="--", linewidth=1.1, label="before cost"
        )
        upper.plot(book.dates, book.value_net, color=BLUE, linewidth=1.8, label="after cost")
        upper.plot(book.dates, book.value_benchmark, color=MUTED, linewidth=1.2, label="benchmark")
        _log_values(upper, np.column_stack([book.value_gross, book.value_net, book.value_benchmark]))
        upper.set_ylabel(_value_label(upper))
        legend(upper, columns=3)
        lower.fill_between(book.dates, 100 * -np.abs(book.drawdown), 0.0, color=BAND, linewidth=0)
        lower.plot(book.dates, 100 * -np.abs(book.drawdown), color=VERMILION, linewidth=0.8)
        lower.set_ylabel("fall (%)")
        date_axis(lower)
    return figure


def _value_label(axes: Axes) -> str:
    return "value (log scale)" if axes.get_yscale() == "log" else "value"


def _log_values(axes: Axes, values: FloatArray) -> None:
    """A log axis with plain numbers at about five places, where all values allow one."""
    from matplotlib.ticker import FixedLocator, FuncFormatter, LogLocator, MaxNLocator, NullLocator

    finite = values[np.isfinite(values)]
    if not len(finite) or finite.min() <= 0:
        return
    low, high = float(finite.min()), float(finite.max())
    axes.set_yscale("log")
    if high / low < 4:
        ticks = [tick for tick in MaxNLocator(5).tick_values(low, high) if tick > 0]
        axes.yaxis.set_major_locator(FixedLocator(ticks))
    else:
        axes.yaxis.set_major_locator(LogLocator(subs=(1.0, 2.0, 5.0)))
    axes.yaxis.set_minor_locator(NullLocator())
    axes.yaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))
