"""The pipeline on the simulated market, with the ledger, the store, and a resume."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

from assay.brain import Proposal, RecordedRounds
from assay.brain.agent import usual_settings
from assay.brain.search import Batch, ResultStore, SearchRun
from assay.brain.simulator import LocalPlatform, local_platform
from assay.brain.templates import Expansion, Inventory, Pipeline, PipelineReport, catalogue, pick
from assay.config import BrainPipelineSettings, BrainSettings, BrainSimulatorSettings
from assay.ledger import Ledger, Scope
from assay.market import Panel, simulate

SETTINGS = BrainSettings(simulator=BrainSimulatorSettings(held_days=126, retry_after=0))
THRESHOLDS = BrainPipelineSettings(simulations=24, expand_sharpe=0.6, expand_fitness=0.3, watch_sharpe=0.3)


@pytest.fixture(scope="module")
def panel() -> Panel:
    return simulate(seed=7, instruments=40, days=700)


@pytest.fixture
def platform(panel: Panel) -> Iterator[LocalPlatform]:
    made = local_platform(None, panel, SETTINGS)
    yield made
    made.close()


class Killed:
    """A batch that is killed within its second run."""

    def __init__(self, batch: Batch) -> None:
        self.batch, self.runs = batch, 0

    def run(self, proposals: Sequence[Proposal]) -> Any:
        self.runs += 1
        if self.runs == 2:
            self.batch.run(proposals[:2])
            raise KeyboardInterrupt
        return self.batch.run(proposals)


def play(place: Path, platform: LocalPlatform, *, kill: bool = False) -> PipelineReport:
    place.mkdir(exist_ok=True)
    ledger = Ledger.open(place / "l") if (place / "l").exists() else Ledger.create(place / "l")
    with SearchRun(ledger, "pipeline-1", platform, {"settings": "same"}) as run:
        store = ResultStore(place / "results.sqlite")
        batch: Any = Batch(platform, store, place / "runs", settings=SETTINGS, run=run)
        rounds = RecordedRounds(Killed(batch) if kill else batch, run)
        templates = pick(["TPL_LOWVOL_RETURNS_V1", "TPL_REVERSAL_RETURN_V1", "TPL_MOMENTUM_CALM_V1"])
        base = usual_settings(platform.choices())
        return Pipeline(templates, Inventory.of(platform), rounds, THRESHOLDS, base).run()


def test_every_built_in_template_gives_something_on_the_simulated_market(platform: LocalPlatform) -> None:
    inventory = Inventory.of(platform)
    assert [problem for item in catalogue() for problem in Expansion(item, inventory).problems()] == []


def test_a_pipeline_finds_the_calm(tmp_path: Path, platform: LocalPlatform) -> None:
    report = play(tmp_path, platform)
    assert len(report.results) == 24
    assert all(result.status == "completed" for result in report.results)
    assert {decision.verdict for decision in report.decisions} >= {"EXPAND", "WATCH"}
    expanded = [item for item in report.decisions if item.expanded]
    assert expanded
    assert all(item.verdict == "EXPAND" for item in expanded)
    assert report.best is not None
    assert Ledger.open(tmp_path / "l").trials(Scope(desk="brain")).n == 24
    figures = {result.alpha: result.sharpe for result in report.results}
    told = {alpha.id: alpha.in_sample.sharpe for alpha in platform.user_alphas() if alpha.in_sample}
    assert figures == told


def test_a_pipeline_that_was_killed_goes_on(tmp_path: Path, panel: Panel, platform: LocalPlatform) -> None:
    whole = play(tmp_path / "whole", platform)
    other = local_platform(None, panel, SETTINGS)
    try:
        with pytest.raises(KeyboardInterrupt):
            play(tmp_path / "killed", other, kill=True)
        resumed = play(tmp_path / "killed", other)
        assert len(other.user_alphas()) == 24  # none was paid for twice
    finally:
        other.close()
    assert resumed.decisions == whole.decisions
    asked = [[item.proposal for item in report.results] for report in (resumed, whole)]
    assert asked[0] == asked[1]
