from __future__ import annotations

import io
import re
import warnings
from typing import TYPE_CHECKING

from assay.views._style import CSS_VARIABLES, chart_style

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_PROLOGUE = re.compile(r"^.*?(?=<svg\b)", re.DOTALL)
_METADATA = re.compile(r"<metadata>.*?</metadata>", re.DOTALL)
_STYLE = re.compile(r"<defs>\s*<style\b.*?</style>\s*</defs>", re.DOTALL)
_BREAKS = re.compile(r"\s*\n\s*")
_FAMILY = re.compile(
    r"(font(?:-family)?: (?:[\w.]+ )*?[\d.]*(?:px )?)(?:'[^']*'|[A-Za-z-]+)(?:, ?(?:'[^']*'|[A-Za-z-]+))+"
)
_ID = re.compile(r'\bid="([^"]+)"')
_PLACE = re.compile(r'\b(?:d|x|y|transform)="[^"]*"')
_DIGITS = re.compile(r"(?<=\.\d)\d+")
_REFERENCE = re.compile(r'(url\(#|href="#)([^)"]+)')


def to_svg(figure: Figure, *, name: str, description: str) -> str:
    """A figure as an ``<svg>`` element to put into a page.

    Text stays text, colours become CSS variables (so that the page's theme decides), and every id carries
    ``name``, since several such elements share one document.

    Parameters
    ----------
    name : unique within the page; letters, digits and ``-``.
    description : what the chart shows, for a reader who cannot see it; escaped here.
    """
    from markupsafe import escape
    from matplotlib.backends.backend_svg import FigureCanvasSVG

    buffer = io.StringIO()
    with chart_style(), warnings.catch_warnings():
        # it is said of the font that measures; the reader's browser draws the text
        warnings.filterwarnings("ignore", "Glyph .* missing from", UserWarning)
        FigureCanvasSVG(figure).print_svg(buffer, metadata={"Date": None, "Creator": None})
    text = _PROLOGUE.sub("", buffer.getvalue())
    text = _BREAKS.sub(" ", _STYLE.sub("", _METADATA.sub("", text), count=1))
    text = _PLACE.sub(lambda place: _DIGITS.sub("", place.group()), text)
    text = _FAMILY.sub(r"\1var(--font)", text)
    for colour, variable in CSS_VARIABLES.items():
        text = text.replace(colour, f"var({variable})")
    text = _ID.sub(rf'id="{name}-\1"', text)
    text = _REFERENCE.sub(rf"\1{name}-\2", text)
    label = f'<svg role="img" aria-label="{escape(description)}"'
    return text.replace("<svg", label, 1)
