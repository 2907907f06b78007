"""PDF files made for the tests: pages with Chinese text by reportlab, and small broken ones by hand."""

from __future__ import annotations

import functools
import io
import zlib
from collections.abc import Callable
from typing import Any

from fontTools.fontBuilder import FontBuilder
from fontTools.pens.ttGlyphPen import TTGlyphPen
from reportlab.pdfbase import pdfmetrics
from reportlab.pdfbase.cidfonts import UnicodeCIDFont
from reportlab.pdfbase.ttfonts import TTFont
from reportlab.pdfgen.canvas import Canvas

FONT = "Boxes"
UNEMBEDDED_FONT = "STSong-Light"
HEIGHT = 842

Draw = Callable[[Any, int], None]
"""Draws a page on a canvas; the number counts from 1."""


def pdf(draw: Draw, pages: int = 1, **options: Any) -> bytes:
    """A PDF of A4 pages, each drawn by ``draw``; options go to the canvas."""
    pdfmetrics.registerFont(TTFont(FONT, io.BytesIO(box_font())))
    pdfmetrics.registerFont(UnicodeCIDFont(UNEMBEDDED_FONT))
    file = io.BytesIO()
    canvas = Canvas(file, pagesize=(595, HEIGHT), **options)
    for number in range(1, pages + 1):
        canvas.setFont(FONT, 11)
        draw(canvas, number)
        canvas.showPage()
    canvas.save()
    return file.getvalue()


@functools.cache
def box_font() -> bytes:
    """A font whose every character, Chinese and Latin, is a box: not every machine has a Chinese font."""
    codes = [bytes((high, low)) for high in range(0xB0, 0xF8) for low in range(0xA1, 0xFF)]
    hanzi = [char for code in codes if (char := code.decode("gb2312", errors="ignore"))]
    wide = [*hanzi, *"，。；：！？（）％、·“”《》０１２３４５６７８９"]
    advances = dict.fromkeys(wide, 1000) | {chr(code): 520 for code in range(33, 127)} | {" ": 300}
    names = {char: f"c{ord(char):04x}" for char in advances}
    glyphs = {".notdef": TTGlyphPen(None).glyph()}
    for char, advance in advances.items():
        pen = TTGlyphPen(None)
        if char != " ":
            pen.moveTo((40, 0))
            for point in ((advance - 40, 0), (advance - 40, 700), (40, 700)):
                pen.lineTo(point)
            pen.closePath()
        glyphs[names[char]] = pen.glyph()
    font = FontBuilder(1000, isTTF=True)
    font.setupGlyphOrder(list(glyphs))
    font.setupCharacterMap({ord(char): name for char, name in names.items()})
    font.setupGlyf(glyphs)
    font.setupHorizontalMetrics({".notdef": (500, 0)} | {names[c]: (a, 40) for c, a in advances.items()})
    font.setupHorizontalHeader(ascent=800, descent=-200)
    font.setupNameTable({"familyName": FONT, "styleName": "Regular", "psName": FONT})
    font.setupOS2(sTypoAscender=800, sTypoDescender=-200, usWinAscent=800, usWinDescent=200)
    font.setupPost()
    file = io.BytesIO()
    font.save(file)
    return file.getvalue()


def lines(*texts: str, top: float = 780, left: float = 60) -> Draw:
    """Draws lines of text from the top."""

    def draw(canvas: Any, number: int) -> None:
        for row, text in enumerate(texts):
            canvas.drawString(left, top - 16 * row, text)

    return draw


def report_page(canvas: Any, number: int) -> None:
    """A page of a note: running header, body, a table, a page number."""
    canvas.setFont(FONT, 9)
    canvas.drawString(60, 810, "乌有证券 · 多因子系列（十二）")
    canvas.setFont(FONT, 11)
    body = (
        "我们计算过去二十个交易日的累计涨跌幅，先做行业中性处理，再按周调仓。反转因子在中盘股中",
        "最为有效，多空组合的表现在各年份都比较稳定，具体的参数见下文的表格与说明。",
    )
    for row in range(40):
        canvas.drawString(60, 780 - 16 * row, body[row % 2])
    canvas.drawCentredString(300, 30, f"- {number} -")


def raw_pdf(content: bytes, *, dictionary: bytes = b"") -> bytes:
    """A PDF of one page whose content stream has these bytes and this dictionary."""
    return assemble(
        b"<< /Type /Catalog /Pages 2 0 R >>",
        b"<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
        b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Contents 4 0 R"
        b" /Resources << /Font << /F1 5 0 R >> >> >>",
        b"<< /Length %d %s >>\nstream\n%s\nendstream" % (len(content), dictionary, content),
        b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
    )


def assemble(*objects: bytes) -> bytes:
    """The objects, numbered from 1, as a file with its table of offsets; the first is the catalogue."""
    file = b"%PDF-1.7\n"
    offsets = []
    for number, body in enumerate(objects, start=1):
        offsets.append(len(file))
        file += b"%d 0 obj\n%s\nendobj\n" % (number, body)
    table = b"".join(b"%010d 00000 n \n" % offset for offset in offsets)
    start = len(file)
    file += b"xref\n0 %d\n0000000000 65535 f \n%s" % (len(objects) + 1, table)
    file += b"trailer\n<< /Size %d /Root 1 0 R >>\nstartxref\n%d\n%%%%EOF\n" % (len(objects) + 1, start)
    return file


@functools.cache
def bomb(inflated: int) -> bytes:
    """A page whose content unpacks to that many bytes of blanks."""
    packer = zlib.compressobj(9)
    block = b" " * (1 << 20)
    packed = b"".join(packer.compress(block) for _ in range(inflated >> 20)) + packer.flush()
    return raw_pdf(packed, dictionary=b"/Filter /FlateDecode")


def many_pages(count: int) -> bytes:
    """A PDF with that many pages, each with one line."""
    kids = b" ".join(b"%d 0 R" % (5 + number) for number in range(count))
    page = b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Contents 4 0 R"
    page += b" /Resources << /Font << /F1 3 0 R >> >> >>"
    content = b"BT /F1 12 Tf 60 700 Td (the 20-day return) Tj ET"
    return assemble(
        b"<< /Type /Catalog /Pages 2 0 R >>",
        b"<< /Type /Pages /Kids [%s] /Count %d >>" % (kids, count),
        b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
        b"<< /Length %d >>\nstream\n%s\nendstream" % (len(content), content),
        *[page] * count,
    )
