"""Whole sessions of a model on the local simulator, with the real engine."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from assay.brain.agent import (
    Agent,
    KnowledgeBase,
    KnowledgeEntry,
    ReplayPolicy,
    SessionKnowledge,
    SessionReport,
    Task,
    first_difference,
    recorded_calls,
    usual_settings,
)
from assay.brain.agent.policies.model import ROLE, ModelPolicy
from assay.brain.simulator import LocalPlatform, local_platform
from assay.brain.tools import BrainDesk
from assay.config import BackendSettings, BrainAgentSettings, BrainSettings, BrainSimulatorSettings
from assay.ledger import Ledger
from assay.llm import Roles
from assay.market import simulate
from assay.tools import ledger_sink

from ...llm.server import OPENAI_CASES, Answer, Service
from .models import RESEARCH, calls, llm, says

GOOD = "rank(ts_delay(close, 21) / ts_delay(close, 126)) + rank(-ts_std_dev(returns, 21))"
SETTINGS = BrainSettings(
    agent=BrainAgentSettings(simulations=12),
    simulator=BrainSimulatorSettings(held_days=126, retry_after=0),
)


@pytest.fixture(scope="module")
def platform() -> Iterator[LocalPlatform]:
    made = local_platform(None, simulate(seed=7, instruments=150, days=900), SETTINGS)
    yield made
    made.close()


def opening(text: str) -> Answer:
    item = {"hypothesis": "calm winners", "expressions": [{"expression": text}]}
    return says({"type": "submit", "directions": [item]})


DONE = says({"type": "done", "converged": True, "knowledge": [{"topic": "calm winners", "insight": "work"}]})
SCRIPT = (
    calls("brain.list_fields", dataset_id="pv1"),
    says(RESEARCH),
    calls("brain.validate_expression", expression=GOOD),
    opening(GOOD),
    DONE,
)


def roles_of(service: Service, ledger: Ledger, run: str, replayed: str) -> Roles:
    """The clients of a run; ``replayed`` is the run whose calls a backend of kind ``replay`` plays again."""
    settings = llm(service.url)
    if replayed:
        settings = replace(settings, backends={"toy": BackendSettings("toy", "replay", run=replayed)})
    past = recorded_calls(ledger.run(run))
    return Roles.of(
        settings,
        sink=ledger_sink(ledger.run(run)),
        settled=past.settled,
        earlier=past.earlier,
        recorded=lambda name: recorded_calls(ledger.run(name)).settled,
    )


def agent(place: Path, made: LocalPlatform, service: Service, run: str = "s1", replayed: str = "") -> Agent:
    folder = place / "ledger"
    ledger = Ledger.open(folder) if folder.exists() else Ledger.create(folder)
    knowledge = SessionKnowledge(KnowledgeBase(place / f"{run}.json"), 2, 10)
    client = roles_of(service, ledger, run, replayed).client(ROLE)
    policy = ModelPolicy(client, BrainDesk(made, knowledge), SETTINGS.agent)
    return Agent(made, policy, SETTINGS, ledger.run(run), place / run, knowledge=knowledge)


def task(made: LocalPlatform) -> Task:
    return Task("calm winners", settings=usual_settings(made.choices()))


def figures(report: SessionReport) -> list[tuple[str, float | None]]:
    return [(item.proposal.request.regular, item.sharpe) for item in report.results]


def test_a_model_converges_by_criteria(tmp_path: Path, platform: LocalPlatform) -> None:
    with Service(*SCRIPT) as service:
        report = agent(tmp_path, platform, service).start(task(platform))
    assert (report.stop, report.unmet, report.policy) == ("converged", (), "llm")
    assert [text for text, _ in figures(report)] == [GOOD]
    assert report.rounds[0].phase == "creative"
    assert [entry.topic for entry in report.knowledge] == ["calm winners"]
    told = service.seen[-1].body["messages"][1]["content"]
    assert json.dumps(GOOD) in told


def test_a_claim_with_criteria_unmet_is_overruled_and_the_stop_says_so(
    tmp_path: Path, platform: LocalPlatform
) -> None:
    weak = opening("rank(volume)")
    other = opening("rank(open)")
    with Service(SCRIPT[0], SCRIPT[1], weak, DONE, other, DONE) as service:
        report = agent(tmp_path, platform, service).start(task(platform))
    assert report.stop in ("forced", "stalled")
    assert report.unmet


def test_an_outage_pauses_and_the_session_goes_on(tmp_path: Path, platform: LocalPlatform) -> None:
    with Service(*SCRIPT[:3], OPENAI_CASES["500"]) as service:
        paused = agent(tmp_path, platform, service).start(task(platform))
    assert (paused.stop, paused.simulations) == ("paused", 0)
    with Service(*SCRIPT[3:]) as service:
        report = agent(tmp_path, platform, service).resume()
    assert report.stop == "converged"
    assert len(service.seen) == 2  # what was answered before is not asked again


def test_a_replay_makes_no_call_and_ends_alike(tmp_path: Path, platform: LocalPlatform) -> None:
    with Service(*SCRIPT) as service:
        first = agent(tmp_path, platform, service).start(task(platform))
        asked = len(service.seen)
        again = agent(tmp_path, platform, service, "s2", "s1").start(task(platform))
        assert len(service.seen) == asked
    assert figures(again) == figures(first)
    assert again.stop == first.stop


def test_what_was_learned_in_between_stops_neither_a_resume_nor_a_replay(
    tmp_path: Path, platform: LocalPlatform
) -> None:
    look = calls("brain.search_knowledge", keyword="winners")
    with Service(look, OPENAI_CASES["500"]) as service:
        assert agent(tmp_path, platform, service).start(task(platform)).stop == "paused"
    grown = KnowledgeEntry("", "winners", "calm winners go on", ("technical",))
    KnowledgeBase(tmp_path / "s1.json").add([grown])
    with Service(*SCRIPT[1:]) as service:
        report = agent(tmp_path, platform, service).resume()
    assert report.stop == "converged"
    assert "calm winners go on" in json.dumps(service.seen[0].body)
    ledger = Ledger.open(tmp_path / "ledger")
    knowledge = SessionKnowledge(KnowledgeBase(tmp_path / "again" / "kb.json"), 2, 10)
    replay = ReplayPolicy(ledger.run("s1"), knowledge)
    again = Agent(
        platform, replay, SETTINGS, ledger.run("again"), tmp_path / "again-run", knowledge=knowledge
    ).start(replay.task)
    assert first_difference(report, again) == ""
    assert again.knowledge == report.knowledge
