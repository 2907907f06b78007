"""Letters and names that a text gives to quantities: "let A be the traded value", ``VOV = TS_STD(...)``."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Final

from assay.reports.rules._read import longest
from assay.reports.rules._scan import Bound, Scanner
from assay.reports.rules._sentences import Sentence
from assay.reports.rules._tree import Apply, Field

_NAME = r"(?P<name>[A-Z][A-Za-z0-9_]{0,15}|[a-z]{1,2}(?:_[a-z0-9]+)?)"
_BINDING: Final = re.compile(
    rf"(?:(?<=^)|(?<=[\s,，;；:：。(（`])|(?<=[\u4e00-\u9fff])){_NAME}`?\s*(?::=|=)(?!=)\s*"
    rf"|\b[Ll]et\s+{_NAME.replace('name', 'let')}\s+(?:be|denote)\s+(?:the\s+)?"
    rf"|\b(?:[Ww]here|[Hh]ere|with)\s+{_NAME.replace('name', 'where')}\s+(?:is|denotes|stands for"
    rf"|being)\s+(?:the\s+)?"
    rf"|(?:其中|记|令|设)\s*{_NAME.replace('name', 'zh')}\s*(?:为|表示|是|代表|=)\s*"
    rf"|(?:denote|write)\s+(?:by\s+)?{_NAME.replace('name', 'by')}\s+(?:for\s+)?(?:the\s+)?"
)
_WORDS: Final = frozenset({"N", "M", "K", "T", "n", "m", "k", "t", "Rank", "IC", "IR", "RankIC", "ICIR"})


def bound(scanner: Scanner, sentences: Iterable[Sentence]) -> Scanner:
    """A scanner that also knows the names which the sentences bind, each read with those before it."""
    disputed: set[str] = set()
    for sentence in sentences:
        for match in _BINDING.finditer(sentence.text):
            name = next(value for value in match.groupdict().values() if value)
            if name in _WORDS or name in disputed or scanner.knows(name):
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
    return scanner


def _value(scanner: Scanner, begin: int, start: int, end: int) -> Bound | None:
    tokens = scanner.tokens(start, end)
    phrase = longest(tokens, bare=True)
    if phrase is None or phrase.first or not isinstance(phrase.tree, (Apply, Field)):
        return None
    return Bound(phrase.tree, begin, tokens[phrase.last - 1].end)
