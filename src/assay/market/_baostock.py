from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from datetime import date
from types import MappingProxyType
from typing import Final

import numpy as np
from numpy.typing import NDArray

from assay.errors import AssayError, ProviderBadReply
from assay.market._baostock_wire import Connection, Query
from assay.market._data import Market
from assay.market._fetch_client import UNKNOWN_SYMBOL, Bars, Server, Snapshot, SourceName, server_of
from assay.market._fetch_pace import Pace
from assay.market._universe import Dates

HOSTS: Final = ("public-api.baostock.com", "www.baostock.com")
PORT: Final = 10030

BARS: Final = Query("query_history_k_data_plus", "95", "96", 8)
FACTORS: Final = Query("query_adjust_factor", "15", "16", 10)
TRADE_DATES: Final = Query("query_trade_dates", "33", "34", 9)
BASIC: Final = Query("query_stock_basic", "45", "46", 9)
INDUSTRY: Final = Query("query_stock_industry", "59", "60", 9)
MEMBERS: Final[Mapping[str, Query]] = MappingProxyType(
    {
        "csi300": Query("query_hs300_stocks", "61", "62", 8),
        "csi500": Query("query_zz500_stocks", "65", "66", 8),
        "sse50": Query("query_sz50_stocks", "63", "64", 8),
    }
)

_FIELDS: Final[Mapping[str, str]] = MappingProxyType(
    {
        "open": "open",
        "high": "high",
        "low": "low",
        "close": "close",
        "preclose": "preclose",
        "volume": "volume",
        "amount": "amount",
        "turn": "turn",
        "trading": "tradestatus",
        "is_st": "isST",
    }
)
_LONG_AGO: Final = "1990-01-01"
_HALF_TICK: Final = 0.0051
_SHOWN: Final = 3
_WRITTEN = re.compile(r"(?:(sh|sz|bj)\.?(\d{6})|(\d{6})\.(sh|sz|bj|xshg|xshe))", re.IGNORECASE)


class BaoStockClient:
    """Mainland shares from BaoStock: raw prices, and the cumulative factor that starts at 1 with the listing.

    Symbols are ``SH600000``; ``sh.600000`` and ``600000.SH`` are understood. ``server`` is a host of
    BaoStock, or a stand-in on this machine.
    """

    name: SourceName = "baostock"
    market: Market = "CN"
    rules: tuple[str, ...] = (
        "factor: BaoStock's backAdjustFactor, valid from each ex-date on, 1 before the first",
    )
    universes: tuple[str, ...] = tuple(MEMBERS)
    has_industry = True

    def __init__(self, server: str | None = None, *, pace: Pace | None = None, timeout: float = 30.0) -> None:
        self.pace = pace or Pace()
        self.server: Server = server_of(server, HOSTS, PORT)
        self._wire = Connection(self.server, self.pace, timeout=timeout)

    def close(self) -> None:
        """Log out."""
        self._wire.close()

    def symbol(self, text: str) -> str:
        return baostock_symbol(text)

    def fetch(self, symbol: str, start: date, end: date) -> Bars:
        code = _code(symbol)
        wanted = ("date", *_FIELDS.values())
        asked = (code, ",".join(wanted), str(start), str(end), "d", "3")
        rows = list(self._wire.rows(BARS, asked, wanted))
        dates = _dates([row[0] for row in rows])
        if not rows:
            return Bars(symbol, dates, {}, why_none=self._why_none(code, start, end))
        columns = {
            name: np.array([_number(row[place]) for row in rows], dtype=np.float64)
            for place, name in enumerate(_FIELDS, start=1)
        }
        columns["turn"] = columns["turn"] / 100
        before = columns.pop("preclose")
        columns["factor"] = self._factor(code, dates, end)
        notes = _disagreeing(dates, columns["close"], before, columns["factor"])
        return Bars(symbol, dates, columns, notes)

    def calendar(self, start: date, end: date) -> Dates | None:
        rows = self._wire.rows(TRADE_DATES, (str(start), str(end)), ("calendar_date", "is_trading_day"))
        return _dates([day for day, trading in rows if trading == "1"])

    def members(self, universe: str, day: date) -> Snapshot:
        rows = self._wire.rows(MEMBERS[universe], (str(day),), ("updateDate", "code"))
        return _members(day, [(taken, code) for taken, code in rows], universe)

    def industries(self, day: date) -> Snapshot:
        """The list of that day; a later one, where the source has no other, counts from its own date on."""
        rows = list(self._wire.rows(INDUSTRY, ("", str(day)), ("updateDate", "code", "industry")))
        taken = max((_date(row[0]).astype(date) for row in rows), default=day)
        return Snapshot(day, taken, {baostock_symbol(code): label for _, code, label in rows})

    def _factor(self, code: str, dates: Dates, end: date) -> NDArray[np.float64]:
        wanted = ("dividOperateDate", "backAdjustFactor")
        rows = self._wire.rows(FACTORS, (code, _LONG_AGO, str(end)), wanted)
        steps = sorted((row[0], _number(row[1])) for row in rows)
        out = np.ones(len(dates))
        for day, value in steps:
            if not value > 0:
                raise _bad(f"the factor of {code} on {day} is {value:g}")
            out[dates >= _date(day)] = value
        return out

    def _why_none(self, code: str, start: date, end: date) -> str:
        """BaoStock answers a wrong symbol and a symbol without bars alike: its list of listings tells."""
        wanted = ("code", "ipoDate", "outDate")
        rows = [row for row in self._wire.rows(BASIC, (code, ""), wanted) if row[0] == code]
        if not rows:
            raise ProviderBadReply(
                f"BaoStock does not know {code}",
                where="baostock",
                fix="check the symbol",
                code=UNKNOWN_SYMBOL,
            )
        _, listed, ended = rows[0]
        if listed > str(end):
            return f"listed on {listed}"
        return f"delisted on {ended}" if ended and ended < str(start) else ""


