"""Charts of the thermometer: the gauge of one print, and heat and diffusion over prints."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date
from typing import TYPE_CHECKING

from assay.thermometer import ThermometerPrint
from assay.views._axes import date_axis, legend, nothing_to_show, zero_line
from assay.views._style import BAND, BLUE, GREEN, MUTED, TEXT, VERMILION, chart_style, new_figure

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_MARKED = 40
"""Prints up to which each is marked by a dot."""


def plot_gauge(made: ThermometerPrint) -> Figure:
    """The heat of a print between 0 and 100, filled from the middle."""
    with chart_style():
        figure, axes = new_figure(height=1.35, left=0.2, bottom=0.62, top=0.42)
        axes.barh(0, 100, color=BAND, height=1.0, linewidth=0)
        above = made.heat >= 50
        axes.barh(0, made.heat - 50, left=50, color=VERMILION if above else BLUE, height=1.0, linewidth=0)
        axes.axvline(50, color=MUTED, linewidth=1.0)
        axes.plot([made.heat], [0.62], "v", color=TEXT, markersize=7, clip_on=False)
        axes.annotate(
            f"{made.heat:.1f}",
            (made.heat, 0.62),
            xytext=(0, 7),
            textcoords="offset points",
            ha="center",
            fontsize=11,
            annotation_clip=False,
        )
        axes.set_xlim(0, 100)
        axes.set_ylim(-0.5, 0.5)
        axes.set_xticks(
            [0, 50, 100],
            [
                "0\nall supply rises,\nall demand falls",
                "50\nequal",
                "100\nall demand rises,\nall supply falls",
            ],
        )
        for label, side in zip(axes.get_xticklabels(), ("left", "center", "right"), strict=True):
            label.set_horizontalalignment(side)
        axes.set_yticks([])
        axes.grid(visible=False)
        axes.spines[:].set_visible(False)
    return figure


def plot_heat(prints: Sequence[ThermometerPrint]) -> Figure:
    """Heat over prints, by day; 50 is where both axes rise alike."""
    with chart_style():
        figure, axes = new_figure(bottom=0.3)
        if not prints:
            return nothing_to_show(figure, axes, "there is no print")
        zero_line(axes, 50)
        days, heat = [made.as_of for made in prints], [made.heat for made in prints]
        _line(axes, days, heat, VERMILION, "heat")
        axes.set_ylim(-4, 104)
        axes.set_ylabel("heat")
        date_axis(axes)
    return figure


def plot_diffusion(prints: Sequence[ThermometerPrint]) -> Figure:
    """Diffusion of supply and demand over prints, by day, and the neutral band of the last one."""
    with chart_style():
        figure, axes = new_figure(bottom=0.3)
        if not prints:
            return nothing_to_show(figure, axes, "there is no print")
        band = prints[-1].rules.neutral_band
        axes.axhspan(0.5 - band, 0.5 + band, color=BAND, alpha=0.6, linewidth=0, label="neutral")
        days = [made.as_of for made in prints]
        # demand is drawn broken, so that both can be seen where they are equal
        _line(axes, days, [made.axes.supply.diffusion for made in prints], BLUE, "supply")
        _line(axes, days, [made.axes.demand.diffusion for made in prints], GREEN, "demand", "--")
        axes.set_ylim(-0.04, 1.04)
        axes.set_ylabel("diffusion")
        date_axis(axes)
        legend(axes, columns=3)
    return figure


def _line(
    axes: Axes, days: Sequence[date], values: Sequence[float], colour: str, label: str, style: str = "-"
) -> None:
    marker = "o" if len(days) <= _MARKED else ""
    axes.plot(list(days), list(values), style, color=colour, label=label, marker=marker, markersize=3.5)
