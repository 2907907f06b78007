from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from assay.views._style import MUTED, SKY, ZERO

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from numpy.typing import NDArray

    from assay.views._arrays import DateArray, FloatArray

_ABOVE = ((214, 230, 242), (0, 90, 150))
_BELOW = ((250, 226, 208), (190, 75, 0))


def date_axis(axes: Axes) -> None:
    """Few, short date labels."""
    from matplotlib.dates import AutoDateLocator, ConciseDateFormatter

    locator = AutoDateLocator(minticks=3, maxticks=7)
    axes.xaxis.set_major_locator(locator)
    axes.xaxis.set_major_formatter(ConciseDateFormatter(locator, show_offset=False))
    axes.margins(x=0.01)


def daily_bars(axes: Axes, dates: DateArray, values: FloatArray, *, label: str) -> None:
    """A thin bar from zero for each defined day, as one path: a marker a day would make pages heavy."""
    defined = np.isfinite(values)
    x = np.repeat(dates[defined], 3)
    y = np.column_stack([np.zeros(defined.sum()), values[defined], np.full(defined.sum(), np.nan)]).ravel()
    axes.plot(x, y, color=SKY, linewidth=0.5, alpha=0.75, label=label)


def thinned(count: int, most: int = 500) -> NDArray[np.intp]:
    """Rows of a smooth curve that are worth drawing: at most ``most``, the last one included."""
    if count <= most:
        return np.arange(count)
    return np.unique(np.linspace(0, count - 1, most).round().astype(np.intp))


def zero_line(axes: Axes, at: float = 0.0) -> None:
    """A line at zero (or another level that separates good from bad)."""
    axes.axhline(at, color=ZERO, linewidth=0.9)


def legend(axes: Axes, columns: int = 1) -> None:
    """A legend above the plot, where it hides no data."""
    made = axes.legend(loc="lower left", bbox_to_anchor=(0.0, 1.0), ncols=max(columns, 2), borderaxespad=0.2)
    for line in made.get_lines():
        # a hairline for each day is legible as a mass, and not alone
        line.set_linewidth(max(line.get_linewidth(), 1.4))
        line.set_alpha(1.0)


def nothing_to_show(figure: Figure, axes: Axes, why: str) -> Figure:
    """The figure with a sentence in place of a plot."""
    axes.set_axis_off()
    axes.text(0.5, 0.5, why, ha="center", va="center", color=MUTED, transform=axes.transAxes)
    return figure


def heat_colours(value: float) -> tuple[str, str]:
    """Face and ink of a heat-map cell for a value scaled to [-1, 1]; readable on light and dark pages."""
    pale, full = _ABOVE if value >= 0 else _BELOW
    weight = min(abs(value), 1.0)
    red, green, blue = (round(a + (b - a) * weight) for a, b in zip(pale, full, strict=True))
    bright = 0.299 * red + 0.587 * green + 0.114 * blue > 140
    return f"#{red:02x}{green:02x}{blue:02x}", "#101418" if bright else "#fdfdfe"


def ramp(count: int) -> list[str]:
    """Colours from orange through grey to blue for ``count`` ordered groups."""
    low, middle, high = (213, 94, 0), (150, 155, 165), (0, 114, 178)
    colours = []
    for index in range(count):
        position = 2 * index / max(count - 1, 1)
        start, end = (low, middle) if position <= 1 else (middle, high)
        weight = position if position <= 1 else position - 1
        red, green, blue = (round(a + (b - a) * weight) for a, b in zip(start, end, strict=True))
        # the ends equal series colours, and a page swaps those: one step off keeps the ramp whole
        colours.append(f"#{red:02x}{green:02x}{min(blue + 1, 255):02x}")
    return colours
