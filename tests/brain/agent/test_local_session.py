"""Sessions on the local simulator: faults on the wire change no result; the held year stays out of sight."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.brain.agent.desk import Desk, ScriptedPolicy, opens
from tests.brain.agent.test_rounds import without_ids

from assay.brain import Proposal, SimulationRequest
from assay.brain.agent import Creative, Improvement, Task, usual_settings
from assay.brain.agent.policies.sampler import SamplerPolicy
from assay.brain.simulator import FaultSettings, LocalPlatform, held, local_platform
from assay.config import BrainAgentSettings, BrainSettings, BrainSimulatorSettings
from assay.market import Panel, simulate

SETTINGS = BrainSettings(
    simulator=BrainSimulatorSettings(held_days=126), agent=BrainAgentSettings(simulations=14)
)


@pytest.fixture(scope="module")
def panel() -> Panel:
    return simulate(3, instruments=40, days=800, signal=False)


def session(root: Path, platform: LocalPlatform) -> Desk:
    with platform:
        desk = Desk(
            root,
            SamplerPolicy(platform, SETTINGS.agent),  # type: ignore[arg-type]
            platform,
            SETTINGS.agent,
            more={"held": lambda request: held(platform.account.market, request).stats},
        )
        desk.start(Task("reversal of volume", settings=usual_settings(platform.choices())))
    return desk


def test_a_session_under_faults_ends_with_the_results_of_a_clean_one(tmp_path: Path, panel: Panel) -> None:
    clean = session(tmp_path / "clean", local_platform(None, panel, SETTINGS))
    faults = FaultSettings(error=0.05, drop=0.02, stale=0.01, throttle=0.02, seed=5)
    faulty = local_platform(None, panel, SETTINGS, faults=faults, session_requests=60)
    tried = session(tmp_path / "faulty", faulty)
    assert without_ids(tried.export()) == without_ids(clean.export())
    assert clean.export().count(b'"kind":"trial"') == 14
    one, other = tried.state(), clean.state()
    assert [result.sharpe for result in one.results] == [result.sharpe for result in other.results]


def test_no_briefing_holds_a_figure_of_the_held_year(tmp_path: Path, panel: Panel) -> None:
    platform = local_platform(None, panel, SETTINGS)
    settings = usual_settings(platform.choices())

    def first(_: object) -> Creative:
        found = opens("rank(-ts_delta(close, 5))", "rank(volume)")
        return Creative(tuple(_with(item, settings) for item in found.directions))

    policy = ScriptedPolicy([first, Improvement(), Improvement()])
    with platform:
        more = {"held": lambda request: held(platform.account.market, request).stats}
        desk = Desk(tmp_path, policy, platform, SETTINGS.agent, more=more).with_settings(rounds=3)
        report = desk.start(Task("an idea", settings=settings))
    (figures,) = report.held.values()
    told = "".join(map(repr, policy.heard))
    for value in (figures.held.pnl, figures.held.drawdown, figures.held.margin, figures.held.end_date):
        assert value
        assert str(value) not in told
    assert figures.in_sample.end_date
    assert figures.held.start_date
    assert figures.in_sample.end_date < figures.held.start_date
    assert str(figures.in_sample.pnl) in told


def _with(direction, settings):  # type: ignore[no-untyped-def]
    from dataclasses import replace

    proposals = tuple(
        Proposal(SimulationRequest(settings=settings, regular=item.request.regular))
        for item in direction.proposals
    )
    return replace(direction, proposals=proposals)
