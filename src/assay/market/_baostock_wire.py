"""BaoStock's protocol over TCP, as version 00.9.40 of its own client speaks it.

A request is one line: a header of 21 characters (version, message type, length of the body as ten digits,
separated by ``\\x01``), the body (parts separated by ``\\x01``), ``\\x01``, the CRC-32 of header and body in
decimal, a newline. An answer has the same header; its body is plain text or, for bars, zlib-compressed; it
ends with ``<![CDATA[]]>\\n``. The first parts of a body are error code, message, method, user, page, rows a
page, and the rows as JSON ``{"record": [[...]]}``; a page with fewer rows than asked for is the last.

Assay speaks it itself because the package has no time limit, spins for ever on a connection that the server
has closed, keeps its socket in a global variable, and prints.
"""

from __future__ import annotations

import json
import socket
import zlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from assay.errors import ProviderAuth, ProviderBadReply, ProviderError, ProviderTransient
from assay.market._fetch_client import UNKNOWN_SYMBOL, UNREACHABLE, Server
from assay.market._fetch_pace import Pace

VERSION: Final = "00.9.40"
SPLIT: Final = "\x01"
END: Final = b"<![CDATA[]]>\n"
HEADER_LENGTH: Final = 21
ROWS_A_PAGE: Final = 2000
MAX_ANSWER: Final = 64 * 2**20

LOGIN, LOGIN_ANSWER = "00", "01"
LOGOUT = "02"
FAULT_ANSWER = "04"
_COMPRESSED: Final = frozenset({"96", "99", "9B", "9D"})
_OK = "0"
_NOT_LOGGED_IN = "10001001"
_SESSION = frozenset({_NOT_LOGGED_IN, "10001005"})
_REFUSED = frozenset({"10001002", "10001003", "10001006", "10001007", "10001011", "10001012"})
_BAD_CODE = frozenset({"10004011", "10004014", "10004015"})


@dataclass(frozen=True, slots=True)
class Query:
    """One kind of request: its message types, and where in the answer the names of the columns stand."""

    method: str
    request: str
    answer: str
    columns_at: int


class Connection:
    """One logged-in session; opened by the first request, and anew after a failure."""

    def __init__(self, server: Server, pace: Pace, *, timeout: float = 30.0) -> None:
        self._server = server
        self._pace = pace
        self._timeout = timeout
        self._socket: socket.socket | None = None
        self._user = "anonymous"

    def rows(self, query: Query, arguments: Sequence[str], wanted: Sequence[str]) -> Iterator[list[str]]:
        """Rows of all pages, each with the ``wanted`` columns in that order.

        Raises
        ------
        ProviderError
            The server cannot be reached, refuses, or answers in another shape.
        """
        columns: list[str] = []
        page = 1
        while True:
            body = self._ask(query, page, arguments)
            records = _records(body)
            if page == 1:
                columns = _columns(body, query, wanted)
            places = [columns.index(name) for name in wanted]
            for record in records:
                if len(record) != len(columns):
                    raise _bad(f"a row has {len(record)} values for {len(columns)} columns")
                yield [record[place] for place in places]
            if len(records) != ROWS_A_PAGE:
                return
            page += 1

    def close(self) -> None:
        """Log out, if a session is open; a server that is gone is no error."""
        if self._socket is None:
            return
        try:
            self._exchange(LOGOUT, ("logout", self._user, "0"))
        except ProviderError:
            self._drop()
        self._drop()

    def _ask(self, query: Query, page: int, arguments: Sequence[str]) -> list[str]:
        if self._socket is None:
            self._log_in()
        parts = (query.method, self._user, str(page), str(ROWS_A_PAGE), *arguments)
        kind, body = self._exchange(query.request, parts)
        self._check(body)
        if kind != query.answer or len(body) <= query.columns_at:
            raise _bad(f"{query.method} is answered by type {kind} with {len(body)} parts")
        if body[4] != str(page):
            raise _bad(f"page {page} of {query.method} was asked for and page {body[4]} came")
        return body

    def _log_in(self) -> None:
        self._connect()
        _, body = self._exchange(LOGIN, ("login", "anonymous", "123456", "0"))
        self._check(body)
        if len(body) < 4:
            raise _bad("the answer to the login is cut short")
        self._user = body[3]

    def _connect(self) -> None:
        where = (self._server.host, self._server.port)
        try:
            self._socket = socket.create_connection(where, timeout=self._timeout)
        except OSError as error:
            raise self._unreachable(f"cannot be reached ({error.strerror or error})") from error

    def _exchange(self, kind: str, parts: Sequence[str]) -> tuple[str, list[str]]:
        self._pace.turn()
        connection = self._socket
        assert connection is not None
        try:
            connection.sendall(message(kind, parts) + b"\n")
            data = self._receive(connection)
        except OSError as error:
            self._drop()
            raise self._unreachable(f"broke off ({error.strerror or error})") from error
        try:
            return read_answer(data)
        except ProviderBadReply:
            self._drop()  # what else comes over this connection may belong to another question
            raise

    def _receive(self, connection: socket.socket) -> bytes:
        data = bytearray()
        while not data.endswith(END):
            piece = connection.recv(65536)
            if not piece:
                raise ConnectionResetError("the server closed the connection")
            data += piece
            if len(data) > MAX_ANSWER:
                self._drop()
                raise _bad(f"an answer is longer than {MAX_ANSWER // 2**20} MiB")
        return bytes(data)

    def _check(self, body: Sequence[str]) -> None:
        code = body[0] if body else ""
        if code == _OK:
            return
        text = f"BaoStock answers {code or 'nothing'}: {body[1] if len(body) > 1 else ''}".rstrip(": ")
        if code in _SESSION or code.startswith("10002") or code == "10005001":
            self._drop()
            raise ProviderTransient(text, where="baostock", fix="try again later", code=code)
        if code in _REFUSED:
            raise ProviderAuth(text, where="baostock", fix="ask BaoStock why it refuses you", code=code)
        if code in _BAD_CODE:
            raise ProviderBadReply(text, where="baostock", fix="check the symbol", code=UNKNOWN_SYMBOL)
        raise ProviderBadReply(text, where="baostock", fix="a newer Assay may be needed", code=code)

    def _unreachable(self, what: str) -> ProviderTransient:
        return ProviderTransient(
            f"BaoStock at {self._server.host}:{self._server.port} {what}",
            where="baostock",
            fix="check the network, and run the same command again: what has arrived is kept",
            code=UNREACHABLE,
        )

    def _drop(self) -> None:
        if self._socket is not None:
            self._socket.close()
            self._socket = None


