"""A clean note, and the answers of a model that reads it well; models that follow a script."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from assay.llm import BodySink, Client, Reply, Request, ScriptedProvider, ToolCall

CLEAN = (
    "本报告研究二十日涨跌幅因子：过去二十个交易日的累计涨跌幅，股票池为沪深300成分股，每日收盘后计算，每周调仓。\n"
    "因子值越高，未来收益越低。"
)

NAME = "二十日涨跌幅因子"
SPEC: dict[str, Any] = {
    "name": NAME,
    "universe": "CSI300",
    "frequency": "daily",
    "neutralization": "undeclared",
    "rebalance": "weekly",
    "expr": "TS_PCTCHANGE($close, 20)",
    "windows": [20],
    "evidence": [
        {"field": "name", "quote": "二十日涨跌幅因子"},
        {"field": "expr", "quote": "过去二十个交易日的累计涨跌幅"},
        {"field": "windows", "quote": "过去二十个交易日"},
        {"field": "universe", "quote": "股票池为沪深300成分股"},
        {"field": "frequency", "quote": "每日收盘后计算"},
        {"field": "rebalance", "quote": "每周调仓"},
        {"field": "direction", "quote": "因子值越高，未来收益越低"},
    ],
}
LIST = {"factors": [{"name": NAME, "quote": "过去二十个交易日的累计涨跌幅", "computable": True}]}
ANSWER: dict[str, Any] = {"status": "spec", "spec": SPEC, "direction": "negative"}

Said = str | Mapping[str, Any] | Reply


class Memory:
    """Keeps what a client records."""

    def __init__(self) -> None:
        self.bodies: list[Mapping[str, Any]] = []
        self.objects: dict[str, bytes] = {}
        self.sink = BodySink(lambda body, latency: self.bodies.append(body), self)

    def put(self, payloads: Sequence[bytes]) -> tuple[str, ...]:
        names = tuple(f"sha256:{number + len(self.objects):064x}" for number in range(len(payloads)))
        self.objects.update(zip(names, payloads, strict=True))
        return names

    def get(self, name: str) -> bytes:
        return self.objects[name]


def scripted(
    script: Sequence[Said] | Callable[[Request], str], **more: Any
) -> tuple[Client, ScriptedProvider]:
    """A client of the role ``extractor`` whose model says what the script says."""
    said = script if callable(script) else [_said(item) for item in script]
    provider = ScriptedProvider(said)
    return Client(role="extractor", provider=provider, sink=Memory().sink, model="small", **more), provider


def call(tool: str, arguments: Mapping[str, Any]) -> dict[str, Any]:
    """A turn that calls a tool as plain JSON."""
    return {"tool": f"report.{tool}", "arguments": arguments}


def native(tool: str, arguments: Mapping[str, Any]) -> Reply:
    """A turn that calls a tool as a service does."""
    made = ToolCall("c1", f"report.{tool}", json.dumps(arguments, ensure_ascii=False))
    return Reply("", (made,), "tool_calls")


def _said(item: Said) -> str | Reply:
    return json.dumps(item, ensure_ascii=False) if isinstance(item, Mapping) else item
