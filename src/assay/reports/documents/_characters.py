"""Classes of characters: widths, invisible ones, ligatures."""

from __future__ import annotations

import re

_FULL_WIDTH = {code: code - 0xFEE0 for code in range(0xFF01, 0xFF5F)} | {0x3000: 0x20, 0xA0: 0x20}
_SENTENCE_MARKS = frozenset("，；：！？")

NARROW = {code: to for code, to in _FULL_WIDTH.items() if chr(code) not in _SENTENCE_MARKS}
"""``str.translate`` table of the normalised text. 20，120 is two numbers: the mark stays."""

FOLD = _FULL_WIDTH
"""``str.translate`` table for looking up quotes: every width."""

LIGATURES = {"ﬀ": "ff", "ﬁ": "fi", "ﬂ": "fl", "ﬃ": "ffi", "ﬄ": "ffl", "ﬅ": "st", "ﬆ": "st"}
LIGATURE = re.compile("[ﬀ-ﬆ]")

TAGS = "\U000e0000-\U000e007f"
BIDI = "\u202a-\u202e\u2066-\u2069"
INVISIBLE = re.compile(
    "[" + TAGS + BIDI + "\u200b-\u200f\u2060-\u2064\ufeff\u00ad\ufe00-\ufe0f"
    "\U000e0100-\U000e01ef\x00-\x08\x0e-\x1f\x7f\ufffe\uffff]+"
)
"""Characters without a glyph: they can hide text from people, or split words from searches."""

TAG = re.compile(f"[{TAGS}]")
BIDI_CONTROL = re.compile(f"[{BIDI}]")

HAN = "\u2e80-\u2fdf\u3005-\u3007\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff"
WIDE = HAN + "\u3000-\u3004\u3008-\u303f\uff00-\uff60"
"""Chinese characters and the punctuation set with them, for character classes."""

IS_WIDE = re.compile(f"[{WIDE}]")
IS_HAN = re.compile(f"[{HAN}]")


def width(text: str) -> int:
    """Columns that the text takes: a Chinese character takes two."""
    return len(text) + len(IS_WIDE.findall(text))


def fold(text: str) -> str:
    """``text`` without blanks and invisible characters, half width, ligatures spelt out."""
    narrow = INVISIBLE.sub("", text).translate(FOLD)
    spelt = LIGATURE.sub(lambda found: LIGATURES[found[0]], narrow)
    return "".join(spelt.split())
