"""Charts of a campaign: IC and t against the number of trials, and the book of one factor."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from assay.campaign import CampaignReport, TrialPoint, ZooFactor
from assay.views._axes import date_axis, legend, nothing_to_show, thinned, zero_line
from assay.views._style import (
    BLUE,
    GREEN,
    MUTED,
    PURPLE,
    SKY,
    VERMILION,
    chart_style,
    new_figure,
    new_stack,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from assay.views._arrays import FloatArray

MOST_POINTS = 2500
"""Trials that were not admitted and are drawn; of more, every so-manieth."""


def plot_ic_against_n(report: CampaignReport) -> Figure:
    """RankIC and t of each trial, in the trial's own direction, against the ledger's N; admitted ones marked.

    Above: the best so far, and the admitted factors out of sample where that is known, below zero where one
    turned. Below: what the best of N factors without information is expected to show.
    """
    points = _drawn([point for point in report.points if point.rank_ic is not None and not point.sparse])
    with chart_style():
        if not points:
            figure, axes = new_figure(7.6, 2.4)
            return nothing_to_show(figure, axes, "no trial has a defined RankIC")
        figure, (upper, lower) = new_stack((3, 2), 7.6, 4.6)
        figure.subplots_adjust(bottom=0.1)
        x = _counts(points)
        _scatter(upper, x, [abs(point.rank_ic or 0.0) for point in points], points)
        known = [(n, point.best) for n, point in zip(x, points, strict=True) if point.best is not None]
        upper.step(*zip(*known, strict=True), where="post", color=MUTED, linewidth=1.0, label="best so far")
        seen = [(n, found) for n, point in zip(x, points, strict=True) if (found := _seen(report, point))]
        if seen:
            upper.plot(*zip(*seen, strict=True), "D", color=PURPLE, markersize=5, label="out of sample")
        upper.set_ylim(bottom=min([0.0, *(1.2 * found for _, found in seen)]))
        if upper.get_ylim()[0] < 0:
            upper.axhline(0.0, color=MUTED, linewidth=0.8)
        upper.set_ylabel("RankIC in the trial's direction")
        legend(upper, columns=4)
        _scatter(lower, x, [np.nan if point.t is None else abs(point.t) for point in points], points)
        noise = [(n, p.noise_t) for n, p in zip(x, points, strict=True) if p.noise_t is not None]
        if noise:
            lower.plot(
                *zip(*noise, strict=True),
                color=VERMILION,
                linestyle="--",
                linewidth=1.2,
                label="best of N by luck",
            )
        # room for the legend, which would hide the strongest trials
        lower.set_ylim(0.0, 1.25 * lower.get_ylim()[1])
        lower.set_ylabel("|t|")
        lower.legend(
            *_only(lower, "best of N by luck"), loc="upper right", borderaxespad=0.1, handlelength=1.6
        )
        lower.set_xlabel("trials N")
    return figure


def plot_book(factor: ZooFactor) -> Figure:
    """Running sum of the book's net excess return on the training segment."""
    with chart_style():
        figure, axes = new_figure(5.0, 2.0)
        if len(factor.excess) < 2:
            return nothing_to_show(figure, axes, "no daily series is recorded")
        zero_line(axes)
        rows = thinned(len(factor.days))
        axes.plot(factor.days[rows], 100 * np.cumsum(factor.excess)[rows], color=BLUE)
        axes.set_ylabel("net excess, sum, %")
        date_axis(axes)
    return figure


def _drawn(points: Sequence[TrialPoint]) -> list[TrialPoint]:
    rest = [place for place, point in enumerate(points) if not point.admitted]
    kept = {rest[i] for i in thinned(len(rest), MOST_POINTS)} if rest else set()
    return [point for place, point in enumerate(points) if point.admitted or place in kept]


def _counts(points: Sequence[TrialPoint]) -> list[int]:
    """N at each trial; its place in the run where the ledger could not say."""
    counts, last = [], 0
    for place, point in enumerate(points, 1):
        last = point.n if point.n is not None else max(last, place)
        counts.append(last)
    return counts


def _scatter(axes: Axes, x: Sequence[int], y: Sequence[float], points: Sequence[TrialPoint]) -> None:
    admitted = np.array([point.admitted for point in points])
    across, up = np.asarray(x, dtype=float), np.asarray(y, dtype=float)
    axes.plot(*_two(across, up, ~admitted), "o", color=SKY, markersize=2.6, label="trial", alpha=0.7)
    if admitted.any():
        axes.plot(*_two(across, up, admitted), "o", color=GREEN, markersize=4.6, label="admitted")


def _two(x: FloatArray, y: FloatArray, chosen: np.ndarray) -> tuple[FloatArray, FloatArray]:
    return x[chosen], y[chosen]


def _seen(report: CampaignReport, point: TrialPoint) -> float | None:
    """The RankIC out of sample in the direction that the trial had: below zero where it turned."""
    found = report.out_of_sample.get(point.trial)
    if found is None or found.rank_ic is None:
        return None
    return float(np.copysign(1.0, point.rank_ic or 1.0)) * found.rank_ic


def _only(axes: Axes, name: str) -> tuple[list[object], list[str]]:
    pairs = [(h, t) for h, t in zip(*axes.get_legend_handles_labels(), strict=True) if t == name]
    return [handle for handle, _ in pairs], [text for _, text in pairs]
