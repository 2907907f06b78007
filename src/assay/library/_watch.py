"""What is expected of an admitted factor, and when to give it up; frozen at admission."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from datetime import date
from typing import Any, Final, Literal

import numpy as np
import numpy.typing as npt

from assay.config import as_date

YEAR: Final = 252
FALSE_ALARMS_A_YEAR: Final = 0.05
_Z95: Final = 1.959963984540054

Health = Literal["within", "below", "alarm", "no_data"]
"""Within the band or above it; below it, without an alarm; the kill rule says stop; nothing new yet."""


@dataclass(frozen=True, slots=True)
class Watch:
    """The expected RankIC of a factor, and the kill rule; nothing of it changes after admission.

    All figures are of daily RankICs times ``sign``, so that more is better. The rule is Page's one-sided
    CUSUM (Biometrika 41, 1954) for a fall of the mean from ``mean`` to 0:
    ``S = max(0, S + mean / 2 - x)``, alarm once ``S > limit``. Labels overlap, so days are not
    independent: ``limit`` follows from the long-run deviation, by the run length of the Brownian motion
    that the sum tends to (Reynolds, Technometrics 17, 1975),
    ``s² / (2 k²) * (exp(y) - 1 - y)`` with ``k = mean / 2`` and ``y = 2 k limit / s²``,
    set so that a factor as good as expected alarms in a year with the chance ``false_alarms_a_year``.

    Parameters
    ----------
    after : last day of the data that the expectation comes from; only later days are held against it.
    sign : of the mean RankIC.
    mean : expected daily RankIC, at least in size.
    deviation : long-run deviation of a day: that of a mean over n days is ``deviation / sqrt(n)``.
    days : that both come from.
    band_low, band_high : 95% band of the mean over a year of new days, the error of ``mean`` included.
    limit : of the rule.
    false_alarms_a_year : see above.
    delay : days until the alarm, on average, of a factor that is dead.
    """

    after: date
    sign: int
    mean: float
    deviation: float
    days: int
    band_low: float
    band_high: float
    limit: float
    false_alarms_a_year: float
    delay: float

    def as_dict(self) -> dict[str, Any]:
        """JSON-ready."""
        return {"rule": "cusum", **asdict(self), "after": self.after.isoformat()}

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Watch:
        """What :meth:`as_dict` told.

        Raises
        ------
        KeyError, TypeError, ValueError
            It is something else.
        """
        if data["rule"] != "cusum":
            raise ValueError(f"unknown rule {data['rule']!r}")
        values = {name: data[name] for name in cls.__dataclass_fields__}
        return cls(**{**values, "after": date.fromisoformat(values["after"])})

    def band(self, days: int) -> tuple[float, float]:
        """95% band of the mean over so many new days."""
        half = _half_width(self.deviation, self.days, days)
        return self.mean - half, self.mean + half


@dataclass(frozen=True, slots=True)
class Followed:
    """New days of a factor held against what was expected.

    Parameters
    ----------
    days : with a RankIC, from ``first`` to ``last``; None where there is none.
    mean : of their RankICs times the sign; NaN without days.
    low, high : 95% band of such a mean, had nothing changed.
    statistic, limit : of the kill rule at the last day.
    alarm : the first day on which the rule said stop.
    """

    health: Health
    days: int
    first: date | None
    last: date | None
    mean: float
    low: float
    high: float
    statistic: float
    limit: float
    alarm: date | None

    def as_dict(self) -> dict[str, Any]:
        """JSON-ready; undefined numbers are None."""
        plain = {
            name: value.isoformat() if isinstance(value, date) else value
            for name, value in asdict(self).items()
        }
        return {
            name: None if isinstance(value, float) and not math.isfinite(value) else value
            for name, value in plain.items()
        }

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Followed:
        """What :meth:`as_dict` told.

        Raises
        ------
        KeyError, TypeError, ValueError
            It is something else.
        """
        values = {name: data[name] for name in cls.__dataclass_fields__}
        for name in ("first", "last", "alarm"):
            values[name] = None if values[name] is None else date.fromisoformat(values[name])
        for name in ("mean", "low", "high"):
            values[name] = math.nan if values[name] is None else float(values[name])
        return cls(**values)


def make_watch(
    mean: float,
    deviation: float,
    days: int,
    after: date,
    *,
    false_alarms_a_year: float = FALSE_ALARMS_A_YEAR,
) -> Watch | None:
    """Freeze an expectation; None where the mean or its deviation is 0 or undefined.

    Parameters
    ----------
    mean, deviation, days : mean daily RankIC, long-run deviation of a day, and how many days both are from.
    """
    known = math.isfinite(mean) and math.isfinite(deviation) and mean != 0 and deviation > 0 and days > 1
    if not known:
        return None
    size = abs(mean)
    half = _half_width(deviation, days, YEAR)
    run_length = YEAR / -math.log1p(-false_alarms_a_year)
    limit = _limit(size / 2, deviation, run_length)
    return Watch(
        after=after,
        sign=1 if mean > 0 else -1,
        mean=size,
        deviation=deviation,
        days=days,
        band_low=size - half,
        band_high=size + half,
        limit=limit,
        false_alarms_a_year=false_alarms_a_year,
        delay=_delay(size / 2, deviation, limit),
    )


def watch_of(certificate: Mapping[str, Any]) -> Watch | None:
    """What a certificate leads to expect: its mean RankIC, and the deviation that its Newey-West t implies.

    None where the certificate tells of no defined mean and t.
    """
    body = certificate["body"]
    metrics, data = body.get("metrics"), body["data"]
    if not metrics or "last_row" not in data:
        return None
    mean, t, days = metrics["rank_ic"], metrics["t"], metrics["days"]
    if not mean or not t or not days:
        return None
    return make_watch(mean, abs(mean / t) * math.sqrt(days), days, date.fromisoformat(data["last_row"]))


def follow(watch: Watch, dates: npt.ArrayLike, rank_ics: npt.ArrayLike) -> Followed:
    """Hold daily RankICs against what was frozen; days up to ``watch.after`` and undefined ones say nothing.

    Parameters
    ----------
    dates : datetime64[D] ``(D,)``, ascending.
    rank_ics : ``(D,)``.
    """
    every = np.asarray(dates, dtype="datetime64[D]")
    values = np.asarray(rank_ics, dtype=np.float64)
    used = np.isfinite(values) & (every > np.datetime64(watch.after, "D"))
    every, x = every[used], values[used] * watch.sign
    if not len(x):
        nan = math.nan
        return Followed("no_data", 0, None, None, nan, nan, nan, 0.0, watch.limit, None)
    sums = np.concatenate([[0.0], np.cumsum(watch.mean / 2 - x)])
    # the recursion max(0, S + step) is the sum less its lowest point so far
    path = (sums - np.minimum.accumulate(sums))[1:]
    over = np.flatnonzero(path > watch.limit)
    low, high = watch.band(len(x))
    mean = float(x.mean())
    health: Health = "alarm" if len(over) else ("below" if mean < low else "within")
    return Followed(
        health=health,
        days=len(x),
        first=as_date(every[0]),
        last=as_date(every[-1]),
        mean=mean,
        low=low,
        high=high,
        statistic=float(path[-1]),
        limit=watch.limit,
        alarm=as_date(every[over[0]]) if len(over) else None,
    )


def _half_width(deviation: float, days: int, new: int) -> float:
    return _Z95 * deviation * math.sqrt(1 / new + 1 / days)


def _limit(allowance: float, deviation: float, run_length: float) -> float:
    """The limit at which the rule, on a mean of twice the allowance, runs so long on average."""
    wanted = run_length * 2 * allowance**2 / deviation**2
    low, high = 0.0, 1.0
    while math.expm1(high) - high < wanted:
        high *= 2
    for _ in range(200):
        middle = (low + high) / 2
        low, high = (middle, high) if math.expm1(middle) - middle < wanted else (low, middle)
    return high * deviation**2 / (2 * allowance)


def _delay(allowance: float, deviation: float, limit: float) -> float:
    """Days to the alarm once the mean is 0, from a sum of 0."""
    y = 2 * allowance * limit / deviation**2
    return deviation**2 / (2 * allowance**2) * (math.expm1(-y) + y)
