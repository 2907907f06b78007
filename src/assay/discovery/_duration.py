"""Lengths of time as Polars writes them."""

from __future__ import annotations

import re

_UNITS = {"w": 604_800, "d": 86_400, "h": 3_600, "m": 60, "s": 1}
_PART = re.compile(r"(\d{1,9})(w|d|h|m|s)", re.ASCII)
_WHOLE = re.compile(r"(?:\d{1,9}[wdhms])+", re.ASCII)
MAX_SECONDS = 10 * 366 * 86_400

DURATION_PATTERN = r"^([0-9]{1,9}[wdhms])+$"
"""A JSON-schema pattern of what :func:`seconds_of` reads."""


def seconds_of(text: str) -> int:
    """Seconds of a Polars duration string: ``0m``, ``5m``, ``1d``, ``1d12h``; a day has 24 hours.

    Months, quarters, years and index units have no fixed length, and units below a second are finer than the
    times of events: they are not read.

    Raises
    ------
    ValueError
        The text is no such duration, or one beyond ten years.
    """
    if not _WHOLE.fullmatch(text):
        raise ValueError("is no duration")
    seconds = sum(int(count) * _UNITS[unit] for count, unit in _PART.findall(text))
    if seconds > MAX_SECONDS:
        raise ValueError("is longer than ten years")
    return seconds
