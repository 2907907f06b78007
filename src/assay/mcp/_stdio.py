"""The server over standard input and output: one client, one message a line, and nothing else on the wire."""

from __future__ import annotations

import asyncio
import json
import os
import re
import threading
from collections.abc import AsyncIterator
from contextlib import suppress
from typing import Any, Final, TypeGuard

import anyio
from mcp.server.lowlevel import Server
from mcp.server.stdio import stdio_server
from mcp.shared.message import SessionMessage
from mcp_types import INVALID_REQUEST, PARSE_ERROR, ErrorData, JSONRPCError
from pydantic import ValidationError

from assay.mcp._faults import NOT_UNDERSTOOD

LONGEST_LINE: Final = 4 * 1024 * 1024
_CHUNK: Final = 65_536
_ODD_ID: Final = re.compile(r'"id"\s*:\s*(?!"|-?\d+\s*[,}])')
_NO_MESSAGE: Final = ""


def serve_stdio(server: Server[Any]) -> None:
    """Serve the client at the other end until it goes away, in whichever way it does."""
    with suppress(*_GONE):
        try:
            anyio.run(_serve, server)
        except BaseExceptionGroup as group:
            left = group.split(_GONE)[1]
            if left is not None:
                raise left from None


_GONE: Final = (BrokenPipeError, ConnectionResetError)


async def _serve(server: Server[Any]) -> None:
    lines: Any = _Lines(os.dup(0), asyncio.get_running_loop())
    # what a tool or a library reads from standard input must not be the client's next message
    with open(os.devnull, "rb") as nothing:
        os.dup2(nothing.fileno(), 0)
    async with stdio_server(stdin=lines) as (read, write):
        answered: Any = _Answered(read, write)
        await server.run(answered, write, server.create_initialization_options())


class _Lines:
    """Lines of a descriptor, read in a thread that nothing waits for.

    A thread that is blocked in a read would keep the process alive after SIGTERM. Lines that are too long,
    and those with an id that cannot be, are told as empty ones, which are no message.
    """

    def __init__(self, descriptor: int, loop: asyncio.AbstractEventLoop, longest: int = LONGEST_LINE) -> None:
        self._descriptor, self._loop, self._longest = descriptor, loop, longest
        self._queue: asyncio.Queue[str | None] = asyncio.Queue(1)
        threading.Thread(target=self._read, name="assay mcp stdin", daemon=True).start()

    async def __aiter__(self) -> AsyncIterator[str]:
        while (line := await self._queue.get()) is not None:
            yield line

    def _read(self) -> None:
        # the loop may be closed, when there is nobody left to read for
        with suppress(RuntimeError, asyncio.CancelledError):
            for line in _split(self._descriptor, self._longest):
                self._put(_NO_MESSAGE if _has_odd_id(line) else line)
            self._put(None)

    def _put(self, line: str | None) -> None:
        asyncio.run_coroutine_threadsafe(self._queue.put(line), self._loop).result()


def _split(descriptor: int, longest: int) -> Any:
    kept, over = bytearray(), False
    while True:
        try:
            chunk = os.read(descriptor, _CHUNK)
        except OSError:  # the terminal is gone
            return
        if not chunk:
            return
        *whole, rest = chunk.split(b"\n")
        for part in whole:
            kept += part
            line = b"" if over or len(kept) > longest else bytes(kept)
            if over or kept.strip():
                yield line.decode("utf-8", "replace")
            kept, over = bytearray(), False
        kept += rest
        if len(kept) > longest:
            kept, over = bytearray(), True


def _has_odd_id(line: str) -> bool:
    """Whether a request has an id that is neither a whole number nor text.

    The SDK would take it for a notification, and its sender wait for an answer.
    """
    if not _ODD_ID.search(line):
        return False
    message = _parsed(line)
    if not isinstance(message, dict) or "method" not in message:
        return False
    return "id" in message and not _is_id(message["id"])


def _is_id(value: Any) -> TypeGuard[int | str]:
    """Whether this can be the id of a request, and of its answer: half of a surrogate pair cannot be sent."""
    if isinstance(value, str):
        return not any("\ud800" <= character <= "\udfff" for character in value)
    return isinstance(value, int) and not isinstance(value, bool)


class _Answered:
    """The messages of a stream; what is none is answered as such, where the SDK would say nothing."""

    def __init__(self, read: Any, write: Any) -> None:
        self._read, self._write = read, write

    @property
    def last_context(self) -> Any:
        """See ``mcp.shared._context_streams``."""
        return getattr(self._read, "last_context", None)

    def __aiter__(self) -> _Answered:
        return self

    async def __anext__(self) -> SessionMessage:
        async for item in self._read:
            if not isinstance(item, Exception):
                message: SessionMessage = item
                return message
            data = {"reason": NOT_UNDERSTOOD.code, "fix": NOT_UNDERSTOOD.fix}
            known = _id_of(item)
            code = PARSE_ERROR if known is None else INVALID_REQUEST
            error = ErrorData(code=code, message=NOT_UNDERSTOOD.summary, data=data)
            await self._write.send(SessionMessage(JSONRPCError(jsonrpc="2.0", id=known, error=error)))
        raise StopAsyncIteration

    async def aclose(self) -> None:
        """Close the stream below."""
        await self._read.aclose()


def _id_of(fault: Exception) -> int | str | None:
    """The id of a message that is JSON, and yet was not understood: its sender waits for an answer."""
    if not isinstance(fault, ValidationError):
        return None
    for problem in fault.errors(include_url=False):
        message = _parsed(problem["input"])
        found = message.get("id") if isinstance(message, dict) else None
        if _is_id(found):
            return found
    return None


def _parsed(given: Any) -> Any:
    """What was validated: a part of the message, or the text of a line that is not even JSON."""
    try:
        return json.loads(given) if isinstance(given, str) else given
    except (ValueError, RecursionError):
        return None
