"""Letters and names that a text gives to quantities: "let A be the traded value", ``VOV = TS_STD(...)``."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Final

from assay.reports.rules._cues import regions_of
from assay.reports.rules._limits import BINDINGS, BeyondLimitError
from assay.reports.rules._names import FACTORISH
from assay.reports.rules._read import longest, operates
from assay.reports.rules._scan import Bound, Scanner
from assay.reports.rules._sentences import Sentence
from assay.reports.rules._tree import Apply, Field, windows_of

_NAME = r"(?P<name>[A-Z][A-Za-z0-9_]{0,15}|[a-z]{1,2}(?:_[a-z0-9]+)?)"
_CODE = r"(?P<code>[a-z][a-z0-9_]{2,15})(?=\s*:?=\s*[A-Za-z0-9(\-])"
"""A name at the beginning of a line that an equals sign follows."""

_BINDING: Final = re.compile(
    rf"(?:(?<=^)|(?<=[\s,，;；:：。(（`])|(?<=[\u4e00-\u9fff])){_NAME}`?\s*(?::=|=)(?!=)\s*"
    rf"|(?:(?<=^)|(?<=\s)){_CODE}\s*(?::=|=)\s*"
    rf"|\b[Ll]et\s+{_NAME.replace('name', 'let')}\s+(?:be|denote)\s+(?:the\s+)?"
    rf"|\b(?:[Ww]here|[Hh]ere|with)\s+{_NAME.replace('name', 'where')}\s+(?:is|denotes|stands for"
    rf"|being)\s+(?:the\s+)?"
    rf"|(?:(?<=[,，;；、])|(?<=以及)|(?<=和))\s*{_NAME.replace('name', 'zh2')}\s*(?:为|表示|代表)\s*"
    rf"|(?<=[a-z]) and {_NAME.replace('name', 'elided')} the "
    rf"|\band\s+{_NAME.replace('name', 'and')}\s+(?:is|denotes|stands for)\s+(?:the\s+)?"
    rf"|(?:其中|记|令|设|这里|式中)[,，]?\s*{_NAME.replace('name', 'zh')}\s*(?:为|表示|是|代表|=)\s*"
    rf"|(?:denote|write)\s+(?:by\s+)?{_NAME.replace('name', 'by')}\s+(?:for\s+)?(?:the\s+)?"
)
_WORDS: Final = frozenset({"N", "M", "K", "T", "n", "m", "k", "t", "Rank", "IC", "IR", "RankIC", "ICIR"})


def bound(scanner: Scanner, sentences: Iterable[Sentence]) -> Scanner:
    """A scanner that also knows the names which the sentences bind, each read with those before it."""
    disputed: set[str] = set()
    for sentence in sentences:
        for given in (_given(scanner, sentence), _spoken(scanner, sentence)):
            if given is not None and given[0] not in scanner.bindings and not scanner.knows(given[0]):
                scanner = scanner.binding(*given)
        for match in _BINDING.finditer(sentence.text):
            name = next(value for value in match.groupdict().values() if value)
            said = re.match(r"[^=]*$", match.group()) is not None  # 设 H 为…, and no mere equals sign
            if match.group("elided") and not _LETS.match(sentence.text):
                continue
            if name in _WORDS or name in disputed or (scanner.knows(name) and not (said and len(name) == 1)):
                continue
            value = _value(
                scanner, sentence.start + match.start(), sentence.start + match.end(), sentence.end
            )
            if value is None:
                continue
            known = scanner.bindings.get(name)
            if known is not None and known.tree != value.tree:  # one letter for two things stands for neither
                disputed.add(name)
                scanner = scanner.without(name)
            else:
                scanner = scanner.binding(name, value)
        if len(scanner.bindings) > BINDINGS:
            what = f"the text gives names to more than the {BINDINGS} quantities that are read"
            raise BeyondLimitError(what, sentence.start)
    return scanner


_LETS: Final = re.compile(r"\s*(?:Let|Denote|Where|Here|Write)\b", re.IGNORECASE)

_GIVEN: Final = re.compile(
    r"(?:记为|记作|记其为|简记为|\bdenoted?(?: as| by)?|\bwritten(?: as)?|\bcall(?:ed)?(?: it| this"
    r"| the result)?"
    r"|\blabell?ed)\s*[“\"*`]*(?P<name>[A-Z][A-Za-z0-9_]{0,15})(?![A-Za-z0-9_ ]*(?:factor|因子))"
)


def _given(scanner: Scanner, sentence: Sentence) -> tuple[str, Bound] | None:
    """``X, denoted OVN``: a name that follows the words of what it stands for."""
    match = _GIVEN.search(sentence.text)
    if match is None:
        return None
    stop = sentence.start + match.start()
    best: Bound | None = None
    for region in regions_of(sentence):
        if region.start >= stop:
            continue
        tokens = scanner.tokens(region.start, stop)
        phrase = longest(tokens, scanner.charts)
        if phrase is None or not isinstance(phrase.tree, Apply) or operates(tokens[phrase.last :]):
            continue
        value = Bound(phrase.tree, tokens[phrase.first].start, tokens[phrase.last - 1].end)
        if best is None or value.end - value.start > best.end - best.start:
            best = value
    return None if best is None else (match.group("name"), best)


_SPOKEN: Final = re.compile(
    r"(?:^|[,，:：、]|其中|这里)\s*(?P<zh>[\u4e00-\u9fff]{2,10}?)(?:被)?(?:定义为|是指|指的是|等于|即为|\s*=(?!=))"
    r"|(?:定义|记|令|设)(?P<set>[\u4e00-\u9fff]{2,8}?)(?:为|等于)"
    r"|\b[Ll]et (?:the )?(?P<let>[a-z][a-z-]+(?: [a-z-]+){1,2}) (?:be|denote)"
    r"|\b[Dd]efine (?:the |an? )?(?P<as>[A-Za-z][a-z-]+(?: [a-z-]+){1,3}) as"
    r"|(?:^|, |where )(?:[Tt]he )?(?P<en>[A-Za-z][a-z-]+(?: [a-z-]+){1,3}) (?:is|are) (?:defined as"
    r"|given by|equal to)"
)
"""A name of several words, defined for its own sake: it may be a part of the factor."""


def _spoken(scanner: Scanner, sentence: Sentence) -> tuple[str, Bound] | None:
    """``单日下影线定义为…``: a daily quantity that later sentences call by its name."""
    match = _SPOKEN.search(sentence.text)
    if match is None:
        return None
    name = next(value for value in match.groupdict().values() if value)
    if FACTORISH.search(name):
        return None
    after = _FACTOR_OF.search(sentence.text, match.end())
    said = after is not None and name in sentence.text[after.end() :]
    stop = sentence.start + after.start() if after is not None and said else sentence.end
    tokens = scanner.tokens(sentence.start + match.end(), stop)
    phrase = longest(tokens, scanner.charts)
    if phrase is None or phrase.first or not isinstance(phrase.tree, Apply):
        return None
    windowed = any(not window.implied for window in windows_of(phrase.tree))
    if (windowed and not (said or match.group("let"))) or operates(tokens[phrase.last :]):
        return None
    return name, Bound(phrase.tree, tokens[0].start, tokens[phrase.last - 1].end)


_FACTOR_OF: Final = re.compile(
    r"[,，;；]\s*(?:则)?(?:本|该|最终)?(?:因子|信号|指标)(?:值)?(?:为|是|取|即|等于)"
    r"|[,;]\s*(?:and )?the (?:factor|signal) is\b",
    re.IGNORECASE,
)
"""Where a sentence goes on to the factor, which is made of what it has named."""


def _value(scanner: Scanner, begin: int, start: int, end: int) -> Bound | None:
    tokens = scanner.tokens(start, end)
    phrase = longest(tokens, scanner.charts, bare=True)
    if phrase is None or phrase.first or not isinstance(phrase.tree, (Apply, Field)):
        return None
    return Bound(phrase.tree, begin, tokens[phrase.last - 1].end)
