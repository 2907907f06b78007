"""A service on the loopback that plays what real ones do, to the real clients, in both forms.

``Service`` answers each request with the next of its answers (the last one stays): exact ones, or those of
:data:`OPENAI_CASES` and :data:`ANTHROPIC_CASES`, which have the same names.
"""

from __future__ import annotations

import json
import socket
import struct
import threading
from collections.abc import Mapping
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from typing import Any, Literal

JSON = "application/json"
EVENTS = "text/event-stream"
BIG = 10 * 2**20

End = Literal["close", "cut", "reset", "hang"]


@dataclass(frozen=True)
class Answer:
    """What is sent back. ``end``: ``cut`` says a longer body than it sends, ``reset`` breaks the connection,
    ``hang`` sends nothing more until the service is stopped."""

    body: bytes | str | dict[str, Any] = b""
    status: int = 200
    content_type: str = JSON
    headers: Mapping[str, str] = field(default_factory=dict)
    end: End = "close"

    @property
    def raw(self) -> bytes:
        if isinstance(self.body, bytes):
            return self.body
        text = self.body if isinstance(self.body, str) else json.dumps(self.body)
        return text.encode()


def error(status: int, body: Any, **headers: str) -> Answer:
    return Answer(body, status, headers={name.replace("_", "-"): value for name, value in headers.items()})


# ---------------------------------------------------------------- OpenAI's form


def completion(
    text: str | None,
    *calls: tuple[str, str],
    finish: str | None = "stop",
    tokens: tuple[int, int] = (7, 3),
) -> dict[str, Any]:
    message: dict[str, Any] = {"role": "assistant", "content": text}
    if calls:
        message["tool_calls"] = [
            {"id": f"call-{i}", "type": "function", "function": {"name": name, "arguments": arguments}}
            for i, (name, arguments) in enumerate(calls)
        ]
    return {
        "id": "chatcmpl-1",
        "object": "chat.completion",
        "created": 1,
        "model": "toy-1",
        "choices": [{"index": 0, "message": message, "finish_reason": finish}],
        "usage": {
            "prompt_tokens": tokens[0],
            "completion_tokens": tokens[1],
            "total_tokens": sum(tokens),
            "prompt_tokens_details": {"cached_tokens": 2},
        },
    }


def events(*data: Any, done: bool = True) -> str:
    lines = [f"data: {item if isinstance(item, str) else json.dumps(item)}\n\n" for item in data]
    return "".join(lines) + ("data: [DONE]\n\n" if done else "")


def chunk(delta: Any, finish: str | None = None) -> dict[str, Any]:
    choice = {"index": 0, "delta": delta, "finish_reason": finish}
    return {
        "id": "chatcmpl-1",
        "object": "chat.completion.chunk",
        "created": 1,
        "model": "toy-1",
        "choices": [choice],
    }


_USAGE = {**chunk({}), "choices": [], "usage": completion("")["usage"]}


def streamed(*pieces: Any, finish: str | None = "stop", done: bool = True) -> str:
    return events(*(chunk(piece) for piece in pieces), chunk({}, finish), _USAGE, done=done)


def call_piece(index: int, name: str | None, arguments: str) -> dict[str, Any]:
    function = {"name": name, "arguments": arguments} if name else {"arguments": arguments}
    call = {"index": index, "function": function}
    return {"tool_calls": [{**call, "id": f"call-{index}", "type": "function"} if name else call]}


_QUOTA = {
    "error": {
        "message": "You exceeded your current quota, please check your plan and billing details.",
        "type": "insufficient_quota",
        "param": None,
        "code": "insufficient_quota",
    }
}
_RATE = {"error": {"message": "Rate limit reached", "type": "requests", "code": "rate_limit_exceeded"}}
_KEY = {"error": {"message": "Incorrect API key", "type": "invalid_request_error", "code": "invalid_api_key"}}
_HTML = Answer("<!doctype html><title>Welcome</title>", content_type="text/html")

