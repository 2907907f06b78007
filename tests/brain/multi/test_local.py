"""Several agents on the simulated market, with the ledger, the store, and resumes."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from assay.brain import Proposal, RecordedRounds
from assay.brain.agent import Task, usual_settings
from assay.brain.agent.policies.sampler import SamplerPolicy
from assay.brain.multi import Board, MultiReport, Orchestrator, make_agents
from assay.brain.search import Batch, ResultStore, SearchRun
from assay.brain.simulator import FaultSettings, LocalPlatform, local_platform
from assay.config import BrainMultiSettings, BrainSettings, BrainSimulatorSettings
from assay.errors import DataError, ProviderTransient
from assay.ledger import Ledger, Scope
from assay.market import Panel, simulate

BUDGET = 28
SETTINGS = BrainSettings(
    simulator=BrainSimulatorSettings(held_days=126, retry_after=0),
    multi=BrainMultiSettings(simulations=BUDGET, target_sharpe=9.0, min_sharpe_for_optimization=0.2),
)


@pytest.fixture(scope="module")
def panel() -> Panel:
    return simulate(seed=7, instruments=40, days=700)


@pytest.fixture
def platform(panel: Panel) -> Iterator[LocalPlatform]:
    made = local_platform(None, panel, SETTINGS)
    yield made
    made.close()


class Broken:
    """A batch that breaks down in a round, as a kill would."""

    def __init__(self, batch: Batch, after: int) -> None:
        self.batch, self.left = batch, after

    def run(self, proposals: list[Proposal]) -> object:
        self.left -= 1
        if self.left < 0:
            self.batch.run(proposals[:3])  # some of the round is simulated, and the round is not recorded
            raise KeyboardInterrupt
        return self.batch.run(proposals)

    def skip(self, count: int) -> None:
        self.batch.skip(count)


def play(
    place: Path,
    platform: LocalPlatform,
    *,
    idea: str = "Momentum combined with low volatility",
    stop: int = 99,
) -> tuple[MultiReport, RecordedRounds]:
    place.mkdir(exist_ok=True)
    ledger = Ledger.open(place / "l") if (place / "l").exists() else Ledger.create(place / "l")
    board = Board()
    task = Task(idea, settings=usual_settings(platform.choices()))
    policies = [SamplerPolicy(platform, SETTINGS.agent, seed) for seed in range(2)]
    agents = make_agents(platform, policies, task, board, SETTINGS)
    with SearchRun(ledger, "multi-1", platform, {"idea": idea}) as run:
        store = ResultStore(place / "results.sqlite")
        batch = Batch(platform, store, place / "runs", settings=SETTINGS, run=run, agent="multi")
        rounds = RecordedRounds(Broken(batch, stop), run)  # type: ignore[arg-type]
        report = Orchestrator(agents, board, rounds, SETTINGS.multi, platform.slots).run()
    return report, rounds


def told(report: MultiReport) -> list[tuple[str, str, float | None]]:
    return [(item.proposal.request.regular, item.proposal.direction, item.sharpe) for item in report.results]


def test_explorers_and_optimisers_search_together(tmp_path: Path, platform: LocalPlatform) -> None:
    report, rounds = play(tmp_path, platform)
    assert report.stop == "budget"
    assert report.simulations == len(report.results) == rounds.simulated == BUDGET
    by_name = {line.name: line for line in report.agents}
    assert set(by_name) == {"explorer-1", "explorer-2", "optimizer-1"}
    assert all(line.simulated > 0 for line in report.agents)
    assert any(item.proposal.origin == "settings" for item in report.results)
    assert {item.proposal.direction.split(":")[0] for item in report.results} == set(by_name)
    ledger = Ledger.open(tmp_path / "l")
    assert ledger.trials(Scope(desk="brain")).n == BUDGET
    assert len(ResultStore(tmp_path / "results.sqlite").rows()) == BUDGET


def test_a_run_that_was_killed_goes_on_as_if_it_had_not_been(
    tmp_path: Path, panel: Panel, platform: LocalPlatform
) -> None:
    whole, _ = play(tmp_path / "whole", platform)
    (tmp_path / "killed").mkdir()
    other = local_platform(None, panel, SETTINGS)
    try:
        with pytest.raises(KeyboardInterrupt):
            play(tmp_path / "killed", other, stop=2)
        resumed, _ = play(tmp_path / "killed", other)
        paid = len(other.user_alphas())
    finally:
        other.close()
    assert told(resumed) == told(whole)
    assert resumed.agents == whole.agents
    assert paid == BUDGET  # nothing twice, those of the broken round included


def test_equal_runs_find_the_same(tmp_path: Path, panel: Panel) -> None:
    found = []
    for name in ("one", "other"):
        (tmp_path / name).mkdir()
        made = local_platform(None, panel, SETTINGS)
        found.append(told(play(tmp_path / name, made)[0]))
        made.close()
    assert found[0] == found[1]


def test_faults_of_the_network_change_nothing(tmp_path: Path, panel: Panel, platform: LocalPlatform) -> None:
    clean, _ = play(tmp_path / "clean", platform)
    faults = FaultSettings(error=0.05, drop=0.02, throttle=0.02, seed=5)
    other = local_platform(None, panel, SETTINGS, faults=faults)
    try:
        faulty, _ = play(tmp_path / "faulty", other)
    finally:
        other.close()
    assert told(faulty) == told(clean)
    assert faulty.agents == clean.agents


def test_rounds_that_ask_for_something_else_are_not_answered(tmp_path: Path, platform: LocalPlatform) -> None:
    with pytest.raises(KeyboardInterrupt):
        play(tmp_path, platform, stop=1)
    ledger = Ledger.open(tmp_path / "l")
    rounds = RecordedRounds(
        Batch(platform, ResultStore(tmp_path / "x"), tmp_path / "y"), ledger.run("multi-1")
    )
    with pytest.raises(DataError, match="round 1 of this run asked for other simulations"):
        rounds.run([])


def test_what_paused_says_how_to_go_on(tmp_path: Path, platform: LocalPlatform) -> None:
    class Paused:
        def run(self, proposals: list[Proposal]) -> object:
            from assay.brain.search import BatchReport

            return BatchReport((), 0, 0, (), tuple(proposals), "paused", "the quota is exhausted")

    with pytest.raises(ProviderTransient, match="the quota is exhausted") as caught:
        RecordedRounds(Paused()).run([])  # type: ignore[arg-type]
    assert "--resume" in (caught.value.fix or "")


def test_each_explorer_has_a_task_of_its_own() -> None:
    from assay.brain.multi import explorer_tasks

    tasks = explorer_tasks(Task("动量"), 3, seed=1)
    assert tasks[0].idea == "动量"
    assert len({task.idea for task in tasks}) == 3
    assert all(task.idea.startswith("动量") for task in tasks)
    assert explorer_tasks(Task("动量"), 3, seed=1) == tasks
    assert replace(tasks[1], idea="") == replace(tasks[0], idea="")
