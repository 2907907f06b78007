"""What the text states beside the formula: universe, frequency, rebalancing, neutralisation."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import Final, Literal

from assay.reports._lexicon import find_words
from assay.reports._sections import HOLDS
from assay.reports._settings import PERIOD_WORDS, REBALANCE_CUES, neutralizations
from assay.reports.rules._sentences import Sentence, clauses
from assay.spec import universes_in

FactField = Literal["universe", "frequency", "neutralization", "rebalance"]
FACT_FIELDS: Final[tuple[FactField, ...]] = ("universe", "frequency", "neutralization", "rebalance")

ASIDE: Final = re.compile(
    r"稳健|敏感性?(?:分析|检验|测试|表)|参数敏感|敏感性$|鲁棒|拓展|扩展|附录|进一步测试|还测试|另外测试|也测试|对比测试|替代|未来(?:可|工作"
    r"|研究)|可以考虑|若改|如果改|换成|分年|子样本|前人|文献|此前(?:的)?报告|前期报告|以往|传统"
    r"|与之不同|不同于"
    r"|robust|sensitivity (?:analys|test|check|to )|(?:are|is|not|little) sensitive|alternative"
    r"|as a check|for comparison|in comparison|future work"
    r"|could (?:also )?be|might be|would be|if we|were we|we also (?:test|tr|run|report|examine)"
    r"|also tested|other windows|other horizons|variant"
    r"|literature|prior (?:research|work|studies|report)|previous (?:report|research|note)"
    r"|earlier (?:report|note|study|version|work)|unlike|in contrast|conventional"
    r"|other (?:authors|brokers)",
    re.IGNORECASE,
)  # fmt: skip
"""Words of a sentence that speaks of something else than the factor as it is used."""

_BENCHMARK = re.compile(
    r"基准|对冲|跑赢|跑输|超额|股指期货|benchmark|hedg|outperform|underperform|excess|versus"
    r"|relative to|index futures", re.IGNORECASE
)  # fmt: skip
_UNIVERSE = re.compile(
    r"股票池|样本|选股|成[分份]股?|范围|标的池|股票域|投资域|域内|回测(?:于|在)|universe"
    r"|constituents?|members?|stock pool|sample|components?|investable|coverage|drawn from"
    r"|names in|stocks (?:in|of)",
    re.IGNORECASE,
)  # fmt: skip
_COMPUTE = re.compile(
    r"计算|更新|每[日天周月]度?(?:跟踪|算)|[日周月]更(?![\u4e00-\u9fff])|可得|\bavailable\b|都算|算一次|打分|估计一次|每日估计|\btakes?\b"
    r"|\bcompare|频率|频次"
    r"|因子值|取值|采样|生成|comput|calculat"
    r"|updat|evaluat"
    r"|refresh|frequenc|\bsignals? (?:is |are )?(?=every|each|daily|weekly|monthly)|\bnew values\b"
    r"|\brun (?:it|the)\b"
    r"|sampl|measured|estimated|scor(?:e|ed|es)\b|produced|recorded",
    re.IGNORECASE,
)  # fmt: skip
_TRADING = re.compile(
    r"调仓|换仓|每[日周月]调|[日周月]调(?![\u4e00-\u9fff])|换[一两]?次仓|调一次仓|再平衡|持仓|组合|建仓|轮换|[日周月][频度](?:的)?交易|交易(?=\s*[:：|]"
    r"|[^，。;；]{0,4}每[日周月])"
    r"|\btrading(?=\s*[:|])|[按每][日周月](?:度)?调整|每周[一二三四五]?(?:调整|重构|交易)|rebalanc|portfolio|holding|\bheld\b"
    r"|\bhold\b|\bbook\b"
    r"|position|traded\b(?! (?:value|amount|volume))|trades?\b|trading is|\b(?:weekly|monthly"
    r"|daily) (?:trading|execution)"
    r"|re-?form|reconstitut|revis(?:e|ion)",
    re.IGNORECASE,
)
_FACTOR_PERIOD = re.compile(
    r"(?P<zh>日|周|月)(?:频|度)(?:的)?(?:量价|价量|选股|技术)?(?:因子|信号|指标)|(?P<en>daily"
    r"|weekly|monthly)[- ](?:frequency |price-volume |cross-sectional )?(?:factor|signal|alpha"
    r"|indicator|series of factor|values?\b|computation|calculation|evaluation|updat|scor(?:es|ing)|refresh)",
    re.IGNORECASE,
)  # fmt: skip
_PERIOD_OF: Final = {"日": "daily", "周": "weekly", "月": "monthly"}
_KEYED = re.compile(
    r"(?:(?P<trade>(?:调仓|换仓|再平衡)(?:频率|周期)?)|(?:因子|计算|更新)?(?:频率"
    r"|频次))\s*[:：|]\s*(?P<period>[日周月])(?=[\s,，;；。|]|$)"
)
_NOT_PERIOD = re.compile(
    r"\s*(?:收益|涨跌|成交|振幅|换手|行情|数据|returns?|volumes?|turnover|bars?|data|prices?"
    r"|closes?|high|low|traded|range|amplitude|IC\b|rank ?IC)", re.IGNORECASE)  # fmt: skip
_JOINT = re.compile(r"并且?|且|而|、|\band\b|\bbut\b|\bwhile\b|\bwith\b|;|；")
_NEUTRAL_ASIDE = re.compile(
    r"前后|之后仍|正交(?:之)?后|相关|中性化?前|before and after|correlat|explained by|survives"
    r"|even after|still|仍然?(?:有|显著)"
    r"|[由从][^,，。;；]{1,16}?(?:提升|提高|上升|升|改善|下降|降低|降|回落|变)(?:至|到|为)"
    r"|\b(?:rais|lift|improv|increas|lower|reduc|cut|chang|mov|ris|fall|drop)\w*\b[^,;]{0,40}"
    r"\bfrom\b[^,;]{1,16}\bto\b",
    re.IGNORECASE,
)
"""A comparison with and without: it does not say which of the two the factor is."""
_INDUSTRY = re.compile(r"行业|板块|industr|sector", re.IGNORECASE)
_SIZE = re.compile(r"市值|规模|\bsize\b|market cap|capitali[sz]ation|market value", re.IGNORECASE)
_REGRESSED = re.compile(r"回归|regress", re.IGNORECASE)
_NEUTRAL = re.compile(
    r"中性|行业内|残差|regress|正交|neutral|within (?:each |its |their )?(?:industry|sector)|residual"
    r"|orthogonal|purged|industry-adjusted|(?:剔除|去除|控制)[^,，。]{0,10}(?:行业|市值|规模)"
    r"|demeaned|(?:remov|strip|control|adjust)\w*[^.;,]{0,20}(?:industr|sector|size)|neutral to"
    r"|(?:industr\w*|sector|size)[^.;,]{0,24}(?:removed|stripped|taken out|controlled)",
    re.IGNORECASE,
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Fact:
    """A value of a field, and the place that states it."""

    field: FactField
    value: str
    start: int
    end: int
    paragraph: int
    final: bool
    strong: bool = True


def facts_of(sentences: Iterable[Sentence]) -> tuple[Fact, ...]:
    """Every statement of the four fields, in order."""
    found: list[Fact] = []
    for sentence in sentences:
        if ASIDE.search(sentence.text):
            continue
        found += _universes(sentence)
        found += _periods(sentence)
        found += _neutral(sentence)
    return tuple(found)


def _fact(
    field: FactField, value: str, start: int, text: str, sentence: Sentence, strong: bool = True
) -> Fact:
    place = start + len(text) - len(text.lstrip())
    final = HOLDS.search(sentence.text) is not None
    return Fact(field, value, place, place + len(text.strip()), sentence.paragraph, final, strong)


def _universes(sentence: Sentence) -> Iterator[Fact]:
    in_sentence = _UNIVERSE.search(sentence.text) is not None
    for start, clause in clauses(sentence.start, sentence.text):
        names = {mention.name for mention in universes_in(clause)}
        if len(names) != 1 or (_BENCHMARK.search(clause) and not _UNIVERSE.search(clause)):
            continue
        if re.search(r"基准|benchmark", clause, re.IGNORECASE) and not re.search(
            r"股票池|universe|样本", clause
        ):
            continue
        yield _fact("universe", names.pop(), start, clause, sentence, in_sentence and not sentence.heading)


def _periods(sentence: Sentence) -> Iterator[Fact]:
    yield from _keyed_periods(sentence)
    yield from _lone_period(sentence)
    for start, clause in _period_clauses(sentence):
        named = list(_named_periods(clause))
        parts = list(_parts(clause))
        hits = [[period for period, place in named if low <= place < high] for low, high in parts]
        for index, (low, high) in enumerate(parts):
            part = clause[low:high]
            periods = hits[index] or _neighbour(clause, parts, hits, index)
            field = _period_field(part)
            if field is None or len(set(periods)) != 1 or re.search(r"\d\s?%", part):  # a result
                continue
            yield _fact(field, periods[0], start, clause, sentence)
        factor = _FACTOR_PERIOD.search(clause)
        if factor and not any(_period_field(clause[low:high]) == "frequency" for low, high in parts):
            word = factor.group("zh") or factor.group("en")
            yield _fact("frequency", _PERIOD_OF.get(word, word.lower()), start, clause, sentence)


def _keyed_periods(sentence: Sentence) -> Iterator[Fact]:
    """A key and one character: 调仓:周."""
    for match in _KEYED.finditer(sentence.text):
        field: FactField = "rebalance" if match.group("trade") else "frequency"
        value = _PERIOD_OF[match.group("period")]
        yield _fact(field, value, sentence.start + match.start(), match.group(), sentence)


_LONE = re.compile(
    r"\s*(?:(?P<en>daily|weekly|monthly)|(?P<day>(?:every|each) (?:trading )?day|每[日天])"
    r"|(?P<zh>[日周月])(?:频|度))\s*"
)


def _lone_period(sentence: Sentence) -> Iterator[Fact]:
    """``daily, rebalanced weekly``: a period alone beside the clause that says how often positions change."""
    alone = _LONE.fullmatch(sentence.text)
    if alone is not None and (alone.group("day") or alone.group() in ("日频", "日度", "daily", "Daily")):
        yield _fact("frequency", "daily", sentence.start, sentence.text, sentence)
    listed = list(clauses(sentence.start, sentence.text))
    fields = [_period_field(clause) for _, clause in listed]
    for index, (start, clause) in enumerate(listed[:-1]):
        lone = _LONE.fullmatch(clause)
        if lone is not None and fields[index + 1] == "rebalance" and "frequency" not in fields:
            word = lone.group("en") or ("daily" if lone.group("day") else _PERIOD_OF[lone.group("zh")])
            yield _fact("frequency", word, start, clause, sentence)


def _period_clauses(sentence: Sentence) -> Iterator[tuple[int, str]]:
    """Clauses; a key before a colon or in a table cell goes with its value."""
    listed = list(clauses(sentence.start, sentence.text))
    keyed = re.search(r"[:：|]", sentence.text) is not None and len(sentence.text) < 80
    if not keyed or len(listed) < 2:
        yield from listed
        return
    joined = [_keyed_by(sentence, first, second) for (first, _), (second, _) in pairwise(listed)]
    for index, (start, clause) in enumerate(listed):
        if index and joined[index - 1]:
            first = listed[index - 1][0]
            yield first, sentence.text[first - sentence.start : start - sentence.start + len(clause)]
        elif index == len(joined) or not joined[index]:
            yield start, clause


def _keyed_by(sentence: Sentence, first: int, second: int) -> bool:
    return re.search(r"[:：|]", sentence.text[first - sentence.start : second - sentence.start]) is not None


def _named_periods(clause: str) -> Iterator[tuple[str, int]]:
    for period, words in PERIOD_WORDS.items():
        for hit in find_words(words, clause):
            if not _NOT_PERIOD.match(clause, hit.end):
                yield period, hit.start


def _parts(clause: str) -> Iterator[tuple[int, int]]:
    last = 0
    for match in _JOINT.finditer(clause):
        yield last, match.start()
        last = match.end()
    yield last, len(clause)


def _neighbour(clause: str, parts: list[tuple[int, int]], hits: list[list[str]], index: int) -> list[str]:
    """The period that "computed and rebalanced monthly" shares between its verbs."""
    for near in (index + 1, index - 1):
        if 0 <= near < len(hits) and hits[near] and len(clause[slice(*parts[index])]) < 40:
            return hits[near]
    return []


def _period_field(part: str) -> FactField | None:
    if _TRADING.search(part):
        return "rebalance"
    if _COMPUTE.search(part):
        return "frequency"
    return "rebalance" if find_words(REBALANCE_CUES, part) else None


def _neutral(sentence: Sentence) -> Iterator[Fact]:
    if not _NEUTRAL.search(sentence.text):
        return
    if sentence.table_row and _NEUTRAL_ASIDE.search(sentence.text):
        return
    if _REGRESSED.search(sentence.text) and not re.search(r"中性|neutral", sentence.text, re.IGNORECASE):
        industry, size = _INDUSTRY.search(sentence.text), _SIZE.search(sentence.text)
        if industry or size:
            value = "industry_size" if industry and size else "industry" if industry else "size"
            yield _fact("neutralization", value, sentence.start, sentence.text, sentence)
        return
    for start, clause in clauses(sentence.start, sentence.text):
        if _NEUTRAL_ASIDE.search(clause):
            continue
        found = neutralizations(clause) if _NEUTRAL.search(clause) else frozenset()
        if len(found) == 1:
            yield _fact("neutralization", next(iter(found)), start, clause, sentence)
            return
    found = neutralizations(sentence.text)
    if len(found) == 1 and not _NEUTRAL_ASIDE.search(sentence.text):
        yield _fact("neutralization", next(iter(found)), sentence.start, sentence.text, sentence)
