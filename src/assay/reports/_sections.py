"""Parts of a report that try the factor otherwise: what they state are variants and not the factor."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

from assay.reports._document import Range

_LONGEST: Final = 60
"""Characters of a heading, at most."""

_TRIES: Final = re.compile(
    r"稳健性|鲁棒性|敏感性|参数(?:敏感|测试|遍历|检验)|(?:其他|不同|更换|替换)(?:股票池|样本|参数|窗口|调仓|市场)"
    r"|(?:拓展|扩展|补充|对比|进一步)(?:测试|检验|讨论|分析)|附录.{0,12}(?:测试|检验|稳健|敏感)"
    r"|robustness|\brobust (?:check|test)|\bis it robust|\bsensitivit(?:y|ies)\b|\balternative (?:spec"
    r"|window|universe|setting|choice|definition)|\bvariations?\b"
    r"|\bvariants?\b"
    r"|\b(?:other|further|additional|different) (?:windows|universes|tests|checks|horizons|settings|samples)"
    r"|\bappendix\b.{0,24}(?:test|check|variant|robust)|\bextensions?\b|\bwhat if\b",
    re.IGNORECASE,
)
_CONCLUDES: Final = re.compile(r"结果|结论|最终|定稿|results|findings|conclusion|final|main", re.IGNORECASE)
"""Words of a heading that also holds what is said of the factor itself."""

HOLDS: Final = re.compile(
    r"最终|最后(?:采用|选用|使用|确定)|正式(?:版|采用)|以此为准|为准|定稿|后文(?:均|统一)"
    r"|以下(?:各节|全部|均|统一)|下文(?:均|统一|中的?)|均指|实际(?:采用|使用)(?:的是)?"
    r"|\bfinal(?:ly|i[sz]ed)?\b|eventually|ultimately|we settle|settled on|prevails?|supersedes?"
    r"|adopted version|throughout the rest|from here on|in what follows|in the rest of|from now on"
    r"|hereafter"
    r"|all (?:the )?results (?:below|that follow|use)|in all (?:that|results)",
    re.IGNORECASE,
)  # fmt: skip
"""Words that say which of two statements holds."""

EVERYWHERE: Final = re.compile(
    r"(?:所有|全部|各)(?:个)?(?:版本|设定|测试|检验|情形)|(?:测试|检验|版本)(?:中)?均"
    r"|\bin (?:all|every|each) (?:the )?(?:versions?|variants?|cases?|tests?|runs?|specifications?)\b"
    r"|\bthroughout\b",
    re.IGNORECASE,
)
"""Words of what the factor and all of its variants share."""

_LABEL: Final = re.compile(
    r"^[-*•·>\s]*(?:稳健性|鲁棒性|敏感性|参数敏感性)(?:检验|分析|测试|检查)?\s*[:：]"
    r"|^[-*•·>\s]*(?:robustness|sensitivity)(?: (?:checks?|tests?|analysis))?\s*[:.：]",
    re.IGNORECASE,
)
_NUMBER: Final = re.compile(
    r"(?P<dotted>\d{1,2}(?:\.\d{1,2})*)(?:[.、)）]|\s)|(?P<han>[一二三四五六七八九十]{1,3})、"
    r"|[(（](?P<bracket>[一二三四五六七八九十\d]{1,3})[)）]|(?P<letter>[A-H])[.)]\s"
)
_APPENDIX: Final = re.compile(r"(?:appendix|附录)\s?[\w一二三四五六七八九十]{0,2}\s?[:：.]", re.IGNORECASE)
_ITEM: Final = re.compile(r"[-*•·>|]")
_ENDS: Final = re.compile(r"[。；;，,:：|=]|[.!?！？]$")


@dataclass(frozen=True, slots=True)
class _Heading:
    """A line that heads what follows; ``kind`` and ``depth`` say which later ones end it."""

    start: int
    kind: str
    depth: int
    tries: bool


def asides(text: str) -> tuple[Range, ...]:
    """Stretches under a heading such as *Robustness* or 敏感性分析, and lines that begin with such a label.

    A stretch reaches to the next heading of the same kind or a higher one. The title of the report heads
    none.
    """
    found: list[Range] = []
    open_heading: _Heading | None = None
    place = 0
    for line in text.split("\n"):
        heading = _heading(place, line)
        if heading is not None and open_heading is not None and _closes(heading, open_heading):
            found.append(Range(open_heading.start, place))
            open_heading = None
        if heading is not None and heading.tries and open_heading is None and place:
            open_heading = heading
        elif open_heading is None and _LABEL.match(line):
            found.append(Range(place, place + len(line)))
        place += len(line) + 1
    if open_heading is not None:
        found.append(Range(open_heading.start, len(text)))
    return tuple(found)


def varies(ranges: tuple[Range, ...], start: int, words: str) -> bool:
    """Whether words at a place in one of these stretches state a variant: they do not say that it holds."""
    inside = any(item.start <= start < item.end for item in ranges)
    return inside and not HOLDS.search(words) and not EVERYWHERE.search(words)


def _heading(place: int, line: str) -> _Heading | None:
    words = line.strip()
    marks = len(words) - len(words.lstrip("#"))
    title = words.lstrip("# ").strip("*_ ")
    plain = _APPENDIX.sub("", title).rstrip(":：")
    if not title or len(title) > _LONGEST or (not marks and (_ITEM.match(title) or _ENDS.search(plain))):
        return None
    kind, depth = ("marked", marks) if marks else _numbered(title)
    tries = _TRIES.search(title) is not None and _CONCLUDES.search(title) is None
    return _Heading(place, kind, depth, tries)


def _numbered(title: str) -> tuple[str, int]:
    number = _NUMBER.match(title)
    if number is None:
        return "plain", 1
    kind = number.lastgroup or "plain"
    return kind, number.group(kind).count(".") + 1 if kind == "dotted" else 1


def _closes(heading: _Heading, opened: _Heading) -> bool:
    if heading.kind == "marked" or opened.kind == "marked":
        return heading.kind == opened.kind and heading.depth <= opened.depth
    if opened.kind == "plain":
        return True
    return heading.kind == opened.kind and heading.depth <= opened.depth
