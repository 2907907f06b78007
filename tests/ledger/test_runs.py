from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from assay.base import Operator
from assay.errors import ProviderError, Refusal
from assay.ledger import INPUTS_CHANGED, RUN_ENDED, RUN_EXISTS, UNKNOWN_RUN, Draft, Ledger

from .make import INPUTS, PERSON, key, new_ledger, start, trial


@pytest.fixture
def ledger(tmp_path: Path) -> Ledger:
    return new_ledger(tmp_path)


def test_a_run_is_open_from_start_or_resume_to_its_stop(ledger: Ledger) -> None:
    run = ledger.run("r")
    start(ledger, "r")
    assert run.state().open
    run.stop("stopped")
    assert run.state().stopped == "stopped"
    run.resume(PERSON, "c1", INPUTS)
    assert run.state().open
    run.stop("finished")
    assert not run.state().open
    assert run.state().desk == "evolve"
    assert run.state().data == ("cn",)


def test_start_writes_what_the_run_was_given(ledger: Ledger) -> None:
    body = start(ledger, "r", planned=[key("f1"), key("f1"), key("f2")]).body
    assert body == {
        "desk": "evolve",
        "operator": {"kind": "human", "identifier": "ann", "model_artifact": None},
        "config_hash": "c1",
        "inputs": INPUTS,
        "planned": [
            {"fingerprint": "f1", "config_hash": "c1"},
            {"fingerprint": "f2", "config_hash": "c1"},
        ],
    }


def test_a_run_starts_once(ledger: Ledger) -> None:
    start(ledger, "r")
    with pytest.raises(Refusal) as error:
        start(ledger, "r")
    assert error.value.reason is RUN_EXISTS
    assert len(list(ledger.entries(kind="run_start"))) == 1


@pytest.mark.parametrize(
    ("changes", "names"),
    [
        ({"config_hash": "c2"}, {"config_hash": ("c1", "c2")}),
        ({"inputs": {**INPUTS, "prompts": "new"}}, {"inputs.prompts": ("b2", "new")}),
        ({"inputs": {"data:cn": "a1"}}, {"inputs.prompts": ("b2", None)}),
        ({"inputs": {**INPUTS, "notes": "n"}}, {"inputs.notes": (None, "n")}),
        (
            {"inputs": {**INPUTS, "data:cn": "x"}, "config_hash": "c9"},
            {"config_hash": ("c1", "c9"), "inputs.data:cn": ("a1", "x")},
        ),
    ],
)
def test_a_resume_with_other_inputs_is_refused_and_named(
    ledger: Ledger, changes: dict[str, Any], names: dict[str, tuple[Any, Any]]
) -> None:
    start(ledger, "r")
    given: dict[str, Any] = {"operator": PERSON, "config_hash": "c1", "inputs": INPUTS}
    with pytest.raises(Refusal) as error:
        ledger.run("r").resume(**(given | changes))
    assert error.value.reason is INPUTS_CHANGED
    assert error.value.details["changed"] == {
        name: {"started": before, "now": now} for name, (before, now) in names.items()
    }
    assert all(name in error.value.message for name in names)
    assert list(ledger.entries(kind="run_resume")) == []


def test_a_resume_by_another_operator_is_refused(ledger: Ledger) -> None:
    start(ledger, "r")
    with pytest.raises(Refusal) as error:
        ledger.run("r").resume(Operator.human("bob"), "c1", INPUTS)
    assert list(error.value.details["changed"]) == ["operator"]


def test_a_killed_run_resumes_without_a_stop(ledger: Ledger) -> None:
    start(ledger, "r")
    ledger.run("r").resume(PERSON, "c1", INPUTS)
    assert ledger.run("r").state().open


def test_an_abandoned_run_may_be_resumed_and_its_count_goes(ledger: Ledger) -> None:
    start(ledger, "r", planned=[key("f1"), key("f2")])
    ledger.run("r").close()
    assert ledger.run("r").state().unrecorded == 2
    ledger.run("r").resume(PERSON, "c1", INPUTS)
    for name in ("f1", "f2"):
        trial(ledger, name, run="r")
    ledger.run("r").stop("finished")
    assert ledger.trials().n == 2


def test_a_finished_run_does_not_go_on(ledger: Ledger) -> None:
    start(ledger, "r")
    run = ledger.run("r")
    run.stop("finished")
    for act in (lambda: run.resume(PERSON, "c1", INPUTS), lambda: run.stop("failed"), run.close):
        with pytest.raises(Refusal) as error:
            act()
        assert error.value.reason is RUN_ENDED


def test_a_run_that_was_never_started_is_unknown(ledger: Ledger) -> None:
    run = ledger.run("never")
    acts = (
        lambda: run.resume(PERSON, "c1", INPUTS),
        lambda: run.stop("failed"),
        run.close,
        run.state,
        run.export,
    )
    for act in acts:
        with pytest.raises(Refusal) as error:
            act()
        assert error.value.reason is UNKNOWN_RUN


@pytest.mark.parametrize("name", ["", "A", "../x", "a/b", "a" * 65])
def test_the_id_of_a_run_is_held_to_the_pattern(ledger: Ledger, name: str) -> None:
    with pytest.raises(Refusal):
        ledger.run(name)


def test_a_view_appends_and_reads_its_own_records(ledger: Ledger) -> None:
    for name in ("r1", "r2"):
        start(ledger, name)
        ledger.run(name).append("round", {"number": 1, "outcome": name})
    ledger.run("r1").append_many(
        [
            Draft("round", {"number": 2, "outcome": "x"}, run="r2"),
            Draft("round", {"number": 3, "outcome": "y"}),
        ]
    )
    found = [entry.body["outcome"] for entry in ledger.run("r1").entries(kind="round")]
    assert found == ["r1", "x", "y"]
    assert [entry.kind for entry in ledger.run("r2").entries()] == ["run_start", "round"]


