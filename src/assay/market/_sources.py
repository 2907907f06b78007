"""Downloading daily bars: one symbol after the other, all or nothing."""

from __future__ import annotations

import io
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import redirect_stdout
from dataclasses import dataclass
from datetime import date, timedelta
from typing import Any, Literal, Protocol

import numpy as np
from numpy.typing import NDArray

from assay.base import require
from assay.errors import ProviderBadReply, ProviderError, ProviderTransient
from assay.market._assemble import Grid, assemble
from assay.market._data import FloatPanel, Market, MarketData, Source
from assay.market._universe import Dates

SourceName = Literal["baostock", "yahoo"]
_ATTEMPTS = 3
_SHOWN = 10


@dataclass(frozen=True, slots=True)
class Bars:
    """Raw daily bars of one symbol; each column is float64 with one value a date."""

    symbol: str
    dates: Dates
    columns: Mapping[str, NDArray[np.float64]]


class BarClient(Protocol):
    """A source of daily bars."""

    name: SourceName
    market: Market
    rules: tuple[str, ...]

    def fetch(self, symbol: str, start: date, end: date) -> Bars:
        """Bars from ``start`` to ``end``, both included; none at all is not an error of this method.

        Raises
        ------
        ProviderError
            The source cannot be reached, refuses, or answers in another shape.
        """
        ...

    def close(self) -> None:
        """End the session, if there is one."""
        ...


def download(
    client: BarClient,
    symbols: Sequence[str],
    start: date,
    end: date,
    *,
    name: str = "data",
    progress: Callable[[str], None] | None = None,
    pause: Callable[[int], None] | None = None,
) -> MarketData:
    """Bars of all ``symbols``, or none: a symbol that fails three times makes the whole download fail.

    Parameters
    ----------
    progress : called with each symbol when it is done.
    pause : called with the number of the failed attempt before a symbol is tried again.

    Raises
    ------
    ProviderError
        Some symbols failed; the message names them, and the error is of the first one's kind.
    """
    done: list[Bars] = []
    failed: list[tuple[str, ProviderError]] = []
    for symbol in symbols:
        try:
            bars = _persistently(client, symbol, start, end, pause)
        except ProviderError as error:
            failed.append((symbol, error))
            continue
        done.append(bars)
        if progress is not None:
            progress(symbol)
    empty = [bars.symbol for bars in done if len(bars.dates) == 0]
    if failed:
        shown = "; ".join(f"{symbol}: {error.message}" for symbol, error in failed[:_SHOWN])
        first = failed[0][1]
        raise type(first)(
            f"{len(failed)} of {len(symbols)} symbols failed, nothing was written: {shown}",
            where=client.name,
            fix=first.fix or "run the command again",
        ) from first
    if len(empty) == len(symbols):
        raise ProviderBadReply(
            f"no symbol has a bar from {start} to {end}: {', '.join(empty[:_SHOWN])}",
            where=client.name,
            fix="check symbols and dates",
        )
    return _gather(client, done, empty, name, start, end)


def _persistently(
    client: BarClient, symbol: str, start: date, end: date, pause: Callable[[int], None] | None
) -> Bars:
    for attempt in range(1, _ATTEMPTS):
        try:
            return client.fetch(symbol, start, end)
        except ProviderTransient:
            if pause is not None:
                pause(attempt)
    return client.fetch(symbol, start, end)


def _gather(
    client: BarClient, done: Sequence[Bars], empty: Sequence[str], name: str, start: date, end: date
) -> MarketData:
    kept = [bars for bars in done if len(bars.dates)]
    dates = np.unique(np.concatenate([bars.dates for bars in kept])).astype("datetime64[D]")
    names = tuple(bars.symbol for bars in kept)
    shape = (len(dates), len(names))
    record = np.zeros(shape, dtype=np.bool_)
    wide: dict[str, FloatPanel] = {}
    for column, bars in enumerate(kept):
        rows = np.searchsorted(dates, bars.dates)
        record[rows, column] = True
        for key, values in bars.columns.items():
            if key not in wide:
                wide[key] = np.full(shape, np.nan, dtype=np.float32)
            wide[key][rows, column] = values
    detail = {
        "start": str(start),
        "end": str(end),
        "symbols": {bars.symbol: len(bars.dates) for bars in done},
        "without_bars": list(empty),
    }
    return assemble(
        name,
        Grid.of(dates, names, record),
        wide,
        source=Source(client.name, detail),
        market=client.market,
        rules=client.rules,
    )


