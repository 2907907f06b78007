from __future__ import annotations

import json
import re
from collections.abc import Mapping
from datetime import date
from typing import Any, Final
from urllib.parse import quote

import httpx
import numpy as np

from assay._version import __version__
from assay.base import Clock, SystemClock
from assay.errors import AssayError, ProviderAuth, ProviderBadReply, ProviderError, ProviderTransient
from assay.market._data import Market
from assay.market._fetch_client import (
    UNKNOWN_SYMBOL,
    UNREACHABLE,
    Bars,
    Server,
    Snapshot,
    SourceName,
    server_of,
)
from assay.market._fetch_pace import Pace
from assay.market._universe import Dates
from assay.market._yahoo_chart import bars_of

HOSTS: Final = ("query1.finance.yahoo.com", "query2.finance.yahoo.com")
MAX_ANSWER: Final = 32 * 2**20
_AGENT: Final = f"Mozilla/5.0 (compatible; assay/{__version__})"
_SYMBOL = re.compile(r"[A-Za-z0-9^][A-Za-z0-9.^=_-]{0,31}")
_NO_DATA: Final = "Data doesn't exist for startDate"


class YahooClient:
    """Daily bars from Yahoo Finance's chart API, by plain HTTP: it wants neither cookie nor crumb.

    Yahoo's prices and volumes are adjusted for every split up to today. The list of splits that comes with
    them undoes that, so what is stored are the prices of the day, and a factor made of splits and dividends
    that is 1 at the first bar; the source's own adjusted close has to agree with it. The package ``yfinance``
    is not used: it turns most failures into an empty table.
    """

    name: SourceName = "yahoo"
    market: Market = "US"
    rules: tuple[str, ...] = (
        "raw prices and volume: Yahoo's, with its adjustment for later splits undone",
        "factor: splits and dividends (and capital gains of funds) from each ex-date on, 1 at the first bar",
    )
    universes: tuple[str, ...] = ()
    has_industry = False

    def __init__(
        self,
        server: str | None = None,
        *,
        pace: Pace | None = None,
        clock: Clock | None = None,
        timeout: float = 30.0,
    ) -> None:
        self.pace = pace or Pace()
        self.server: Server = server_of(server, HOSTS, 443)
        self._clock = clock or SystemClock()
        scheme = "http" if self.server.local else "https"
        self._http = httpx.Client(
            base_url=f"{scheme}://{self.server.host}:{self.server.port}",
            headers={"User-Agent": _AGENT, "Accept": "application/json"},
            timeout=timeout,
            trust_env=not self.server.local,  # a proxy could not reach a stand-in on this machine
        )

    def close(self) -> None:
        """Give the connection back."""
        self._http.close()

    def symbol(self, text: str) -> str:
        """Upper case.

        Raises
        ------
        AssayError
            The text has characters that no symbol of Yahoo has.
        """
        if _SYMBOL.fullmatch(text.strip()) is None:
            raise AssayError(
                f"{text[:40]!r} is not a symbol of Yahoo", where="symbol", fix="write it like AAPL"
            )
        return text.strip().upper()

    def fetch(self, symbol: str, start: date, end: date) -> Bars:
        now = self._clock.now()
        # splits after the last wanted day have changed its price too, so all of them are asked for
        parameters = {
            "period1": str(_seconds(start) - 86_400),
            "period2": str(int(now.timestamp()) + 86_400),
            "interval": "1d",
            "events": "div,split,capitalGains",
            "includePrePost": "false",
        }
        status, answer = self._get(f"/v8/finance/chart/{quote(symbol, safe='')}", parameters)
        fault = _fault(answer)
        if status == httpx.codes.NOT_FOUND:
            raise ProviderBadReply(
                f"Yahoo does not know {symbol}{': ' if fault else ''}{fault}",
                where="yahoo",
                fix="check the symbol; delisted ones are not kept",
                status=status,
                code=UNKNOWN_SYMBOL,
            )
        if fault.startswith(_NO_DATA):
            return Bars(symbol, np.array([], dtype="datetime64[D]"), {})
        if status != httpx.codes.OK or fault:
            raise ProviderBadReply(
                f"Yahoo answers {status} for {symbol}{': ' if fault else ''}{fault}",
                where="yahoo",
                fix="check the symbol and the dates",
                status=status,
            )
        return bars_of(_result(answer, symbol), symbol, start, end, now)

    def calendar(self, start: date, end: date) -> Dates | None:
        """None: Yahoo does not tell."""
        return None

    def members(self, universe: str, day: date) -> Snapshot:
        raise AssayError("Yahoo has no index members", where=universe, fix="give a file with --membership")

    def industries(self, day: date) -> Snapshot:
        raise AssayError("Yahoo has no industries by date", where="industry", fix="give a file with --groups")

    def _get(self, path: str, parameters: Mapping[str, str]) -> tuple[int, Any]:
        self.pace.turn()
        try:
            with self._http.stream("GET", path, params=parameters) as reply:
                body = _bounded(reply)
                status = reply.status_code
                wait = _retry_after(reply.headers.get("Retry-After"))
        except httpx.HTTPError as error:
            raise ProviderTransient(
                f"Yahoo at {self.server.host}:{self.server.port} cannot be reached "
                f"({str(error) or type(error).__name__})",
                where="yahoo",
                fix="check the network, and run the same command again: what has arrived is kept",
                code=UNREACHABLE,
            ) from error
        if status == httpx.codes.TOO_MANY_REQUESTS or status >= httpx.codes.INTERNAL_SERVER_ERROR:
            raise ProviderTransient(
                f"Yahoo answers {status}",
                where="yahoo",
                fix="wait a while, choose a lower --rate, and run the same command again",
                status=status,
                retry_after=wait,
            )
        if status in (httpx.codes.UNAUTHORIZED, httpx.codes.FORBIDDEN):
            raise ProviderAuth(
                f"Yahoo refuses this machine ({status})", where="yahoo", fix="try again tomorrow"
            )
        return status, _json(body, status)


