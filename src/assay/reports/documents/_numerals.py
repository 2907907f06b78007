"""Finds the numbers of a text, in any script, and says what each one means."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal, localcontext
from fractions import Fraction

from assay.reports._document import Numeral, NumeralUnit
from assay.reports.documents._characters import FOLD, NARROW
from assay.reports.documents._chinese import BIG_UNITS, chinese_value
from assay.reports.documents._context import Reading, Surroundings, reading_of, single_counts
from assay.reports.documents._days import trading_days
from assay.reports.documents._english import ENGLISH, english_value
from assay.reports.documents._token import Token

_CHINESE_RUN = "[零〇○一二两三四五六七八九十百千万亿廿卅]+(?:点[零〇一二三四五六七八九]+[万亿]?)?"
_ARABIC = r"(?:[0-9]{1,3}(?:,[0-9]{3})+(?![0-9])|[0-9]+)(?:\.[0-9]+)?(?:[eE][-+]?[0-9]{1,2}(?![0-9A-Za-z]))?"
_TOKEN = re.compile(
    rf"(?P<share>(?P<of>百|千|万|{_CHINESE_RUN}|[0-9]+)分之(?P<parts>{_CHINESE_RUN}|{_ARABIC}))"
    r"|(?P<half>半(?=个?月(?!报|刊)|年(?!报|度)|[日天]|个交易日)|一半)"
    rf"|(?P<chinese>{_CHINESE_RUN})"
    rf"|(?P<arabic>{_ARABIC}|(?<![0-9A-Za-z.])\.[0-9]+)"
    rf"|(?P<english>{ENGLISH})",
    re.IGNORECASE,
)
_FRACTION = re.compile(r"\s?/\s?([0-9]+)(?![0-9]|\.[0-9]|\s?/\s?[0-9])")
_PERCENT = re.compile(
    r"\s?(?:%|‰|个百分点|百分点|percent\b|per cent\b|bps?\b|个?基点|basis points?\b)", re.IGNORECASE
)
_BIG_UNIT = re.compile(r"\s?([万亿]+)(?!科|达|华|方数据)")
_LIST_MARK = re.compile(
    r"\s*-?\s*(?:[、,，/~～–—-]|至|到|和|与|或|及|以及|and|or|to|&)\s*(?:and\s|or\s)?", re.IGNORECASE
)
_LONGEST_WINDOW = 5000
_MOST_DIGITS = 40
"""A row of more digits is no number but a code or noise."""


def read_numerals(text: str) -> tuple[Numeral, ...]:
    """The numbers of a text, in order, each with its value, unit, label and trading days.

    Words that merely contain a number sign (一致, 万科, 十分, 三一重工) are no numbers. A number without
    a unit in a list (5、10、20日) takes that of the list.
    """
    text = text.translate(NARROW)
    around = Surroundings(text)
    read: list[tuple[Token, Reading]] = []
    for token in _tokens(text):
        reading = reading_of(token, around)
        if reading is not None:
            read.append((token, reading))
    return tuple(_numeral(text, token, reading) for token, reading in _shared_units(text, read))


def _numeral(text: str, token: Token, reading: Reading) -> Numeral:
    value, end = token.value, token.end
    if reading.unit == "year" and text.startswith("年半", end):
        value, end = value + Fraction(1, 2), end + 2
    days: tuple[int, ...] = ()
    if reading.label == "parameter":
        days = trading_days(value, reading.unit, calendar=reading.calendar)
    return Numeral(token.start, end, _decimal(value), reading.unit, reading.label, days)


def _tokens(text: str) -> Iterator[Token]:
    position = 0
    while found := _TOKEN.search(text, position):
        position = found.end()
        if found["share"]:
            token = _share(found)
        elif found["half"]:
            ratio: NumeralUnit = "ratio" if found["half"] == "一半" else "none"
            token = Token(*found.span(), Fraction(1, 2), "half", ratio)
        elif found["chinese"]:
            token = _chinese(text, found)
        elif found["english"]:
            token = Token(*found.span(), english_value(found[0]), "english")
        else:
            if len(found[0]) > _MOST_DIGITS:
                continue
            yield from (arabic := _arabic(text, found))
            position = max(position, arabic[-1].end)
            continue
        if token is not None:
            position = token.end
            yield token


def _share(found: re.Match[str]) -> Token | None:
    wholes = {"百": 100, "千": 1000, "万": 10_000}
    of = wholes.get(found["of"]) or _value(found["of"])
    parts = _value(found["parts"])
    if not of or parts is None:
        return None
    return Token(
        *found.span(), Fraction(parts) / Fraction(of), "share", "percent" if found["of"] == "百" else "ratio"
    )


def _value(word: str) -> Decimal | None:
    return Decimal(word.replace(",", "")) if word[0] in "0123456789." else chinese_value(word)


def _chinese(text: str, found: re.Match[str]) -> Token | None:
    word = found[0]
    if len(word) == 1 and not single_counts(text, found.start()):
        return None
    value = chinese_value(word)
    if value is None:
        return None
    end = found.end()
    unit, end = _percent(text, end)
    return Token(found.start(), end, Fraction(value) * _scale(text[found.end() : end]), "chinese", unit)


def _arabic(text: str, found: re.Match[str]) -> list[Token]:
    word, start, end = found[0], found.start(), found.end()
    if "," in word and _is_list(text, found):
        parts = re.finditer(r"[0-9.]+", word)
        return [Token(start + m.start(), start + m.end(), Fraction(m[0]), "arabic") for m in parts]
    value = Fraction(Decimal(word.replace(",", "")))
    if (over := _FRACTION.match(text, end)) and _is_fraction(text, start, over):
        return [Token(start, over.end(), value / int(over[1]), "arabic", "ratio")]
    if big := _BIG_UNIT.match(text, end):
        for char in big[1]:
            value *= BIG_UNITS[char]
        return [Token(start, big.end(), value, "arabic")]
    unit, after = _percent(text, end)
    return [Token(start, after, value * _scale(text[end:after]), "arabic", unit)]


def _is_list(text: str, found: re.Match[str]) -> bool:
    """Whether the commas separate numbers (5,20,120) instead of thousands (1,000)."""
    before = re.search(r"[0-9]\s*[,，、]\s*$", text[max(0, found.start() - 4) : found.start()])
    after = re.match(r"\s*[,，、]\s*[0-9]", text[found.end() : found.end() + 4])
    window = re.match(r"\s?-?(?:个?交易日|[日天]|(?:trading )?days?\b)", text[found.end() : found.end() + 14])
    too_long = window and int(found[0].split(".")[0].replace(",", "")) > _LONGEST_WINDOW
    return bool(before or after or too_long)


def _is_fraction(text: str, start: int, over: re.Match[str]) -> bool:
    """Whether ``a/b`` divides: 1/3 does; 5/10日 is a list, 2018/12 and 08/2016 are dates."""
    if re.search(r"[0-9]\s?/\s?$", text[max(0, start - 3) : start]) or int(over[1]) == 0:
        return False
    if re.match(
        r"\s?-?(?:个?交易日|[日天周月年]|个月|days?\b|weeks?\b|months?\b|-?(?:trading )?days?\b)",
        text[over.end() : over.end() + 14],
    ):
        return False
    if text[start] == "0" or re.fullmatch(r"(?:19|20)[0-9]{2}", over[1]):
        return False
    return len(over[1]) <= 4 and over.start() - start <= 4


def _percent(text: str, end: int) -> tuple[NumeralUnit, int]:
    found = _PERCENT.match(text, end)
    return ("percent", found.end()) if found else ("none", end)


def _scale(sign: str) -> Fraction:
    if not sign:
        return Fraction(1)
    if sign.strip() == "‰":
        return Fraction(1, 1000)
    tiny = "基点" in sign or sign.strip().lower().startswith(("bp", "basis"))
    return Fraction(1, 10_000) if tiny else Fraction(1, 100)


def _shared_units(text: str, read: list[tuple[Token, Reading]]) -> list[tuple[Token, Reading]]:
    """Gives the numbers of a list the unit of time of the last one: 5、10、20日, 3至6个月."""
    for place in range(len(read) - 2, -1, -1):
        token, reading = read[place]
        after, unit = read[place + 1]
        timed = unit.label == "parameter" and unit.unit in (
            "day",
            "week",
            "month",
            "quarter",
            "year",
            "intraday",
        )
        plain = (
            reading.label in ("parameter", "furniture")
            and reading.unit in ("none", "ratio")
            and token.unit == "none"
        )
        if timed and plain and token.value.denominator == 1:
            mark = _LIST_MARK.fullmatch(text, token.end, after.start)
            if mark:
                read[place] = (
                    token,
                    replace(reading, unit=unit.unit, calendar=unit.calendar, label="parameter"),
                )
    return read


def _decimal(value: Fraction) -> str:
    """Exact text, or ten decimals of a fraction without an end."""
    with localcontext() as context:
        context.prec = 2 * _MOST_DIGITS + 20
        shown = Decimal(value.numerator) / Decimal(value.denominator)
        if Fraction(shown) != value:
            shown = shown.quantize(Decimal("1e-10"))
    plain = format(shown, "f")
    return plain.rstrip("0").rstrip(".") if "." in plain else plain


@dataclass(frozen=True, slots=True)
class Marked:
    """A text without blanks and case, each number as ``⟨value⟩``, and its map to the text."""

    text: str
    starts: list[int]
    ends: list[int]
    numbers: int


def number_marks(text: str, numerals: Sequence[Numeral] | None = None) -> Marked:
    """``text`` with its numbers written by value, so that 二十日 and 20 日 read alike."""
    numerals = read_numerals(text) if numerals is None else numerals
    parts: list[str] = []
    starts: list[int] = []
    ends: list[int] = []
    position = 0

    def words(start: int, end: int) -> None:
        for place in range(start, end):
            char = text[place].translate(FOLD).lower()
            if not char.isspace():
                parts.append(char)
                starts.extend([place] * len(char))
                ends.extend([place + 1] * len(char))

    for numeral in numerals:
        words(position, numeral.start)
        mark = f"⟨{numeral.value}⟩"
        parts.append(mark)
        starts += [numeral.start] * len(mark)
        ends += [numeral.end] * len(mark)
        position = numeral.end
    words(position, len(text))
    return Marked("".join(parts), starts, ends, len(numerals))
