from __future__ import annotations

import signal
import subprocess
import sys
from pathlib import Path

import pytest
from tests.brain.scripted import Scripted, passing

from assay.brain import Proposal, SimulationRequest, SimulationSettings
from assay.brain.search import (
    Batch,
    BatchProgress,
    OptimizeSettings,
    ResultStore,
    SearchRun,
    SettingsOptimizer,
    optimize,
)
from assay.brain.simulator import FaultSettings, LocalPlatform, local_platform
from assay.config import BrainAgentSettings, BrainSettings, BrainSimulatorSettings, load_workspace
from assay.errors import DataError, ProviderAuth, ProviderQuotaExhausted, Refusal
from assay.ledger import INPUTS_CHANGED, RUN_ENDED, Ledger, Scope
from assay.market import simulate

TEXTS = tuple(f"ts_mean(close, {window})" for window in range(2, 8))


def proposals(*texts: str) -> list[Proposal]:
    return [Proposal(SimulationRequest(regular=text), direction="d1") for text in texts]


@pytest.fixture
def store(tmp_path: Path) -> ResultStore:
    return ResultStore(tmp_path / "brain" / "results.sqlite")


def batch(platform: Scripted, store: ResultStore, tmp_path: Path, **given: object) -> Batch:
    return Batch(platform, store, tmp_path / "runs" / "b1", **given)  # type: ignore[arg-type]


def test_each_proposal_comes_to_its_result_in_order(tmp_path: Path, store: ResultStore) -> None:
    platform = Scripted()
    report = batch(platform, store, tmp_path).run(proposals(*TEXTS, "bad"))
    assert [r.proposal.request.regular for r in report.results] == [*TEXTS, "bad"]
    assert (report.simulated, report.known, report.failed, report.stop) == (7, 0, 1, "finished")
    assert {row.request.regular for row in store.rows()} == {*TEXTS, "bad"}


def test_what_is_known_costs_nothing(tmp_path: Path, store: ResultStore) -> None:
    platform = Scripted()
    batch(platform, store, tmp_path).run(proposals("close + open"))
    report = batch(platform, store, tmp_path).run(proposals("open + close", "close", "close"))
    assert (report.simulated, report.known) == (1, 2)
    assert [r.proposal.request.regular for r in report.results] == ["open + close", "close", "close"]
    assert len({r.job for r in report.results}) == 3


def test_a_budget_is_kept_and_told(tmp_path: Path, store: ResultStore) -> None:
    work = batch(Scripted(), store, tmp_path, budget=4)
    report = work.run(proposals(*TEXTS))
    assert (report.simulated, len(report.results), len(report.unrun)) == (4, 4, 2)
    assert (report.stop, report.message) == ("budget", "the budget of 4 simulations is spent")
    assert work.remaining == 0
    assert work.run(proposals("volume")).stop == "budget"


def test_a_quota_pauses_and_the_same_proposals_go_on(tmp_path: Path, store: ResultStore) -> None:
    platform = Scripted()
    platform.faults["poll"].extend([passing(), ProviderQuotaExhausted("used up until tomorrow")])
    first = batch(platform, store, tmp_path).run(proposals(*TEXTS))
    assert (first.stop, first.message) == ("paused", "used up until tomorrow")
    second = batch(platform, store, tmp_path).run(proposals(*TEXTS))
    assert second.stop == "finished"
    assert len(second.results) == len(TEXTS)
    assert len(platform.posted) == len(TEXTS) == first.simulated + second.simulated


def test_other_proposals_take_up_nothing_of_an_earlier_batch(tmp_path: Path, store: ResultStore) -> None:
    platform = Scripted()
    platform.faults["poll"].append(ProviderAuth("expired"))
    batch(platform, store, tmp_path).run(proposals("close"))
    report = batch(platform, store, tmp_path).run(proposals("open"))
    assert [r.proposal.request.regular for r in report.results] == ["open"]


