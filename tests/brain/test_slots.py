from __future__ import annotations

from pathlib import Path

import pytest
from tests.brain.scripted import Scripted, passing

from assay.brain import BAD_EXPRESSION, Proposal, SimulationRequest, SlotsFull, Throttled
from assay.brain._flight import Flight, FlightFile, Job
from assay.brain._queue import Queue
from assay.brain._slots import SlotEngine, SlotSettings
from assay.errors import DataError, ProviderAuth, ProviderQuotaExhausted, Refusal


def jobs(*texts: str, owner: str = "") -> list[Job]:
    made = (Proposal(SimulationRequest(regular=text)) for text in texts)
    return [Job(f"j{number:04d}", proposal, owner=owner) for number, proposal in enumerate(made, 1)]


NINE = tuple(f"ts_mean(close, {window})" for window in range(2, 11))


def test_results_come_in_the_order_of_submission_whatever_the_order_of_arrival() -> None:
    platform = Scripted()
    results = SlotEngine(platform).run(jobs(*NINE))
    assert [r.job for r in results] == [f"j{n:04d}" for n in range(1, 10)]
    assert [r.proposal.request.regular for r in results] == list(NINE)
    assert all(r.status == "completed" and r.sharpe == 0.9 and r.alpha for r in results)


def test_every_slot_is_taken_as_long_as_something_waits() -> None:
    platform = Scripted()
    engine = SlotEngine(platform)
    engine.put(jobs(*NINE))
    while engine.busy:
        engine.step()
        assert len(engine.queue) == 0 or engine.free == 0
    assert platform.most_at_once == 3
    # three waves of ten seconds, and the last poll of each
    assert platform.now < 40


def test_slots_that_others_hold_cost_no_attempt() -> None:
    platform = Scripted(taken_by_others=2)
    seen: list[str] = []
    engine = SlotEngine(platform, on_event=lambda name, job, words: seen.append(name))
    results = engine.run(jobs(*NINE[:4]))
    assert [r.status for r in results] == ["completed"] * 4
    assert platform.most_at_once == 1
    assert "retried" not in seen
    assert engine.started == 4


def test_slots_that_never_come_free_end_the_wait() -> None:
    engine = SlotEngine(Scripted(taken_by_others=3), settings=SlotSettings(timeout=60))
    with pytest.raises(SlotsFull, match="others have held every slot"):
        engine.run(jobs("close"))
    assert len(engine.queue) == 1


def test_a_factor_fault_is_marked_at_once_and_never_tried_again() -> None:
    platform = Scripted()
    platform.faults["start"].append(Refusal(BAD_EXPRESSION, "Unexpected end of input"))
    first, second, third = SlotEngine(platform).run(jobs("rank(", "bad", "close"))
    assert (first.status, first.failure and first.failure.message) == ("failed", "Unexpected end of input")
    assert second.failure is not None
    assert second.failure.message.startswith("Attempted to use unknown variable")
    assert third.status == "completed"
    assert [r.regular for r in platform.posted] == ["bad", "close"]


@pytest.mark.parametrize("method", ["start", "poll", "alpha"])
def test_a_passing_fault_is_no_verdict(method: str) -> None:
    platform = Scripted()
    platform.faults[method].extend(passing() for _ in range(3))
    seen: list[str] = []
    (result,) = SlotEngine(platform, on_event=lambda name, job, words: seen.append(name)).run(jobs("close"))
    assert result.status == "completed"
    assert result.sharpe == 0.9
    assert seen.count("retried") == 3
    assert "background" not in seen
    assert len(platform.posted) == 1


def test_after_the_silent_retries_a_job_goes_on_in_the_background_while_others_run() -> None:
    platform = Scripted(slots=1)
    platform.faults["start"].extend(passing() for _ in range(6))
    seen: list[tuple[str, str]] = []
    engine = SlotEngine(platform, on_event=lambda name, job, words: seen.append((name, job.id)))
    results = engine.run(jobs("close", "open"))
    assert [r.status for r in results] == ["completed", "completed"]
    assert seen.count(("background", "j0001")) == 1
    done = [id_ for name, id_ in seen if name == "finished"]
    assert done == ["j0002", "j0001"]


