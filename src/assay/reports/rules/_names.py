"""What a text calls its factor: names before a definition, after it, in quotes, in headings."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

FACTORISH: Final = re.compile(r"因子|指标|信号|factor|signal|score|alpha|indicator|measure", re.IGNORECASE)
LONGEST: Final = 60

_QUOTE_OPEN, _QUOTE_CLOSE = r"[“\"「《'‘*_]*", r"[”\"」》'’*_]*"
_NOUN_ZH = r"[^\s,，。:：;；“”\"「」《》*()（）|]{1,20}"
NAMING: Final = re.compile(
    rf"(?:记作|记为|称为|称作|称之为|命名为|取名为?|简称|叫做|叫作|叫|即为|名称(?:为|沿用|是)"
    rf"|得到(?=[“\"「《])|定义出)\s*{_QUOTE_OPEN}(?P<zh>{_NOUN_ZH})"
    rf"|(?:构造|构建|提出|设计|引入|给出)(?:了|出)?(?:一个|一种|如下|新的"
    rf"|的)*\s*[“\"「《](?P<made>{_NOUN_ZH})[”\"」》]"
    r"|\b(?:(?:which )?we (?:then )?(?:call|name|dub|label|denote|term|refer to)|call it|name it"
    r"|called|named|dubbed|labell?ed|denoted(?: by)?|termed|referred to as|known as)\s+(?:it|this"
    r"|the result|them)?\s*(?:as |by )?(?:the |a )?"
    r"[“\"'*_]*(?P<en>[A-Za-z0-9][A-Za-z0-9 /&+-]{1,40}?)(?=[“”\"'*_.,;:)\n]|\s+(?:is|and|in|for"
    r"|factor|signal|below|here|because|since|which|that|from|to)\b|$)",
    re.IGNORECASE,
)  # fmt: skip
"""A name that follows the words of the formula."""

_LEAD = re.compile(
    r"(?:\s|[(（](?:[A-H]|附?注\d?|备注|note)[)）]|[(（]?[一二三四五六七八九十\d]+(?:\.\d+)*[)）.、]|[#*\-•·|“”\"'「《]|本文|本报告|构建"
    r"|构造|提出|采用"
    r"|我们|设(?=[A-Z])|令(?=[A-Z])|记(?=[A-Z])|则|定义(?=[\u4e00-\u9fff])(?!为|如|是)|将|把|了|的|使用的?"
    r"|核心|主要|所用|measures?(?= )|其中|具体(?:地|而言)?|首先|其次|此外"
    r"|(?:对|对于)每(?:一)?(?:只|个)?(?:股票|个股)(?:每个交易日)?|for (?:each"
    r"|every) stock(?: and day)?,?|对于|关于|这里|第[一二三四五六](?:个|步)?|step (?:\d|one)|where"
    r"|here|ours is|our (?:measure|factor|signal)(?: is|,)|the (?:measure|factor|signal) is|the"
    r"|our|we|a|an|in this (?:note|report)|first|second|third|specifically|this (?:note|report)"
    r"|(?:factor|signal|因子|信号)\s*(?:\d+|[A-Z]|[一二三四五六])\s*[:：—–.-]+"
    r"|\d+(?!\d|[- ]?(?:day|week|month|year)|[日天周月年]|个))(?:(?<![A-Za-z0-9])|(?![A-Za-z0-9]))",
    re.IGNORECASE,
)  # fmt: skip
_TAIL = re.compile(
    r"(?:\s|[|“”\"'」》*_:：=,，—–-]|(?<=子|标|号)的|(?<=[”\"])的|被|可以?|\bis|\bare|\bwas|我们"
    r"|来|因此|具体)+$"
)
_PRONOUN = re.compile(
    r"^(?:fig(?:ure|\.)?|table|exhibit|chart|图表?|表)\s*\d.*$|^.*\b(?:shows?|displays?|plots?|reports?)\b.*$"
    r"|^(?:摘要|方法|定义|结论|数据(?:与方法)?|说明|背景|结果|要点|计算|步骤|summary|abstract"
    r"|data(?: and methods?)?|methods?"
    r"|definitions?|construction|conclusions?|results?|introduction|background|computation|setup)$"
    r"|^(?:该|本|此|上述|这一|这个|所有|各)?(?:因子|指标|信号|因子(?:计算|构建|定义|逻辑|说明|构造"
    r"|表现)|因子值|值|得分|其|它|公式|定义|计算"
    r"|构造|计算方法|计算方式)?$"
    r"|^(?:在)?每(?:个|一)?(?:交易日|日|天|周|月)(?:末|初|底|收盘)?后?$"
    r"|^(?:at the end of |on )?(?:each|every) (?:trading |business )?(?:day|week|month)$"
    r"|^(?:the |this |our |its |a )?(?:proposed |above |new )?(?:factor|signal|score|measure"
    r"|indicator|it|alpha"
    r"|value|factor value|formula|definition)?(?: value)?$",
    re.IGNORECASE,
)  # fmt: skip
_HEAD = re.compile(r"\s*(因子|指标|信号|factor|signal|score|alpha|[A-Za-z][A-Za-z0-9_-]{2,})", re.IGNORECASE)


_QUOTED = re.compile(
    rf"(?:[“\"](?P<name>[^“”\"]{{2,{LONGEST}}})[”\"]|「(?P<corner>[^「」]{{2,{LONGEST}}})」)"
    r"\s*(?:因子|指标|信号|factor|signal|score|measure)?\s*(?:的?定义|被?定义|计算|构造)?[\s:：,，为是即取=]*$",
    re.IGNORECASE,
)
"""A name in quotation marks, right before the cue of its definition, whatever its sentence says before it."""


@dataclass(frozen=True, slots=True)
class Name:
    """A name and its place, counted in the text it was found in; '' where there is none."""

    text: str
    start: int


NONE: Final = Name("", 0)


def before(text: str, cue: str = "") -> Name:
    """The name at the end of ``text``, which stands before the cue of a definition."""
    head = _HEAD.match(cue)
    if head and (re.search(r"[=:：]", cue) or FACTORISH.fullmatch(head.group(1))):
        text += head.group()
    last = max((m.end() for m in re.finditer(r"[,，:：;；|](?=\s*\S)", text)), default=0)
    quoted = _QUOTED.search(text, last)
    if quoted is not None:
        group = "name" if quoted.group("name") else "corner"
        return cleaned(quoted.group(group), quoted.start(group))
    return cleaned(text[last:], last)


def after(text: str) -> Name:
    """The name at the beginning of ``text``, which stands behind words such as *measures*."""
    return cleaned(re.split(r"[,，。.;；(（]", text)[0], 0)


def naming(text: str, begin: int = 0) -> Name:
    """The name that a phrase such as *which we call* gives."""
    match = NAMING.search(text, begin)
    if match is None:
        return NONE
    group = next(name for name in ("zh", "made", "en") if match.group(name))
    found = cleaned(match.group(group), match.start(group))
    return found if len(found.text) > 1 else NONE


def covering(text: str, place: int) -> Name:
    """The name that a naming phrase gives and that ends about ``place``."""
    for match in NAMING.finditer(text):
        group = next(name for name in ("zh", "made", "en") if match.group(name))
        if match.start(group) < place <= match.end(group) + 1:
            return cleaned(match.group(group), match.start(group))
    return NONE


def heading(text: str) -> Name:
    """The name that a heading announces."""
    return cleaned(text, 0)


def cleaned(text: str, offset: int) -> Name:
    """Without determiners, numbering, quotes and verbs; '' where nothing but a pronoun is left."""
    lead = _LEAD.match(text)
    while lead and lead.end():
        offset += lead.end()
        text = text[lead.end() :]
        lead = _LEAD.match(text)
    name = _TAIL.sub("", text)
    if len(name) > LONGEST or _PRONOUN.match(name) or not re.search(r"\w", name):
        return Name("", offset)
    return Name(name, offset)