_SHARED: dict[str, Answer] = {
    "html": _HTML,
    "html_as_json": Answer("<html>gateway</html>"),
    "malformed": Answer('{"id": "x", "choices": [{"mess'),
    "empty_body": Answer(""),
    "list": Answer("[1, 2]"),
    "null": Answer("null"),
    "invalid_utf8": Answer(b'{"id": "\xff\xfe"}'),
    "deep": Answer("[" * 100_000),
    "cut_body": Answer('{"id": "x"', end="cut"),
    "reset": Answer(end="reset"),
    "hang": Answer(end="hang"),
    "redirect": Answer(status=307, headers={"location": "/elsewhere"}),
    "500_html": Answer("<html>bad gateway</html>", 502, "text/html"),
    "500_empty": Answer("", 500),
}

OPENAI_CASES: dict[str, Answer] = {
    **_SHARED,
    "normal": Answer(completion("hello")),
    "json": Answer(completion('{"answer": 42}')),
    "tool": Answer(completion(None, ("panel__field", '{"name": "close"}'), finish="tool_calls")),
    "tools_at_once": Answer(
        completion("both", ("panel__field", "{}"), ("judge__run", '{"x": [1]}'), finish="stop")
    ),
    "wrong_tool": Answer(completion(None, ("launch_missiles", "{not json"), finish="tool_calls")),
    "surrogates": Answer('{"choices":[{"message":{"content":"a\\ud800b"},"finish_reason":"stop"}]}'),
    "big": Answer(completion("x" * BIG)),
    "429": error(429, _RATE),
    "429_after": error(429, _RATE, retry_after="7"),
    "429_date": error(429, _RATE, retry_after="Wed, 01 Jan 2031 00:00:30 GMT"),
    "insufficient_quota": error(429, _QUOTA, retry_after="1"),
    "401": error(401, _KEY),
    "402": error(402, {"error": {"message": "Insufficient Balance", "code": "invalid_request_error"}}),
    "500": error(500, {"error": {"message": "The server had an error", "type": "server_error"}}),
    "no_choices": Answer({**completion("x"), "choices": None}),
    "empty_choices": Answer({**completion("x"), "choices": []}),
    "strange_choices": Answer({**completion("x"), "choices": "x"}),
    "no_message": Answer({**completion("x"), "choices": [{"finish_reason": "stop"}]}),
    "no_content": Answer(completion(None)),
    "no_finish": Answer(completion("x", finish=None)),
    "strange_finish": Answer(completion("x", finish="who knows")),
    "error_in_200": Answer(_QUOTA),
    "stream": Answer(streamed({"role": "assistant"}, {"content": "hel"}, {"content": "lo"}), 200, EVENTS),
    "stream_tools": Answer(
        streamed(
            call_piece(0, "panel__field", ""),
            call_piece(0, None, '{"name": '),
            call_piece(1, "judge__run", "{}"),
            call_piece(0, None, '"close"}'),
            finish="tool_calls",
        ),
        content_type=EVENTS,
    ),
    "stream_cut": Answer(events(chunk({"content": "hel"}), done=False), content_type=EVENTS),
    "stream_cut_done": Answer(events(chunk({"content": "hel"})), content_type=EVENTS),
    "stream_malformed": Answer(events(chunk({"content": "a"}), '{"choices": [{'), content_type=EVENTS),
    "stream_utf8": Answer(b'data: {"choices": [{"delta": {"content": "\xff"}}]}\n\n', content_type=EVENTS),
    "stream_error": Answer(
        events(
            chunk({"content": "a"}), {"error": {"message": "overloaded", "code": "engine_overloaded_error"}}
        ),
        content_type=EVENTS,
    ),
    "stream_quota": Answer(events(chunk({"content": "a"}), _QUOTA), content_type=EVENTS),
    "stream_reset": Answer(events(chunk({"content": "a"}), done=False), content_type=EVENTS, end="cut"),
    "stream_hang": Answer(events(chunk({"content": "a"}), done=False), content_type=EVENTS, end="hang"),
    "stream_garbage": Answer(events("[]", "3", '"x"', {"choices": [3]}, {}), content_type=EVENTS),
    "stream_empty": Answer(streamed(), content_type=EVENTS),
    "stream_big": Answer(streamed(*[{"content": "x" * 2**20}] * 10), content_type=EVENTS),
    "models": Answer({"object": "list", "data": [{"id": "toy-2"}, {"id": "toy-1"}]}),
    "no_models": Answer("404 page not found", 404, "text/plain"),
}

