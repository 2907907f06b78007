from __future__ import annotations

import math
from collections.abc import Iterable
from fractions import Fraction

from assay.reports._document import NumeralUnit

_YEAR = (240, 242, 250, 252)
_HALF_YEAR = (120, 121, 126)
_MONTH = (20, 21, 22)
_WEEK = 5


def trading_days(value: Fraction, unit: NumeralUnit, *, calendar: bool = False) -> tuple[int, ...]:
    """How many trading days a time may mean, ascending; empty where it is no whole number of bars.

    A week has 5, a month 20 to 22, a year 240, 242 (the A-share average), 250 or 252 by the convention of the
    author. ``calendar`` days are converted at 5 in 7 and at 242 in 365.
    """
    if value <= 0:
        return ()
    if unit == "day":
        return _calendar_days(value) if calendar else _whole([value])
    if unit == "week":
        return _whole([value * _WEEK])
    if unit in ("month", "quarter"):
        return _months(value * 3 if unit == "quarter" else value)
    if unit == "year":
        return _months(value * 12, spoken_in_years=True)
    return ()


def _months(months: Fraction, *, spoken_in_years: bool = False) -> tuple[int, ...]:
    years, rest = divmod(months, 12)
    if months == 6 and spoken_in_years:
        return _HALF_YEAR
    if spoken_in_years and rest in (0, 6):
        half = {0: (0,) * 4, 6: (120, 121, 125, 126)}[int(rest)]
        return _whole([years * days + part for days, part in zip(_YEAR, half, strict=True)])
    counts: list[Fraction | int] = [months * days for days in _MONTH]
    if rest == 0 and years > 0:
        counts += [years * days for days in _YEAR]
    elif months == 6:
        counts += _HALF_YEAR
    return _whole(counts)


def _calendar_days(days: Fraction) -> tuple[int, ...]:
    share = days * 5 / 7
    return _whole([math.floor(share), math.ceil(share), round(days * 242 / 365)])


def _whole(counts: Iterable[Fraction | int]) -> tuple[int, ...]:
    return tuple(sorted({int(count) for count in counts if count == int(count) and count > 0}))
