"""Tools that fail, wait and answer for the tests of the server."""

from __future__ import annotations

import threading
from collections.abc import Callable

from pydantic import Field

from assay.errors import Reason, Refusal
from assay.tools import Annotations, Arguments, Context, Registry, Result, Tool

NO_MORE = Reason("no_more", "there is no more", "come back tomorrow")


class Nothing(Arguments):
    pass


class Number(Arguments):
    number: int = Field(ge=0, le=1000)


class Said(Result):
    number: int
    caller: str


def tool(tool_id: str, function: Callable[[Number, Context], Said], **more: object) -> Tool:
    return Tool(tool_id, f"Does {tool_id}.", Number, Said, (NO_MORE,), function, **more)  # type: ignore[arg-type]


def echo(arguments: Number, context: Context) -> Said:
    return Said(number=arguments.number, caller=context.caller.operator.identifier)


def broken(arguments: Number, context: Context) -> Said:
    raise OSError("cannot read /secret/place until 2031-01-01")


def refusing(arguments: Number, context: Context) -> Said:
    raise Refusal(NO_MORE, "nothing is left", details={"left": 0})


class Waiting:
    """A tool that says when it was begun, and ends when it is let go."""

    def __init__(self) -> None:
        self.begun, self.go, self.ended = threading.Event(), threading.Event(), threading.Event()

    def __call__(self, arguments: Number, context: Context) -> Said:
        self.begun.set()
        self.go.wait(60)
        self.ended.set()
        return echo(arguments, context)


def toys(waiting: Waiting | None = None, name: str = "toy.waiting") -> Registry:
    """A registry of toys; ``name`` is that of the tool that waits."""
    writes = Annotations(read_only=False, destructive=True, idempotent=False, open_world=True)
    made = [
        tool("toy.echo", echo),
        tool("toy.broken", broken, annotations=writes),
        tool("toy.refusing", refusing),
    ]
    return Registry([*made, *([] if waiting is None else [tool(name, waiting)])])
