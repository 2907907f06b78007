from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path

import pytest
from tests.brain.agent.desk import PASSED, Desk, ScriptedPolicy, improves, opens, stats
from tests.brain.scripted import Scripted

from assay.brain import Check, JobResult, Proposal, SimulationRequest, Stats
from assay.brain.agent import Improvement, level_of, unmet
from assay.config import BrainAgentSettings

PENDING = (*PASSED[:2], Check(name="SELF_CORRELATION", result="PENDING"))
DONE = Improvement(converged=True)


@dataclass
class Answering(Scripted):
    """``answer`` is what a check that was PENDING comes to; it is given at the ``at``th time of asking."""

    answer: str = "PASS"
    at: int = 1
    asked_for: int = 0

    def check(self, alpha_id: str) -> tuple[Check, ...]:
        self.asked_for += 1
        found = super().check(alpha_id)
        if self.asked_for < self.at:
            return found
        return tuple(
            item if item.result != "PENDING" else item.model_copy(update={"result": self.answer})
            for item in found
        )


def pending(sharpe: float) -> object:
    return lambda request: stats(sharpe, PENDING)


def test_the_policys_word_counts_when_the_criteria_are_met(tmp_path: Path) -> None:
    policy = ScriptedPolicy([opens("rank(close)"), DONE])
    report = Desk(tmp_path, policy, Scripted(figures=lambda request: stats(1.7))).start()
    assert (report.stop, report.level, report.unmet) == ("converged", "good", ())
    assert (report.funnel.above_minimum, report.funnel.all_checks) == (1, 1)


def test_pending_checks_are_asked_for_so_that_the_criteria_can_be_met(tmp_path: Path) -> None:
    platform = Answering(figures=pending(1.4))  # type: ignore[arg-type]
    report = Desk(tmp_path, ScriptedPolicy([opens("rank(close)"), DONE]), platform).start()
    assert (report.stop, report.level) == ("converged", "minimum")
    assert platform.asked_for == 1


def test_a_check_that_took_longer_is_asked_for_once_more_when_it_matters(tmp_path: Path) -> None:
    platform = Answering(figures=pending(1.4), at=2)  # type: ignore[arg-type]
    desk = Desk(tmp_path, ScriptedPolicy([opens("rank(close)"), DONE]), platform)
    report = desk.start()
    assert report.stop == "converged"
    assert report.results[0].pending == ()
    assert desk.state().results == list(report.results)


def test_nobody_asks_for_the_checks_of_an_alpha_that_fails_anyway(tmp_path: Path) -> None:
    platform = Answering(figures=pending(0.4))  # type: ignore[arg-type]
    desk = Desk(tmp_path, ScriptedPolicy([opens("rank(close)"), DONE]), platform).with_settings(rounds=3)
    assert desk.start().stop == "rounds"
    assert platform.asked_for == 0


def test_a_word_that_comes_too_early_is_overruled_and_says_what_is_missing(tmp_path: Path) -> None:
    policy = ScriptedPolicy([opens("rank(close)"), replace(improves("rank(open)"), converged=True)])
    desk = Desk(tmp_path, policy, Scripted(figures=lambda request: stats(1.1))).with_settings(rounds=3)
    report = desk.start()
    assert [line.phase for line in report.rounds] == ["creative", "improvement", "creative"]
    assert "the session goes on; the criteria lack sharpe" in policy.heard[3].remarks
    assert report.simulations == 2


def test_who_insists_is_stopped_by_force_which_says_so(tmp_path: Path) -> None:
    answers = [item for n in range(8) for item in (opens(f"ts_mean(close, {n + 2})"), DONE)]
    failing = (*PASSED[:2], Check(name="SELF_CORRELATION", result="FAIL", limit=0.7, value=0.9))
    platform = Scripted(figures=lambda request: stats(1.7, failing))
    desk = Desk(tmp_path, ScriptedPolicy(answers), platform).with_settings(converge_overrides=2)
    report = desk.start()
    assert (report.stop, report.level, report.unmet) == ("forced", "none", ("SELF_CORRELATION",))
    assert desk.state().overrides == 2
    assert len(report.rounds) == 5
    assert report.check_failures == {"SELF_CORRELATION": 3}


def result(**changes: object) -> JobResult:
    found = Stats(sharpe=1.3, fitness=1.1, turnover=0.3, checks=PASSED).model_copy(update=changes)
    request = SimulationRequest(regular="rank(close)")
    return JobResult("j0001", Proposal(request), "completed", stats=found, checks=found.checks)


@pytest.mark.parametrize(
    ("changes", "missing"),
    [
        ({}, ()),
        ({"sharpe": 1.24}, ("sharpe",)),
        ({"fitness": None}, ("fitness",)),
        ({"turnover": 0.71}, ("turnover",)),
        ({"turnover": 0.009}, ("turnover",)),
        ({"checks": ()}, ("checks",)),
        ({"checks": (Check(name="UNITS", result="WARNING"),)}, ()),
        ({"checks": (Check(name="PROD_CORRELATION", result="PENDING"),)}, ("PROD_CORRELATION pending",)),
        ({"checks": (Check(name="LOW_SHARPE", result="FAIL"),)}, ("LOW_SHARPE",)),
    ],
)
def test_criteria(changes: dict[str, object], missing: tuple[str, ...]) -> None:
    assert unmet(result(**changes), BrainAgentSettings()) == missing


@pytest.mark.parametrize(
    ("fitness", "level"),
    [
        (0.9, "none"),
        (1.0, "minimum"),
        (1.49, "minimum"),
        (1.5, "good"),
        (2.0, "excellent"),
        (2.5, "spectacular"),
    ],
)
def test_levels_are_the_platforms_grades(fitness: float, level: str) -> None:
    assert level_of(result(fitness=fitness), BrainAgentSettings()) == level