def test_faults_change_no_result(tmp_path: Path, store: ResultStore) -> None:
    clean = batch(Scripted(), store, tmp_path).run(proposals(*TEXTS))
    rough = Scripted()
    for method, count in (("start", 4), ("poll", 9), ("alpha", 3), ("recordset", 3)):
        rough.faults[method].extend(passing() for _ in range(count))
    other = ResultStore(tmp_path / "other.sqlite")
    report = Batch(rough, other, tmp_path / "b2").run(proposals(*TEXTS))
    assert [r.stats for r in report.results] == [r.stats for r in clean.results]
    assert report.simulated == len(TEXTS)
    assert report.lost == ()


def test_a_lost_job_is_counted_apart(tmp_path: Path, store: ResultStore) -> None:
    platform = Scripted(slots=1)
    platform.faults["start"].extend(passing() for _ in range(3))
    settings = BrainSettings(agent=BrainAgentSettings(silent_retries=1, background_polls=0))
    report = batch(platform, store, tmp_path, settings=settings).run(proposals("close", "open"))
    assert len(report.lost) == 1
    assert len(report.results) + len(report.lost) + len(report.unrun) == 2
    assert [row.result.status for row in store.rows()] == ["completed"]


def test_every_simulation_is_one_trial(tmp_path: Path, store: ResultStore) -> None:
    ledger = Ledger.create(tmp_path / "ledger")
    platform = Scripted()
    with SearchRun(ledger, "b1", platform, {"what": "test"}) as run:
        batch(platform, store, tmp_path, run=run).run(proposals(*TEXTS, "bad"))
        batch(platform, store, tmp_path, run=run).run(proposals(*TEXTS))
    trials = ledger.trials(Scope(data="scripted", desk="brain"))
    assert trials.n == len(TEXTS)
    assert trials.series().matrix.shape[1] == len(TEXTS)
    assert [row.run for row in store.rows()] == ["b1"] * 7


def test_a_run_that_paused_goes_on_and_one_that_finished_does_not(tmp_path: Path) -> None:
    ledger, platform = Ledger.create(tmp_path / "ledger"), Scripted()
    paused = SearchRun(ledger, "b1", platform, {"what": 1})
    with paused:
        paused.pause()
    with pytest.raises(Refusal) as changed, SearchRun(ledger, "b1", platform, {"what": 2}):
        pass
    assert changed.value.reason is INPUTS_CHANGED
    with SearchRun(ledger, "b1", platform, {"what": 1}):
        pass
    with pytest.raises(Refusal) as ended, SearchRun(ledger, "b1", platform, {"what": 1}):
        pass
    assert ended.value.reason is RUN_ENDED


def test_progress_counts_what_it_says(tmp_path: Path, store: ResultStore) -> None:
    told: list[BatchProgress] = []
    batch(Scripted(), store, tmp_path, observer=told.append, budget=5).run(proposals(*TEXTS))
    assert told[-1].done == told[-1].simulated == 5
    assert all(item.running <= 3 for item in told)
    assert all(item.running == 3 for item in told if item.queued)
    assert told[-1].best is not None


def test_an_optimiser_runs_over_a_batch_and_again_for_nothing(tmp_path: Path, store: ResultStore) -> None:
    platform = Scripted()

    def search() -> SettingsOptimizer:
        found = SettingsOptimizer(
            proposals("rank(close)")[0], platform.choices(), OptimizeSettings(budget=30, sampler="local")
        )
        assert optimize(batch(platform, store, tmp_path, budget=30), found, platform.slots) is None
        return found

    first = search()
    assert first.done
    assert first.best is not None
    assert first.best.request.settings.neutralization == "SECTOR"
    assert first.best.request.settings.decay == 10
    paid = len(platform.posted)
    assert paid == first.spent <= 30
    second = search()
    assert len(platform.posted) == paid
    assert second.best is not None
    assert second.best.request == first.best.request


def test_an_optimiser_pauses_with_its_batch(tmp_path: Path, store: ResultStore) -> None:
    platform = Scripted()
    found = SettingsOptimizer(proposals("rank(close)")[0], platform.choices())
    platform.faults["start"].append(ProviderQuotaExhausted("used up"))
    report = optimize(batch(platform, store, tmp_path), found, 3)
    assert report is not None
    assert report.message == "used up"
    assert not found.done


