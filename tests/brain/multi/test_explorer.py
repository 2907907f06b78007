from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import pytest

from assay.brain import JobResult, Proposal, Stats
from assay.brain.agent import Briefing, Creative, Improvement, NewDirection, Research, Task
from assay.brain.multi import Explorer
from assay.config import BrainAgentSettings, BrainMultiSettings
from assay.errors import AssayError, ProviderAuth, ProviderBadReply

from ..fakes import Catalogue
from .agents import proposal


class Listed:
    """A policy that answers from lists; an error in them is raised."""

    name = "listed"

    def __init__(
        self,
        create: Sequence[Sequence[str] | Exception],
        improve: Callable[[Briefing], Sequence[Proposal]] = lambda briefing: (),
        **more: Any,
    ) -> None:
        self.answers, self.better, self.more = list(create), improve, more
        self.heard: list[Briefing] = []

    def discover(self) -> str:
        return "found"

    def research(self, briefing: Briefing) -> Research:
        return Research("all")

    def create(self, briefing: Briefing) -> Creative:
        self.heard.append(briefing)
        answer = self.answers.pop(0) if self.answers else ()
        if isinstance(answer, Exception):
            raise answer
        return Creative(tuple(NewDirection("h", (proposal(text),)) for text in answer))

    def improve(self, briefing: Briefing) -> Improvement:
        self.heard.append(briefing)
        return Improvement(tuple(self.better(briefing)), **self.more)


def explorer(policy: Listed, **changes: Any) -> Explorer:
    config = BrainMultiSettings(**changes)
    return Explorer("e1", policy, Catalogue(), Task("an idea"), BrainAgentSettings(), config)


def results(proposals: Sequence[Proposal], sharpe: float = 0.6) -> list[JobResult | None]:
    stats = Stats(sharpe=sharpe, fitness=sharpe, turnover=0.2)
    return [JobResult("x", item, "completed", alpha="a", stats=stats) for item in proposals]


def asked(made: Explorer) -> list[str]:
    return [item.request.regular for item in made.ask()]


def test_it_opens_directions_and_takes_steps_along_them() -> None:
    policy = Listed([["close"], ["open"]], lambda b: [proposal(f"ts_mean(close, {b.round})", "d1")])
    made = explorer(policy)
    first = made.ask()
    assert [(item.request.regular, item.direction) for item in first] == [("close", "e1:d1")]
    made.tell(results(first))
    assert policy.heard[-1].phase == "creative"
    for text in ("ts_mean(close, 2)", "ts_mean(close, 3)", "open"):
        batch = made.ask()
        assert [item.request.regular for item in batch] == [text]
        made.tell(results(batch))
    # what it was told it hears of under its own names
    assert [item.job for item in policy.heard[-1].results] == ["j0001", "j0002", "j0003"]
    assert {item.proposal.direction for item in policy.heard[-1].results} == {"d1"}


def test_its_rounds_are_bounded() -> None:
    made = explorer(Listed([["close"]] * 20), max_explorer_rounds=3)
    made.tell(results(made.ask()))
    assert asked(made) == []
    assert (made.rounds, made.note) == (3, "3 rounds are over")
    assert asked(made) == []


def test_what_cannot_be_simulated_never_leaves_it() -> None:
    policy = Listed([["nonsense + close", "close"]])
    made = explorer(policy)
    batch = made.ask()
    assert [item.request.regular for item in batch] == ["close"]
    made.tell(results(batch))
    made.ask()
    failed = [item for item in policy.heard[1].latest if item.status == "failed"]
    assert failed[0].failure is not None
    assert 'unknown variable "nonsense"' in failed[0].failure.message


def test_a_policy_that_fails_is_asked_again_and_then_given_up() -> None:
    bad = ProviderBadReply("no reply had the form")
    again = explorer(Listed([bad, bad, ["close"]]))
    assert asked(again) == ["close"]
    assert again.note == ""
    given_up = explorer(Listed([bad, bad, bad, ["close"]]))
    assert asked(given_up) == []
    assert given_up.note == "could not answer 3 times: no reply had the form"
    assert asked(given_up) == []


def test_credentials_that_are_gone_stop_the_run() -> None:
    error: AssayError = ProviderAuth("the key is refused")
    with pytest.raises(ProviderAuth):
        asked(explorer(Listed([error])))


def test_what_got_no_answer_is_no_result() -> None:
    policy = Listed([["close", "open"], ["volume"]])
    made = explorer(policy)
    batch = made.ask()
    made.tell([None, *results(batch[1:])])
    made.ask()
    assert [item.proposal.request.regular for item in policy.heard[-1].results] == ["open"]
