"""Plain words for what a report page shows: fields, checks, outcomes, and characters that cannot be seen."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final

from markupsafe import Markup

from assay.reports import Document, Numeral
from assay.spec import UNDECLARED, Direction, FactorSpec


@dataclass(frozen=True, slots=True)
class FieldWords:
    """How a field is called, and the two letters that mark it in the text."""

    label: str
    tag: str


FIELDS: Final[Mapping[str, FieldWords]] = MappingProxyType(
    {
        "name": FieldWords("name", "Na"),
        "universe": FieldWords("universe", "Un"),
        "frequency": FieldWords("frequency", "Fr"),
        "neutralization": FieldWords("neutralization", "Ne"),
        "rebalance": FieldWords("rebalance", "Re"),
        "expr": FieldWords("formula", "Fo"),
        "windows": FieldWords("windows", "Wi"),
        "direction": FieldWords("direction", "Di"),
    }
)
"""What a citation can support, in the order of the page. Their colours are in ``report.css``."""

CHECKS: Final[Mapping[str, str]] = MappingProxyType(
    {
        "spec": "There is a spec to judge",
        "declarations": "The fields agree with the formula and with each other",
        "executable": "The formula runs on a small market",
        "citations": "Every quote stands in the text",
        "fields": "Every declared field is quoted",
        "numbers": "Every number of the formula stands in a quote, in its role",
        "words": "Every operation and data field of the formula is named by a quote",
        "direction": "A quote states the direction",
        "contradictions": "No quote contradicts the spec or another quote",
        "readings": "The readings that the text allows do not disagree",
    }
)
"""The checks of the gate as sentences."""

FLAGS: Final[Mapping[str, str]] = MappingProxyType(
    {
        "hidden_text": "The file holds text that a reader of the page cannot see; it was left out.",
        "tag_characters": "The file holds invisible tag characters, which can carry hidden text; left out.",
        "bidi_controls": "The file holds characters that reverse the order of the text; left out.",
        "furniture_removed": "Running headers, footers and page numbers were left out.",
        "pages_without_text": "Some pages have no text layer and were not read.",
        "text_lost": "Some text was lost: the PDF names a font that it does not hold.",
    }
)
"""What a reader should know of the document."""

NOTABLE: Final = frozenset(
    {"hidden_text", "tag_characters", "bidi_controls", "pages_without_text", "text_lost"}
)
"""Flags that a page shows as a warning."""

_DIRECTIONS: Final[Mapping[Direction, str]] = MappingProxyType(
    {
        "positive": "positive: a high value predicts a high return",
        "negative": "negative: a high value predicts a low return",
        "undeclared": "not stated",
    }
)
_VALUES: Final = {"industry_size": "industry and size", "ALL_A": "all A-shares", "CHINEXT": "ChiNext"}

# No glyph of their own: controls, format characters (bidi, zero width, tags), lone surrogates, private use,
# line separators; and some that Unicode counts as marks, letters or symbols.
_BLIND_CATEGORIES: Final = frozenset({"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"})
_BLIND_OTHERS: Final = re.compile(
    "[\u034f\u115f\u1160\u17b4\u17b5\u2800\u3164\uffa0\ufe00-\ufe0f\U000e0100-\U000e01ef]"
)
_KEPT: Final = frozenset("\n\t")
_CODE: Final = re.compile(r"`([^`\n]+)`")
_PLAIN: Final = re.compile(r"[\x20-\x7e\u4e00-\u9fff\u3000-\u303f\n\t]*")
_TAG_BASE: Final = 0xE0000


def visible(text: str) -> str:
    """The text with every character that cannot be seen written out, such as ``[U+202E]``.

    A run of Unicode tag characters is shown as the ASCII text that it smuggles.
    """
    if _PLAIN.fullmatch(text):
        return text
    shown: list[str] = []
    for run in _runs(text):
        if not _blind(run[0]):
            shown.append(run)
        elif _tag(run[0]):
            smuggled = "".join(chr(ord(c) - _TAG_BASE) for c in run if 0x20 <= ord(c) - _TAG_BASE < 0x7F)
            shown.append(f"[tag characters: {smuggled}]")
        else:
            times = f" \u00d7{len(run)}" if len(run) > 1 else ""
            shown.append(f"[U+{ord(run[0]):04X}{times}]")
    return "".join(shown)


def with_code(text: str) -> Markup:
    """The text, escaped, with what stands between two backticks as code."""
    pieces = _CODE.split(visible(text))  # the odd ones stood between backticks
    return Markup("").join(
        Markup("<code>{}</code>").format(piece) if place % 2 else piece for place, piece in enumerate(pieces)
    )


def _runs(text: str) -> list[str]:
    """Stretches of characters that are seen, of tags, or of one blind character repeated."""
    runs: list[str] = []
    for c in text:
        last = runs[-1][0] if runs else ""
        joined = (
            last and _blind(c) == _blind(last) and (not _blind(c) or c == last or (_tag(c) and _tag(last)))
        )
        if joined:
            runs[-1] += c
        else:
            runs.append(c)
    return runs


def _blind(c: str) -> bool:
    if c in _KEPT:
        return False
    return unicodedata.category(c) in _BLIND_CATEGORIES or _BLIND_OTHERS.match(c) is not None


def _tag(c: str) -> bool:
    return _TAG_BASE <= ord(c) < _TAG_BASE + 0x80


def quoted_text(text: str) -> str:
    """A quote on one line; the bars at the ends of a table row go, those inside become dots."""
    return visible(" ".join(text.split()).strip("|").replace("|", "\u00b7").strip())


def value_text(spec: FactorSpec, direction: Direction, field: str) -> str:
    """A field's value in words; empty where the text does not state it."""
    if field == "direction":
        return "" if direction == UNDECLARED else _DIRECTIONS[direction]
    if field == "windows":
        return ", ".join(f"{window} bars" for window in spec.windows) or "none"
    value = str(getattr(spec, field))
    return "" if value == UNDECLARED else _VALUES.get(value, visible(value))


def numeral_text(numeral: Numeral, written: str) -> str:
    """What a number was taken for: its value where it is written otherwise, its unit, its label.

    For days, weeks and so on it says which numbers of trading days they may mean.
    """
    value = "" if written == numeral.value else f"= {numeral.value}, "
    days = f"{' or '.join(map(str, numeral.days))} trading days, " if numeral.days else ""
    unit = "" if numeral.days or numeral.unit in ("none", "percent") else f"{numeral.unit}, "
    return value + days + unit + numeral.label


def language_of(document: Document) -> str:
    """``zh-Hans`` where a tenth of the text is Chinese, else ``en``: which fonts and voices fit."""
    sample = document.text[:20_000]
    chinese = sum("\u4e00" <= c <= "\u9fff" for c in sample)
    return "zh-Hans" if chinese > len(sample) / 10 else "en"
