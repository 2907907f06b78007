"""Yahoo's chart API on the loopback, and a small exchange with splits and dividends."""

from __future__ import annotations

import json
import threading
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, time, timedelta
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from typing import Any
from urllib.parse import parse_qs, unquote, urlsplit
from zoneinfo import ZoneInfo

ZONE = ZoneInfo("America/New_York")


def weekdays(first: str, count: int) -> list[date]:
    day = date.fromisoformat(first)
    out: list[date] = []
    while len(out) < count:
        if day.weekday() < 5:
            out.append(day)
        day += timedelta(days=1)
    return out


DAYS = weekdays("2020-01-06", 120)
NOW = datetime.combine(DAYS[-1], time(21, 0), UTC)  # after the close in New York


def stamp(day: date, hour: int = 9, minute: int = 30) -> int:
    return int(datetime.combine(day, time(hour, minute), ZONE).timestamp())


@dataclass
class Stock:
    """As-traded prices on :data:`DAYS` from ``first`` on, splits by place (ratio) and dividends by place."""

    base: float = 100.0
    splits: Mapping[int, float] = field(default_factory=dict)
    dividends: Mapping[int, float] = field(default_factory=dict)
    first: int = 0
    unadjusted: bool = False
    wrong_adjusted: bool = False

    def traded(self, place: int) -> float:
        """The price of the day."""
        price = self.base + 0.5 * (place % 20)
        for at, ratio in self.splits.items():
            if place >= at:
                price /= ratio
        for at, cash in self.dividends.items():
            if place >= at:
                price -= cash
        return price

    def later_splits(self, place: int, last: int) -> float:
        product = 1.0
        for at, ratio in self.splits.items():
            if place < at <= last:
                product *= ratio
        return product


@dataclass
class YahooExchange:
    """What the server knows. ``today`` is the place of the last bar, unfinished with ``open_session``.

    ``faults`` lists, by symbol, what happens to its next requests: a status, ``html``, ``cut`` or ``ok``.
    """

    stocks: dict[str, Stock] = field(
        default_factory=lambda: {
            "AAA": Stock(splits={60: 4.0}, dividends={30: 2.0}),
            "BBB": Stock(base=40.0),
            "LATE": Stock(base=20.0, first=100),
        }
    )
    today: int = len(DAYS) - 1
    open_session: bool = False
    faults: dict[str, list[str]] = field(default_factory=dict)
    retry_after: str | None = None
    seen: list[tuple[str, dict[str, str], dict[str, str]]] = field(default_factory=list)

    def asked(self) -> list[str]:
        return [symbol for symbol, _, _ in self.seen]

    def answer(self, symbol: str, query: Mapping[str, str]) -> tuple[int, Any]:
        stock = self.stocks.get(symbol)
        if stock is None:
            return 404, _error("Not Found", "No data found, symbol may be delisted")
        start, end = int(query["period1"]), int(query["period2"])
        places = [
            place
            for place, day in enumerate(DAYS[: self.today + 1])
            if start <= stamp(day) < end and place >= stock.first
        ]
        if not places and start > stamp(DAYS[self.today]):
            return 400, _error("Bad Request", f"Data doesn't exist for startDate = {start}, endDate = {end}")
        result: dict[str, Any] = {"meta": self._meta(stock, symbol)}
        if places:
            result |= self._series(stock, places)
            result["events"] = _events(stock, places, self.today)
        else:
            result["indicators"] = {"quote": [{}], "adjclose": [{}]}
        return 200, {"chart": {"result": [result], "error": None}}

    def _meta(self, stock: Stock, symbol: str) -> dict[str, Any]:
        day = DAYS[self.today]
        return {
            "symbol": symbol,
            "currency": "USD",
            "exchangeTimezoneName": "America/New_York",
            "gmtoffset": -18000,
            "firstTradeDate": stamp(DAYS[stock.first]),
            "currentTradingPeriod": {"regular": {"start": stamp(day), "end": stamp(day, 16, 0)}},
        }

    def _series(self, stock: Stock, places: list[int]) -> dict[str, Any]:
        now = [
            stock.traded(p) / (1 if stock.unadjusted else stock.later_splits(p, self.today)) for p in places
        ]
        units = {p: stock.later_splits(p, self.today) for p in places}
        adjusted = []
        for p, price in zip(places, now, strict=True):
            for at, cash in stock.dividends.items():
                if p < at <= self.today:
                    price *= 1 - cash / stock.traded(at - 1)
            adjusted.append(price * (1.1 if stock.wrong_adjusted and p > 50 else 1))
        stamps = [stamp(DAYS[p]) for p in places]
        quote = {
            "open": list(now),
            "high": [price * 1.01 for price in now],
            "low": [price * 0.99 for price in now],
            "close": list(now),
            "volume": [1000 * units[p] for p in places],
        }
        if self.open_session and places[-1] == self.today:
            # the unfinished day comes once as a bar and once as news
            stamps.append(stamp(DAYS[self.today], 11, 7))
            for values in quote.values():
                values.append(values[-1])
            adjusted.append(adjusted[-1])
        return {
            "timestamp": stamps,
            "indicators": {"quote": [quote], "adjclose": [{"adjclose": adjusted}]},
        }


