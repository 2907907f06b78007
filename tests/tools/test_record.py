from __future__ import annotations

import json
from pathlib import Path

import pytest

from assay.ledger import Ledger, LedgerUnwritable
from assay.tools import Budget, Caller, Illegal, LedgerToolSink, Ok, Refused, Task, Toolbox, run_episode

from .test_loop import PROMPT, LlmPolicy, Reply, ScriptedClient, calling, loops
from .toys import called, toy_registry


def recorded(ledger: Ledger) -> list[tuple[str, str | None]]:
    return [(entry.kind, entry.body.get("reason")) for entry in ledger.entries(run="r-1")]


def test_each_call_is_a_record_and_a_refusal_one_more(ledger: Ledger, caller: Caller) -> None:
    script = ['{"count": 1}', '{"count": 8}', '{"count": 99}', "["]
    client = ScriptedClient(*[calling(called("shop.buy", sent)) for sent in script], Reply("x"))
    sink = LedgerToolSink(ledger, "r-1")
    run_episode(
        LlmPolicy(client, "m"),
        Toolbox(toy_registry(), caller),
        budget=Budget(),
        task=Task("shop", "c", PROMPT),
        sink=sink,
    )
    assert recorded(ledger) == [
        ("tool_call", None),
        ("tool_call", "no_shop"),
        ("refusal", "no_shop"),
        ("tool_call", "bad_count"),
        ("refusal", "bad_count"),
        ("tool_call", "unparsable_arguments"),
        ("refusal", "unparsable_arguments"),
    ]
    bodies = [entry.body for entry in ledger.entries(kind="tool_call")]
    assert bodies[0] == {
        "tool": "shop.buy",
        "outcome": "ok",
        "step": 1,
        "call": "c0",
        "operator": caller.operator.as_dict(),
        "illegal_kind": None,
        "reason": None,
        "cause": None,
        "arguments": '{"count": 1}',
        "arguments_object": None,
        "answer": '{"ok":true,"result":{"count":1}}',
        "answer_object": None,
    }
    assert [body["outcome"] for body in bodies] == ["ok", "refused", "illegal", "illegal"]
    assert bodies[2]["illegal_kind"] == "schema_invalid"


def test_a_call_is_on_record_before_the_policy_sees_the_answer(ledger: Ledger, caller: Caller) -> None:
    seen: list[int] = []

    class Watching:
        name = "w"

        def act(self, state):
            seen.append(len(list(ledger.entries(kind="tool_call"))))
            return loops(2).act(state)

    run_episode(
        Watching(),
        Toolbox(toy_registry(), caller),
        budget=Budget(),
        task=Task("shop", "c", PROMPT),
        sink=LedgerToolSink(ledger, "r-1"),
    )
    assert seen == [0, 1, 2]


def test_each_call_of_a_step_is_on_record_before_the_next_is_made(caller: Caller) -> None:
    order: list[str] = []

    class Sink:
        def record(self, step, call, outcome, caller):
            order.append(f"recorded {call.id}")

    registry = toy_registry()
    execute = registry.execute
    registry.execute = lambda prepared, who: order.append("made") or execute(prepared, who)  # type: ignore
    client = ScriptedClient(calling(called("shop.look", "{}", 1), called("shop.look", "{}", 2)), Reply("x"))
    run_episode(
        LlmPolicy(client, "m"),
        Toolbox(registry, caller),
        budget=Budget(),
        task=Task("shop", "c", PROMPT),
        sink=Sink(),
    )
    assert order == ["made", "recorded c1", "made", "recorded c2"]


def test_a_record_that_cannot_be_written_ends_the_episode(ledger: Ledger, caller: Caller) -> None:
    class Full:
        def record(self, step, call, outcome, caller):
            raise LedgerUnwritable("no space is left")

    with pytest.raises(LedgerUnwritable):
        run_episode(
            loops(2),
            Toolbox(toy_registry(), caller),
            budget=Budget(),
            task=Task("shop", "c", PROMPT),
            sink=Full(),
        )


def test_long_texts_are_objects(ledger: Ledger, caller: Caller) -> None:
    sink = LedgerToolSink(ledger, "r-1")
    text = "x" * 10_000_000 + "\ud800"
    sink.record(1, called("shop.buy", text), Ok({"text": "y" * 5000}), caller)
    (entry,) = ledger.entries(kind="tool_call")
    assert entry.body["arguments"] is None
    assert ledger.get(entry.body["arguments_object"]).decode("utf-8", "surrogatepass") == text
    assert json.loads(ledger.get(entry.body["answer_object"]))["result"]["text"] == "y" * 5000
    assert (ledger.folder / "ledger.jsonl").stat().st_size < 5000


@pytest.mark.parametrize("name", ["../../x", "\ud800", "n" * 10_000, "a\nb"])
def test_odd_names_are_recorded(name, ledger: Ledger, caller: Caller) -> None:
    outcome = toy_registry().call(name, "{}", caller)
    assert isinstance(outcome, Illegal)
    LedgerToolSink(ledger, "r-1").record(1, called(name), outcome, caller)
    assert [entry.body["tool"] for entry in ledger.entries(kind="tool_call")] == [name[:200]]
    assert ledger.verify().records == 3


def test_outside_a_run(ledger: Ledger, caller: Caller) -> None:
    LedgerToolSink(ledger).record(1, called("shop.look"), Refused("no_shop", "there is no shop"), caller)
    assert [entry.run for entry in ledger.entries()][1:] == [None, None]


def test_the_same_episode_gives_the_same_export(tmp_path: Path, caller: Caller) -> None:
    from assay.base import Operator

    exports = []
    for name in ("a", "b"):
        ledger = Ledger.create(tmp_path / name)
        run = ledger.run("r-1")
        run.start("shop", Operator.human(), "c", {})
        run_episode(
            loops(3),
            Toolbox(toy_registry(), caller),
            budget=Budget(),
            task=Task("shop", "c", PROMPT),
            sink=LedgerToolSink(ledger, "r-1"),
        )
        exports.append(run.export())
    assert exports[0] == exports[1]
    assert exports[0].count(b"\n") == 3
