"""Sentences that define a factor: its name, its formula or why there is none, and the place of both."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from enum import IntEnum
from typing import Final

from assay.reports._reasons import UNREAD, UNSUPPORTED_FIELD, UNSUPPORTED_OP
from assay.reports.rules import _names as names
from assay.reports.rules._chart import Token
from assay.reports.rules._direction import directions_of
from assay.reports.rules._facts import ASIDE, FINAL, facts_of
from assay.reports.rules._names import FACTORISH, Name
from assay.reports.rules._read import Phrase, content, longest
from assay.reports.rules._scan import UNKNOWN, Scanner
from assay.reports.rules._scope import Obstacle, data_obstacle, obstacles_in
from assay.reports.rules._sentences import Sentence, clauses
from assay.reports.rules._tree import Apply, Tree, core_text, has_hole, unknown_names, windows_of


class Strength(IntEnum):
    """How plainly a sentence says that it defines."""

    BARE = 0
    """A quantity stands there."""
    USED = 1
    """A verb of use stands before it, or a name under a heading of its own."""
    DEFINED = 2
    """A verb of defining, an equals sign, or a name given to it."""


_DEFINED: Final = re.compile(
    r"(?:被)?(?:定义|计算(?:公式|方法|方式)?|构造(?:方法|方式)?|构建(?:方法|方式)?|公式|表达式"
    r"|算法|测算)(?:方式|方法)?\s*(?:为|如下|是|[:：=])+\s*[:：]?"
    r"|(?:因子|指标|信号|factor|signal|score|alpha)(?:值)?[”\"」》*]*\s*(?:[:：]|=|:=)\s*"
    r"|(?<![A-Za-z])(?-i:[A-Z][A-Za-z0-9_-]{1,24})[”\"*`]*\s*(?::=|=)\s*"
    r"|\b(?:is|are|was|be)\s+(?:then |simply |formally |here )?(?:defined|calculated|computed"
    r"|constructed|measured|formed|built|given|obtained|expressed|specified)\s+(?:as|by|from|to be"
    r"|using|with|on)(?: the formula)?\s*[:：]?"
    r"|\b(?:define[sd]?|comput(?:e|es|ed)|calculat(?:e|es|ed)|measur(?:e|es|ed)|construct(?:s|ed)?"
    r"|specif(?:y|ies|ied))\s+(?P<name>[^.;,]{2,70}?)\s+(?:as|by|from|to be)\b"
    r"|(?:formula|definition|expression|calculation)\s*(?:is|reads|:|：)+\s*|\bdefined as\b"
    r"|\b(?:measured|proxied|captured|given) (?:by|as)\b|\bequals?\b|\bequal to\b|等于|定义是|=",
    re.IGNORECASE,
)  # fmt: skip
_USED: Final = re.compile(
    r"(?:因子|指标|信号|得分|因子值)[”\"」》*]*(?:值)?(?:即|就是|取|为|是|用|采用|使用|选取|指"
    r"|等于)(?:的是|的)?"
    r"|(?:即|就是|是|为|取|采用|使用|利用|基于|选取|选择|(?<![除乘可所得予加])以|用|按照?|根据"
    r"|通过|考察|计算|统计|求|实际(?:采用|使用)(?:的是)?)"
    r"|\b(?:is|are|equals|takes|uses|ranks stocks by|sorts stocks by|looks at|compares)\b"
    r"|\b(?:we|factor|signal|it|strategy|portfolio|model|report|note) (?:then |simply |first "
    r"|now )?(?:use|uses|used|take|takes"
    r"|consider|considers|adopt|adopts|study|studies|examine|examines|employ|employs|compute"
    r"|computes|calculate|measure)\b"
    r"|\b(?:rank|sort|order|scor)(?:s|e|es|ed|ing)?\b[^.,;]{0,45}?\b(?:by|on|according to)\b"
    r"|\bwe (?=subtract|divide)|\bstock,? we\b|[:：]|\bcompute\b|\bcalculate\b|\btake\b"
    r"|\b(?:based on|built on|computed from|using|taking"
    r"|namely)\b",
    re.IGNORECASE,
)  # fmt: skip
_MEASURED: Final = re.compile(
    r"(?:来)?(?:衡量|刻画|度量|表征|代表|反映|作为|构建|构造|(?<=来)定义|对股票(?:进行)?(?:排序|排名)"
    r"|(?:进行)?选股)"
    r"|\bas (?:the|a|our) (?:factor|signal|measure|proxy|score)\b|\b(?:is|are) (?:used|taken) as\b"
    r"|\bdefines? the\b",
    re.IGNORECASE,
)  # fmt: skip
_EXPLICIT = re.compile(
    r"定义|计算(?:公式|方法|方式)|构造方(?:法|式)|公式|表达式|defin|calculated as|computed as"
    r"|measured (?:as|by)|constructed as"
    r"|formula|equals|(?:因子|factor|signal)\s*[:：=]", re.IGNORECASE
)  # fmt: skip
_SUBJECT_OUT = re.compile(
    r"\bIC\b|RankIC|信息系数|ICIR|\bIR\b|夏普|sharpe|回撤|drawdown|年化|annuali[sz]ed|组合(?:收益"
    r"|净值)|超额|未来.{0,6}收益|下期收益|标签|label|forward|future|next[- ](?:day|week|month"
    r"|period)|跟踪误差|tracking error|胜率|hit rate|t值|t-stat|(?:组合|双边|单边|平均|年)换手"
    r"|portfolio|transaction|\bcosts?\b|benchmark|基准|评级|rating|target price|目标价|net value"
    r"|information (?:coefficient|ratio)|weights? of|中性化|neutrali|rebalanc|调仓|universe|股票池"
    r"|停牌|winsor|去极值|缺失|样本|sample|spread|quintile|decile|correlation with|half-life|半衰期",
    re.IGNORECASE,
)  # fmt: skip
_CHANGING = re.compile(
    r"超额|残差|特质|去均值|加权|剔除.{0,10}(?:的|后)|扣除|去除|下行|上行|若|仅|当.{0,12}时|否则"
    r"|excess|residual|idiosyncratic|adjusted for|weighted|net of|demean|downside|upside|\bonly\b"
    r"|conditional|\bwhen\b|\bif\b|otherwise|of the (?:market|index|industry)|minus|plus|correlat",
    re.IGNORECASE,
)  # fmt: skip
_CONTINUES = re.compile(
    r"^\s*(?:再|然后|之后|并(?:且)?(?:取|对|做|除|乘|减)|接着|最后|取(?!值)|除以|减去|乘以|加上"
    r"|then|with a (?:negative|minus)|(?:前)?加负号"
    r"|and then|divided|minus|plus|multiplied|times|less|finally|after|averaged|smoothed)",
     re.IGNORECASE)  # fmt: skip
_REQUIRES = re.compile(
    r"需要|依赖|基于|使用|数据|require|need|rel(?:y|ies)|uses?|built (?:from|on)|data|input|feed",
    re.IGNORECASE,
)
_FORMULA = re.compile(r"[A-Za-z_]{2,}\s*\(|[×*/÷]|[\u4e00-\u9fff]\s*[-+]")
_MIDST = re.compile(
    r"(?:[除乘]以|减去?|加上?|与|和|及|[-+*/×÷(（]|divided by|minus|times|plus|\band|\bover|\bto"
    r"|\bless|\bratio of"
    r"|\bbetween)\s*$",
    re.IGNORECASE,
)
_EARLY: Final = 12
"""A following sentence names what came before where its naming verb stands this early."""

_BREAK = re.compile(r"[,，:：(（“\"]\s*|\b(?:that|of) (?=the )")
_QUANTITY = re.compile(
    r"[收价量额幅益]|波动|动量|均线|return|volume|clos|price|volatil|turnover|amount|value|high"
    r"|low|open|momentum"
    r"|[A-Za-z_]{2,}\(|range|deviation|stdev|average|mean", re.IGNORECASE
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Definition:
    """A factor as one sentence defines it.

    Parameters
    ----------
    name, name_start : as the text calls it, '' where it does not; its place in the document.
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
    strength: Strength
    note: str = ""