def _events(stock: Stock, places: list[int], today: int) -> dict[str, Any]:
    inside = range(places[0], places[-1] + 1)
    splits = {
        str(stamp(DAYS[at])): {
            "date": stamp(DAYS[at]),
            "numerator": ratio,
            "denominator": 1.0,
            "splitRatio": f"{ratio:g}:1",
        }
        for at, ratio in stock.splits.items()
        if at in inside
    }
    dividends = {
        str(stamp(DAYS[at])): {"date": stamp(DAYS[at]), "amount": cash / stock.later_splits(at, today)}
        for at, cash in stock.dividends.items()
        if at in inside
    }
    return {name: value for name, value in (("splits", splits), ("dividends", dividends)) if value}


def _error(code: str, text: str) -> dict[str, Any]:
    return {"chart": {"result": None, "error": {"code": code, "description": text}}}


class YahooServer:
    """An exchange behind a free port of the loopback, for the time of a ``with``."""

    def __init__(self, exchange: YahooExchange | None = None) -> None:
        self.exchange = exchange or YahooExchange()
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), _handler(self.exchange))
        self._server.daemon_threads = True
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.01,), daemon=True)

    @property
    def address(self) -> str:
        return f"127.0.0.1:{self._server.server_address[1]}"

    def __enter__(self) -> YahooServer:
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, raised: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()


def _handler(exchange: YahooExchange) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            parts = urlsplit(self.path)
            symbol = unquote(parts.path.removeprefix("/v8/finance/chart/"))
            query = {name: values[0] for name, values in parse_qs(parts.query).items()}
            exchange.seen.append(
                (symbol, query, {name.lower(): value for name, value in self.headers.items()})
            )
            waiting = exchange.faults.get(symbol, [])
            fault = waiting.pop(0) if waiting else "ok"
            if fault.isdigit():
                self._send(int(fault), b"Too Many Requests")
            elif fault == "html":
                self._send(200, b"<html>Will be right back</html>")
            elif fault == "noise":
                self._send(200, b"[1")
            elif fault == "cut":
                self._send(200, b'{"chart"', length=999)
            else:
                status, answer = exchange.answer(symbol, query)
                self._send(status, json.dumps(answer).encode())

        def _send(self, status: int, body: bytes, length: int | None = None) -> None:
            self.close_connection = True
            self.send_response(status)
            self.send_header("content-length", str(length or len(body)))
            if exchange.retry_after is not None and status == 429:
                self.send_header("Retry-After", exchange.retry_after)
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, format: str, *args: Any) -> None:
            return

    return Handler
