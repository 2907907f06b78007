"""Arrival order, delays and faults change no decision: the record of a session is the same."""

from __future__ import annotations

import re
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.brain.agent.desk import Desk, ScriptedPolicy, by_text, improves, opens
from tests.brain.scripted import Scripted, passing

from assay.brain import JobResult, Running, Simulation, SimulationRequest
from assay.brain.agent import Briefing, Creative, Improvement, Status
from assay.errors import ProviderBadReply

FIGURES = by_text(open=-1.7, high=0.9, low=-1.4, volume=1.3)


def eager(briefing: Briefing) -> Improvement:
    """Goes on from what came back last, so that any difference in the results spreads."""
    best = max((result.sharpe, result.job) for result in briefing.latest if result.sharpe is not None)
    window = 3 + round(abs(best[0]) * 10) + briefing.round
    texts = [f"ts_{name}(volume, {window})" for name in ("mean", "sum", "rank", "zscore")]
    return improves(*texts, "ts_mean(bad_name, 3)", *(f"rank({name})" for name in ("open", "low")))


def policy() -> ScriptedPolicy:
    first = opens("rank(close)", "rank(open)", "rank(high)", "rank(low)", "rank(vwap)")
    return ScriptedPolicy([first, eager, eager])


@dataclass
class Uneven(Scripted):
    """Each simulation takes a time of its own."""

    times: Sequence[float] = (10.0,)

    def start(self, requests: Sequence[SimulationRequest]) -> str:
        self.seconds = self.times[len(self.posted) % len(self.times)]
        return super().start(requests)


def played(platform: Scripted) -> bytes:
    """The record of a session on a platform."""
    with tempfile.TemporaryDirectory(prefix="assay-rounds-") as root:
        desk = Desk(Path(root), policy(), platform).with_settings(rounds=4)
        desk.start()
        return desk.export()


def without_ids(export: bytes) -> bytes:
    """A simulation that was posted later than others has another id there."""
    return re.sub(rb'"alpha":"[^"]*"', b'"alpha":""', export)


@pytest.fixture(scope="module")
def plain() -> bytes:
    return played(Uneven(figures=FIGURES))


def test_the_session_that_is_compared_has_everything(plain: bytes) -> None:
    assert plain.count(b'"kind":"trial"') == 15
    assert plain.count(b'"origin":"flip"') == 4


@settings(max_examples=8)
@given(times=st.lists(st.integers(0, 60), min_size=7, max_size=7), slots=st.integers(1, 3))
def test_completion_orders_and_delays_change_no_byte(plain: bytes, times: list[int], slots: int) -> None:
    made = Uneven(figures=FIGURES, times=[float(time) for time in times], slots=slots)
    assert played(made) == plain


METHODS = ("start", "started", "poll", "alpha", "recordset", "user_alphas")


@settings(max_examples=8)
@given(faults=st.lists(st.tuples(st.sampled_from(METHODS), st.integers(1, 5)), max_size=5))
def test_passing_faults_change_no_result(plain: bytes, faults: list[tuple[str, int]]) -> None:
    made = Scripted(figures=FIGURES)
    for method, count in faults:
        made.faults[method].extend([passing()] * count)
    made.faults["poll"].append(ProviderBadReply("HTML instead of JSON"))
    assert without_ids(played(made)) == without_ids(plain)


@dataclass
class Watched(Uneven):
    """Counts slots that are idle at a poll though something waits."""

    desk: Desk | None = None
    polls: int = 0
    idle: list[int] = field(default_factory=list)

    def poll(self, location: str) -> Running | Simulation:
        assert self.desk is not None
        self.polls += 1
        self.idle.append(self.slots - self._taken() if self.desk.waiting() else 0)
        return super().poll(location)

    def _taken(self) -> int:
        assert self.desk is not None
        return self.desk.held()


@pytest.mark.parametrize("times", [(10.0,), (1.0, 50.0, 7.0), (0.0, 0.0, 90.0, 3.0)])
def test_no_slot_is_idle_while_something_waits(tmp_path: Path, times: tuple[float, ...]) -> None:
    platform = Watched(figures=FIGURES, times=times)
    desk = platform.desk = Desk(tmp_path, policy(), platform).with_settings(rounds=4)
    desk.start()
    assert platform.polls > 10
    assert sum(platform.idle) == 0
    assert platform.most_at_once == (3 if min(times) else 2)


def test_results_reach_the_policy_in_the_order_of_submission(tmp_path: Path) -> None:
    platform = Uneven(figures=FIGURES, times=(90.0, 50.0, 10.0, 1.0))
    made = policy()
    Desk(tmp_path, made, platform).with_settings(rounds=4).start()
    for briefing in made.heard:
        jobs = [result.job for result in briefing.results]
        assert jobs == sorted(jobs)
        assert all(isinstance(result, JobResult) for result in briefing.latest)
    assert [result.round for result in made.heard[2].latest] == [1] * 7


def test_a_live_view_sees_phase_slots_queue_directions_and_quota(tmp_path: Path) -> None:
    seen: list[Status] = []
    desk = Desk(tmp_path, policy(), Scripted(figures=FIGURES), more={"observer": seen.append})
    desk.with_settings(rounds=4).start()
    busy = [status for status in seen if any(slot.job for slot in status.slots)]
    assert {len(status.slots) for status in busy} == {3}
    assert max(status.queue for status in seen) >= 2
    assert any(slot.progress == 0.5 for status in busy for slot in status.slots)
    assert seen[-1].best is not None
    assert seen[-1].best.sharpe == 1.7
    assert seen[-1].quota.remaining == 5000 - 15
    assert seen[-1].simulations == 15
    assert seen[-1].message == "ended: rounds"


def test_a_creative_answer_of_the_policy_is_its_own(tmp_path: Path) -> None:
    """A direction of the same answer is told apart by its id, whatever the policy wrote."""
    first = opens("rank(close)")
    wrong = Creative((first.directions[0], first.directions[0].__class__("again", ())))
    report = Desk(tmp_path, ScriptedPolicy([wrong])).with_settings(rounds=1).start()
    assert [direction.id for direction in report.directions] == ["d1"]