@dataclass(frozen=True, slots=True)
class _Region:
    """A stretch of a sentence that may begin with a formula, and the name that stands before it."""

    start: int
    end: int
    name: Name
    strength: Strength


@dataclass(frozen=True, slots=True)
class _Around:
    """What stands near a sentence: the heading right above it, the one of its section, what follows."""

    heading: Sentence | None
    section: Sentence | None
    following: tuple[Sentence, ...]


def definitions_of(scanner: Scanner, sentences: Sequence[Sentence]) -> tuple[Definition, ...]:
    """Every definition, in order; several of one sentence where each has its own verb of defining."""
    found = []
    section = None
    for index, sentence in enumerate(sentences):
        section = sentence if sentence.heading else section
        if (ASIDE.search(sentence.text) and not FINAL.search(sentence.text)) or sentence.table_row:
            continue
        above = sentences[index - 1] if index else None
        later = (other for other in sentences[index + 1 : index + 4] if other.paragraph == sentence.paragraph)
        titled = above if above is not None and above.heading else None
        around = _Around(titled, section, tuple(later))
        for part in _parts(sentence):
            definition = _definition(scanner, part, around)
            if definition is not None:
                found.append(_of_section(definition, around))
    return tuple(found)


def _of_section(definition: Definition, around: _Around) -> Definition:
    """With the name of its section, where "the factor" is all that the sentence says."""
    section = around.section
    if definition.name or section is None or not FACTORISH.search(section.text):
        return definition
    name = names.heading(section.text)
    return replace(definition, name=name.text, name_start=section.start + name.start)


