"""Where in a sentence a formula may begin: after a verb of defining, a verb of use, or at a clause."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from enum import IntEnum
from itertools import chain, islice
from typing import Final

from assay.reports.rules import _names as names
from assay.reports.rules._limits import SHORT, STARTS
from assay.reports.rules._names import Name
from assay.reports.rules._sentences import Sentence


class Strength(IntEnum):
    """How plainly a sentence says that it defines."""

    BARE = 0
    """A quantity stands there."""
    USED = 1
    """A verb of use stands before it, or a name under a heading of its own."""
    DEFINED = 2
    """A verb of defining, an equals sign, or a name given to it."""


# verbs of defining: what is done to get a number, and what a number stands for
_MADE_ED = (
    r"(?:defined|computed|calculated|constructed|measured|formed|built|given|obtained|expressed"
    r"|specified|derived"
    r"|quantified|estimated|generated|determined|represented|proxied|captured|gauged|approximated"
    r"|characteri[sz]ed|summari[sz]ed|described|set|assessed|modelled)"
)
_MADE_S = (
    r"(?:defines?|computes?|calculates?|constructs?|measures?|forms?|builds?|obtains?|express(?:es)?"
    r"|specif(?:y|ies)"
    r"|derives?|quantif(?:y|ies)|estimates?|represents?|prox(?:y|ies)|captures?|gauges?|approximates?"
    r"|characteri[sz]es?|summari[sz]es?|describes?|assess(?:es)?)"
)
_LINK = r"(?:as|by|from|through|via|with|using|to be|on|in terms of)"
_ADVERB = r"(?:then |simply |formally |here |first |now |usually |therefore |thus |instead )*"
_WHO = (
    r"\b(?:we|i|our desk|the desk|the team|the authors|factor|signal|it|this|which|strategy|portfolio|model"
    r"|report|note|paper|measure|score|screen)"
)
_DEFINED: Final = re.compile(
    r"(?:被)?(?:定义|计算(?:公式|方法|方式)?|构造(?:方法|方式)?|构建(?:方法|方式)?|公式|表达式"
    r"|算法|测算)(?:方式|方法)?\s*(?:为|如下|是|[:：=])+\s*[:：]?"
    r"|(?:因子|指标|信号|factor|signal|score|alpha)(?:值)?[”\"」》*]*\s*(?:[:：]|=|:=)\s*"
    r"|(?:因子|指标|信号)?(?:定义|算法|口径|计算方法|构造方法)[*]*\s*[:：]\s*"
    r"|(?<![A-Za-z])(?-i:[A-Z][A-Za-z0-9_-]{1,24})[”\"*`]*\s*(?::=|=)\s*"
    rf"|\b(?:is|are|was|be|being)\s+{_ADVERB}{_MADE_ED}\s+{_LINK}\b(?: the formula)?\s*[:：]?"
    rf"|\b(?:{_MADE_ED}|{_MADE_S})\s+(?P<name>[^.;,:]{{2,70}}?)\s+(?:as|by|from|through|via|to be)\b"
    rf"|\b(?:{_MADE_ED}|{_MADE_S})\s+(?:this|it|that|the (?:effect|idea|notion|phenomenon|tendency))"
    r"\s+(?:with|using)\b"
    r"|(?:formula|definition|expression|calculation|construction)[*]*\s*(?:is|reads|:|：)+\s*|\bdefined as\b"
    rf"|\b{_MADE_ED} (?:by|as|from|through|via)\b|\bequals?\b|\bequal to\b|等于|定义是|=",
    re.IGNORECASE,
)  # fmt: skip
_USED: Final = re.compile(
    r"(?:因子|指标|信号|得分|因子值)[”\"」》]*(?:值)?(?:即|就是|取|为|是|用|采用|使用|选取|指"
    r"|等于)(?:的是|的)?"
    r"|(?<=[\u4e00-\u9fff])(?:是)?指(?:的是)?(?![数标令出引示定])"
    r"|我们(?:把|将|对)"
    r"|(?:即|就是|是|为|取|采用|使用|利用|基于|选取|选择|(?<![除乘可所得予加])以|用|按照?|根据|借助|由"
    r"|通过|考察|(?:先|首先)?(?:计算|测算|算)(?:出|得到?)?|统计|求出?|实际(?:采用|使用)(?:的是)?|也就是|亦即|答|跟踪|观察)"
    r"|\b(?:is|are|equals|takes|uses|ranks stocks by|sorts stocks by|looks at|compares)\b"
    rf"|{_WHO} {_ADVERB}(?:use|uses|used|take|takes|look at|looks at|track|tracks|work with|screen on"
    rf"|screens on"
    r"|consider|considers|adopt|adopts|study|studies|examine|examines|employ|employs|compute|focus on|rely on"
    r"|computes|calculate|calculates|measure|introduce|introduces|propose|proposes|form|build|start from)\b"
    r"|\b(?:rank|sort|order|scor|group|select|pick)(?:s|e|es|ed|ing)?\b[^.,;]{0,45}?\b(?:by|on"
    r"|according to)\b"
    r"|\b(?:found|obtained|derived|constructed|computed|calculated|built|formed|defined|measured"
    r"|given) by(?= \w+ing\b)"
    r"|\b(?:please|just|simply) use\b"
    r"|\bwe (?=subtract|divide|average|sum|scale|multiply)|\bstock,? we\b|[:：]"
    r"|\b(?:compute|calculate|take|find|form|obtain|measure)\b"
    r"|\b(?:based on|built on|computed from|using|taking|that is|in other words|meaning"
    r"|namely)\b,?|\bi\.e\.,?|\b(?:shall|will|should) be\b"
    r"|(?<=[a-z]) (?=(?:divides|subtracts|multiplies)\b)|\bstart(?:ing)? (?:from|with)\b"
    r"|(?<![由以])从(?!而|事|业|低|高|最|第)"
    rf"|{_WHO} (?=averages|sums|divides|subtracts)",
    re.IGNORECASE,
)  # fmt: skip
_MEASURED: Final = re.compile(
    r"(?:来)?(?:衡量|刻画|度量|表征|代表|反映|表示|描述|测度|估计|代理|体现|捕捉|作为|构建|构造|(?<=来)定义|对股票(?:进行)?(?:排序|排名)"
    r"|(?:进行)?选股)"
    r"|\bas (?:the|a|an|our) (?:\w+ )?(?:factor|signal|measure|proxy|score|gauge|indicator|variable"
    r"|yardstick)\b"
    r"|\b(?:is|are) (?:used|taken) as\b"
    r"|\b(?:is|are|serves? as|acts? as|becomes?|gives?|yields?|makes?) (?:the|a|an"
    r"|our) (?:[\w-]+ )?(?:factor|signal|measure|proxy"
    r"|score|gauge|indicator|sorting variable|yardstick)\b"
    r"|\bdefines? the\b",
    re.IGNORECASE,
)  # fmt: skip
_PLAIN = re.compile(
    r"(?:每?日|当日|股票|个股)*(?:的)?(?:收益率?|涨跌幅|成交[量额]|收盘价|价格|均价)"
    r"|(?:daily |stock |simple |log |total )*(?:returns?|prices?|volumes?|turnover|traded value)",
    re.IGNORECASE,
)
"""A series of the data: a sentence that defines it defines no factor."""
_SUBJECT_OUT = re.compile(
    r"\bIC\b|RankIC|信息系数|ICIR|\bIR\b|夏普|sharpe|回撤|drawdown|年化|annuali[sz]ed|组合(?:收益"
    r"|净值)|超额|未来.{0,6}收益|下期收益|标签|label|forward|future|next[- ](?:day|week|month"
    r"|period)|跟踪误差|tracking error|胜率|hit rate|t值|t-stat|(?:组合|双边|单边|平均|年)换手"
    r"|portfolio|transaction|\bcosts?\b|benchmark|基准|评级|rating|target price|目标价|net value"
    r"|information (?:coefficient|ratio)|weights? of|中性化|neutrali|rebalanc|调仓|universe|股票池"
    r"|停牌|winsor|去极值|缺失|样本|sample|spread|quintile|decile|correlation with|half-life|半衰期",
    re.IGNORECASE,
)  # fmt: skip
_MIDST = re.compile(
    r"(?:[除乘]以|减去?|加上?|与|和|及|[-+*/×÷(（]|divided by|minus|times|plus|\band|\bover|\bto"
    r"|\bless|\bratio of"
    r"|\bbetween)\s*$",
    re.IGNORECASE,
)
_BREAK = re.compile(r"[,，:：(（“\"]\s*")


@dataclass(frozen=True, slots=True)
class Region:
    """A stretch of a sentence that may begin with a formula, and the name that stands before it."""

    start: int
    end: int
    name: Name
    strength: Strength


def parts_of(sentence: Sentence) -> list[Sentence]:
    """A sentence cut before each name that an equals sign or a verb of defining follows."""
    cuts = [0]
    for match in _CODED.finditer(sentence.text):
        if match.start() > cuts[-1] + 5:
            cuts.append(match.start())
    if len(cuts) == 1:
        return [sentence]
    ends = [*cuts[1:], len(sentence.text)]
    return [
        replace(sentence, start=sentence.start + low, end=sentence.start + high, text=sentence.text[low:high])
        for low, high in zip(cuts, ends, strict=True)
    ]


_CODED = re.compile(
    r"(?<![A-Za-z0-9_(*/+-])(?:[A-Z][A-Za-z0-9_]{1,24}|[a-z][a-z0-9_]{2,15})\s*(?::=|=)(?=\s*\S)"
    r"|(?<=[，,])[^，,。]{1,12}因子(?:定义)?(?:为|是|=)"
)


def speaks_of_another(before: str) -> bool:
    """Whether the words before it say that something else is defined: a label, a portfolio, a test."""
    subject = re.split(r"[,，:：]\s*(?=\S)", before)[-1]
    return _SUBJECT_OUT.search(subject) is not None


def crowded(sentence: Sentence) -> bool:
    """Whether a formula may begin at more places of it than are read."""
    if len(sentence.text) <= SHORT:
        return False
    found = chain.from_iterable(p.finditer(sentence.text) for p in (_BREAK, _DEFINED, _USED, _MEASURED))
    return next(islice(found, STARTS, None), None) is not None


def regions_of(sentence: Sentence) -> Iterator[Region]:
    """Stretches that may hold the formula of a factor, the plainest first; none of a crowded sentence."""
    if crowded(sentence):
        return
    for region in _all_regions(sentence):
        before = sentence.text[: max(0, region.start - sentence.start)]
        # what is read from the middle of a formula on would be half of it
        half = region.strength is not Strength.DEFINED and _MIDST.search(before)
        if not half and not speaks_of_another(before) and not _PLAIN.fullmatch(region.name.text):
            yield region


def _all_regions(sentence: Sentence) -> Iterator[Region]:
    text, begin = sentence.text, sentence.start
    for pattern, strength in ((_DEFINED, Strength.DEFINED), (_USED, Strength.USED)):
        for match in pattern.finditer(text):
            named = match.groupdict().get("name")
            if named:
                name = names.cleaned(named, match.start("name"))
            else:
                name = names.before(text[: match.start()], match.group())
            yield Region(begin + match.end(), sentence.end, Name(name.text, begin + name.start), strength)
    for match in _MEASURED.finditer(text):
        name = names.after(text[match.end() :])
        place = Name(name.text, begin + match.end() + name.start)
        for start in _backward_starts(text[: match.start()]):
            yield Region(begin + start, begin + match.start(), place, Strength.USED)
    starts = {0} | {match.end() for match in _BREAK.finditer(text)}
    for start in sorted(starts):
        yield Region(begin + start, sentence.end, names.NONE, Strength.BARE)


def _backward_starts(text: str) -> list[int]:
    cut = max(
        (
            m.end()
            for m in re.finditer(
                r"[,，:：]|(?<![使采利])用|(?<![除乘可所得予加])以|将|把|采用|使用|利用|\buse\b|\btake\b"
                r"|\bThe\b",
                text,
            )
        ),
        default=0,
    )
    return sorted({0, cut}, reverse=True)