# ---------------------------------------------------------------- Anthropic's form


def message(*blocks: dict[str, Any], stop: str | None = "end_turn") -> dict[str, Any]:
    return {
        "id": "msg_1",
        "type": "message",
        "role": "assistant",
        "model": "toy-1",
        "content": list(blocks),
        "stop_reason": stop,
        "stop_sequence": None,
        "usage": {"input_tokens": 5, "cache_read_input_tokens": 2, "output_tokens": 3},
    }


def text_block(text: str) -> dict[str, Any]:
    return {"type": "text", "text": text}


def use_block(name: str, arguments: dict[str, Any], place: int = 0) -> dict[str, Any]:
    return {"type": "tool_use", "id": f"call-{place}", "name": name, "input": arguments}


def anthropic_error(status: int, kind: str, text: str, **headers: str) -> Answer:
    return error(status, {"type": "error", "error": {"type": kind, "message": text}}, **headers)


def anthropic_events(*data: Any) -> str:
    lines = []
    for item in data:
        kind = item["type"] if isinstance(item, dict) else "content_block_delta"
        lines.append(f"event: {kind}\ndata: {item if isinstance(item, str) else json.dumps(item)}\n\n")
    return "".join(lines)


def _started(index: int, block: dict[str, Any]) -> dict[str, Any]:
    return {"type": "content_block_start", "index": index, "content_block": block}


def _delta(index: int, **delta: str) -> dict[str, Any]:
    kind = "text_delta" if "text" in delta else "input_json_delta"
    return {"type": "content_block_delta", "index": index, "delta": {"type": kind, **delta}}


_START = {"type": "message_start", "message": {**message(stop=None), "usage": {"input_tokens": 7}}}
_STOP = {"type": "message_stop"}


def _end(reason: str) -> dict[str, Any]:
    delta = {"stop_reason": reason, "stop_sequence": None}
    return {"type": "message_delta", "delta": delta, "usage": {"output_tokens": 3}}


_OVERLOADED = {"type": "error", "error": {"type": "overloaded_error", "message": "Overloaded"}}

