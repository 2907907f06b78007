"""What a run came to, told from its ledger and folder alone."""

from __future__ import annotations

import shutil
from collections import Counter
from pathlib import Path

import numpy as np
import pytest

from assay.campaign import CampaignReport, Funnel, campaign_report
from assay.campaign._resume import Recorded
from assay.errors import Refusal

from . import desk


def _report(place: desk.Place) -> CampaignReport:
    return campaign_report(place.ledger(), place.runs, desk.RUN, simulated=True)


@pytest.fixture
def place(tmp_path: Path) -> desk.Place:
    made = desk.Place(tmp_path / "w")
    made.root.mkdir()
    made.campaign(made.setup(desk.config(roles=desk.ALL_MODELS))).run()
    return made


def test_it_tells_what_the_ledger_tells(place: desk.Place) -> None:
    found, run = _report(place), place.ledger().run(desk.RUN)
    history = Recorded.read(run).history
    outcomes = Counter(trial.outcome for trial in history.trials)
    assert found.funnel == Funnel.of(found.trials)
    assert found.funnel.slots == sum(outcomes.values())
    assert found.funnel.admitted == outcomes["admitted"] == len(found.zoo) > 0
    assert found.funnel.evaluated == outcomes["admitted"] + outcomes["rejected"] == len(found.points)
    assert [row.number for row in found.rounds] == [item.number for item in history.rounds]
    assert sum(row.funnel.slots for row in found.mechanisms) == found.funnel.slots
    assert (found.state, found.data, found.simulated) == ("finished", "fake", True)
    assert found.stop is not None
    assert found.config["quota.slots"] == 4
    assert found.seconds >= 0


def test_refusals_are_counted_by_reason(place: desk.Place) -> None:
    found = _report(place)
    bodies = [entry.body for entry in place.ledger().run(desk.RUN).entries(kind="gate_verdict")]
    refused = Counter(body["reason"] for body in bodies if not body["passed"])
    assert {row.reason: row.times for row in found.refusals if row.stage == "gate"} == refused
    ended = Counter(trial.reason for trial in found.trials if trial.outcome == "rejected")
    assert {row.reason: row.slots for row in found.refusals if row.stage == "admission"} == ended
    assert sum(row.slots for row in found.refusals) == found.funnel.slots - found.funnel.admitted


def test_costs_are_those_of_the_calls(place: desk.Place) -> None:
    found = _report(place)
    calls = Counter(entry.body["role"] for entry in place.ledger().run(desk.RUN).entries(kind="llm_call"))
    assert {cost.role: cost.calls for cost in found.costs} == calls
    assert set(calls) == set(desk.MODEL_ROLES)
    assert found.tokens == sum(cost.input + cost.output for cost in found.costs)
    assert all(cost.unpriced == cost.calls - cost.failed for cost in found.costs)


def test_memory_versions_and_the_chance_of_luck(place: desk.Place) -> None:
    found = _report(place)
    versions = {path.name: path.read_text().strip() for path in place.folder.glob("memory/*.md")}
    assert {f"round_{item.round:02d}.md": item.text.strip() for item in found.memory} == versions
    assert versions
    noise = [point.noise_t for point in found.points if point.noise_t is not None]
    assert noise == sorted(noise)
    best = [point.best for point in found.points if point.best is not None]
    assert best == sorted(best)


def test_it_reads_the_folder_only_for_commits(place: desk.Place) -> None:
    whole = _report(place)
    shutil.rmtree(place.folder)
    bare = _report(place)
    assert whole.commits == ("assay test",)
    assert bare.commits == ()
    assert (bare.trials, bare.costs, bare.digest) == (whole.trials, whole.costs, whole.digest)


def test_the_correlations_are_of_the_recorded_books(place: desk.Place) -> None:
    found = _report(place)
    values = found.correlations.values
    assert values.shape == (len(found.zoo), len(found.zoo))
    assert np.array_equal(values, values.T, equal_nan=True)
    for i, left in enumerate(found.zoo):
        for j, right in enumerate(found.zoo):
            if i != j and np.isfinite(values[i, j]):
                assert np.array_equal(left.days, right.days)
                assert values[i, j] == pytest.approx(np.corrcoef(left.excess, right.excess)[0, 1])


def test_other_runs_are_refused(place: desk.Place) -> None:
    with pytest.raises(Refusal) as unknown:
        campaign_report(place.ledger(), place.runs, "nope")
    assert unknown.value.reason.code == "unknown_run"
    from assay.base import Operator

    place.ledger().run("other").start("agent", Operator.system("x"), "0" * 64, {})
    with pytest.raises(Refusal) as foreign:
        campaign_report(place.ledger(), place.runs, "other")
    assert foreign.value.reason.code == "not_a_campaign"
