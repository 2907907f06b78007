"""The last line of defence against dates that a caller must not learn of."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import date
from typing import Any

WITHHELD = "[date withheld]"

# 2024-01-31, 2024/1/31, 2024.01.31, 2024年1月31日, 20240131, 2024-01, 2024年1月
_DATE = re.compile(
    r"(?<![0-9A-Za-z.])(?P<year>(?:1[89]|2[01])\d\d)"
    r"(?:(?P<mark>[-/._])(?P<month>\d{1,2})(?P=mark)(?P<day>\d{1,2})"
    r"|-(?P<month_only>\d\d)"
    r"|\s*\u5e74\s*(?P<month_zh>\d{1,2})\s*\u6708(?:\s*(?P<day_zh>\d{1,2})\s*\u65e5)?"
    r"|(?P<month_8>\d\d)(?P<day_8>\d\d))(?![0-9])"
)
# a word with a letter in it, such as a name that a person gave: hid-2019, x2019-06-01, earnings_2031
_WORD = re.compile(r"[A-Za-z0-9_-]{5,}")
_DIGIT = re.compile(r"\d")
_LETTER = re.compile(r"[A-Za-z]")
# digits of hashes and of unique ids tell nothing
_HASH = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}|[0-9a-f]{12,}")


@dataclass(frozen=True, slots=True)
class DateGuard:
    """Takes dates out of what leaves the registry, unless ``allowed`` says that the caller may know them.

    Tools have to be right without it: it is uniform over all dates that are not allowed, so that what is
    withheld says nothing, and it makes a slip of one tool harmless.

    Parameters
    ----------
    allowed : whether the caller may learn of a day.
    clock : the last day that the caller may learn of. With it, words that name a later date, month or year
        are withheld whole, such as the name ``hid-2019`` of a factor. A year that stands alone is a number,
        which formulas may hold, and stays.
    """

    allowed: Callable[[date], bool]
    clock: date | None = None

    def text(self, text: str) -> str:
        """``text`` with each date that is not allowed replaced by a fixed mark."""
        if not _DIGIT.search(text):
            return text
        return _DATE.sub(self._judged, text if self.clock is None else _without_later_words(text, self.clock))

    def value(self, value: Any) -> Any:
        """A JSON value with all its texts, keys included, treated by :meth:`text`."""
        if isinstance(value, str):
            return self.text(value)
        if isinstance(value, Mapping):
            return {self.text(str(key)): self.value(item) for key, item in value.items()}
        if isinstance(value, (list, tuple)):
            return [self.value(item) for item in value]
        return value

    def _judged(self, found: re.Match[str]) -> str:
        year = int(found["year"])
        month = int(found["month"] or found["month_only"] or found["month_zh"] or found["month_8"])
        day = int(found["day"] or found["day_zh"] or found["day_8"] or 1)
        try:
            return found[0] if self.allowed(date(year, month, day)) else WITHHELD
        except ValueError:  # 2024-13-45 is no date
            return found[0]


def _without_later_words(text: str, clock: date) -> str:
    from assay.market import names_later

    def judged(found: re.Match[str]) -> str:
        word = found[0]
        if not _LETTER.search(word):
            return word
        return WITHHELD if names_later(_HASH.sub("", word), clock) else word

    return _WORD.sub(judged, text)
