"""An episode of a model, recorded in the ledger, gives the same bytes when its log is played back."""

from __future__ import annotations

from pathlib import Path

from assay.base import Operator
from assay.ledger import Ledger, Run
from assay.llm import Client, Provider, ReplayProvider, Reply, ScriptedProvider, Usage, read_calls
from assay.tools import (
    Budget,
    Caller,
    LedgerToolSink,
    LlmPolicy,
    Task,
    Toolbox,
    Trajectory,
    TrajectoryStore,
    ledger_sink,
    run_episode,
)

from .test_loop import PROMPT, calling
from .toys import called, toy_registry


def play(folder: Path, provider: Provider, caller: Caller) -> tuple[Run, Trajectory]:
    run = Ledger.create(folder / "ledger").run("r-1")
    run.start("shop", Operator.human(), "c", {})
    client = Client(role="shopper", provider=provider, model="small", sink=ledger_sink(run))
    found = run_episode(
        LlmPolicy(client, "shopper", {"temperature": 0}),
        Toolbox(toy_registry(), caller),
        budget=Budget(),
        task=Task("shop", "case-1", PROMPT),
        store=TrajectoryStore(folder / "runs", "r-1"),
        sink=LedgerToolSink(run.ledger, run.id),
    )
    return run, found


def stored(folder: Path) -> dict[str, bytes]:
    return {file.name: file.read_bytes() for file in (folder / "runs").rglob("*.json")}


def test_a_recorded_episode_replays_to_equal_bytes(tmp_path: Path, caller: Caller) -> None:
    script = [
        calling(called("shop.buy", '{"count": 8}', 1)),
        calling(called("shop.buy", '{"count": 2, "colour": "' + "x" * 5000 + '"}', 2)),
        calling(called("shop.buy", '{"count": 2}', 3), text="\u597d " * 1000),
        Reply("Bought.", usage=Usage(9, 1)),
    ]
    run, first = play(tmp_path / "first", ScriptedProvider(script), caller)
    calls = read_calls([entry.body for entry in run.entries(kind="llm_call")], run.ledger)
    again, second = play(tmp_path / "second", ReplayProvider(calls), caller)
    assert first.as_dict() == second.as_dict()
    assert run.export() == again.export()
    assert stored(tmp_path / "first") == stored(tmp_path / "second")
    kinds = [entry.kind for entry in run.entries()]
    assert kinds == [
        "run_start",
        "llm_call",
        "tool_call",
        "refusal",
        "llm_call",
        "tool_call",
        "refusal",
        "llm_call",
        "tool_call",
        "llm_call",
    ]
