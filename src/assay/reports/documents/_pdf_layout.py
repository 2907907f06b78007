"""Lines, columns and hidden text of a PDF page, from the places of its characters.

Used by the process of ``_pdf_child`` alone, which hands over the ``pypdfium2.raw`` module; see there.
"""

from __future__ import annotations

import ctypes
import math
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any

Box = tuple[float, float, float, float]
"""Left, bottom, right, top in points."""

Matrix = tuple[float, float, float, float, float, float]
Colour = tuple[int, int, int]

_IDENTITY: Matrix = (1, 0, 0, 1, 0, 0)
_TEXT, _PATH, _IMAGE, _SHADING, _FORM = 1, 2, 3, 4, 5
_INVISIBLE_MODES = (3, 7)
_WHITE: Colour = (255, 255, 255)
_NEAR = 24
"""Colours that differ by less in every channel cannot be told apart in reading."""
_TINY = 2.0
"""Height in points under which text is no text for a reader."""
_SLANTED = -1
_MOST_FILLS = 500
_DEEPEST_FORM = 6
_COLUMN_GAP = 1.2
"""White between two words of a line, in line heights, from which they stand in two columns of a table."""
_WORD_GAP = 0.2
_PARAGRAPH_STEP = 1.4
"""Distance of two lines, in those usual on the page, from which a paragraph ends between them."""


@dataclass
class _Style:
    """How an object's text is painted."""

    order: int
    colour: Colour | None
    invisible: bool
    quarter: int
    """Quarter turns of the direction of reading, or ``_SLANTED``."""


@dataclass
class _Fill:
    """An area painted before text: its colour, or ``None`` where a picture or a shading decides."""

    order: int
    box: Box
    colour: Colour | None


@dataclass
class _Line:
    """A line in the making: its box in the frame of its direction of reading."""

    quarter: int
    box: Box
    parts: list[str] = field(default_factory=list)
    object_address: int = 0


def page_text(pdfium: Any, page: Any, character_limit: int) -> dict[str, Any] | None:
    """``{"text", "hidden", "lost"}`` of a page, or ``None`` where it has more characters than the limit.

    Text is in the order of the file; hidden text is set after the rest, its spans given. ``lost`` counts the
    pieces of text that PDFium passes over, since it has no shapes of their font.
    """
    reader = pdfium.FPDFText_LoadPage(page)
    count = pdfium.FPDFText_CountChars(reader)
    if count > character_limit:
        return None
    styles, texts, fills = _painted(pdfium, page)
    edges = pdfium.FS_RECTF()
    pdfium.FPDF_GetPageBoundingBox(page, ctypes.byref(edges))
    sight = _Sight((edges.left, edges.bottom, edges.right, edges.top), styles, fills)
    seen, hidden = _Lines(), _Lines()
    read: set[int] = set()
    # as a plain address: a pointer object for each character would take most of the time
    object_of = pdfium.FPDFText_GetTextObject
    object_of.restype = ctypes.c_void_p
    box = pdfium.FS_RECTF()
    box_ref = ctypes.byref(box)
    index = -1
    while (index := index + 1) < count:
        code = pdfium.FPDFText_GetUnicode(reader, index)
        if code in (10, 13):
            continue
        if code == 32 or code == 9 or code == 0xA0:
            seen.blank()
            hidden.blank()
            continue
        if 0xD800 <= code < 0xDC00 and index + 1 < count:
            low = pdfium.FPDFText_GetUnicode(reader, index + 1)
            if 0xDC00 <= low < 0xE000:
                code = 0x10000 + ((code - 0xD800) << 10) + (low - 0xDC00)
                index += 1
        pdfium.FPDFText_GetLooseCharBox(reader, index, box_ref)
        place = (box.left, box.bottom, box.right, box.top)
        address = object_of(reader, index) or 0
        lines = seen if sight.sees(address, place) else hidden
        read.add(address)
        lines.add(_character(code), place, address, styles.get(address))
    pdfium.FPDFText_ClosePage(reader)
    lost = sum(_without_shapes(pdfium, item) for address, item in texts.items() if address not in read)
    visible, unseen = seen.text(), hidden.text()
    if not unseen:
        return {"text": visible, "hidden": [], "lost": lost}
    start = len(visible) + 1 if visible else 0
    text = f"{visible}\n{unseen}" if visible else unseen
    return {"text": text, "hidden": [[start, len(text)]], "lost": lost}


def _without_shapes(pdfium: Any, item: Any) -> bool:
    """Whether a text object that was not read has a font that the file does not hold.

    PDFium passes over text without extent, and over what looks printed twice for boldness. Without
    the font's shapes it cannot tell extents; with them, what it passes over is no loss.
    """
    font = pdfium.FPDFTextObj_GetFont(item)
    return bool(font) and pdfium.FPDFFont_GetIsEmbedded(font) == 0


