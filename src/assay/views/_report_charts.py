"""The specification curve: RankIC of every reading of a report's text."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from assay.spec import Reading
from assay.views._axes import legend, nothing_to_show
from assay.views._style import BAND, BLUE, MUTED, VERMILION, chart_style, new_figure

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def plot_readings(readings: Sequence[Reading], *, written: int = 0) -> Figure:
    """RankIC of each reading with two standard errors, the one as written marked, and a line at zero.

    Parameters
    ----------
    readings : in the order of the rows, which are numbered from 1.
    written : the place among them of the reading that takes the text as it stands.
    """
    defined = [place for place, item in enumerate(readings) if item.rank_ic is not None]
    with chart_style():
        rows = max(len(readings), 2)
        figure, axes = new_figure(height=0.85 + 0.2 * rows, left=0.5)
        if not defined:
            return nothing_to_show(figure, axes, "no reading has a defined RankIC")
        axes.axvline(0.0, color=MUTED, linewidth=1.1)
        values = np.array([readings[place].rank_ic for place in defined], dtype=float)
        if len(values) > 1:
            axes.axvspan(values.min(), values.max(), color=BAND, alpha=0.6, linewidth=0, label="spread")
        for place in defined:
            axes.errorbar(**_point(readings[place], place, written=place == written))
        axes.plot([], [], "o", color=BLUE, markersize=4.5, label="other readings")
        axes.set_yticks(range(len(readings)), [str(place + 1) for place in range(len(readings))])
        axes.set_ylim(len(readings) - 0.4, -0.6)
        axes.set_ylabel("reading")
        axes.set_xlabel("mean RankIC of the formula, \u00b12 s.e.")
        axes.grid(visible=False, axis="y")
        legend(axes, columns=3)
    return figure


def _point(reading: Reading, place: int, *, written: bool) -> dict[str, object]:
    """One reading as the arguments of an error bar."""
    assert reading.rank_ic is not None  # only defined readings are drawn
    error = abs(2 * reading.rank_ic / reading.t_stat) if reading.t_stat else 0.0
    return {
        "x": [reading.rank_ic],
        "y": [place],
        "xerr": [error],
        "fmt": "D" if written else "o",
        "color": VERMILION if written else BLUE,
        "markersize": 6.5 if written else 4.5,
        "capsize": 2.5,
        "linewidth": 1.0,
        "label": "as written" if written else None,
    }
