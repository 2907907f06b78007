"""BaoStock on the loopback: its wire format, from version 0.9.4 of its client, and a small exchange."""

from __future__ import annotations

import json
import socketserver
import threading
import zlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import date, timedelta
from types import TracebackType

VERSION = "00.9.40"
SPLIT = "\x01"
END = b"<![CDATA[]]>\n"
LONGEST_PAGE = 2000


def weekdays(first: str, last: str) -> list[str]:
    """Trading days of the little exchange."""
    day, stop = date.fromisoformat(first), date.fromisoformat(last)
    out = []
    while day <= stop:
        if day.weekday() < 5:
            out.append(str(day))
        day += timedelta(days=1)
    return out


DAYS = weekdays("2015-01-05", "2023-12-29")
EX_DAY = "2016-07-04"
LISTED = {
    "sh.600000": ("2000-01-04", ""),
    "sh.600001": ("2000-01-04", ""),
    "sz.000001": ("2000-01-04", ""),
    "sh.600077": ("2000-01-04", ""),
    "sh.600099": ("2000-01-04", ""),
    "sz.300750": ("2018-06-11", ""),
    "sh.600002": ("2000-01-04", "2016-03-01"),
    "sh.600404": ("2000-01-04", ""),
}
"""Listed from, delisted on. 600001 pays; 000001 is suspended at times; 600077 has a wrong previous close;
600099 lacks rows; 600404 is listed and has no rows at all."""
SUSPENDED = set(DAYS[5:9])
WITHOUT_ROW = {DAYS[7], DAYS[8]}
BANK, STEEL = "J66货币金融服务", "C31黑色金属"


@dataclass
class Exchange:
    """What the server knows, and the faults that tests put in. ``seen`` are methods with their arguments.

    ``faults`` lists, by method, what happens to its next requests: ``close`` the connection, ``tear`` the
    compressed body, send another ``page``, ``noise`` instead of a header, or an error code; ``ok`` is none.
    """

    faults: dict[str, list[str]] = field(default_factory=dict)
    refused: dict[str, str] = field(default_factory=dict)
    lists_begin: str = "2005-01-01"
    lists_end: str = "2030-01-01"
    industries_begin: str = "2005-01-01"
    last_day: str = DAYS[-1]
    version: str = VERSION
    seen: list[tuple[str, tuple[str, ...]]] = field(default_factory=list)
    before: Callable[[str, tuple[str, ...]], None] | None = None

    def asked(self, method: str) -> list[tuple[str, ...]]:
        return [arguments for name, arguments in self.seen if name == method]

    def bars(self, code: str, fields: Sequence[str], start: str, end: str) -> list[list[str]]:
        if code not in LISTED or code == "sh.600404":
            return []
        first, last = LISTED[code]
        days = [day for day in DAYS if max(start, first) <= day <= min(end, last or "9999", self.last_day)]
        if code == "sh.600099":
            days = [day for day in days if day not in WITHOUT_ROW]
        return [[self._bar(code, day)[name] for name in fields] for day in days]

    def _bar(self, code: str, day: str) -> dict[str, str]:
        place = DAYS.index(day)
        paused = code == "sz.000001" and day in SUSPENDED
        price = self._price(code, place)
        before = self._price(code, place - 1) if place else price
        if code == "sh.600001" and day == EX_DAY:
            before = round(before * 0.9, 2)
        if code == "sh.600077" and day == DAYS[3]:
            before = 1.0
        return {
            "date": day,
            "code": code,
            "open": f"{price:.4f}",
            "high": f"{price:.4f}",
            "low": f"{price:.4f}",
            "close": f"{price:.4f}",
            "preclose": f"{before:.4f}",
            "volume": "" if paused else "1000",
            "amount": "" if paused else f"{1000 * price:.4f}",
            "turn": "" if paused else "1.5000",
            "tradestatus": "0" if paused else "1",
            "isST": "0",
        }

    @staticmethod
    def _price(code: str, place: int) -> float:
        if code == "sz.000001" and DAYS[place] in SUSPENDED:
            place = DAYS.index(min(SUSPENDED)) - 1
        price = 10 + 0.01 * (place % 50)
        if code == "sh.600001" and DAYS[place] >= EX_DAY:
            price *= 0.9
        return round(price, 2)

    def factors(self, code: str, start: str, end: str) -> list[list[str]]:
        if code != "sh.600001" or not start <= EX_DAY <= end:
            return []
        place = DAYS.index(EX_DAY) - 1
        step = self._price(code, place) / round(self._price(code, place) * 0.9, 2)
        return [[code, EX_DAY, "1.000000", f"{step:.6f}", f"{step:.6f}"]]

    def taken(self, asked: str) -> str:
        """The Monday of the week that the list is of."""
        day = date.fromisoformat(min(asked, self.lists_end))
        return str(day - timedelta(days=day.weekday()))

    def members(self, asked: str) -> list[list[str]]:
        if asked < self.lists_begin:
            return []
        day = self.taken(asked)
        codes = ["sh.600000", "sh.600001"]
        codes += ["sh.600002"] if day < "2015-12-14" else ["sz.000001"]
        codes += ["sz.300750"] if day >= "2018-12-17" else []
        return [[day, code, f"名{code[-3:]}"] for code in codes]

    def industries(self, asked: str) -> list[list[str]]:
        day = self.taken(max(asked, self.industries_begin))
        moved = BANK if day < "2016-01-01" else STEEL
        told = {"sh.600000": BANK, "sh.600001": moved, "sz.000001": ""}
        return [[day, code, "名", label, "证监会行业分类"] for code, label in told.items()]

    def calendar(self, start: str, end: str) -> list[list[str]]:
        day, stop = date.fromisoformat(start), date.fromisoformat(end)
        out = []
        while day <= stop:
            out.append([str(day), "1" if day.weekday() < 5 else "0"])
            day += timedelta(days=1)
        return out

    def basic(self, code: str) -> list[list[str]]:
        known = {code: LISTED[code]} if code in LISTED else {}
        return [[name, "名", first, last, "1", "0" if last else "1"] for name, (first, last) in known.items()]