def test_one_in_the_background_that_runs_there_still_holds_its_slot() -> None:
    running = Flight(jobs("close")[0], "running", "/simulations/s1", background=True)
    posting = Flight(jobs("close")[0], "posting", background=True)
    assert running.holds
    assert not posting.holds


def test_a_job_without_any_answer_is_lost_and_not_failed() -> None:
    platform = Scripted()
    platform.faults["start"].extend(passing() for _ in range(9))
    engine = SlotEngine(platform, settings=SlotSettings(silent_retries=1, background_polls=2))
    results = engine.run(jobs("close", "open"))
    assert [r.proposal.request.regular for r in results] == []
    assert [lost.job.id for lost in engine.lost] == ["j0001", "j0002"]


def test_a_simulation_that_never_ends_is_overdue_and_then_lost() -> None:
    platform = Scripted(never_ends=True)
    engine = SlotEngine(platform, settings=SlotSettings(timeout=60, background_polls=2))
    assert engine.run(jobs("close")) == ()
    assert engine.lost[0].error.kind == "simulation_overdue"


def test_throttling_costs_no_attempt() -> None:
    platform = Scripted()
    platform.faults["poll"].extend(Throttled("THROTTLED", status=429, retry_after=2.0) for _ in range(200))
    (result,) = SlotEngine(platform).run(jobs("close"))
    assert result.status == "completed"
    assert platform.now >= 400


@pytest.mark.parametrize("error", [ProviderAuth("no"), ProviderQuotaExhausted("used up")])
@pytest.mark.parametrize("method", ["start", "poll"])
def test_a_stop_leaves_and_the_journal_goes_on(tmp_path: Path, method: str, error: Exception) -> None:
    journal = FlightFile(tmp_path / "slots.json")
    platform = Scripted()
    platform.faults[method].append(error)  # type: ignore[arg-type]
    wanted = jobs(*NINE[:3])
    with pytest.raises(type(error)):
        SlotEngine(platform, journal=journal).run(wanted)
    again = SlotEngine(platform, journal=journal)
    again.resume(job.id for job in wanted)
    assert [r.job for r in again.run(wanted)] == ["j0001", "j0002", "j0003"]
    assert len(platform.posted) == 3


def test_a_request_whose_reply_was_lost_is_not_paid_twice(tmp_path: Path) -> None:
    journal = FlightFile(tmp_path / "slots.json")
    platform = Scripted()
    platform.faults["started"].append(ProviderAuth("killed here"))
    (job,) = jobs("close")
    with pytest.raises(ProviderAuth):
        SlotEngine(platform, journal=journal).run([job])
    assert [flight.stage for flight in journal.load()] == ["posting"]
    platform.finish("/simulations/s1")
    again = SlotEngine(platform, journal=journal)
    again.resume([job.id])
    assert [r.alpha for r in again.run([job])] == ["As1"]
    assert len(platform.posted) == 1


def test_the_journal_forgets_a_job_only_after_its_result_was_taken(tmp_path: Path) -> None:
    journal = FlightFile(tmp_path / "slots.json")
    known: list[int] = []
    engine = SlotEngine(Scripted(), journal=journal, on_result=lambda r: known.append(len(journal.load())))
    engine.run(jobs("close"))
    assert known == [1]
    assert journal.load() == ()


def test_a_damaged_journal_is_named_and_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "slots.json"
    path.write_text("[{")
    with pytest.raises(DataError, match=r"slots\.json is damaged"):
        FlightFile(path).load()
    assert path.read_text() == "[{"


def test_owners_take_turns() -> None:
    queue = Queue()
    for job in (*jobs("a", "b", "c", owner="one"), *jobs("x", "y", owner="two")):
        queue.put(job)
    order = []
    while (job := queue.take()) is not None:
        order.append(job.proposal.request.regular)
    assert order == ["a", "x", "b", "y", "c"]


def test_what_is_put_back_is_next() -> None:
    queue = Queue()
    for job in (*jobs("a", "b", owner="one"), *jobs("x", owner="two")):
        queue.put(job)
    first = queue.take()
    assert first is not None
    queue.put_back(first)
    again = queue.take()
    assert again == first
    assert len(queue) == 2