class BaoStockClient:
    """Mainland shares from BaoStock: raw prices, and the cumulative factor that starts at 1 with the listing.

    Symbols are ``sh.600000``; ``SH600000`` and ``600000.SH`` are understood. ``module`` stands in for the
    package.
    """

    name: SourceName = "baostock"
    market: Market = "CN"
    rules: tuple[str, ...] = (
        "factor: BaoStock's backAdjustFactor, valid from each ex-date on, 1 before the first",
    )

    _FIELDS = ("date", "open", "high", "low", "close", "volume", "amount", "turn", "tradestatus", "isST")
    _NAMES = ("open", "high", "low", "close", "volume", "amount", "turn", "trading", "is_st")

    def __init__(self, module: Any = None) -> None:
        self._api = module if module is not None else require("baostock", extra="data")
        # the package prints its greetings
        with redirect_stdout(io.StringIO()):
            answer = self._api.login()
        if answer.error_code != "0":
            raise ProviderTransient(
                f"BaoStock refuses the login: {answer.error_msg}", where="baostock", fix="try again later"
            )

    def close(self) -> None:
        """End the session."""
        with redirect_stdout(io.StringIO()):
            self._api.logout()

    def fetch(self, symbol: str, start: date, end: date) -> Bars:
        code = baostock_symbol(symbol)
        rows = list(
            self._rows(
                self._api.query_history_k_data_plus(
                    code,
                    ",".join(self._FIELDS),
                    start_date=str(start),
                    end_date=str(end),
                    frequency="d",
                    adjustflag="3",
                ),
                self._FIELDS,
            )
        )
        dates = np.array([row[0] for row in rows], dtype="datetime64[D]")
        columns = {
            name: np.array([_number(row[place]) for row in rows], dtype=np.float64)
            for place, name in enumerate(self._NAMES, start=1)
        }
        if "turn" in columns:
            columns["turn"] = columns["turn"] / 100
        columns["factor"] = self._factor(code, dates, end)
        return Bars(symbol, dates, columns)

    def _factor(self, code: str, dates: Dates, end: date) -> NDArray[np.float64]:
        wanted = ("dividOperateDate", "backAdjustFactor")
        answer = self._api.query_adjust_factor(code=code, start_date="1990-01-01", end_date=str(end))
        steps = sorted((row[0], _number(row[1])) for row in self._rows(answer, wanted))
        out = np.ones(len(dates))
        for day, value in steps:
            out[dates >= np.datetime64(day, "D")] = value
        return out

    def _rows(self, answer: Any, wanted: Sequence[str]) -> Iterator[list[str]]:
        self._check(answer)
        missing = [name for name in wanted if name not in answer.fields]
        if missing:
            raise ProviderBadReply(
                f"BaoStock's answer lacks {', '.join(missing)}",
                where="baostock",
                fix="update the package baostock",
            )
        places = [list(answer.fields).index(name) for name in wanted]
        while answer.next():
            row = answer.get_row_data()
            yield [row[place] for place in places]
        # a page that fails to arrive ends the loop like the last one does
        self._check(answer)

    @staticmethod
    def _check(answer: Any) -> None:
        if answer.error_code != "0":
            raise ProviderTransient(
                f"BaoStock answers {answer.error_code}: {answer.error_msg}",
                where="baostock",
                fix="try again later",
            )


def baostock_symbol(symbol: str) -> str:
    """``sh.600000`` from ``SH600000``, ``600000.SH`` or ``sh.600000``."""
    text = symbol.strip().lower().replace("xshg", "sh").replace("xshe", "sz")
    digits = "".join(letter for letter in text if letter.isdigit())
    letters = "".join(letter for letter in text if letter.isalpha())
    if len(digits) != 6 or letters not in {"sh", "sz", "bj"}:
        raise ProviderBadReply(
            f"{symbol!r} is not a mainland symbol", where="symbol", fix="write it as SH600000 or sh.600000"
        )
    return f"{letters}.{digits}"


def _number(text: str) -> float:
    return float(text) if text not in ("", None) else float("nan")


class YahooClient:
    """Daily bars from Yahoo Finance: split-adjusted prices, and a factor that holds the dividends.

    Yahoo anchors the factor at the day of the download. ``module`` stands in for the package ``yfinance``.
    """

    name: SourceName = "yahoo"
    market: Market = "US"
    rules: tuple[str, ...] = (
        "prices and volume are split-adjusted by the source; factor = adjusted close / close holds dividends",
    )

    _COLUMNS: Mapping[str, str] = {
        "Open": "open",
        "High": "high",
        "Low": "low",
        "Close": "close",
        "Adj Close": "adj_close",
        "Volume": "volume",
    }

    def __init__(self, module: Any = None) -> None:
        self._api = module if module is not None else require("yfinance", extra="data")
        self._error: type[Exception] = self._api.exceptions.YFException

    def close(self) -> None:
        """Nothing to end: Yahoo has no sessions."""

    def fetch(self, symbol: str, start: date, end: date) -> Bars:
        try:
            frame = self._api.Ticker(symbol).history(
                start=str(start),
                end=str(end + timedelta(days=1)),
                interval="1d",
                auto_adjust=False,
                actions=False,
            )
        except (OSError, ValueError, KeyError, TypeError, self._error) as error:
            raise ProviderTransient(
                f"Yahoo does not answer for {symbol}: {error}", where="yahoo", fix="try again later"
            ) from error
        if len(frame) == 0:
            # the package turns most failures into an empty table
            raise ProviderTransient(
                f"Yahoo has no bars for {symbol} from {start} to {end}",
                where="yahoo",
                fix="check the symbol and the dates, or try again later",
            )
        missing = [column for column in self._COLUMNS if column not in frame.columns]
        if missing:
            raise ProviderBadReply(
                f"Yahoo's answer lacks {', '.join(missing)}", where="yahoo", fix="update the package yfinance"
            )
        # the exchange's own day, whatever its clock
        dates = np.array([str(stamp)[:10] for stamp in frame.index], dtype="datetime64[D]")
        columns = {own: np.asarray(frame[theirs], dtype=np.float64) for theirs, own in self._COLUMNS.items()}
        return Bars(symbol, dates, columns)