def _character(code: int) -> str:
    if code in (0x02, 0xFFFE):
        # PDFium's marks for the hyphen of a word that a line end breaks
        return "-"
    return "\ufffd" if code == 0 or 0xD800 <= code < 0xE000 else chr(code)


def _address(pointer: Any) -> int:
    return ctypes.cast(pointer, ctypes.c_void_p).value or 0


class _Lines:
    """Sorts characters, in the order of the file, into lines and columns."""

    def __init__(self) -> None:
        self._done: list[_Line] = []
        self._line: _Line | None = None
        self._blank = False

    def blank(self) -> None:
        """A blank was read: it counts only between two words of a line."""
        self._blank = True

    def add(self, character: str, place: Box, address: int, style: _Style | None) -> None:
        """The next character, at its place."""
        quarter = style.quarter if style else 0
        box = _turned(place, quarter) if quarter > 0 else place
        line = self._line
        if line is None or quarter != line.quarter:
            self._begin(character, box, address, quarter)
        elif quarter == _SLANTED:
            if line.object_address == address:
                line.parts.append(" " + character if self._blank else character)
            else:
                self._begin(character, box, address, quarter)
        elif _same_line(line.box, box):
            left, bottom, right, top = line.box
            _, low, end, high = box
            line.parts.append(self._between(line.box, box) + character)
            line.box = (
                left,
                min(bottom, low),
                max(right, end),
                max(top, high),
            )
        else:
            self._begin(character, box, address, quarter)
        self._blank = False

    def _begin(self, character: str, box: Box, address: int, quarter: int) -> None:
        self._line = _Line(quarter, box, [character], address)
        self._done.append(self._line)

    def text(self) -> str:
        """All lines; a blank one where two stand further apart than the lines of a paragraph do."""
        steps = [_step(upper, line) for upper, line in pairwise(self._done)]
        down = sorted(step for step in steps if 0 < step < math.inf)
        apart = _PARAGRAPH_STEP * down[len(down) // 2] if down else 0.0
        parts = ["".join(line.parts) for line in self._done[:1]]
        for step, line in zip(steps, self._done[1:], strict=True):
            parts.append("\n" if step <= apart else "\n\n")
            parts.append("".join(line.parts))
        return "".join(parts)

    def _between(self, line: Box, box: Box) -> str:
        height = min(line[3] - line[1], box[3] - box[1])
        gap = box[0] - line[2]
        if gap > _COLUMN_GAP * height:
            return " | "
        return " " if self._blank or gap > _WORD_GAP * height else ""


def _step(upper: _Line, line: _Line) -> float:
    """How far a line stands under the one before it; negative where a new column begins."""
    return upper.box[1] - line.box[1] if upper.quarter == line.quarter else math.inf


def _same_line(line: Box, box: Box) -> bool:
    """Whether a character goes on with a line: beside it, to the right."""
    _, low, end, high = line
    left, bottom, _, top = box
    height = min(top - bottom, high - low)
    overlap = (min(top, high)) - (max(bottom, low))
    return overlap > 0.4 * height and left > end - 0.5 * (max(1.0, height))


def _quarter(angle: float) -> int:
    turns = round(angle / 90)
    return turns % 4 if abs(angle - 90 * turns) <= 5 else _SLANTED


def _turned(box: Box, quarter: int) -> Box:
    """The box in a frame in which its text reads from left to right."""
    left, bottom, right, top = box
    if quarter == 1:
        return bottom, -right, top, -left
    if quarter == 2:
        return -right, -top, -left, -bottom
    if quarter == 3:
        return -top, left, -bottom, right
    return box


class _Sight:
    """Whether a reader of the page sees a character."""

    def __init__(self, page: Box, styles: dict[int, _Style], fills: list[_Fill]) -> None:
        self._page = page
        self._styles = styles
        self._fills = fills
        self._verdicts: dict[int, bool | None] = {}

    def sees(self, address: int, box: Box) -> bool:
        """False for text off the page, tiny, painted invisibly or in the colour of what is behind it."""
        left, bottom, right, top = box
        x, y = (left + right) / 2, (bottom + top) / 2
        page = self._page
        if not (page[0] <= x <= page[2] and page[1] <= y <= page[3]):
            return False
        if top - bottom < _TINY and right - left < _TINY:
            return False
        if address not in self._verdicts:
            self._verdicts[address] = self._verdict(self._styles.get(address))
        verdict = self._verdicts[address]
        return self._stands_out(self._styles[address], x, y) if verdict is None else verdict

    def _verdict(self, style: _Style | None) -> bool | None:
        """Whether all of an object's text is seen; ``None`` where that depends on what lies behind."""
        if style is None:
            return True
        if style.invisible:
            return False
        if style.colour is None:
            return True
        if any(fill.order < style.order for fill in self._fills):
            return None
        return _differ(style.colour, _WHITE)

    def _stands_out(self, style: _Style, x: float, y: float) -> bool:
        ground: Colour | None = _WHITE
        for fill in self._fills:
            left, bottom, right, top = fill.box
            if fill.order < style.order and left <= x <= right and bottom <= y <= top:
                ground = fill.colour
                break
        return ground is None or style.colour is None or _differ(style.colour, ground)


def _differ(one: Colour, other: Colour) -> bool:
    return any(abs(a - b) >= _NEAR for a, b in zip(one, other, strict=True))


def _painted(pdfium: Any, page: Any) -> tuple[dict[int, _Style], dict[int, Any], list[_Fill]]:
    """Styles of the text objects and the objects by address, and the areas painted, topmost first."""
    walk = _Walk(pdfium)
    for index in range(pdfium.FPDFPage_CountObjects(page)):
        walk.visit(pdfium.FPDFPage_GetObject(page, index), _IDENTITY, 0)
    fills = walk.fills
    if len(fills) > _MOST_FILLS:
        # a chart has thousands of marks; only large areas lie behind text
        fills = sorted(fills, key=lambda fill: _area(fill.box))[-_MOST_FILLS:]
    fills.sort(key=lambda fill: -fill.order)
    return walk.styles, walk.texts, fills


def _area(box: Box) -> float:
    return (box[2] - box[0]) * (box[3] - box[1])


class _Walk:
    """Goes through the objects of a page in the order of painting, forms included."""

    def __init__(self, pdfium: Any) -> None:
        self._pdfium = pdfium
        self._order = 0
        self.styles: dict[int, _Style] = {}
        self.texts: dict[int, Any] = {}
        self.fills: list[_Fill] = []

    def visit(self, item: Any, matrix: Matrix, depth: int) -> None:
        pdfium = self._pdfium
        self._order += 1
        kind = pdfium.FPDFPageObj_GetType(item)
        if kind == _TEXT:
            colour, alpha = self._colour(item)
            mode = pdfium.FPDFTextObj_GetTextRenderMode(item)
            a, b, *_ = _times(self._matrix(item), matrix)
            self.texts[_address(item)] = item
            self.styles[_address(item)] = _Style(
                self._order,
                None if mode in (1, 5) else colour,
                mode in _INVISIBLE_MODES or alpha == 0,
                _quarter(math.degrees(math.atan2(b, a))),
            )
        elif kind == _PATH:
            colour, alpha = self._colour(item)
            if self._fills_area(item) and alpha > 127:
                self._add_fill(item, matrix, colour)
        elif kind in (_IMAGE, _SHADING):
            self._add_fill(item, matrix, None)
        elif kind == _FORM and depth < _DEEPEST_FORM:
            inner = _times(self._matrix(item), matrix)
            for index in range(pdfium.FPDFFormObj_CountObjects(item)):
                self.visit(pdfium.FPDFFormObj_GetObject(item, index), inner, depth + 1)

    def _add_fill(self, item: Any, matrix: Matrix, colour: Colour | None) -> None:
        edges = [ctypes.c_float() for _ in range(4)]
        if self._pdfium.FPDFPageObj_GetBounds(item, *(ctypes.byref(edge) for edge in edges)):
            left, bottom, right, top = (edge.value for edge in edges)
            a, b, c, d, e, f = matrix
            corners = [(x, y) for x in (left, right) for y in (bottom, top)]
            xs = [a * x + c * y + e for x, y in corners]
            ys = [b * x + d * y + f for x, y in corners]
            self.fills.append(_Fill(self._order, (min(xs), min(ys), max(xs), max(ys)), colour))

    def _colour(self, item: Any) -> tuple[Colour | None, int]:
        """Colour and opacity; no colour where a pattern fills."""
        channels = [ctypes.c_uint() for _ in range(4)]
        if not self._pdfium.FPDFPageObj_GetFillColor(item, *(ctypes.byref(one) for one in channels)):
            return None, 255
        red, green, blue, alpha = (one.value for one in channels)
        return (red, green, blue), alpha

    def _fills_area(self, item: Any) -> bool:
        mode, stroke = ctypes.c_int(), self._pdfium.FPDF_BOOL()
        found = self._pdfium.FPDFPath_GetDrawMode(item, ctypes.byref(mode), ctypes.byref(stroke))
        return bool(found) and mode.value != 0

    def _matrix(self, item: Any) -> Matrix:
        matrix = self._pdfium.FS_MATRIX()
        if not self._pdfium.FPDFPageObj_GetMatrix(item, ctypes.byref(matrix)):
            return _IDENTITY
        return matrix.a, matrix.b, matrix.c, matrix.d, matrix.e, matrix.f


def _times(first: Matrix, then: Matrix) -> Matrix:
    """The matrix that applies ``first``, then ``then``."""
    a, b, c, d, e, f = first
    p, q, r, s, t, u = then
    return (a * p + b * r, a * q + b * s, c * p + d * r, c * q + d * s, e * p + f * r + t, e * q + f * s + u)