ANTHROPIC_CASES: dict[str, Answer] = {
    **_SHARED,
    "normal": Answer(message(text_block("hello"))),
    "json": Answer(message(text_block('{"answer": 42}'))),
    "tool": Answer(message(use_block("panel__field", {"name": "close"}), stop="tool_use")),
    "tools_at_once": Answer(
        message(
            text_block("both"),
            use_block("panel__field", {}),
            use_block("judge__run", {"x": [1]}, 1),
            stop="tool_use",
        )
    ),
    "wrong_tool": Answer(message(use_block("launch_missiles", {}), stop="tool_use")),
    "surrogates": Answer('{"content":[{"type":"text","text":"a\\ud800b"}],"stop_reason":"end_turn"}'),
    "big": Answer(message(text_block("x" * BIG))),
    "429": anthropic_error(429, "rate_limit_error", "slow down"),
    "429_after": anthropic_error(429, "rate_limit_error", "slow down", retry_after="7"),
    "429_date": anthropic_error(
        429, "rate_limit_error", "slow down", retry_after="Wed, 01 Jan 2031 00:00:30 GMT"
    ),
    "insufficient_quota": anthropic_error(
        400, "invalid_request_error", "Your credit balance is too low to access the Anthropic API."
    ),
    "401": anthropic_error(401, "authentication_error", "invalid x-api-key"),
    "402": anthropic_error(402, "billing_error", "There is an issue with your billing."),
    "500": anthropic_error(500, "api_error", "Internal server error"),
    "no_choices": Answer({**message(), "content": None}),
    "empty_choices": Answer(message()),
    "strange_choices": Answer({**message(), "content": "x"}),
    "no_message": Answer({"type": "message"}),
    "no_content": Answer(message(text_block(""))),
    "no_finish": Answer(message(text_block("x"), stop=None)),
    "strange_finish": Answer(message(text_block("x"), stop="who knows")),
    "error_in_200": Answer({"type": "error", "error": {"type": "billing_error", "message": "no"}}),
    "stream": Answer(
        anthropic_events(
            _START,
            _started(0, text_block("")),
            {"type": "ping"},
            _delta(0, text="hel"),
            _delta(0, text="lo"),
            {"type": "content_block_stop", "index": 0},
            _end("end_turn"),
            _STOP,
        ),
        content_type=EVENTS,
    ),
    "stream_tools": Answer(
        anthropic_events(
            _START,
            _started(0, use_block("panel__field", {})),
            _delta(0, partial_json='{"name": '),
            _delta(0, partial_json='"close"}'),
            _started(1, use_block("judge__run", {}, 1)),
            _end("tool_use"),
            _STOP,
        ),
        content_type=EVENTS,
    ),
    "stream_cut": Answer(
        anthropic_events(_START, _started(0, text_block("")), _delta(0, text="hel")), content_type=EVENTS
    ),
    "stream_cut_done": Answer(
        anthropic_events(_START, _started(0, text_block("hel")), _STOP), content_type=EVENTS
    ),
    "stream_malformed": Answer(anthropic_events(_START, '{"type": "content_bl'), content_type=EVENTS),
    "stream_utf8": Answer(b'event: message_delta\ndata: {"type": "\xff"}\n\n', content_type=EVENTS),
    "stream_error": Answer(anthropic_events(_START, _OVERLOADED), content_type=EVENTS),
    "stream_quota": Answer(
        anthropic_events(_START, {"type": "error", "error": {"type": "billing_error", "message": "no"}}),
        content_type=EVENTS,
    ),
    "stream_reset": Answer(anthropic_events(_START), content_type=EVENTS, end="cut"),
    "stream_hang": Answer(anthropic_events(_START), content_type=EVENTS, end="hang"),
    "stream_garbage": Answer(
        anthropic_events("[]", "3", '"x"', {"type": "content_block_delta", "delta": 3}), content_type=EVENTS
    ),
    "stream_empty": Answer(anthropic_events(_START, _end("end_turn"), _STOP), content_type=EVENTS),
    "stream_big": Answer(
        anthropic_events(
            _START, _started(0, text_block("")), *[_delta(0, text="x" * 2**20)] * 10, _end("end_turn"), _STOP
        ),
        content_type=EVENTS,
    ),
    "models": Answer({"data": [{"id": "toy-2", "type": "model"}, {"id": "toy-1"}], "has_more": False}),
    "no_models": Answer("not here", 404, "text/plain"),
}

# ---------------------------------------------------------------- the service


@dataclass(frozen=True)
class Seen:
    """A request as it arrived."""

    path: str
    headers: Mapping[str, str]
    body: Any


class Service:
    """A service on a free port of the loopback, for the time of a ``with``."""

    def __init__(self, *answers: Answer) -> None:
        self._answers = answers
        self._lock = threading.Lock()
        self.stopped = threading.Event()
        self.seen: list[Seen] = []
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), _handler(self))
        self._server.daemon_threads = True
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.01,), daemon=True)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._server.server_address[1]}"

    def next_answer(self, seen: Seen) -> Answer:
        with self._lock:
            self.seen.append(seen)
            return self._answers[min(len(self.seen), len(self._answers)) - 1]

    def __enter__(self) -> Service:
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, raised: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.stopped.set()
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()


def _handler(service: Service) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self._answer(None)

        def do_POST(self) -> None:
            raw = self.rfile.read(int(self.headers.get("content-length", 0)))
            self._answer(json.loads(raw))

        def _answer(self, body: Any) -> None:
            headers = {name.lower(): value for name, value in self.headers.items()}
            answer = service.next_answer(Seen(self.path, headers, body))
            self.close_connection = True
            if answer.end == "reset":
                # an RST instead of a FIN
                self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
                self.connection.close()
                return
            raw = answer.raw
            self.send_response(answer.status)
            self.send_header("content-type", answer.content_type)
            length = len(raw) + (1000 if answer.end in ("cut", "hang") else 0)
            self.send_header("content-length", str(length))
            for name, value in answer.headers.items():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(raw)
            self.wfile.flush()
            if answer.end == "hang":
                service.stopped.wait(30)

        def finish(self) -> None:
            try:
                super().finish()
            except (OSError, ValueError):
                return  # the connection was reset on purpose, or the client went away

        def handle(self) -> None:
            try:
                super().handle()
            except (OSError, ValueError):
                return

        def log_message(self, format: str, *args: Any) -> None:
            return

    return Handler
