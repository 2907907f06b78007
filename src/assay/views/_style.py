from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

# Each colour is unique, so that a page can swap it for a CSS variable and follow the reader's light or dark
# theme. Series colours are Okabe and Ito's, which stay apart under the common colour vision deficiencies.
TEXT = "#1d2025"
MUTED = "#6a707b"
GRID = "#dfe2e7"
ZERO = "#9aa0aa"
BLUE = "#0072b2"
VERMILION = "#d55e00"
GREEN = "#009e73"
SKY = "#56b4e9"
ORANGE = "#e69f00"
PURPLE = "#cc79a7"
BAND = "#c9d3df"

SERIES = (BLUE, VERMILION, GREEN, ORANGE, PURPLE, SKY)

CSS_VARIABLES = {
    TEXT: "--ink",
    MUTED: "--muted",
    GRID: "--grid",
    ZERO: "--zero",
    BLUE: "--c1",
    VERMILION: "--c2",
    GREEN: "--c3",
    ORANGE: "--c4",
    PURPLE: "--c5",
    SKY: "--c6",
    BAND: "--band",
}
"""The CSS variable that stands for each colour on a page."""

_CHINESE = (
    "PingFang SC", "Hiragino Sans GB", "Microsoft YaHei", "Noto Sans CJK SC", "Noto Sans CJK JP",
    "Noto Sans SC", "Source Han Sans SC", "WenQuanYi Micro Hei", "WenQuanYi Zen Hei", "SimHei",
)  # fmt: skip
"""Families with Chinese characters. Of a collection matplotlib knows the first face alone, hence the JP."""

_CHINESE_FILE = re.compile(
    r"(?i)(?:PingFang|Hiragino Sans GB|msyh|NotoSansCJK|NotoSansSC|SourceHanSans|wqy-|simhei)[^/]*$"
)

_SETTINGS: dict[str, Any] = {
    "font.size": 9.0,
    "axes.edgecolor": ZERO,
    "axes.labelcolor": MUTED,
    "axes.titlecolor": TEXT,
    "axes.linewidth": 0.8,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.grid": True,
    "axes.axisbelow": True,
    "grid.color": GRID,
    "grid.linewidth": 0.6,
    "xtick.color": ZERO,
    "ytick.color": ZERO,
    "xtick.labelcolor": MUTED,
    "ytick.labelcolor": MUTED,
    "text.color": TEXT,
    "legend.frameon": False,
    "legend.fontsize": 8.0,
    "legend.labelcolor": TEXT,
    "lines.linewidth": 1.4,
    "svg.fonttype": "none",
    "svg.hashsalt": "assay",
    "path.simplify_threshold": 0.3,
}


@contextmanager
def chart_style() -> Iterator[None]:
    """Assay's settings while a figure is drawn or saved, and the caller's own afterwards."""
    import matplotlib

    with matplotlib.rc_context({**_SETTINGS, "font.family": ["sans-serif", *chinese_families()]}):
        yield


@cache
def chinese_families() -> tuple[str, ...]:
    """Installed families that draw what the first one lacks; none where none is installed.

    Without one, Chinese text in a figure is drawn as boxes and matplotlib warns; pages are not concerned, as
    their text is drawn by the reader's browser.
    """
    from matplotlib.font_manager import findSystemFonts, fontManager

    def known() -> tuple[str, ...]:
        return tuple(name for name in _CHINESE if name in fontManager.get_font_names())

    if not known():
        # matplotlib stores its list of fonts for good: what was installed later is not in it
        for path in findSystemFonts():
            if _CHINESE_FILE.search(path) and "bold" not in path.lower():
                fontManager.addfont(path)
    return known()


# Space around the plots in inches. It is fixed because measuring the labels (a layout engine) takes as long
# as all the drawing.
_LEFT, _RIGHT, _BOTTOM, _TOP = 0.66, 0.2, 0.48, 0.3


def new_figure(
    width: float = 5.0,
    height: float = 2.6,
    *,
    left: float = _LEFT,
    bottom: float = _BOTTOM,
    top: float = _TOP,
) -> tuple[Figure, Axes]:
    """A figure of its own with one set of axes; pyplot's global list of figures is not involved."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(width, height))
    figure.patch.set_alpha(0.0)
    axes = figure.add_subplot()
    axes.patch.set_alpha(0.0)
    _margins(figure, left, bottom, top)
    return figure, axes


def new_stack(
    heights: tuple[int, int], width: float = 5.0, height: float = 3.1, *, gap: float = 0.25
) -> tuple[Figure, list[Axes]]:
    """Two plots above each other that share their dates; ``gap`` inches between them."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(width, height))
    figure.patch.set_alpha(0.0)
    upper, lower = figure.subplots(2, 1, sharex=True, height_ratios=heights)
    for axes in (upper, lower):
        axes.patch.set_alpha(0.0)
        axes.margins(x=0.01)
    _margins(figure, _LEFT, 0.3, _TOP)
    figure.subplots_adjust(hspace=2 * gap / (height - 0.3 - _TOP - gap))
    figure.align_ylabels()
    return figure, [upper, lower]


def _margins(figure: Figure, left: float, bottom: float, top: float) -> None:
    width, height = figure.get_size_inches()
    figure.subplots_adjust(
        left=left / width, right=1 - _RIGHT / width, bottom=bottom / height, top=1 - top / height
    )