def _parts(sentence: Sentence) -> list[Sentence]:
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
    r"(?<![A-Za-z0-9_(*/+-])[A-Z][A-Za-z0-9_]{1,24}\s*(?::=|=)(?=\s*\S)"
    r"|(?<=[，,])[^，,。]{1,12}因子(?:定义)?(?:为|是|=)"
)


def _definition(scanner: Scanner, sentence: Sentence, around: _Around) -> Definition | None:
    """The best reading of a sentence: the plainest cue, then the longest formula; else what blocks it."""
    best: Definition | None = None
    blocked: Definition | None = None
    for region in _regions(sentence):
        if _out(sentence, region):
            continue
        if best is not None and best.strength > region.strength:
            break
        made = _read_region(scanner, sentence, region, around)
        if made is None:
            continue
        if made.tree is None:
            blocked = _weightier(blocked, made)
        elif best is None or _rank(made) > _rank(best):
            best = made
    if best is not None and (blocked is None or best.strength >= blocked.strength):
        return best
    return blocked or _obstructed(scanner, sentence, around)


def _rank(made: Definition) -> tuple[Strength, int, bool]:
    return made.strength, made.end - made.start, bool(made.name)


def _weightier(first: Definition | None, second: Definition) -> Definition:
    """The one that says what is missing goes before the one that is merely not read."""
    if first is None or (first.obstacle is not None and first.obstacle.reason is UNREAD):
        return second
    return first


def _out(sentence: Sentence, region: _Region) -> bool:
    """Whether the words before it say that something else is defined: a label, a portfolio, a test."""
    subject = re.split(r"[,，:：]\s*(?=\S)", sentence.text[: max(0, region.start - sentence.start)])[-1]
    return _SUBJECT_OUT.search(subject) is not None


def _regions(sentence: Sentence) -> Iterator[_Region]:
    """Stretches that may hold the formula, the plainest first."""
    text, begin = sentence.text, sentence.start
    for pattern, strength in ((_DEFINED, Strength.DEFINED), (_USED, Strength.USED)):
        for match in pattern.finditer(text):
            named = match.groupdict().get("name")
            if named:
                name = names.cleaned(named, match.start("name"))
            else:
                name = names.before(text[: match.start()], match.group())
            yield _Region(begin + match.end(), sentence.end, Name(name.text, begin + name.start), strength)
    for match in _MEASURED.finditer(text):
        name = names.after(text[match.end() :])
        place = Name(name.text, begin + match.end() + name.start)
        for start in _backward_starts(text[: match.start()]):
            yield _Region(begin + start, begin + match.start(), place, Strength.USED)
    starts = {0} | {match.end() for match in _BREAK.finditer(text)}
    for start in sorted(starts):
        yield _Region(begin + start, sentence.end, names.NONE, Strength.BARE)


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


