"""Sentences that define a factor: its name, its formula or why there is none, and the place of both."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from assay.reports._reasons import UNREAD, UNSUPPORTED_FIELD, UNSUPPORTED_OP
from assay.reports.rules._chart import Token
from assay.reports.rules._direction import directions_of
from assay.reports.rules._facts import ASIDE, FINAL, facts_of
from assay.reports.rules._read import Phrase, content, longest
from assay.reports.rules._scan import UNKNOWN, Scanner
from assay.reports.rules._scope import Obstacle, data_obstacle, obstacles_in
from assay.reports.rules._sentences import Sentence, clauses
from assay.reports.rules._tree import Apply, Tree, core_text, has_hole, unknown_names, windows_of

_STRONG: Final = re.compile(
    r"(?:被)?(?:定义|计算(?:公式|方法|方式)?|构造(?:方法|方式)?|构建(?:方法|方式)?|公式|表达式"
    r"|算法|测算)(?:方式|方法)?\s*(?:为|如下|是|[:：=|])+\s*[:：]?"
    r"|(?:因子|指标|信号|factor|signal|score|alpha|\)|[A-Z0-9_]{3,})\s*(?:[:：]|=|:=|\|)\s*"
    r"|\b(?:is|are|was|be)\s+(?:then |simply |formally |here )?(?:defined|calculated|computed"
    r"|constructed|measured|formed|built|given|obtained|expressed|specified)\s+(?:as|by|from|to be"
    r"|using|with|on)(?: the formula)?\s*[:：]?"
    r"|\b(?:define[sd]?|comput(?:e|es|ed)|calculat(?:e|es|ed)|measur(?:e|es|ed)|construct(?:s|ed)?"
    r"|specif(?:y|ies|ied))\s+(?P<name>[^.;,]{2,70}?)\s+(?:as|by|from|to be)\b"
    r"|(?:formula|definition|expression|calculation)\s*(?:is|reads|:|：|\|)+\s*|\bdefined as\b"
    r"|\bequals?\b|\bequal to\b|等于|定义是",
    re.IGNORECASE,
)  # fmt: skip
_WEAK: Final = re.compile(
    r"(?:因子|指标|信号|得分|因子值)(?:值)?(?:即|就是|取|为|是|用|采用|使用|选取|指)(?:的是|的)?"
    r"|(?:即|取|采用|使用|利用|基于|选取|选择|以|用|按照?|根据|通过|考察|实际(?:采用|使用)(?:的是)?)"
    r"|\b(?:factor|signal|score|measure|indicator|it|alpha|variable)\s+(?:is|equals|takes|uses"
    r"|ranks stocks by|sorts stocks by|looks at|compares)\b"
    r"|\b(?:we|factor|signal|it|strategy|portfolio|model|report|note) (?:use|uses|used|take|takes"
    r"|consider|considers|adopt|adopts|study|studies|examine|examines|employ|employs)\b"
    r"|\b(?:rank|ranked|ranks|sort|sorted|sorts|order|ordered|score|scored|scores)\s+(?:all |the "
    r"|each |stocks|names|shares|companies|securities|on each day|every day|cross-sectionally"
    r"|\s)*(?:by|on|according to)\b"
    r"|\bbased on\b|=",
    re.IGNORECASE,
)  # fmt: skip
_BACKWARD: Final = re.compile(
    r"(?:来)?(?:衡量|刻画|度量|表征|代表|反映|作为|构建|构造|(?<=来)定义|对股票(?:进行)?(?:排序|排名)"
    r"|(?:进行)?选股)"
    r"|\bas (?:the|a|our) (?:factor|signal|measure|proxy|score)\b|\b(?:is|are) (?:used|taken) as\b"
    r"|\bdefines? the\b",
    re.IGNORECASE,
)  # fmt: skip
_SUBJECT_OUT = re.compile(
    r"\bIC\b|RankIC|信息系数|ICIR|\bIR\b|夏普|sharpe|回撤|drawdown|年化|annuali[sz]ed|组合(?:收益"
    r"|净值)|超额收益|未来.{0,6}收益|下期收益|标签|label|forward|future|next[- ](?:day|week|month"
    r"|period)|跟踪误差|tracking error|胜率|hit rate|t值|t-stat|(?:组合|双边|单边|平均|年)换手"
    r"|portfolio (?:return|turnover)"
    r"|transaction|cost|benchmark|基准|评级|rating|target price|目标价|net value"
    r"|information (?:coefficient|ratio)|weights? of|中性化|neutrali|rebalanc|调仓|universe|股票池"
    r"|停牌|winsor|去极值|缺失|样本|sample",
    re.IGNORECASE,
)  # fmt: skip
_FACTORISH = re.compile(r"因子|指标|信号|factor|signal|score|alpha|indicator|measure", re.IGNORECASE)
_CHANGING = re.compile(
    r"超额|残差|特质|去均值|加权|剔除.{0,10}(?:的|后)|扣除|去除|下行|上行|若|仅|当.{0,12}时|否则"
    r"|excess|residual|idiosyncratic|adjusted for|weighted|net of|demean|downside|upside|\bonly\b"
    r"|conditional|\bwhen\b|\bif\b|otherwise|of the (?:market|index|industry)|minus|plus|correlat",
    re.IGNORECASE,
)  # fmt: skip
_CONTINUES = re.compile(
    r"^\s*(?:再|然后|之后|并(?:且)?(?:取|对|做|除|乘|减)|接着|最后|取|除以|减去|乘以|加上|then"
    r"|and then|divided|minus|plus|multiplied|times|less|finally|after)", re.IGNORECASE)  # fmt: skip
_REQUIRES = re.compile(
    r"需要|依赖|基于|使用|数据|require|need|rel(?:y|ies)|uses?|built (?:from|on)|data|input", re.IGNORECASE
)
_PRONOUN = re.compile(
    r"^(?:该|本|此|上述|这一|这个)?(?:因子|指标|信号|因子值|值|得分|其|它|公式|定义|计算)?$"
    r"|^(?:the |this |our |its |a )?(?:proposed |above |new )?(?:factor|signal|score|measure"
    r"|indicator|it|alpha|value|factor value|formula|definition)?(?: value)?$",
    re.IGNORECASE,
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Definition:
    """A factor as one sentence defines it.

    Parameters
    ----------
    name : as the text calls it, '' where it does not.
    tree : its formula, None where an obstacle stands in the way or it is not read.
    obstacle : what stands in the way.
    start, end : the words of the formula, or of the sentence where there is none.
    sentence : where it stands.
    final : whether the text says that this one holds.
    note : particulars for a person.
    """

    name: str
    name_start: int
    tree: Tree | None
    obstacle: Obstacle | None
    start: int
    end: int
    sentence: Sentence
    final: bool
    strong: bool
    note: str = ""


def definitions_of(scanner: Scanner, sentences: tuple[Sentence, ...]) -> tuple[Definition, ...]:
    """Every definition, in order; at most one per sentence."""
    found = []
    for index, sentence in enumerate(sentences):
        if ASIDE.search(sentence.text) and not FINAL.search(sentence.text):
            continue
        following = [
            other.text
            for other in sentences[index + 1 : index + 4]
            if other.paragraph == sentence.paragraph and not _STRONG.search(other.text)
        ]
        definition = _definition(scanner, sentence, following)
        if definition is not None:
            found.append(definition)
    return tuple(found)


def _definition(scanner: Scanner, sentence: Sentence, following: list[str]) -> Definition | None:
    unread: Definition | None = None
    for start, end, name, name_start, strong in _regions(sentence):
        subject = sentence.text[: max(0, start - sentence.start)]
        if _SUBJECT_OUT.search(re.split(r"[,，:：]\s*(?=\S)", subject)[-1]):
            continue
        made = _from_region(scanner, sentence, start, end, following, name, name_start, strong)
        if made is None:
            continue
        if made.tree is not None:
            return made
        if unread is None or (made.obstacle is not None and made.obstacle.reason is not UNREAD and strong):
            unread = (
                unread
                if unread is not None and unread.obstacle and unread.obstacle.reason is not UNREAD
                else made
            )
    return unread


def _regions(sentence: Sentence) -> Iterator[tuple[int, int, str, int, bool]]:
    """Stretches that may hold the formula: (start, end, name, its place, whether the cue is plain)."""
    for pattern, strong in ((_STRONG, True), (_WEAK, False)):
        for match in pattern.finditer(sentence.text):
            named = match.groupdict().get("name")
            if named:
                name, place = _cleaned(named, match.start("name"))
            else:
                name, place = _cleaned(sentence.text[: match.start()], 0, match.group())
            yield sentence.start + match.end(), sentence.end, name, sentence.start + place, strong
    for match in _BACKWARD.finditer(sentence.text):
        name, place = _cleaned(sentence.text[match.end() :], match.end(), backward=True)
        for begin in _backward_starts(sentence.text[: match.start()]):
            yield sentence.start + begin, sentence.start + match.start(), name, sentence.start + place, False


def _backward_starts(text: str) -> list[int]:
    cut = max(
        (m.end() for m in re.finditer(r"[,，:：]|用|以|将|把|采用|使用|利用|\buse\b|\btake\b|\bThe\b", text)),
        default=0,
    )
    return sorted({0, cut}, reverse=True)


def _cleaned(text: str, offset: int, cue: str = "", *, backward: bool = False) -> tuple[str, int]:
    """The name inside the words before a cue, and its place in the sentence."""
    head = re.match(r"\s*(因子|指标|信号|factor|signal|score|alpha|[A-Za-z0-9_]{3,})", cue, re.IGNORECASE)
    if head and (re.search(r"[=:：|]", cue) or not head.group(1).isascii() or _FACTORISH.match(head.group(1))):
        text += head.group(1)
    if backward:
        text = re.split(r"[,，。.;；(（]", text)[0]
        last = 0
    else:
        last = max((m.end() for m in re.finditer(r"[,，:：;；|](?=\s*\S)", text)), default=0)
    piece = text[last:]
    lead = re.match(
        r"(?:\s|[(（]?[一二三四五六七八九十\d]+[)）.、]|[#*\-•·|“”\"'「《]|本文|本报告|我们|将|把|其中"
        r"|具体(?:地|而言)?|首先|其次|此外|对于|关于|这里|第[一二三四五六]个?|where|here|the|our|we|a"
        r"|an|in this (?:note|report)|first|second|third|specifically|this (?:note|report)"
        r"|factor \d+)(?:(?<![A-Za-z])|(?![A-Za-z]))",
        piece, re.IGNORECASE,
    )  # fmt: skip
    while lead and lead.end():
        last += lead.end()
        piece = piece[lead.end() :]
        lead = re.match(
            r"(?:\s|[(（]?\d+[)）.、]|[#*\-•·|“”\"'「《]|本文|本报告|我们|将|把|其中|对于"
            r"|第[一二三四五六]个?|the|our|we|a|an)(?:(?<![A-Za-z])|(?![A-Za-z]))",
            piece,
            re.IGNORECASE,
        )
    name = re.sub(r"(?:\s|[|“”\"'」》:：=*,，]|(?<=子|标|号)的|被|可以?|\bis|\bare|我们|来)+$", "", piece)
    if len(name) > 60 or _PRONOUN.match(name):
        return "", offset + last
    return name, offset + last


def _from_region(
    scanner: Scanner, sentence: Sentence, start: int, end: int, following: list[str], name: str,
     name_start: int, strong: bool
) -> Definition | None:  # fmt: skip
    text = scanner.document.text
    region = text[start:end]
    final = FINAL.search(sentence.text) is not None

    def made(
        tree: Tree | None, obstacle: Obstacle | None, first: int, last: int, note: str = ""
    ) -> Definition:
        return Definition(name, name_start, tree, obstacle, first, last, sentence, final, strong, note)

    speaks_of_factor = strong or _FACTORISH.search(sentence.text) is not None
    data = data_obstacle(_formula_part(region)) or _required(following)
    tokens = scanner.tokens(start, end)
    if data is not None and speaks_of_factor and (strong or content(tokens)):
        return made(None, data, sentence.start, sentence.end)
    phrase = longest(tokens)
    if phrase is None or not _substantial(phrase.tree):
        if not (strong and content(tokens[:12])) and not (speaks_of_factor and any(obstacles_in(region))):
            return None
        blocked = next(obstacles_in(_formula_part(region)), None)
        if blocked is None and not strong:
            return None
        return made(None, blocked or Obstacle(UNREAD, region.strip()[:80]), sentence.start, sentence.end)
    first, last = tokens[phrase.first].start, tokens[phrase.last - 1].end
    names = unknown_names(phrase.tree)
    if names:
        reason = UNSUPPORTED_FIELD if all(item.startswith("$") for item in names) else UNSUPPORTED_OP
        note = (
            ""
            if reason is UNSUPPORTED_FIELD or has_hole(phrase.tree)
            else f"in the core dialect: {core_text(phrase.tree)}"
        )
        return made(None, Obstacle(reason, ", ".join(names)), first, last, note)
    left = _left_over(sentence, tokens, phrase, end, text)
    if left is not None:
        if not strong:
            return None
        return made(
            None,
            next(obstacles_in(left), None) or Obstacle(UNREAD, left.strip()[:80]),
            sentence.start,
            sentence.end,
        )
    if not speaks_of_factor and has_hole(phrase.tree):
        return None
    return made(phrase.tree, None, first, last)


def _substantial(tree: Tree) -> bool:
    """Whether it is more than a bare field or number."""
    return isinstance(tree, Apply)


def _formula_part(region: str) -> str:
    """The region without clauses that speak of settings."""
    return re.split(
        r"[,，;；](?=[^,，;；]*(?:股票池|调仓|中性|universe|rebalanc|neutral|benchmark|基准))", region
    )[0]


def _required(following: list[str]) -> Obstacle | None:
    for text in following:
        if _REQUIRES.search(text) and (found := data_obstacle(text)) is not None:
            return found
    return None


def _left_over(sentence: Sentence, tokens: list[Token], phrase: Phrase, end: int, text: str) -> str | None:
    """What follows the formula and could change it; None where all the rest is about other things."""
    if phrase.last == len(tokens):
        return None
    stop = tokens[phrase.last - 1].end
    rest = text[stop:end]
    for place, clause in clauses(stop, rest):
        parts = [t for t in tokens[phrase.last :] if place <= t.start < place + len(clause)]
        known = [t for t in parts if t.senses[0][0] != UNKNOWN]
        joined = place == stop
        if _is_fact(sentence, place, clause):
            continue
        if joined and (_CHANGING.search(clause) or _operates(known)):
            return clause
        if not joined and (_CONTINUES.match(clause) and content(known)):
            return clause
        if not joined and _CHANGING.search(clause) and content(known):
            return clause
    return None


_OPERATING = frozenset(
    {"AGG", "VOL", "FN", "FNADJ", "PAIR", "NEG", "T", "NAMEDMA", "DIV", "MUL", "SUB", "ADD", "RATIO",
     "DIFF", "PRODUCT",
     "DEVIATION", "SKIP", "F", "U"}
)  # fmt: skip


def _operates(tokens: list[Token]) -> bool:
    return any(sense[0] in _OPERATING for token in tokens for sense in token.senses)


def _is_fact(sentence: Sentence, place: int, clause: str) -> bool:
    """Whether the clause states a setting or a direction."""
    alone = Sentence(place, place + len(clause), sentence.paragraph, clause)
    return bool(facts_of((alone,)) or directions_of((alone,)))


def same_windows(first: Tree, second: Tree) -> bool:
    """Whether two formulas state the same numbers of bars."""
    return [w.days for w in windows_of(first)] == [w.days for w in windows_of(second)]
