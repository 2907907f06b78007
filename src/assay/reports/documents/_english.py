"""English number words, which count only before a unit: twenty trading days, one-month."""

from __future__ import annotations

from fractions import Fraction

_SMALL = ("one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve")
_TEENS = ("thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen")
_ONES = {word: value for value, word in enumerate((*_SMALL, *_TEENS), start=1)}
_TENS = {
    "twenty": 20,
    "thirty": 30,
    "forty": 40,
    "fifty": 50,
    "sixty": 60,
    "seventy": 70,
    "eighty": 80,
    "ninety": 90,
}

_ONE_UNIT = frozenset(
    {"past", "last", "trailing", "previous", "preceding", "prior", "latest", "most recent", "a", "an"}
)

_ONE = "|".join(sorted(_ONES, key=len, reverse=True))
_TEN = "|".join(_TENS)
_UNIT = (
    r"(?:consecutive |trading |business |calendar )*(?:days?|sessions?|bars?|weeks?|months?|quarters?|years?"
    r"|percent|per cent|minutes?|hours?|standard deviations?)\b"
)
_UNDER_100 = rf"(?:(?:{_TEN})(?:[ -](?:{_ONE}))?|{_ONE})"
_HUNDREDS = rf"(?:one|two|three|four|five)[ -]hundred(?:(?: and)? {_UNDER_100})?"

_ALONE = (
    r"(?:(?:past|last|trailing|previous|preceding|prior|latest|most recent)"
    r"|(?<=\bover )an?|(?<=\bduring )an?|(?<=\bwithin )an?|(?<=\bacross )an?)"
    r"(?=[ -](?:trading |calendar )?(?:week|month|quarter|year)(?![A-Za-z])(?!['’]s)(?! of ))"
)
"""One unit that no number counts: the trailing month, over a quarter."""

ENGLISH = rf"\b(?:{_HUNDREDS}|{_UNDER_100}|half(?: an?|-)?)(?=[ -]{_UNIT}|(?<=-){_UNIT})|\b{_ALONE}"
"""Pattern of a number in words, the unit looked ahead for."""


def english_value(words: str) -> Fraction:
    """The value of words that ``ENGLISH`` matched."""
    value = 0
    if words.lower() in _ONE_UNIT:
        return Fraction(1)
    for word in words.lower().replace("-", " ").split():
        if word == "half":
            return Fraction(1, 2)
        if word == "hundred":
            value *= 100
        elif word != "and":
            value += _ONES.get(word) or _TENS[word]
    return Fraction(value)