def _read_region(scanner: Scanner, sentence: Sentence, region: _Region, around: _Around) -> Definition | None:
    text = scanner.document.text
    words = text[region.start : region.end]
    if region.strength is not Strength.DEFINED and _MIDST.search(
        sentence.text[: region.start - sentence.start]
    ):
        return None  # what is read from here on would be half of a formula
    blank = _blank(sentence, region)
    if not _QUANTITY.search(words):
        return _not_read(sentence, region, words, [], blank)
    tokens = scanner.tokens(region.start, region.end)
    phrase = longest(tokens)
    if phrase is None or not isinstance(phrase.tree, Apply):
        return _not_read(sentence, region, words, tokens, blank)
    first, last = tokens[phrase.first].start, tokens[phrase.last - 1].end
    blank = replace(_named(blank, sentence, around, last), start=first, end=last)
    data = data_obstacle(_formula_part(text[region.start : region.end])) or _required(around)
    if data is not None and blank.strength > Strength.BARE:
        return replace(blank, obstacle=data, start=sentence.start, end=sentence.end)
    unknown = unknown_names(phrase.tree)
    if unknown:
        return replace(blank, obstacle=_unsupported(unknown), note=_in_core(phrase.tree, unknown))
    left = _left_over(sentence, tokens, phrase, region.end, text)
    if left is not None:
        if blank.strength is not Strength.DEFINED:
            return None
        obstacle = next(obstacles_in(left), None) or Obstacle(UNREAD, left.strip()[:80])
        return replace(blank, obstacle=obstacle, start=sentence.start, end=sentence.end)
    if not _plausible(blank, phrase, sentence):
        return None
    return replace(blank, tree=phrase.tree)


def _plausible(blank: Definition, phrase: Phrase, sentence: Sentence) -> bool:
    """Whether a reading without a verb of defining is meant as a factor at all."""
    if blank.strength is Strength.DEFINED:
        return phrase.last - phrase.first > 1 or _windowed(phrase.tree)
    if phrase.last - phrase.first == 1:
        return False
    about = bool(blank.name) or FACTORISH.search(sentence.text) is not None
    if has_hole(phrase.tree) or not _windowed(phrase.tree):
        return blank.strength is Strength.USED and about and phrase.last - phrase.first > 2
    return about or _SORTED.search(sentence.text) is not None


_SORTED = re.compile(r"排序|排名|选股|买入|分组|rank|sort|buy|portfolio|quintile|decile", re.IGNORECASE)


def _blank(sentence: Sentence, region: _Region) -> Definition:
    final = FINAL.search(sentence.text) is not None
    return Definition(
        region.name.text, region.name.start, None, None, sentence.start, sentence.end, sentence, final,
        region.strength,
    )  # fmt: skip


def _named(blank: Definition, sentence: Sentence, around: _Around, last: int) -> Definition:
    """With the name that follows the formula, or that the heading above gives."""
    covering = names.covering(sentence.text, last - sentence.start)
    if covering.text:  # the name itself says the quantity: "called the 5-day return"
        place = sentence.start + covering.start
        return replace(blank, name=covering.text, name_start=place, strength=Strength.DEFINED)
    given = names.naming(sentence.text, max(0, last - sentence.start))
    if given.text:
        place = sentence.start + given.start
        return replace(blank, name=given.text, name_start=place, strength=Strength.DEFINED)
    earlier = names.NAMING.search(sentence.text)
    if earlier and earlier.group("made") and not blank.name:
        place = sentence.start + earlier.start("made")
        return replace(blank, name=earlier.group("made"), name_start=place, strength=Strength.DEFINED)
    for other in around.following[:2]:
        given = names.naming(other.text)
        early = names.NAMING.search(other.text)
        if given.text and not blank.name and early and early.start() < _EARLY:
            place = other.start + given.start
            return replace(blank, name=given.text, name_start=place, strength=Strength.DEFINED)
    if around.heading is not None and blank.strength is not Strength.DEFINED and not blank.name:
        name = names.heading(around.heading.text)
        place = around.heading.start + name.start
        return replace(blank, name=name.text, name_start=place, strength=Strength.USED)
    return blank


def _not_read(
    sentence: Sentence, region: _Region, words: str, tokens: list[Token], blank: Definition
) -> Definition | None:
    """A definition that is plainly there and cannot be read, with what it asks for where that is known."""
    if region.strength is not Strength.DEFINED:
        return None
    cue = sentence.text[: region.start - sentence.start]
    obstacle = next(obstacles_in(_formula_part(words)), None)
    factorish = FACTORISH.search(sentence.text) is not None
    if obstacle is not None and (_EXPLICIT.search(cue) or factorish):
        return replace(blank, obstacle=obstacle)
    if cue.rstrip().endswith("=") and content(tokens[:6]) and blank.name and _FORMULA.search(words):
        return replace(blank, obstacle=Obstacle(UNREAD, words.strip()[:80]))
    if content(tokens[:6]) and _EXPLICIT.search(cue[-30:]) and (factorish or blank.name):
        return replace(blank, obstacle=Obstacle(UNREAD, words.strip()[:80]))
    return None


