from __future__ import annotations

import re
from datetime import UTC, date, datetime, timedelta

_INSTANT = re.compile(
    r"(\d{4}-\d{2}-\d{2})(?:[Tt ](\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?)([Zz]|[+-]\d{2}:?\d{2})?)?", re.ASCII
)
_LAST = timedelta(microseconds=1)


def read_instant(text: str) -> datetime:
    """The instant, in UTC, that an ISO-8601 date-time tells; a day alone means its end.

    A date-time without a zone is in UTC. Only the extended form is read (``2020-01-31T15:00:00Z``).

    Raises
    ------
    ValueError
        The text is no date-time, or one beyond the years 1 to 9999.
    """
    found = _INSTANT.fullmatch(text)
    if found is None:
        raise ValueError("not an ISO-8601 date-time")
    day, clock, zone = found.groups()
    try:
        if clock is None:
            return datetime.fromisoformat(day).replace(tzinfo=UTC) + timedelta(days=1) - _LAST
        whole, _, fraction = clock.partition(".")
        told = datetime.fromisoformat(f"{day}T{whole}").replace(microsecond=int(f"{fraction:0<6}"[:6]))
        return datetime.fromisoformat(f"{told.isoformat()}{(zone or 'Z').upper()}").astimezone(UTC)
    except OverflowError as error:
        raise ValueError("beyond the years 1 to 9999") from error


def last_whole_day(instant: datetime) -> date:
    """The last day, in UTC, that is over at an instant; its last second counts as its end.

    A daily bar is known when its day is over: in the middle of a day, its bar is not.
    """
    day = instant.date()
    rest = datetime(day.year, day.month, day.day, 23, 59, 59, tzinfo=UTC)
    return day if instant >= rest else day - timedelta(days=1)
