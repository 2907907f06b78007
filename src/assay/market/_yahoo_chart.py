"""From one answer of Yahoo's chart API to the prices of the day and a factor."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from typing import Any, Final
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

import numpy as np
from numpy.typing import NDArray

from assay.errors import ProviderBadReply
from assay.market._fetch_client import Bars
from assay.market._universe import Dates

_QUOTES: Final = ("open", "high", "low", "close", "volume")
_STEP_TOLERANCE: Final = 2e-3
_CLEAR_SPLIT: Final = 1.4
_LIKE_SPLIT: Final = 0.1
_MOST_SPLIT: Final = 1e4


@dataclass(frozen=True, slots=True)
class _Events:
    """Split ratios and cash per share (in today's shares), each with its ex-date, in order."""

    splits: tuple[tuple[np.datetime64, float], ...]
    cash: tuple[tuple[np.datetime64, float], ...]


def bars_of(result: Mapping[str, Any], symbol: str, start: date, end: date, now: datetime) -> Bars:
    """The bars from ``start`` to ``end``; a bar of a session that has not ended at ``now`` is left out.

    Raises
    ------
    ProviderBadReply
        The answer has another shape, or its own adjusted close is not what its splits and dividends make.
    """
    meta = result.get("meta")
    if not isinstance(meta, dict):
        raise _bad(symbol, "no meta data")
    zone = _zone(meta, symbol)
    dates, quotes = _quotes(result, symbol, zone)
    kept = _one_a_day(dates, symbol)
    kept = kept[dates[kept] != _open_session(meta, zone, now)]
    kept = kept[np.isfinite(quotes["close"][kept])]  # a row without a close is no bar
    dates, quotes = dates[kept], {name: values[kept] for name, values in quotes.items()}
    events = _events(result, symbol, zone)
    _check_splits(dates, quotes["close"], events, symbol)
    paid = _steps(dates, _payouts(dates, quotes["close"], events, symbol))
    _check_adjusted(dates, quotes.pop("adj_close"), quotes["close"] * paid, symbol)
    wanted = (dates >= np.datetime64(start, "D")) & (dates <= np.datetime64(end, "D"))
    if not wanted.any():
        return Bars(symbol, dates[wanted], {}, why_none=_why_none(meta, zone, end))
    split = _steps(dates, events.splits)
    # a split after the last bar has changed the source's prices all the same
    later = np.prod([ratio for day, ratio in events.splits if day > dates[0]]) / split
    raw = {name: values / later if name == "volume" else values * later for name, values in quotes.items()}
    factor = (split * paid)[wanted]
    columns = {name: values[wanted] for name, values in raw.items()}
    return Bars(symbol, dates[wanted], {**columns, "factor": factor / factor[0]})


def _steps(dates: Dates, events: Sequence[tuple[np.datetime64, float]]) -> NDArray[np.float64]:
    """The product, at each date, of the ratios of all events after the first date and up to it."""
    out = np.ones(len(dates))
    for day, ratio in events:
        if len(dates) and day > dates[0]:
            out[dates >= day] *= ratio
    return out


def _payouts(
    dates: Dates, close: NDArray[np.float64], events: _Events, symbol: str
) -> list[tuple[np.datetime64, float]]:
    """What each payment multiplies the factor by: the last close over that close without the cash."""
    out: list[tuple[np.datetime64, float]] = []
    for day, cash in events.cash:
        place = int(np.searchsorted(dates, day))
        if place == 0 or place == len(dates):
            continue
        before = close[place - 1]
        if not cash < before:
            raise _bad(symbol, f"a payment of {cash:g} on {day} after a close of {before:g}")
        out.append((day, before / (before - cash)))
    return out


def _check_splits(dates: Dates, close: NDArray[np.float64], events: _Events, symbol: str) -> None:
    """A price that moves like its own split has been adjusted for it twice or not at all."""
    for day, ratio in events.splits:
        place = int(np.searchsorted(dates, day))
        if place == 0 or place == len(dates) or abs(np.log(ratio)) < np.log(_CLEAR_SPLIT):
            continue
        move = close[place] / close[place - 1]
        if abs(move * ratio - 1) < _LIKE_SPLIT or abs(move / ratio - 1) < _LIKE_SPLIT:
            raise _bad(symbol, f"its prices are not adjusted once for the split {ratio:g}:1 of {day}")


def _check_adjusted(dates: Dates, told: NDArray[np.float64], ours: NDArray[np.float64], symbol: str) -> None:
    """Hold the source's adjusted close to what its splits and payments make of the close."""
    known = np.flatnonzero(np.isfinite(told) & (told > 0))
    ratio = told[known] / ours[known]
    wrong = np.flatnonzero(np.abs(ratio[1:] / ratio[:-1] - 1) > _STEP_TOLERANCE)
    if wrong.size:
        day = dates[known[wrong[0] + 1]]
        raise _bad(symbol, f"its adjusted close and its payments disagree on {wrong.size} days, e.g. {day}")


def _quotes(
    result: Mapping[str, Any], symbol: str, zone: ZoneInfo
) -> tuple[Dates, dict[str, NDArray[np.float64]]]:
    stamps = result.get("timestamp") or []
    try:
        indicators = result["indicators"]
        table = indicators["quote"][0]
        adjusted = (indicators.get("adjclose") or [{}])[0].get("adjclose")
        dates = np.array([_day(stamp, zone) for stamp in stamps], dtype="datetime64[D]")
        quotes = {name: _column(table.get(name), len(stamps)) for name in _QUOTES}
        quotes["adj_close"] = _column(adjusted, len(stamps))
    except (KeyError, IndexError, TypeError, ValueError, OverflowError, OSError, AttributeError) as error:
        raise _bad(symbol, f"its quotes are not as expected: {error!r}"[:200]) from error
    return dates, quotes


def _column(values: Any, count: int) -> NDArray[np.float64]:
    if values is None:
        return np.full(count, np.nan)
    column = np.array([np.nan if value is None else value for value in values], dtype=np.float64)
    if column.shape != (count,):
        raise ValueError(f"{len(column)} values for {count} days")
    return column


def _one_a_day(dates: Dates, symbol: str) -> NDArray[np.intp]:
    """Rows to keep: the last of those of the last day, which comes twice while it is news."""
    steps = np.diff(dates)
    if (steps < np.timedelta64(0, "D")).any() or (steps[:-1] == np.timedelta64(0, "D")).any():
        raise _bad(symbol, "its days do not rise from row to row")
    twice = len(dates) > 1 and dates[-1] == dates[-2]
    return np.delete(np.arange(len(dates)), -2) if twice else np.arange(len(dates))


def _open_session(meta: Mapping[str, Any], zone: ZoneInfo, now: datetime) -> np.datetime64:
    """The day of a session that has not ended, or no day."""
    period = meta.get("currentTradingPeriod")
    regular = period.get("regular") if isinstance(period, dict) else None
    end = regular.get("end") if isinstance(regular, dict) else None
    if not isinstance(end, int | float) or now.timestamp() >= end:
        return np.datetime64("NaT")
    return _day(end, zone)


def _events(result: Mapping[str, Any], symbol: str, zone: ZoneInfo) -> _Events:
    events = result.get("events") or {}
    splits: list[tuple[np.datetime64, float]] = []
    cash: list[tuple[np.datetime64, float]] = []
    try:
        for item in (events.get("splits") or {}).values():
            ratio = float(item["numerator"]) / float(item["denominator"])
            if not 1 / _MOST_SPLIT <= ratio <= _MOST_SPLIT:
                raise ValueError(f"a split of {ratio:g}")
            splits.append((_day(item["date"], zone), ratio))
        for kind in ("dividends", "capitalGains"):
            for item in (events.get(kind) or {}).values():
                amount = float(item["amount"])
                if not amount >= 0:
                    raise ValueError(f"a payment of {amount:g}")
                cash.append((_day(item["date"], zone), amount))
    except (
        KeyError,
        TypeError,
        ValueError,
        ZeroDivisionError,
        OverflowError,
        OSError,
        AttributeError,
    ) as error:
        raise _bad(symbol, f"its splits and payments are not as expected: {error!r}"[:200]) from error
    return _Events(tuple(sorted(splits)), tuple(sorted(cash)))


def _why_none(meta: Mapping[str, Any], zone: ZoneInfo, end: date) -> str:
    first = meta.get("firstTradeDate")
    if isinstance(first, int | float) and _day(first, zone) > np.datetime64(end, "D"):
        return f"first traded on {_day(first, zone)}"
    return ""


def _day(stamp: float, zone: ZoneInfo) -> np.datetime64:
    """The exchange's own day, whatever its clock and the season."""
    return np.datetime64(datetime.fromtimestamp(stamp, zone).date(), "D")


def _zone(meta: Mapping[str, Any], symbol: str) -> ZoneInfo:
    name = meta.get("exchangeTimezoneName")
    try:
        return ZoneInfo(str(name))
    except (ZoneInfoNotFoundError, ValueError) as error:
        raise _bad(symbol, f"its exchange's time zone {name!r} is not known") from error


def _bad(symbol: str, what: str) -> ProviderBadReply:
    return ProviderBadReply(
        f"Yahoo's answer for {symbol} cannot be used: {what}",
        where="yahoo",
        fix="leave the symbol out, or take it from another source",
    )