def _obstructed(scanner: Scanner, sentence: Sentence, around: _Around) -> Definition | None:
    """A factor that is named, or has a heading, and asks for what cannot be had."""
    earlier = names.naming(sentence.text)
    titled = around.heading is not None and FACTORISH.search(around.heading.text) is not None
    if not earlier.text and not titled:
        return None
    if earlier.text:
        name, place = earlier.text, sentence.start + earlier.start
    else:
        assert around.heading is not None
        given = names.heading(around.heading.text)
        name, place = given.text, around.heading.start + given.start
    found = next(obstacles_in(sentence.text), None) if earlier.text else data_obstacle(sentence.text)
    obstacle = found or _required(around)
    if obstacle is None or _SUBJECT_OUT.search(name):
        return None
    strength = Strength.DEFINED if earlier.text else Strength.USED
    return Definition(
        name, place, None, obstacle, sentence.start, sentence.end, sentence,
        FINAL.search(sentence.text) is not None, strength,
    )  # fmt: skip


def _unsupported(unknown: tuple[str, ...]) -> Obstacle:
    fields_only = all(item.startswith("$") for item in unknown)
    return Obstacle(UNSUPPORTED_FIELD if fields_only else UNSUPPORTED_OP, ", ".join(unknown))


def _in_core(tree: Tree, unknown: tuple[str, ...]) -> str:
    if has_hole(tree) or any(item.startswith("$") for item in unknown):
        return ""
    return f"in the core dialect: {core_text(tree)}"


def _windowed(tree: Tree) -> bool:
    return any(not window.implied or window.symbol for window in windows_of(tree))


def _formula_part(region: str) -> str:
    """The region without clauses that speak of settings."""
    return re.split(
        r"[,，;；](?=[^,，;；]*(?:股票池|调仓|中性|universe|rebalanc|neutral|benchmark|基准))", region
    )[0]


def _required(around: _Around) -> Obstacle | None:
    for other in around.following:
        if _EXPLICIT.search(other.text) or names.NAMING.search(other.text):
            return None
        if _REQUIRES.search(other.text) and (found := data_obstacle(other.text)) is not None:
            return found
    return None


def _left_over(sentence: Sentence, tokens: list[Token], phrase: Phrase, end: int, text: str) -> str | None:
    """What follows the formula and could change it; None where all the rest is about other things."""
    if phrase.last == len(tokens):
        return None
    stop = tokens[phrase.last - 1].end
    for place, clause in clauses(stop, text[stop:end]):
        parts = [t for t in tokens[phrase.last :] if place <= t.start < place + len(clause)]
        known = [t for t in parts if t.senses[0][0] != UNKNOWN]
        joined = place == stop
        if joined and _REMARK.match(clause) and not any(s[0] == "T" for t in known for s in t.senses):
            known = [t for t in known if t.start >= place + _REMARK.match(clause).end()]  # type: ignore[union-attr]
            clause = _REMARK.sub("", clause)
        if _is_setting(sentence, place, clause) or names.NAMING.match(clause.strip()):
            continue
        if joined and (_CHANGING.search(clause) or _operates(known)):
            return clause
        if not joined and _CONTINUES.match(clause) and content(known):
            return clause
        if not joined and _CHANGING.search(clause) and content(known):
            return clause
    return None


_REMARK = re.compile(r"\s*[(（][^()（）]{1,24}[)）]")

_OPERATING = frozenset(
    {"AGG", "VOL", "FN", "FNADJ", "PAIR", "NEG", "T", "NAMEDMA", "DIV", "MUL", "SUB", "ADD", "RATIO",
     "DIFF", "PRODUCT", "DEVIATION", "SKIP", "F", "U"}
)  # fmt: skip


def _operates(tokens: list[Token]) -> bool:
    return any(sense[0] in _OPERATING for token in tokens for sense in token.senses)


def _is_setting(sentence: Sentence, place: int, clause: str) -> bool:
    """Whether the clause states a setting or a direction."""
    alone = Sentence(place, place + len(clause), sentence.paragraph, clause)
    return bool(facts_of((alone,)) or directions_of((alone,)))