def test_a_damaged_journal_is_named(tmp_path: Path, store: ResultStore) -> None:
    folder = tmp_path / "runs" / "b1"
    folder.mkdir(parents=True)
    (folder / "slots.json").write_text("{")
    with pytest.raises(DataError, match=r"slots\.json is damaged"):
        batch(Scripted(), store, tmp_path).run(proposals("close"))


WORKER = """
import os, signal, sys
from pathlib import Path
from assay.brain import Proposal, SimulationRequest, SimulationSettings
from assay.brain.search import Batch, ResultStore
from assay.brain.simulator import local_platform
from assay.config import BrainSettings, BrainSimulatorSettings, init_workspace
from assay.market import simulate

root, after = Path(sys.argv[1]), int(sys.argv[2])
workspace = init_workspace(root)
panel = simulate(7, 40, 500, True)
settings = BrainSettings(simulator=BrainSimulatorSettings(held_days=100, retry_after=1.0))
platform = local_platform(workspace, panel, settings)
start = SimulationSettings(region=platform.choices().regions[0], universe=sys.argv[3])
texts = [f"rank(ts_mean(returns, {w}))" for w in range(2, 8)]

def observe(progress):
    if progress.done >= after and progress.running:
        os.kill(os.getpid(), signal.SIGKILL)

Batch(platform, ResultStore(workspace.brain_dir / "results.sqlite"), root / "runs" / "b1",
      settings=settings, observer=observe).run(
    [Proposal(SimulationRequest(regular=t, settings=start)) for t in texts])
"""


def on_market(root: Path | None = None, faults: FaultSettings | None = None) -> LocalPlatform:
    workspace = None if root is None else load_workspace(root)
    settings = BrainSettings(simulator=BrainSimulatorSettings(held_days=100, retry_after=1.0))
    return local_platform(workspace, simulate(7, 40, 500, True), settings, faults=faults)


def test_on_the_simulator_faults_change_no_result_and_no_simulation_is_paid_twice(tmp_path: Path) -> None:
    def outcome(name: str, faults: FaultSettings | None) -> list[object]:
        platform = on_market(faults=faults)
        start = platform.default_settings()
        wanted = [
            Proposal(SimulationRequest(regular=f"rank(ts_mean(returns, {w}))", settings=start))
            for w in range(2, 10)
        ]
        try:
            report = Batch(platform, ResultStore(tmp_path / f"{name}.sqlite"), tmp_path / name).run(wanted)
            assert report.lost == ()
            assert len(platform.user_alphas()) == len(wanted)
            return [(r.proposal.request.regular, r.stats, r.failing) for r in report.results]
        finally:
            platform.close()

    faults = FaultSettings(error=0.05, drop=0.03, stale=0.02, throttle=0.02, seed=3)
    assert outcome("rough", faults) == outcome("clean", None)


def test_a_batch_that_was_killed_goes_on_and_pays_for_nothing_twice(tmp_path: Path) -> None:
    root = tmp_path / "w"
    probe = on_market()
    choices = probe.choices()
    universe = choices.universes[choices.regions[0]][0]
    probe.close()
    killed = subprocess.run(
        [sys.executable, "-c", WORKER, str(root), "2", universe],
        capture_output=True,
        timeout=120,
        check=False,
    )
    assert killed.returncode == -signal.SIGKILL, killed.stderr.decode()
    start = SimulationSettings(region=choices.regions[0], universe=universe)
    wanted = [
        Proposal(SimulationRequest(regular=f"rank(ts_mean(returns, {w}))", settings=start))
        for w in range(2, 8)
    ]
    platform = on_market(root)
    try:
        kept = ResultStore(root / "brain" / "results.sqlite")
        before = len(kept.rows())
        assert 2 <= before < 6
        report = Batch(platform, kept, root / "runs" / "b1").run(wanted)
        assert [r.status for r in report.results] == ["completed"] * 6
        assert report.known == before
        codes = [alpha.regular.code for alpha in platform.user_alphas() if alpha.regular]
        assert sorted(codes) == sorted(p.request.regular for p in wanted)
        assert {r.alpha for r in report.results} == {alpha.id for alpha in platform.user_alphas()}
    finally:
        platform.close()
