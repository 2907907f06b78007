"""A session without a model on the simulated market: it ends by criteria where there is something to find."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from assay.brain.agent import Agent, KnowledgeBase, SessionKnowledge, SessionReport, Task, usual_settings
from assay.brain.agent.policies.sampler import SamplerPolicy
from assay.brain.simulator import LocalPlatform, local_platform
from assay.config import BrainAgentSettings, BrainSettings, BrainSimulatorSettings
from assay.ledger import Ledger
from assay.market import simulate

BUDGET = 60


@contextmanager
def platform(
    *, seed: int, instruments: int = 300, days: int = 900, signal: bool = True
) -> Iterator[LocalPlatform]:
    panel = simulate(seed=seed, instruments=instruments, days=days, signal=signal)
    settings = BrainSettings(simulator=BrainSimulatorSettings(held_days=126, retry_after=0))
    made = local_platform(None, panel, settings)
    try:
        yield made
    finally:
        made.close()


def session(place: Path, made: LocalPlatform, task: Task, budget: int = BUDGET) -> SessionReport:
    settings = BrainAgentSettings(simulations=budget)
    knowledge = SessionKnowledge(KnowledgeBase(place / "knowledge_base.json"), 2, 10)
    agent = Agent(
        made,
        SamplerPolicy(made, settings),
        BrainSettings(agent=settings),
        Ledger.create(place / "ledger").run("s1"),
        place / "runs" / "s1",
        knowledge=knowledge,
    )
    return agent.start(task)


@pytest.mark.parametrize("idea", ["Momentum combined with low volatility", "动量与低波动结合"])
def test_a_planted_signal_is_found_by_criteria(tmp_path: Path, idea: str) -> None:
    with platform(seed=7) as made:
        report = session(tmp_path, made, Task(idea, settings=usual_settings(made.choices())))
        assert (report.stop, report.unmet) == ("converged", ())
        assert report.level != "none"
        assert report.best is not None
        assert report.best.failing == report.best.pending == ()
        assert report.simulations == report.trials <= BUDGET
        assert KnowledgeBase(tmp_path / "knowledge_base.json").entries()


def test_without_a_signal_it_ends_at_the_budget_and_says_what_is_unmet(tmp_path: Path) -> None:
    with platform(seed=4, days=1200, signal=False) as made:
        report = session(tmp_path, made, Task("momentum", settings=usual_settings(made.choices())), 20)
    assert report.stop == "budget"
    assert report.level == "none"
    assert report.unmet
    assert report.trials == report.simulations == 20


def test_an_expression_is_made_better(tmp_path: Path) -> None:
    task = {"expression": "ts_std_dev(returns, 5)", "critique": "High turnover, try longer lookback"}
    with platform(seed=7, instruments=60, days=700) as made:
        report = session(tmp_path, made, Task(**task, settings=usual_settings(made.choices())))
    first, *others = report.results
    assert first.proposal.request.regular == "ts_std_dev(returns, 5)"
    assert report.best is not None
    assert (report.best.sharpe or 0) > (first.sharpe or 0)
    assert others
