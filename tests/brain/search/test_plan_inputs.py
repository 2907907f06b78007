from __future__ import annotations

from collections.abc import Iterator

import pytest

from assay.brain import Proposal, SimulationRequest
from assay.brain._flight import Job
from assay.brain._slots import SlotEngine
from assay.brain.search import plan_inputs, plan_submissions
from assay.brain.simulator import LocalPlatform, local_platform
from assay.config import BrainSettings, BrainSimulatorSettings
from assay.market import simulate

TEXTS = (
    "-ts_delta(close, 5)",
    "-ts_delta(close, 6)",
    "-ts_mean(returns, 5)",
    "rank(ts_delta(close, 120))",
    "rank(volume)",
)


@pytest.fixture(scope="module")
def platform() -> Iterator[LocalPlatform]:
    """A small market on which the first expressions pass, and one is submitted."""
    settings = BrainSettings(simulator=BrainSimulatorSettings(held_days=100, retry_after=0))
    made = local_platform(None, simulate(7, 120, 1100, True), settings)
    start = made.default_settings().model_copy(update={"truncation": 0.05, "neutralization": "INDUSTRY"})
    jobs = [
        Job(f"j{n}", Proposal(SimulationRequest(regular=text, settings=start)))
        for n, text in enumerate(TEXTS)
    ]
    results = SlotEngine(made).run(jobs)
    assert all(result.status == "completed" for result in results)
    yield made
    made.close()


def test_only_what_might_be_submitted_is_read_closely(platform: LocalPlatform) -> None:
    told: list[tuple[int, int]] = []
    read = plan_inputs(platform, told=lambda done, total: told.append((done, total)))
    assert {item.expression for item in read.candidates} == set(TEXTS)
    weak = next(item for item in read.candidates if item.expression == "rank(volume)")
    assert "LOW_SHARPE" in weak.failing
    assert weak.pnl.values == ()
    close = [item for item in read.candidates if not item.failing]
    assert close
    assert all(len(item.pnl.values) > 250 for item in close)
    assert told[-1] == (len(close), len(close))


def test_a_plan_of_what_was_read_is_taken_by_the_platform(platform: LocalPlatform) -> None:
    read = plan_inputs(platform, check=True)
    made = plan_submissions(read.candidates, read.submitted, cap=9)
    assert made.steps
    for step in made.steps:
        assert platform.submit(step.alpha.id).status == "ACTIVE"
    again = plan_inputs(platform, ask_correlations=True)
    assert {item.id for item in again.submitted} == {step.alpha.id for step in made.steps}
    left = plan_submissions(again.candidates, again.submitted, correlations=again.correlations)
    assert left.steps == ()
    near = [item for item in left.excluded if item.why == "existing"]
    own = plan_submissions(again.candidates, again.submitted)
    assert [(e.alpha.id, e.why) for e in own.excluded] == [(e.alpha.id, e.why) for e in left.excluded]
    for item in near:
        for other, value in item.others.items():
            assert value == pytest.approx(again.correlations[item.alpha.id, other])
