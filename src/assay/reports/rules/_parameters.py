"""Windows that a sentence of their own states: "the look-back is 20 days", "N = 20", "窗口调整为60日"."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Final

from assay.reports._document import Numeral
from assay.reports._sections import HOLDS
from assay.reports.rules._facts import ASIDE
from assay.reports.rules._scan import Scanner
from assay.reports.rules._sentences import Sentence
from assay.reports.rules._tree import Window

_VERB = (
    r"\s*(?:长度|期|值|的)*\s*(?:分别)?(?:取|取为|为|设为|设定为|设置为|定为|选取|选为|是|=|:|："
    r"|\||调整为|调整到|改为|改成|更改为|缩短为|缩短至|延长为|延长至|统一为|采用|使用|is|are|was"
    r"|of|equals?|at|to|set to|set at|is set to|changed to|extended to|shortened to|lengthened to"
    r"|fixed at)+\s*(?:过去|最近|past|last|the past|the last)?\s*"
)
_KEY = (
    r"(?:回看|回溯|观察|形成|计算|滚动|统计|因子|时间|移动)?(?:窗口|回看期|回溯期|观察期|形成期"
    r"|计算周期|参数周期|周期参数|窗口参数|参数|(?:平均|区间|窗口)?(?:的)?(?:长度|天数|日数))|(?:look-?\s?back|rolling"
    r"|formation|estimation"
    r"|calculation|measurement|window|averaging|parameter)(?: (?:window|period|length|horizon))*"
)
_BEFORE = re.compile(rf"(?:{_KEY})(?:[^,，。.;；]{{0,14}}?{_VERB}|\s*)$", re.IGNORECASE)
_CHANGED = re.compile(
    r"(?:改为|改成|调整为|调整到|延长(?:至|为)|缩短(?:至|为)|更改为|changed? (?:it )?to"
    r"|extended? (?:it )?to|shortened? (?:it )?to|lengthened? (?:it )?to|moved? to"
    r"|switch(?:ed)? to|days? to|日(?:调整|改|延长|缩短)?(?:为|至|到))\s*$", re.IGNORECASE)  # fmt: skip
_SYMBOL = re.compile(
    r"(?<![A-Za-z])([A-Z]|[nmkt])\s*(?:取值?|取为|设为|为|=|:|：|\||is|equals|set to|is set to)+\s*$"
)
_ROLE = re.compile(r"(?P<short>短|\bshort)|(?P<long>长(?!度)|\blong)", re.IGNORECASE)
_BRACKET = re.compile(
    r"(?:[短长]期|短|长|\b(?:short|long)(?:er)?[- ]\w+)[^,，。;；()（）|]{0,24}[(（]\s*$", re.IGNORECASE
)
_AFTER = re.compile(
    r"\s*[-]?\s*(?:个?交易日|日|天|trading[- ]days?|days?)?\s*(?:的)?\s*(?:回看|回溯|滚动|观察"
    r"|形成|计算)?(?:窗口|回看期|观察期|形成期)"
    r"|\s*[- ]?(?:trading[- ])?days?(?:'s?)?[ -](?:look-?\s?back|rolling window|window|formation)",
    re.IGNORECASE,
)  # fmt: skip
_OTHER: Final = re.compile(
    r"持有|持仓|调仓|换仓|再平衡|预测|未来|训练|样本|回测区间|停牌|上市|剔除|次新|标签|收益窗口|\bIC\b"
    r"|衰减|hold|rebalanc|forward|next|future|train|sample|listed|suspen|exclud|label|embargo"
    r"|test window|backtest|decay",
    re.IGNORECASE,
)  # fmt: skip


ROLES: Final = ("short", "long")
"""Windows that a formula names by their part in it."""


@dataclass(frozen=True, slots=True)
class Parameter:
    """A window stated apart from the formula; ``old`` are the days that it replaces, where the text says."""

    window: Window
    symbol: str
    start: int
    end: int
    paragraph: int
    sentence: str
    final: bool
    changed: bool
    old: tuple[int, ...] = ()


def parameters_of(scanner: Scanner, sentences: tuple[Sentence, ...]) -> tuple[Parameter, ...]:
    """Every such statement, in order."""
    return tuple(
        parameter
        for sentence, following in zip(sentences, (*sentences[1:], None), strict=True)
        if not ASIDE.search(sentence.text)
        for parameter in (_held(found, following) for found in _in(scanner, sentence))
    )


def _held(parameter: Parameter, following: Sentence | None) -> Parameter:
    """A change that the next sentence of the paragraph calls the one that holds."""
    if following is None or following.paragraph != parameter.paragraph or not parameter.old:
        return parameter
    holds = HOLDS.search(following.text) and str(parameter.window.days[0]) in following.text
    return replace(parameter, final=True) if holds else parameter


def _in(scanner: Scanner, sentence: Sentence) -> Iterator[Parameter]:
    replaced = _replaced(scanner, sentence)
    if replaced is not None:
        yield replaced
        return
    changed_here = False
    found: list[Parameter] = []
    for numeral in scanner.numerals(sentence.start, sentence.end):
        window = _window(numeral)
        if window is None:
            continue
        before = sentence.text[max(0, numeral.start - sentence.start - 60) : numeral.start - sentence.start]
        after = sentence.text[numeral.end - sentence.start : numeral.end - sentence.start + 40]
        clause = re.split(r"[,，;；]", before)[-1]
        symbol = _symbol(before, clause)
        changed = _CHANGED.search(before) is not None
        bracket = _BRACKET.search(before) is not None
        about_window = bracket or bool(
            _BEFORE.search(clause) or (numeral.days and _AFTER.match(after)) or changed
        )
        if not symbol and (not about_window or _OTHER.search(clause) or _OTHER.search(after[:12])):
            continue
        if changed and not re.search(_KEY, sentence.text, re.IGNORECASE):
            continue
        changed_here = changed_here or changed
        found.append(
            Parameter(
                window, symbol, sentence.start, sentence.end, sentence.paragraph,
                sentence.text, HOLDS.search(sentence.text) is not None, changed,
            )
        )  # fmt: skip
    # "from 20 days to 60 days" states the new value alone
    yield from (item for item in found if item.changed or not changed_here)


def _symbol(before: str, clause: str) -> str:
    """The letter of a window, or its part: *short*, *long*; '' where the words give it neither."""
    letter = _SYMBOL.search(before)
    if letter:
        return letter.group(1)
    roles = list(_ROLE.finditer(clause)) if _BEFORE.search(clause) or _BRACKET.search(before) else []
    return roles[-1].lastgroup or "" if roles else ""


def names_window(text: str) -> bool:
    """Whether it speaks of a window at all."""
    return re.search(_KEY, text, re.IGNORECASE) is not None


_IN_PLACE = re.compile(
    r"^[^.;。；]{0,24}?(?:instead\s+of|in\s+place\s+of|rather\s+than|not)\s+(?:the\s+|N\s*=\s*)?$",
    re.IGNORECASE,
)
_FROM_TO = re.compile(
    r"^[^.;。；]{0,8}?(?:改为|改成|调整为|调整到|延长至|延长为|缩短至|缩短为|\bto\b|变为|提高到"
    r"|替换为)[^.;。；\d]{0,6}$",
    re.IGNORECASE,
)


def _replaced(scanner: Scanner, sentence: Sentence) -> Parameter | None:
    """``200 days instead of 120``, ``由20日改为60日``: the new window and the one that it replaces."""
    listed = [(n, w) for n in scanner.numerals(sentence.start, sentence.end) if (w := _window(n)) is not None]
    for (first, one), (second, other) in pairwise(listed):
        between = sentence.text[first.end - sentence.start : second.start - sentence.start]
        new, old = (one, other) if _IN_PLACE.search(between) else (other, one)
        if new is one or (_FROM_TO.search(between) and re.search(_FROM, sentence.text, re.IGNORECASE)):
            final = HOLDS.search(sentence.text) is not None
            return Parameter(
                new,
                "",
                sentence.start,
                sentence.end,
                sentence.paragraph,
                sentence.text,
                final,
                True,
                old.days,
            )
    return None


_FROM = rf"由|从|将|把|\bfrom\b|{_KEY}"


def _window(numeral: Numeral) -> Window | None:
    if numeral.label != "parameter":
        return None
    if numeral.days:
        return Window(numeral.days, numeral.start, numeral.end)
    if numeral.unit == "none" and numeral.value.isdigit() and 0 < int(numeral.value) <= 504:
        return Window((int(numeral.value),), numeral.start, numeral.end)
    return None