def message(kind: str, parts: Sequence[str]) -> bytes:
    """A message without its final newline."""
    body = SPLIT.join(parts)
    text = f"{VERSION}{SPLIT}{kind}{SPLIT}{len(body):010d}{body}"
    return f"{text}{SPLIT}{zlib.crc32(text.encode())}".encode()


def read_answer(data: bytes) -> tuple[str, list[str]]:
    """Message type and parts of an answer, with or without its end mark.

    Raises
    ------
    ProviderBadReply
        It is no message of this protocol, or its compressed body is torn.
    """
    data = data.removesuffix(END)
    header = data[:HEADER_LENGTH].decode("ascii", errors="replace").split(SPLIT)
    if len(header) != 3 or not header[2].isdigit():
        raise _bad("an answer does not begin with a header")
    body = data[HEADER_LENGTH:]
    if header[1] in _COMPRESSED:
        body = _inflated(body)
    try:
        return header[1], body.decode("utf-8").split(SPLIT)
    except UnicodeDecodeError as error:
        raise _bad(f"an answer is not UTF-8 at byte {error.start}") from error


def _inflated(body: bytes) -> bytes:
    inflate = zlib.decompressobj()
    try:
        out = inflate.decompress(body, MAX_ANSWER)
    except zlib.error as error:
        raise _torn(str(error)) from error
    if not inflate.eof:
        raise _torn("it ends too early, or is too long")
    return out


def _records(body: Sequence[str]) -> list[list[str]]:
    # line breaks inside the JSON are the server's, not the data's
    text = "".join(body[6].split())
    if not text:
        return []
    try:
        records = json.loads(text)["record"]
    except (ValueError, KeyError, TypeError) as error:
        raise _bad(f"the rows are not as expected: {error!r}"[:200]) from error
    if not isinstance(records, list) or not all(isinstance(row, list) for row in records):
        raise _bad("the rows are no table")
    return [[str(value) for value in row] for row in records]


def _columns(body: Sequence[str], query: Query, wanted: Sequence[str]) -> list[str]:
    columns = [name.strip() for name in body[query.columns_at].split(",")]
    missing = [name for name in wanted if name not in columns]
    if missing:
        raise _bad(f"the answer to {query.method} lacks {', '.join(missing)}")
    return columns


def _bad(what: str) -> ProviderBadReply:
    return ProviderBadReply(f"BaoStock: {what}", where="baostock", fix="a newer Assay may be needed")


def _torn(what: str) -> ProviderTransient:
    return ProviderTransient(
        f"BaoStock: a compressed answer is torn: {what}", where="baostock", fix="try again later"
    )
