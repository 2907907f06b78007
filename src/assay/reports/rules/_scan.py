"""A stretch of the document as tokens: words of the table, numerals that the document calls parameters."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import Final

from assay.reports._document import Document, Numeral
from assay.reports.rules._build import SELF
from assay.reports.rules._chart import Charts, Sense, Token
from assay.reports.rules._grammar import grammar
from assay.reports.rules._operations import OPERATIONS
from assay.reports.rules._particles import PARTICLES
from assay.reports.rules._quantities import QUANTITIES
from assay.reports.rules._tree import Field, Number, Tree, Window, apply, has_hole
from assay.reports.rules._words import Group, grouped

UNKNOWN: Final = "UNKNOWN"
"""Category of what the table does not know; such a token joins nothing."""

_UNIT = re.compile(
    r"[\s-]*(?:个)?(?:完整)?(?:trading[\s-]|business[\s-]|calendar[\s-])?"
    r"(?:交易日|自然日|日|天|周|星期|个?月|季度?|年|(?:days?|sessions?|bars?|weeks?|months?"
    r"|quarters?|years?|(?<=\d)d)(?:['’]s?)?(?![A-Za-z]))",
    re.IGNORECASE,
)
_SYMBOL = re.compile(
    r"(?<![A-Za-z])([A-Z]|[nmkt])(?:\s*个?(?:交易日|日|天)|[\s-](?:trading[\s-])?days?)(?![A-Za-z])"
)
_ROLE = re.compile(
    r"(?P<short>短期?(?:窗口?|周期)?|short(?:er)?[- ](?:window|term|run|horizon))(?:的)?"
    r"|(?P<long>长期?(?:窗口?|周期)?|long(?:er)?[- ](?:window|term|run|horizon))(?:的)?",
    re.IGNORECASE,
)
"""Windows by their part in the formula; a table or a bracket says how long they are."""

_DAILY = re.compile(
    r"(?:one|1|single)[- ]day (?:stock |price |percentage )?(?:returns?|gains?|moves?"
    r"|price changes?)(?![A-Za-z])",
    re.IGNORECASE,
)
_NAMED_MA = re.compile(
    r"(?<![A-Za-z])(MA|SMA|STD|HHV|LLV|AVG|MEAN)[_ ]?(?=\d|\()(?:\((?=\d))?", re.IGNORECASE
)
_NAMED_OPS: Final = {
    "MA": "TS_MEAN", "SMA": "TS_MEAN", "AVG": "TS_MEAN", "MEAN": "TS_MEAN", "STD": "TS_STD", "HHV": "TS_MAX",
    "LLV": "TS_MIN",
}  # fmt: skip
_BLANK = re.compile(r"\s+")
_LATIN = re.compile(r"[A-Za-z_][A-Za-z_0-9]*")
_TIME: Final = frozenset({"day", "week", "month", "quarter", "year"})


@lru_cache(maxsize=2)
def _vocabulary(*, han: bool) -> tuple[Group, ...]:
    return grouped((*QUANTITIES, *OPERATIONS, *PARTICLES), han=han)


@dataclass(frozen=True, slots=True)
class Bound:
    """What a name stands for, and the words that say so."""

    tree: Tree
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Scanner:
    """Reads stretches of one document; ``bindings`` are names that the text gives to quantities."""

    document: Document
    starts: tuple[int, ...]
    bindings: Mapping[str, Bound] = field(default_factory=dict)
    _seen: dict[int, Token] = field(default_factory=dict, repr=False, compare=False)
    charts: Charts = field(default_factory=lambda: Charts(grammar()), repr=False, compare=False)

    @classmethod
    def of(cls, document: Document) -> Scanner:
        """Prepare a document."""
        return cls(document, tuple(numeral.start for numeral in document.numerals))

    def binding(self, name: str, value: Bound) -> Scanner:
        """The scanner with one more name."""
        return replace(self, bindings={**self.bindings, name: value}, _seen={}, charts=self.charts.renewed())

    def without(self, name: str) -> Scanner:
        """The scanner with one name less."""
        kept = {known: value for known, value in self.bindings.items() if known != name}
        return replace(self, bindings=kept, _seen={}, charts=self.charts.renewed())

    def bound_in(self, start: int, end: int) -> tuple[Bound, ...]:
        """What the bound names inside a stretch stand for, and the names inside those."""
        found: list[Bound] = []
        stack = [(start, end)]
        while stack:
            low, high = stack.pop()
            for name, value in self.bindings.items():
                word = (
                    rf"(?<![A-Za-z_0-9]){re.escape(name)}(?![A-Za-z_0-9])"
                    if name.isascii()
                    else re.escape(name)
                )
                place = re.search(word, self.document.text[low:high])
                if place and value not in found and not value.start <= low + place.start() < value.end:
                    found.append(value)
                    stack.append((value.start, value.end))
        return tuple(found)

    def knows(self, name: str) -> bool:
        """Whether the name is a word of the table."""
        return any(
            pattern.fullmatch(name) and senses[0][0] != "FILLER"
            for _, rows in _vocabulary(han=False)
            for pattern, senses in rows
        )

    def numerals(self, start: int, end: int) -> Sequence[Numeral]:
        """The numerals that begin in ``[start, end)``."""
        return self.document.numerals[bisect_left(self.starts, start) : bisect_left(self.starts, end)]

    def tokens(self, start: int, end: int) -> list[Token]:
        """The tokens of ``text[start:end]``; words that change nothing are left out, unknown ones are not."""
        text = self.document.text
        numerals = {numeral.start: numeral for numeral in self.numerals(start, end)}
        found: list[Token] = []
        place = start
        while place < end:
            blank = _BLANK.match(text, place, end)
            if blank:
                place = blank.end()
                continue
            token = self._seen.get(place)
            if (
                token is None or token.end > end
            ):  # stretches of one sentence overlap: most places were read before
                token = self._at(place, end, numerals)
                if token.end < end:  # one that ends with the stretch may be cut off there
                    self._seen[place] = token
            if token.senses != (("FILLER", None, 0.0),):
                found.append(token)
            place = token.end
        return found

    def _at(self, place: int, end: int, numerals: dict[int, Numeral]) -> Token:
        text = self.document.text
        average = _NAMED_MA.match(text, place, end)
        if average and average.end() in numerals:
            return self._named(average, numerals[average.end()])
        daily = _DAILY.match(text, place, end)
        if daily:
            return Token(place, daily.end(), (("F", Field("return"), 0.0),))
        if place in numerals:
            return self._number(numerals[place], end)
        word = _LATIN.match(text, place, end)
        named = self._bound_at(place, word.group() if word else "")
        if named:
            tree = self.bindings[named].tree
            return Token(place, place + len(named), (("U" if has_hole(tree) else "F", tree, 0.0),))
        symbol = _SYMBOL.match(text, place, end)
        if symbol:
            window = Window((), *symbol.span(), symbol=symbol.group(1))
            return Token(place, symbol.end(), (("T", window, 0.0),))
        role = _ROLE.match(text, place, end)
        if role:
            name = role.lastgroup or ""
            return Token(place, role.end(), (("T", Window((), *role.span(), symbol=name), 0.0),))
        senses: list[Sense] = []
        longest = 0
        groups = _vocabulary(han="\u4e00" <= text[place] <= "\u9fff")
        likely = (row for any_of, rows in groups if any_of.match(text, place, end) for row in rows)
        for pattern, meanings in likely:
            match = pattern.match(text, place, end)
            if match and match.end() > max(longest, place):
                longest, senses = match.end(), list(meanings)
            elif match and match.end() == longest:
                senses.extend(meaning for meaning in meanings if meaning not in senses)
        if senses:
            if len(senses) > 1:  # a particle that may also be left out is not left out
                senses = [sense for sense in senses if sense[0] != "FILLER"]
            return Token(place, longest, tuple(senses))
        return Token(place, word.end() if word else place + 1, ((UNKNOWN, None, 0.0),))

    def _bound_at(self, place: int, word: str) -> str:
        """The longest bound name that stands at ``place``; '' where none does."""
        fitting = [
            name
            for name in self.bindings
            if name == word or (not _LATIN.fullmatch(name) and self.document.text.startswith(name, place))
        ]
        return max(fitting, key=len, default="")

    def _number(self, numeral: Numeral, end: int) -> Token:
        text = self.document.text
        unit = _UNIT.match(text, numeral.end, end)
        stop = unit.end() if unit and numeral.unit in _TIME else numeral.end
        if numeral.label != "parameter":
            return Token(numeral.start, stop, ((UNKNOWN, None, 0.0),))
        if numeral.days:
            return Token(numeral.start, stop, (("T", Window(numeral.days, numeral.start, stop), 0.0),))
        return Token(numeral.start, stop, (("N", Number(numeral.value, numeral.start, stop), 0.0),))

    def _named(self, match: re.Match[str], numeral: Numeral) -> Token:
        """``MA20``, ``MA(20)``: an op and its window in one word."""
        stop = numeral.end
        if match.group().endswith("("):
            if not self.document.text.startswith(")", stop):
                return Token(
                    match.start(), match.end() - 1, (("AGG", _NAMED_OPS[match.group(1).upper()], 0.0),)
                )
            stop += 1
        days = (int(numeral.value),) if numeral.value.isdigit() and int(numeral.value) else ()
        if not days:
            return Token(match.start(), stop, ((UNKNOWN, None, 0.0),))
        window = Window(days, numeral.start, numeral.end)
        op = _NAMED_OPS[match.group(1).upper()]
        return Token(match.start(), stop, (("NAMEDMA", apply(op, SELF, window), 0.0),))