def baostock_symbol(text: str) -> str:
    """``SH600000`` from ``sh.600000``, ``600000.SH``, ``600000.XSHG`` or ``SH600000``.

    Raises
    ------
    AssayError
        The text is none of them.
    """
    found = _WRITTEN.fullmatch(text.strip())
    if found is None:
        raise AssayError(
            f"{text[:40]!r} is not a mainland symbol", where="symbol", fix="write it as SH600000 or sh.600000"
        )
    exchange = (found[1] or found[4]).upper().replace("XSHG", "SH").replace("XSHE", "SZ")
    return f"{exchange}{found[2] or found[3]}"


def _code(symbol: str) -> str:
    return f"{symbol[:2].lower()}.{symbol[2:]}"


def _disagreeing(
    dates: Dates,
    close: NDArray[np.float64],
    before: NDArray[np.float64],
    factor: NDArray[np.float64],
) -> tuple[str, ...]:
    """Days on which the exchange's previous close is not the last close over the step of the factor.

    On such a day one of the three is wrong: the factor lacks an ex-date, or the source's previous close
    is. Neither is mended.
    """
    traded = np.flatnonzero(np.isfinite(close) & np.isfinite(before))
    last, now = traded[:-1], traded[1:]
    expected = close[last] * factor[last] / factor[now]
    wrong = dates[now][np.abs(before[now] - expected) > _HALF_TICK + 1e-3 * np.abs(expected)]
    if not wrong.size:
        return ()
    shown = ", ".join(str(day) for day in wrong[:_SHOWN])
    times = "1 day" if wrong.size == 1 else f"{wrong.size} days"
    return (f"the factor does not explain the previous close on {times}, e.g. {shown}",)


def _members(day: date, rows: Sequence[tuple[str, str]], universe: str) -> Snapshot:
    taken = {row[0] for row in rows}
    if not taken:
        raise _bad(f"there is no list of {universe} on {day}: begin later")
    if len(taken) > 1:
        raise _bad(f"the list of {universe} on {day} has {len(taken)} dates of update")
    own = _date(taken.pop()).astype(date)
    if own > day:
        raise _bad(f"the list of {universe} asked for {day} is of {own}")
    return Snapshot(day, own, {baostock_symbol(code): "" for _, code in rows})


def _dates(texts: Sequence[str]) -> Dates:
    dates = np.array([_date(text) for text in texts], dtype="datetime64[D]")
    if (np.diff(dates) <= np.timedelta64(0, "D")).any():
        raise _bad("dates do not rise from row to row")
    return dates


def _date(text: str) -> np.datetime64:
    try:
        return np.datetime64(date.fromisoformat(text), "D")
    except ValueError as error:
        raise _bad(f"{text[:40]!r} stands where a date should") from error


def _number(text: str) -> float:
    try:
        return float(text) if text else float("nan")
    except ValueError as error:
        raise _bad(f"{text[:40]!r} stands where a number should") from error


def _bad(what: str) -> ProviderBadReply:
    return ProviderBadReply(f"BaoStock: {what}", where="baostock", fix="check the symbol and the dates")
