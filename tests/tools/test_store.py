from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from assay.errors import AssayError, DataError
from assay.llm import Message
from assay.tools import (
    Action,
    Budget,
    Caller,
    RulePolicy,
    Score,
    Task,
    Toolbox,
    TrajectoryStore,
    content_hash,
    prompt_hash,
    run_episode,
    tool_schema_hash,
)

from .conftest import StillClock
from .test_loop import PROMPT, loops
from .toys import called, toy_registry

SCORE = Score(0.4, 0.9, ("bad_citation",), {"fields": 1.0, "grounding": None}, {"note": "缺"})


def episode(
    store: TrajectoryStore, caller: Caller, *, rollout: str = "r0", case: str = "case-1", turns: int = 2
):
    task = Task("shop", case, PROMPT, rollout=rollout, score=lambda trajectory: SCORE)
    box = Toolbox(toy_registry(), caller)
    return run_episode(loops(turns), box, budget=Budget(), task=task, store=store, clock=StillClock())


def files(folder: Path) -> dict[str, bytes]:
    return {str(file.relative_to(folder)): file.read_bytes() for file in sorted(folder.rglob("*.json"))}


def test_three_files_lie_where_they_should(tmp_path: Path, caller: Caller) -> None:
    episode(TrajectoryStore(tmp_path, "run-1"), caller)
    assert list(files(tmp_path)) == [
        f"run-1/case-1/r0/{name}.json" for name in ("metadata", "score", "trajectory")
    ]


def test_a_rerun_gives_the_same_bytes(tmp_path: Path, caller: Caller) -> None:
    for name in ("a", "b"):
        episode(TrajectoryStore(tmp_path / name, "run-1"), caller)
    assert files(tmp_path / "a") == files(tmp_path / "b")


def test_how_long_it_took_changes_no_byte(tmp_path: Path, caller: Caller) -> None:
    box = Toolbox(toy_registry(), caller)
    for name, clock in (("a", StillClock()), ("b", None)):
        store = TrajectoryStore(tmp_path / name, "run-1")
        run_episode(loops(2), box, budget=Budget(), task=Task("shop", "c", PROMPT), store=store, clock=clock)
    assert files(tmp_path / "a") == files(tmp_path / "b")


def test_what_is_stored_reads_back(tmp_path: Path, caller: Caller) -> None:
    store = TrajectoryStore(tmp_path, "run-1")
    found = episode(store, caller)
    stored = store.load("case-1", "r0")
    assert stored.trajectory == json.loads(json.dumps(found.as_dict()))
    assert stored.score == SCORE.as_dict()
    data = stored.metadata
    assert data["reward"] == 0.4
    assert data["active_caps"] == ["bad_citation"]
    assert data["prompt_hash"] == prompt_hash(PROMPT)
    assert data["tool_schema_hash"] == tool_schema_hash(Toolbox(toy_registry(), caller).specs())
    assert data["trajectory_hash"] == content_hash(stored.trajectory)
    assert data["operator"] == caller.operator.as_dict()
    assert (data["tool_calls"], data["illegal_tool_calls"]) == (2, 0)
    assert data["illegal_by_kind"]["unknown_tool"] == 0


def test_the_files_are_canonical_json(tmp_path: Path, caller: Caller) -> None:
    episode(TrajectoryStore(tmp_path, "run-1"), caller)
    for content in files(tmp_path).values():
        text = content.decode()
        again = json.dumps(json.loads(text), sort_keys=True, separators=(",", ":"), ensure_ascii=False)
        assert text == again + "\n"


def test_storing_again_is_no_second_episode_and_another_one_is_refused(
    tmp_path: Path, caller: Caller
) -> None:
    store = TrajectoryStore(tmp_path, "run-1")
    episode(store, caller)
    before = files(tmp_path)
    episode(store, caller)
    assert files(tmp_path) == before
    with pytest.raises(AssayError, match="another episode"):
        episode(store, caller, turns=3)
    assert files(tmp_path) == before


NAMES = ["../x", "a/b", "a\\b", "", ".", "..", "A", "a b", "a\n", "a\x00", "/etc", "~", "case%2f", "x" * 65]


@pytest.mark.parametrize("name", NAMES)
def test_names_that_are_no_ids_reach_no_disk(name: str, tmp_path: Path, caller: Caller) -> None:
    root = tmp_path / "runs"
    with pytest.raises(AssayError):
        TrajectoryStore(root, name)
    acted = []
    policy = RulePolicy("p", lambda state: acted.append(1) or Action("x"))
    for task in (Task("shop", name, PROMPT), Task("shop", "c", PROMPT, rollout=name)):
        with pytest.raises(AssayError):
            run_episode(
                policy,
                Toolbox(toy_registry(), caller),
                budget=Budget(),
                task=task,
                store=TrajectoryStore(root, "run-1"),
            )
    assert acted == []
    assert list(tmp_path.rglob("*")) == []


def test_links_do_not_lead_out(tmp_path: Path, caller: Caller) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    runs = tmp_path / "runs"
    (runs / "run-1").mkdir(parents=True)
    os.symlink(outside, runs / "run-2")
    os.symlink(outside, runs / "run-1" / "case-1")
    with pytest.raises(AssayError, match="link"):
        TrajectoryStore(runs, "run-2")
    with pytest.raises(AssayError, match="link"):
        episode(TrajectoryStore(runs, "run-1"), caller)
    assert list(outside.iterdir()) == []


def test_an_episode_that_is_broken_off_leaves_nothing(tmp_path: Path, caller: Caller) -> None:
    def breaks(trajectory):
        raise AssayError("the verifier is broken")

    task = Task("shop", "case-1", PROMPT, score=breaks)
    store = TrajectoryStore(tmp_path, "run-1")
    with pytest.raises(AssayError):
        run_episode(loops(1), Toolbox(toy_registry(), caller), budget=Budget(), task=task, store=store)
    assert files(tmp_path) == {}


def test_episodes_are_listed_in_order(tmp_path: Path, caller: Caller) -> None:
    store = TrajectoryStore(tmp_path, "run-1")
    for case, rollout in (("b", "r1"), ("b", "r0"), ("a", "r0")):
        episode(store, caller, case=case, rollout=rollout)
    assert [tuple(item) for item in store.rollouts()] == [("a", "r0"), ("b", "r0"), ("b", "r1")]


@pytest.mark.parametrize("content", [None, b"{", b"[]", b"\xff"])
def test_a_damaged_file_is_named(content, tmp_path: Path, caller: Caller) -> None:
    store = TrajectoryStore(tmp_path, "run-1")
    episode(store, caller)
    file = tmp_path / "run-1" / "case-1" / "r0" / "score.json"
    file.unlink() if content is None else file.write_bytes(content)
    with pytest.raises(DataError) as caught:
        store.load("case-1", "r0")
    assert caught.value.where == "case-1/r0/score.json"


def test_half_a_surrogate_pair_is_stored_as_its_escape(tmp_path: Path, caller: Caller) -> None:
    policy = RulePolicy(
        "p",
        lambda state: Action("\ud800", () if state.observations else (called("shop.look", '"\udfff'),)),
    )
    store = TrajectoryStore(tmp_path, "run-1")
    task = Task("shop", "c", (*PROMPT, Message("user", "\udc00")))
    found = run_episode(policy, Toolbox(toy_registry(), caller), budget=Budget(), task=task, store=store)
    raw = files(tmp_path)["run-1/c/r0/trajectory.json"]
    assert rb"\ud800" in raw
    assert store.load("c", "r0").trajectory["final_text"] == found.final_text == "\ud800"
