from __future__ import annotations

import json
from hashlib import sha256

from assay.llm import Message, Reply, Request, ToolCall, ToolSpec, Usage

REQUEST = Request(
    model="m",
    messages=(
        Message("system", "be brief"),
        Message("assistant", "", (ToolCall("c1", "panel.field", '{"name": "close"}'),)),
        Message("tool", "[1.0]", tool_call_id="c1"),
    ),
    parameters={"temperature": 0.5, "seed": 1},
    tools=(ToolSpec("panel.field", "a field", {"type": "object"}),),
)


def test_hash_is_that_of_the_canonical_json_and_ignores_the_order_of_keys() -> None:
    same = Request("m", REQUEST.messages, {"seed": 1, "temperature": 0.5}, REQUEST.tools)
    assert same.hash == REQUEST.hash
    assert (
        Request("m", ()).hash == sha256(b'{"messages":[],"model":"m","parameters":{},"tools":[]}').hexdigest()
    )


def test_hash_depends_on_each_part() -> None:
    parts = REQUEST.as_dict()
    changed = [
        Request.from_dict({**parts, "model": "n"}),
        Request.from_dict({**parts, "messages": parts["messages"][:2]}),
        Request.from_dict({**parts, "parameters": {"temperature": 0.6, "seed": 1}}),
        Request.from_dict({**parts, "tools": []}),
    ]
    assert len({REQUEST.hash, *(request.hash for request in changed)}) == 5


def test_a_lone_surrogate_has_a_hash_of_its_own() -> None:
    hashes = {Request("m", (Message("user", text),)).hash for text in ("\ud800", "\udc00", "?", "�")}
    assert len(hashes) == 4


def test_requests_and_replies_survive_json() -> None:
    assert Request.from_dict(json.loads(json.dumps(REQUEST.as_dict()))).hash == REQUEST.hash
    reply = Reply("t", (ToolCall("c", "a.b", "{"),), "tool_calls", Usage(3, 2, 1), "m-1", "id-9")
    assert Reply.from_dict(json.loads(json.dumps(reply.as_dict()))) == reply
