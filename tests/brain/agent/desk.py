"""A session over scripted parts: the platform of :mod:`tests.brain.scripted`, and a policy from a list."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from tests.brain.scripted import Scripted

from assay.brain import Check, Platform, Proposal, SimulationRequest, SimulationSettings, Stats
from assay.brain.agent import (
    Agent,
    Briefing,
    Creative,
    Improvement,
    NewDirection,
    Research,
    SessionReport,
    Task,
)
from assay.brain.agent._state import State
from assay.config import BrainAgentSettings, BrainClientSettings, BrainSettings
from assay.ledger import Ledger

Answer = Creative | Improvement | Callable[[Briefing], Creative | Improvement] | Exception

PASSED = tuple(
    Check(name=name, result="PASS", limit=limit, value=limit)
    for name, limit in (("LOW_SHARPE", 1.25), ("LOW_FITNESS", 1.0), ("SELF_CORRELATION", 0.7))
)


@dataclass
class ScriptedPolicy:
    """Answers by the number of the round; after the last answer it has nothing more to say."""

    answers: Sequence[Answer] = ()
    idea: str = "found"
    name: str = "scripted"
    heard: list[Briefing] = field(default_factory=list)

    def discover(self) -> str:
        return self.idea

    def research(self, briefing: Briefing) -> Research:
        self.heard.append(briefing)
        return Research("close and volume", ("prices come back",), ("close", "volume"))

    def create(self, briefing: Briefing) -> Creative:
        found = self._answer(briefing)
        return found if isinstance(found, Creative) else Creative(())

    def improve(self, briefing: Briefing) -> Improvement:
        found = self._answer(briefing)
        return found if isinstance(found, Improvement) else Improvement()

    def _answer(self, briefing: Briefing) -> Any:
        self.heard.append(briefing)
        found = self.answers[briefing.round - 1] if briefing.round <= len(self.answers) else None
        if isinstance(found, Exception):
            raise found
        return found(briefing) if callable(found) else found


def proposal(text: str, direction: str = "", **settings: Any) -> Proposal:
    request = SimulationRequest(regular=text, settings=SimulationSettings(**settings))
    return Proposal(request, direction=direction)


def opens(*texts: str, hypothesis: str = "prices come back") -> Creative:
    """A creative answer with one direction."""
    return Creative((NewDirection(hypothesis, tuple(proposal(text) for text in texts)),))


def improves(*texts: str, direction: str = "d1", **more: Any) -> Improvement:
    return Improvement(tuple(proposal(text, direction) for text in texts), **more)


def by_text(**sharpes: float) -> Callable[[SimulationRequest], Stats | str]:
    """Figures by a word of the expression; 0.5 where none of the words is in it."""

    def figures(request: SimulationRequest) -> Stats:
        found = [value for word, value in sharpes.items() if word in request.regular]
        value = found[0] if found else 0.5
        value = -value if request.regular.startswith("-") else value
        return stats(value)

    return figures


def stats(sharpe: float, checks: Sequence[Check] = PASSED) -> Stats:
    return Stats(sharpe=sharpe, fitness=sharpe - 0.1, turnover=0.3, book_size=20e6, checks=tuple(checks))


@dataclass
class Desk:
    """One workspace with a ledger; a run may be started and gone on with."""

    root: Path
    policy: ScriptedPolicy
    platform: Platform = field(default_factory=Scripted)
    settings: BrainAgentSettings = field(default_factory=BrainAgentSettings)
    client: BrainClientSettings = field(default_factory=BrainClientSettings)
    more: dict[str, Any] = field(default_factory=dict)
    run_id: str = "s1"
    made: Agent = field(init=False)

    @property
    def ledger(self) -> Ledger:
        place = self.root / "ledger"
        return Ledger.open(place) if place.exists() else Ledger.create(place)

    @property
    def folder(self) -> Path:
        return self.root / "runs" / self.run_id

    def agent(self) -> Agent:
        settings = BrainSettings(client=self.client, agent=self.settings)
        run = self.ledger.run(self.run_id)
        self.made = Agent(self.platform, self.policy, settings, run, self.folder, **self.more)
        return self.made

    def waiting(self) -> int:
        """Jobs that wait for a slot now."""
        return self.made._runner.queued

    def held(self) -> int:
        """Slots that are taken now."""
        return sum(view.job is not None for view in self.made._runner.views())

    def start(self, task: Task | None = None) -> SessionReport:
        return self.agent().start(task or Task("prices come back"))

    def resume(self) -> SessionReport:
        return self.agent().resume()

    def with_settings(self, **changes: Any) -> Desk:
        self.settings = replace(self.settings, **changes)
        return self

    def export(self) -> bytes:
        return self.ledger.run(self.run_id).export()

    def state(self) -> State:
        bodies = [entry.body for entry in self.ledger.run(self.run_id).entries(kind="round")]
        return State.of(bodies, self.settings)