def _bounded(reply: httpx.Response) -> bytes:
    data = bytearray()
    for piece in reply.iter_bytes():
        data += piece
        if len(data) > MAX_ANSWER:
            raise ProviderBadReply(
                f"an answer of Yahoo is longer than {MAX_ANSWER // 2**20} MiB", where="yahoo"
            )
    return bytes(data)


def _json(body: bytes, status: int) -> Any:
    try:
        return json.loads(body)
    except ValueError as error:
        if status == httpx.codes.NOT_FOUND:
            return None
        kind: type[ProviderError] = ProviderBadReply
        if b"Will be right back" in body:
            kind = ProviderTransient
        raise kind(f"Yahoo answers {status} and no JSON", where="yahoo", fix="try again later") from error


def _fault(answer: Any) -> str:
    """What the answer itself says is wrong, or nothing."""
    error = _inside(answer, "chart", "error")
    if error is None:
        return ""
    return str(_inside(error, "description") or _inside(error, "code") or error)[:200]


def _result(answer: Any, symbol: str) -> Mapping[str, Any]:
    results = _inside(answer, "chart", "result")
    first = results[0] if isinstance(results, list) and results else None
    if not isinstance(first, dict):
        raise ProviderBadReply(
            f"Yahoo's answer for {symbol} has no result", where="yahoo", fix="check the symbol and the dates"
        )
    return first


def _inside(value: Any, *path: str) -> Any:
    for key in path:
        value = value.get(key) if isinstance(value, dict) else None
    return value


def _retry_after(text: str | None) -> float | None:
    return float(text) if text is not None and re.fullmatch(r"\d{1,9}", text.strip()) else None


def _seconds(day: date) -> int:
    return (day - date(1970, 1, 1)).days * 86_400