def work(ledger: Ledger, run: str, rounds: range) -> None:
    for number in rounds:
        ledger.run(run).append("round", {"number": number, "outcome": 0.1 * number}, latency=0.5)
        trial(ledger, f"f{number}", run=run, sharpe=float("nan"), expression="\ud800 \u00e9")


def test_the_export_of_a_resumed_run_is_that_of_an_uninterrupted_one(tmp_path: Path) -> None:
    whole = Ledger.create(tmp_path / "whole")
    start(whole, "r")
    work(whole, "r", range(4))
    whole.run("r").stop("finished")
    parts = Ledger.create(tmp_path / "parts")
    start(parts, "other")
    start(parts, "r")
    work(parts, "r", range(2))
    parts.run("other").append("round", {"number": 9, "outcome": "noise"})
    parts.run("r").stop("stopped")
    parts.run("r").resume(PERSON, "c1", INPUTS)
    work(parts, "r", range(2, 4))
    assert whole.export("r") == parts.export("r")
    lines = whole.export("r").splitlines()
    assert len(lines) == 8
    assert lines[2] == b'{"body":{"number":1,"outcome":0.1},"kind":"round"}'
    assert all(sorted(json.loads(line)) == ["body", "kind"] for line in lines)
    assert json.loads(lines[1])["body"]["expression"] == "\ud800 \u00e9"


def test_changes_that_are_accepted_are_recorded_and_hold_from_then_on(ledger: Ledger) -> None:
    run = ledger.run("r")
    start(ledger, "r")
    run.stop("stopped")
    changed = {**INPUTS, "pool": "2", "prompts": "9"}
    with pytest.raises(Refusal) as caught:
        run.resume(PERSON, "c1", changed, accept=("pool",))
    assert list(caught.value.details["changed"]) == ["inputs.prompts"]
    accepted = {**INPUTS, "pool": "2"}
    assert run.resume(PERSON, "c1", accepted, accept=("pool",)).body["accepted"] == ["pool"]
    assert run.inputs() == accepted
    run.stop("stopped")
    with pytest.raises(Refusal):
        run.resume(PERSON, "c1", INPUTS)
    assert "accepted" not in run.resume(PERSON, "c1", accepted).body


def call(ledger: Ledger, role: str, ordinal: int = 0, error: str | None = None) -> None:
    ledger.run("r").append(
        "llm_call", {"role": role, "request_hash": "h", "ordinal": ordinal, "error": error}
    )


def test_calls_that_follow_one_another_are_exported_in_their_order_and_not_as_they_came(
    tmp_path: Path,
) -> None:
    exports = set()
    for number, order in enumerate((("a", "b"), ("b", "a"))):
        ledger = Ledger.create(tmp_path / str(number))
        start(ledger, "r")
        for role in order:
            call(ledger, role)
        ledger.run("r").append("round", {"number": 1, "outcome": "done"})
        call(ledger, "a", 1)
        exports.add(ledger.export("r"))
    (export,) = exports
    assert [json.loads(line)["body"].get("role") for line in export.splitlines()] == ["a", "b", None, "a"]


def test_a_round_that_was_dropped_and_done_again_is_exported_once(tmp_path: Path) -> None:
    whole, parts = Ledger.create(tmp_path / "whole"), Ledger.create(tmp_path / "parts")
    start(whole, "r")
    call(whole, "a")
    call(whole, "b")
    trial(whole, "f", run="r")
    whole.run("r").append("round", {"number": 1, "outcome": "done"})
    start(parts, "r")
    call(parts, "b", error="provider_quota")
    call(parts, "a")
    parts.run("r").append("round", {"number": 1, "outcome": "dropped"})
    call(parts, "b")
    trial(parts, "f", run="r")
    parts.run("r").append("round", {"number": 1, "outcome": "dropped"})
    parts.run("r").append("round", {"number": 1, "outcome": "done"})
    assert parts.export("r") == whole.export("r")
    for ledger in (whole, parts):
        ledger.run("r").append("round", {"number": 2, "outcome": "dropped"})
    assert parts.export("r") == whole.export("r")
    assert b"dropped" in whole.export("r"), "a round that was not done again is told of"


@pytest.mark.parametrize(("reason", "advised"), [("finished", False), ("stopped", True), ("failed", True)])
def test_only_what_can_be_resumed_is_advised_to_be(tmp_path: Path, reason: Any, advised: bool) -> None:
    ledger = new_ledger(tmp_path)
    start(ledger, "r")
    run = ledger.run("r")
    run.stop(reason)
    for act in (run.close, lambda: run.stop("finished")):
        with pytest.raises(Refusal) as error:
            act()
        assert error.value.reason is RUN_ENDED
        assert ("resume it" in str(error.value.fix)) is advised
        assert ("new run" in str(error.value.fix)) is not advised


@pytest.mark.parametrize(
    ("error", "reason"),
    [
        (None, "finished"),
        (KeyboardInterrupt(), "stopped"),
        (ProviderError("the service is down"), "stopped"),
        (Refusal(RUN_ENDED), "stopped"),
        (ValueError("a fault"), "failed"),
    ],
)
def test_a_run_records_how_its_block_ended(ledger: Ledger, error: BaseException | None, reason: str) -> None:
    run = ledger.run("r")
    start(ledger, "r")
    if error is None:
        with run.ending():
            assert run.state().open
    else:
        with pytest.raises(type(error)), run.ending():
            raise error
    assert run.state().stopped == reason
