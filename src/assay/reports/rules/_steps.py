"""Definitions that take several sentences: "First compute A. Then average it over 20 days."."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from assay.reports.rules._chart import Token
from assay.reports.rules._cues import regions_of, speaks_of_another
from assay.reports.rules._facts import ASIDE
from assay.reports.rules._read import Phrase, content, step
from assay.reports.rules._rest import left_over
from assay.reports.rules._scan import Scanner
from assay.reports.rules._sentences import Sentence, clauses
from assay.reports.rules._tree import Apply, Tree, apply

REACH: Final = 4
"""Sentences after a formula among which its next step is looked for."""

_NUMBERED = r"[-*•·]?\s*(?:[(（]?(?:[2-9二三四五]|[b-e](?=[)）]))[)）.、:：]|[②③④⑤])\s*"
_ORDERED = (
    r"[-*•·]?\s*(?:step (?:[2-9]|two|three|four)|第[二三四五2-9]步)\s*[,，:：.]?\s*"
    r"|[-*•·]?\s*(?:and )?(?:then|next|finally|lastly|after that|afterwards|second(?:ly)?|third(?:ly)?"
    r"|in a second step)\b,?"
    r"|[-*•·]?\s*(?:再|然后|接着|随后|之后|最后|最终|进一步|进而|其次|第二)[，,]?"
)
_SPEAKER = (
    r"(?:\s|[,，:：]|\b(?:we|one|the desk|our desk|then|next|finally|also|simply|both|is|are|now)\b|我们"
    r"|再|然后|最后|接着"
    r"|对|将|把|每日|每天|逐日)"
)
_OPENER: Final = re.compile(rf"^(?:{_NUMBERED}|{_ORDERED})*(?:{_SPEAKER})*", re.IGNORECASE)
_GOES_ON: Final = re.compile(
    rf"^(?:{_NUMBERED})?(?:(?:本|该)?因子|the factor )?(?:{_ORDERED})|^{_SPEAKER}*(?:then|next|finally)\b",
    re.IGNORECASE,
)
_LISTED: Final = re.compile(rf"^{_NUMBERED}", re.IGNORECASE)

_VERBS: Final = frozenset({"AGGV", "DIVV", "MULV", "SUBTRACT", "SMOOTH"})
_DONE: Final = frozenset({"AGGED", "DIVW", "TAKE", "MUL"})
_OPS: Final = frozenset(
    {"AGG", "AGGV", "AGGED", "DIVV", "DIVW", "MULV", "SUBTRACT", "FN", "NEG", "MUL", "VOL"}
)


@dataclass(frozen=True, slots=True)
class Built:
    """A formula with all of its steps.

    Parameters
    ----------
    places : where the steps stand.
    sentences : where those sentences begin, which then define nothing of their own.
    unread : a step that is plainly there and is not read; '' where there is none.
    """

    tree: Tree
    places: tuple[tuple[int, int], ...] = ()
    sentences: tuple[int, ...] = ()
    unread: str = ""


def built(scanner: Scanner, sentence: Sentence, tree: Tree, following: Sequence[Sentence]) -> Built:
    """The formula of a sentence carried on through those that follow."""
    found = Built(tree)
    if sentence.heading:
        return found
    paragraph = sentence.paragraph
    passed = ""
    for other in following[:REACH]:
        if other.heading or other.table_row:
            break
        if ASIDE.search(other.text):
            continue
        made = _step(scanner, other, found.tree)
        if made is not None and passed:  # something was done in between that is not read
            return Built(found.tree, found.places, found.sentences, passed)
        if made is not None:
            phrase, start, end = made
            places, starts = (*found.places, (start, end)), (*found.sentences, other.start)
            found = Built(phrase.tree, places, starts)
            paragraph = other.paragraph
        elif _carries_on(scanner, other, near=other.paragraph == paragraph):
            return Built(found.tree, found.places, found.sentences, other.text.strip()[:80])
        elif _GOES_ON.search(other.text):
            passed = other.text.strip()[:80]
    return found


def _step(scanner: Scanner, sentence: Sentence, before: Tree) -> tuple[Phrase, int, int] | None:
    ranks = _RANKS_IT.match(sentence.text)
    if ranks is not None:
        return Phrase(apply("RANK", before), 0, 0), sentence.start, sentence.start + ranks.end()
    turns = _TURNS_IT.search(sentence.text)
    if turns is not None and not content(scanner.tokens(sentence.start, sentence.start + turns.start())):
        return (
            Phrase(apply("neg", before), 0, 0), sentence.start + turns.start(), sentence.start + turns.end()
        )  # fmt: skip
    listed = _LISTED.match(sentence.text) is not None
    if _ITEM.match(sentence.text):
        return None
    for start in _starts(sentence):
        if content(scanner.tokens(sentence.start, start)):
            continue  # the step is done with what the sentence says itself
        marked = listed or _goes_on(sentence, start)
        tokens = scanner.tokens(start, sentence.end)
        phrase = step(tokens, before, scanner.charts)
        if phrase is None:
            continue
        told = tokens[phrase.first : phrase.last]
        if isinstance(phrase.tree, Apply) and phrase.tree.op == "RANK" and not _RANKED.search(sentence.text):
            continue  # to sort by it is a test, no part of the formula
        if not marked and not any(_has(token, {"IT"}) for token in told):
            continue
        if left_over(sentence, tokens, phrase, sentence.end, scanner.document.text) is None:
            return phrase, told[0].start, told[-1].end
    return None


def _goes_on(sentence: Sentence, start: int) -> bool:
    """Whether the sentence, or the clause that begins at ``start``, says *then*."""
    return any(_GOES_ON.search(words) for words in (sentence.text, sentence.text[start - sentence.start :]))


_ELSE = re.compile(
    r"(?:若|如果|倘若)[^。；;]{1,30}则[^。；;]{0,6}(?:因子|信号|取|为|记)|否则|\b(?:otherwise|else)\b",
    re.IGNORECASE,
)
"""A sentence that says what the formula is under another condition."""

_ITEM = re.compile(rf"(?:{_NUMBERED})[^,，.。:：=]{{1,24}}[:：]", re.IGNORECASE)
"""An item of a list that has a name of its own: ``(B) range: ...``."""

_RANKS_IT = re.compile(
    rf"(?:{_NUMBERED}|{_ORDERED})+(?:we )?(?:rank (?:it |them |this |the result |the values? )?(?:across"
    rf"|cross-sectionally"
    r"|within)(?: (?:all )?(?:stocks|names|the (?:market|universe)|the cross[- ]section))?"
    r"|(?:对(?:其|结果|上述结果))?(?:在)?(?:横截面|截面)上?(?:求|取|做|进行)?排名)\s*$",
    re.IGNORECASE,
)
"""A numbered step that ranks, and does nothing else."""

_TURNED = re.compile(
    r"(?:取|以|用|将)其(?:相反数|负值)|\bits negative\b|\bthe negative of (?:it|this)\b|"
    r"\bsign (?:is )?(?:reversed|flipped)|\b(?:flip|revers)\w* (?:the|its) sign",
    re.IGNORECASE,
)

_TURNS_IT = re.compile(
    r"(?:use|take|work with|uses|takes) (?:its|the) negative(?= as\b|$|[,.])"
    r"|(?:取|以|用|将)其(?:相反数|负值)(?:作为|即为|为|$)",
    re.IGNORECASE,
)
"""A sentence that turns the quantity around to make the factor of it."""

_SORTS = re.compile(
    r"\brank|\bsort|\bgroup|\bbuy|\bsell|\bhold|\bhedg|排序|排名|分组|分档|选股|买入|卖出|持有|做多|检验|观察|考察"
    r"|回测|比较|\btest|\bexamine|\breport|\bcompare|\bplot|\bshow",
    re.IGNORECASE,
)
"""Words of using a factor, or looking at it, that do not change it."""

_RANKED = re.compile(
    r"排名值|取[^,，。]{0,6}(?:排名|分位)|rank values?|percentile rank"
    r"|cross-sectional rank",
    re.IGNORECASE,
)


def _starts(sentence: Sentence) -> Iterator[int]:
    opener = _OPENER.match(sentence.text)
    first = sentence.start + (opener.end() if opener else 0)
    yield first
    seen = {first}
    for place in (*(start for start, _ in clauses(sentence.start, sentence.text)), *_regions(sentence)):
        if place not in seen:
            seen.add(place)
            yield place


def _regions(sentence: Sentence) -> Iterator[int]:
    return (region.start for region in regions_of(sentence))


def _carries_on(scanner: Scanner, sentence: Sentence, *, near: bool) -> bool:
    """Whether the sentence does something with the quantity said before."""
    tokens = scanner.tokens(sentence.start, sentence.end)
    goes_on = any(
        _GOES_ON.search(clause) and not content(scanner.tokens(sentence.start, start))
        for start, clause in clauses(sentence.start, sentence.text)
    )
    marked = near and goes_on and not speaks_of_another(sentence.text)
    if _ITEM.match(sentence.text):
        return False
    if near and _ELSE.match(sentence.text):
        return True
    if marked and any(_has(token, _OPS) for token in tokens):
        return True
    if marked and not _SORTS.search(sentence.text) and any(_has(token, {"IT"}) for token in tokens):
        return True  # whatever is done with it: winsorised, signed, raised to a power
    if near and _TURNED.search(sentence.text):
        return True
    for index, token in enumerate(tokens):
        if not _has(token, {"IT"}):
            continue
        after = tokens[index + 1] if index + 1 < len(tokens) else None
        if after is not None and _has(after, _DONE) and after.end > after.start + 1:  # a sign is no verb
            return True
        if index and _has(tokens[index - 1], _VERBS):
            return True
    return False


def _has(token: Token, categories: frozenset[str] | set[str]) -> bool:
    return any(sense[0] in categories for sense in token.senses)
