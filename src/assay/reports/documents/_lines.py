"""How two lines of a page belong together."""

from __future__ import annotations

import re
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from assay.reports.documents._characters import IS_WIDE, width

_NUMBER_AT_END = re.compile(
    r"(?:[0-9]|[一二两三四五六七八九十百千半廿卅]|[0-9一二两三四五六七八九十百]\s*个|过去|最近|近|前|第)$"
)
_UNIT_AT_START = re.compile(
    r"(?:个?交易日|个月|个?季度|个?星期|[日天周月年倍期%％‰万亿元]|[百千]?分[之位]|(?:trading |business )?"
    r"(?:days?|weeks?|months?|quarters?|years?|bars?|percent|per cent|bps?)\b)",
    re.IGNORECASE,
)
_NUMBER_AT_START = re.compile(r"[0-9一二两三四五六七八九十百半廿卅]")
_PAST_AT_END = re.compile(r"(?:过去|最近|前|近|滚动|past|last|previous|prior|trailing)$", re.IGNORECASE)
_ITEM = re.compile(
    r"(?:[-*+•●◆■□▪–]\s|#{1,6}\s|[>|]|```|\(?[0-9]{1,2}[.)）、]\s?(?![0-9])|[（(][0-9一二三四五六七八九十]{1,3}[)）]"
    r"|[一二三四五六七八九十]{1,3}、|[0-9]+(?:\.[0-9]+)+\s|[图表][0-9]|(?:Figure|Table|Exhibit)\s[0-9])"
)
_SENTENCE_END = re.compile(r"[。！？!?；;：:]$|[^\W\d]\.$|[0-9)]\.$")
_GOES_ON = re.compile(r"[,，、（(\[+×*=÷/<>&]$")
_HEADING = re.compile(r"#{1,6}\s|```")
_BROKEN_WORD = re.compile(r"[A-Za-z]{2}-$")


@dataclass(frozen=True, slots=True)
class Line:
    """A line of a page, its blanks collapsed.

    ``offsets`` are those of its characters in the page's text, ``end`` that of its line break; ``row``
    says that it belongs to a table.
    """

    page: int
    text: str
    offsets: NDArray[np.int32]
    end: int
    row: bool
    cut: str | None = None
    """Set where a page that was cut by length ends in this line: the blank that the cut took, or nothing."""
    full: int = 0
    """Width from which a line of its page counts as full: it broke because there was no more room."""


def joint(last: Line, line: Line, *, blank_between: bool) -> str | None:
    """What stands between two lines: a line break, a blank, nothing; ``None`` where a hyphen goes as well."""
    if last.cut is not None:
        return "" if IS_WIDE.match(line.text) or IS_WIDE.match(last.text[-1]) else last.cut
    if last.row or line.row or _HEADING.match(last.text) or _ITEM.match(line.text):
        return "\n"
    # a blank line ends a paragraph, unless the page ends there too
    if blank_between and (last.page == line.page or _SENTENCE_END.search(last.text)):
        return "\n"
    if _BROKEN_WORD.search(last.text) and line.text[:1].islower():
        return None
    if last.text.endswith("-") and last.text[-2:-1].isdigit() and line.text[:1].isalpha():
        return ""
    goes_on = (
        _cuts_a_number(last.text, line.text) or bool(_GOES_ON.search(last.text)) or line.text[:1].islower()
    )
    full = last.full > 0 and width(last.text) >= last.full and not _SENTENCE_END.search(last.text)
    if not (goes_on or full):
        return "\n"
    together = IS_WIDE.match(last.text[-1]) or IS_WIDE.match(line.text) or line.text[0] in "%‰"
    return "" if together else " "


def _cuts_a_number(last: str, line: str) -> bool:
    """Whether the line break stands between a number and its unit, or between "past" and the number."""
    return bool(
        (_NUMBER_AT_END.search(last) and _UNIT_AT_START.match(line))
        or (_PAST_AT_END.search(last) and _NUMBER_AT_START.match(line))
    )


def full_width(texts: list[str]) -> int:
    """Width from which a line of these counts as full; 0 where lines are not broken by width.

    Nine tenths of the widest line; one-line paragraphs (over 200 columns) are not broken at all.
    """
    widths = [width(text) for text in texts if text]
    broken = [columns for columns in widths if columns <= 200]
    if len(broken) < 2 or len(broken) < len(widths) / 2:
        return 0
    return max(24, int(0.88 * max(broken)))