@dataclass(frozen=True)
class Reply:
    """An answer's type, the parts after the rows, and the rows."""

    kind: str
    rows: list[list[str]]
    rest: tuple[str, ...]


def reply_of(exchange: Exchange, method: str, given: tuple[str, ...]) -> Reply:
    """The answer to a query, unpaged."""
    if method == "query_history_k_data_plus":
        code, fields, start, end, frequency, adjust = given
        assert (frequency, adjust) == ("d", "3")
        rows = exchange.bars(code, fields.split(","), start, end)
        return Reply("96", rows, (code, fields, start, end, frequency, adjust))
    if method == "query_adjust_factor":
        code, start, end = given
        names = "code, dividOperateDate, foreAdjustFactor, backAdjustFactor, adjustFactor"
        return Reply("16", exchange.factors(code, start, end), (code, start, end, names))
    if method == "query_trade_dates":
        start, end = given
        return Reply("34", exchange.calendar(start, end), (start, end, "calendar_date, is_trading_day"))
    if method == "query_stock_basic":
        names = "code, code_name, ipoDate, outDate, type, status"
        return Reply("46", exchange.basic(given[0]), (*given, names))
    if method == "query_stock_industry":
        names = "updateDate, code, code_name, industry, industryClassification"
        return Reply("60", exchange.industries(given[1]), (*given, names))
    kinds = {"query_hs300_stocks": "62", "query_sz50_stocks": "64", "query_zz500_stocks": "66"}
    return Reply(kinds[method], exchange.members(given[0]), (*given, "updateDate, code, code_name"))


class BaoStockServer:
    """An exchange behind a free port of the loopback, for the time of a ``with``."""

    def __init__(self, exchange: Exchange | None = None) -> None:
        self.exchange = exchange or Exchange()
        self._server = socketserver.ThreadingTCPServer(("127.0.0.1", 0), _handler(self.exchange))
        self._server.daemon_threads = True
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.01,), daemon=True)

    @property
    def port(self) -> int:
        return int(self._server.server_address[1])

    @property
    def address(self) -> str:
        return f"127.0.0.1:{self.port}"

    def __enter__(self) -> BaoStockServer:
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, raised: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()


def packed(kind: str, parts: Sequence[str], version: str = VERSION) -> bytes:
    """An answer as the server sends it; the body of bars is compressed."""
    body = SPLIT.join(parts)
    if kind == "96":
        content = zlib.compress((body + "\n").encode())
        head = f"{version}{SPLIT}{kind}{SPLIT}{len(content):010d}".encode()
        return head + content + END
    text = f"{version}{SPLIT}{kind}{SPLIT}{len(body):010d}{body}"
    return f"{text}{SPLIT}{zlib.crc32(text.encode())}".encode() + END


def _handler(exchange: Exchange) -> type[socketserver.StreamRequestHandler]:
    class Handler(socketserver.StreamRequestHandler):
        def handle(self) -> None:
            logged_in = False
            try:
                while line := self.rfile.readline():
                    kind, parts = _read(line.decode().removesuffix("\n"))
                    if kind == "00":
                        logged_in = True
                    if not self._answer(kind, parts, logged_in):
                        return
            except OSError:
                return  # the client went away

        def _answer(self, kind: str, parts: list[str], logged_in: bool) -> bool:
            method, given = parts[0], tuple(parts[4:])
            exchange.seen.append((method, given))
            if exchange.before is not None:
                exchange.before(method, given)
            waiting = exchange.faults.get(method, [])
            fault = waiting.pop(0) if waiting else "ok"
            refused = next((code for symbol, code in exchange.refused.items() if symbol in given), "ok")
            fault = refused if fault == "ok" else fault
            if fault == "close":
                return False
            if fault == "noise":
                self.wfile.write(b"<html>busy</html>" + END)
                return True
            if fault.isdigit():
                self.wfile.write(packed("04", (fault, "服务器拒绝"), exchange.version))
                return True
            if kind == "00":
                answer = ("01", ("0", "success", "login", parts[1]))
            elif kind == "02":
                answer = ("03", ("0", "success", "logout", parts[1], parts[2]))
            elif not logged_in:
                answer = ("04", ("10001001", "用户未登录"))
            else:
                answer = _page(reply_of(exchange, method, given), parts, fault)
            raw = packed(*answer, exchange.version)
            self.wfile.write(raw[:40] + END if fault == "tear" else raw)
            return True

    return Handler


def _page(reply: Reply, parts: list[str], fault: str) -> tuple[str, tuple[str, ...]]:
    method, user, page, per_page = parts[:4]
    assert int(per_page) == LONGEST_PAGE
    first = (int(page) - 1) * LONGEST_PAGE
    # broken over lines, as the server does
    rows = json.dumps({"record": reply.rows[first : first + LONGEST_PAGE]}, ensure_ascii=False, indent=0)
    told = "7" if fault == "page" else page
    return reply.kind, ("0", "success", method, user, told, per_page, rows, *reply.rest)


def _read(line: str) -> tuple[str, list[str]]:
    """Type and body parts of a request, held to the format."""
    text, _, checksum = line.rpartition(SPLIT)
    assert int(checksum) == zlib.crc32(text.encode())
    version, kind, length = text[:21].split(SPLIT)
    body = text[21:]
    assert version == VERSION
    assert int(length) == len(body)
    return kind, body.split(SPLIT)
