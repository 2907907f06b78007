"""Charts of the information coefficient: by day, by value, by month, by horizon, raw and neutral."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from assay.judge import Verdict
from assay.views._arrays import FloatArray
from assay.views._axes import daily_bars, date_axis, heat_colours, legend, nothing_to_show, zero_line
from assay.views._one import of_one
from assay.views._style import BLUE, GREEN, GRID, MUTED, ORANGE, SKY, VERMILION, chart_style, new_figure

if TYPE_CHECKING:
    from matplotlib.figure import Figure

ROLLING = 63
"""Bars of the rolling mean, about a quarter."""

_MONTHS = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")


def rolling_mean(values: FloatArray, window: int) -> FloatArray:
    """Mean of the defined values in the last ``window`` rows; NaN where fewer than half are defined."""
    defined = np.isfinite(values)
    total = np.concatenate([[0.0], np.cumsum(np.where(defined, values, 0.0))])
    count = np.concatenate([[0], np.cumsum(defined)])
    last = np.arange(1, len(values) + 1)
    first = np.maximum(last - window, 0)
    n = count[last] - count[first]
    enough = (n >= max(1, window // 2)) & (last >= min(window, len(values)))
    return np.where(enough, (total[last] - total[first]) / np.maximum(n, 1), np.nan)


@of_one
def plot_ic_series(verdict: Verdict) -> Figure:
    """Daily RankIC, its rolling mean over 63 bars and its mean."""
    values = verdict.series["rank_ic"]
    with chart_style():
        figure, axes = new_figure()
        if not np.isfinite(values).any():
            return nothing_to_show(figure, axes, "no day has a defined RankIC")
        zero_line(axes)
        daily_bars(axes, verdict.dates, values, label="daily")
        window = min(ROLLING, max(2, len(values) // 4))
        axes.plot(
            verdict.dates,
            rolling_mean(values, window),
            color=BLUE,
            label=f"mean of {window} bars",
            linewidth=1.6,
        )
        mean = float(np.nanmean(values))
        axes.axhline(mean, color=VERMILION, linewidth=1.0, linestyle="--", label=f"mean {mean:.4f}")
        limit = float(np.nanquantile(np.abs(values), 0.995)) * 1.1 or 1.0
        axes.set_ylim(-limit, limit)
        axes.set_ylabel("RankIC")
        date_axis(axes)
        legend(axes, columns=3)
    return figure


@of_one
def plot_ic_histogram(verdict: Verdict) -> Figure:
    """Distribution of the daily RankIC, with zero and the mean marked."""
    values = verdict.series["rank_ic"]
    values = values[np.isfinite(values)]
    with chart_style():
        figure, axes = new_figure()
        if not len(values):
            return nothing_to_show(figure, axes, "no day has a defined RankIC")
        axes.hist(values, bins=min(41, max(8, len(values) // 12)), color=SKY, edgecolor=GRID, linewidth=0.4)
        axes.axvline(0.0, color=MUTED, linewidth=0.9)
        mean = float(values.mean())
        share = float((values > 0).mean())
        axes.axvline(mean, color=VERMILION, linewidth=1.2, linestyle="--", label=f"mean {mean:.4f}")
        axes.plot([], [], " ", label=f"{share:.0%} of days above 0")
        axes.set_xlabel("daily RankIC")
        axes.set_ylabel("days")
        legend(axes)
    return figure


@of_one
def plot_ic_heatmap(verdict: Verdict) -> Figure:
    """Mean RankIC by year and month, the number written in each cell."""
    from matplotlib.collections import PolyCollection

    table = verdict.monthly
    years = len(table.years)
    with chart_style():
        figure, axes = new_figure(height=0.55 + 0.27 * max(years, 2), left=0.45, top=0.05)
        if not np.isfinite(table.values).any():
            return nothing_to_show(figure, axes, "no month has a defined RankIC")
        limit = max(float(np.nanquantile(np.abs(table.values), 0.95)), 1e-6)
        corners, faces = [], []
        for row, column in zip(*np.nonzero(np.isfinite(table.values)), strict=True):
            value = float(table.values[row, column])
            face, ink = heat_colours(value / limit)
            left, upper = column - 0.5, row - 0.5
            corners.append([(left, upper), (left + 1, upper), (left + 1, upper + 1), (left, upper + 1)])
            faces.append(face)
            shown = f"{value:.2f}".replace("-0.00", "0.00")
            axes.text(column, row, shown, ha="center", va="center", fontsize=6.6, color=ink)
        axes.add_collection(PolyCollection(corners, facecolors=faces, linewidths=0), autolim=False)
        axes.set_xlim(-0.5, 11.5)
        axes.set_ylim(years - 0.5, -0.5)
        axes.set_xticks(range(12), _MONTHS)
        axes.set_yticks(range(years), [str(year) for year in table.years])
        axes.tick_params(length=0)
        axes.grid(visible=False)
        axes.spines[:].set_visible(False)
        axes.set_xlabel("mean RankIC of the month (blue above 0, orange below)")
    return figure


@of_one
def plot_ic_decay(verdict: Verdict) -> Figure:
    """IC and RankIC against labels of several horizons, with two standard errors of the RankIC."""
    rows = verdict.decay
    with chart_style():
        figure, axes = new_figure()
        if not rows or not any(np.isfinite(row.rank_ic) for row in rows):
            return nothing_to_show(figure, axes, "no horizon has a defined RankIC")
        zero_line(axes)
        place = np.arange(len(rows))
        rank_ic = np.array([row.rank_ic for row in rows])
        with np.errstate(divide="ignore", invalid="ignore"):
            error = np.abs(2 * rank_ic / np.array([row.t for row in rows]))
        error = np.where(np.isfinite(error), error, 0.0)
        axes.errorbar(
            place,
            rank_ic,
            yerr=error,
            color=BLUE,
            marker="o",
            markersize=4,
            capsize=3,
            label="RankIC, \u00b12 s.e.",
        )
        axes.plot(
            place,
            [row.ic for row in rows],
            color=ORANGE,
            marker="s",
            markersize=4,
            linestyle="--",
            label="IC",
        )
        axes.set_xticks(place, [str(row.horizon) for row in rows])
        axes.set_xlabel("horizon of the label (bars)")
        axes.set_ylabel("mean")
        legend(axes, columns=2)
    return figure


@of_one
def plot_neutral_rank_ic(verdict: Verdict) -> Figure:
    """Running sum of the RankIC, raw and after industry and style ranks are taken out."""
    raw = verdict.series["rank_ic"]
    neutral = verdict.series.get("neutral_rank_ic")
    with chart_style():
        figure, axes = new_figure()
        if not np.isfinite(raw).any():
            return nothing_to_show(figure, axes, "no day has a defined RankIC")
        zero_line(axes)
        axes.plot(verdict.dates, np.nancumsum(raw), color=BLUE, label=f"raw, mean {np.nanmean(raw):.4f}")
        if neutral is not None and np.isfinite(neutral).any():
            label = f"neutral, mean {np.nanmean(neutral):.4f}"
            axes.plot(verdict.dates, np.nancumsum(neutral), color=GREEN, linestyle="--", label=label)
        else:
            axes.plot([], [], " ", label="neutral: not computed")
        axes.set_ylabel("running sum of RankIC")
        date_axis(axes)
        legend(axes)
    return figure
