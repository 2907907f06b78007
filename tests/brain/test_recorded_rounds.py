from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import pytest
from tests.brain.scripted import Scripted

from assay.brain import JobResult, Proposal, RecordedRounds, Running, Simulation, SimulationRequest
from assay.brain.search import Batch, ResultStore, SearchRun
from assay.ledger import Ledger

FIRST, SECOND = ("close", "open"), ("high", "low", "volume")


def play(place: Path, platform: Scripted) -> list[JobResult]:
    ledger = Ledger.open(place / "l") if (place / "l").exists() else Ledger.create(place / "l")
    with SearchRun(ledger, "r1", platform, {}) as run, ResultStore(place / "results.sqlite") as store:
        rounds = RecordedRounds(Batch(platform, store, place / "runs", run=run), run)
        return [result for texts in (FIRST, SECOND) for result in rounds.run(proposals(*texts))]


def proposals(*texts: str) -> list[Proposal]:
    return [Proposal(SimulationRequest(regular=text)) for text in texts]


@dataclass
class Mortal(Scripted):
    """Killed at one poll."""

    kill_at: int = -1

    def poll(self, location: str) -> Running | Simulation:
        self.kill_at -= 1
        if self.kill_at == 0:
            raise KeyboardInterrupt
        return super().poll(location)


def test_what_is_in_flight_is_not_paid_twice_in_a_later_round_either(tmp_path: Path) -> None:
    whole = play(tmp_path / "whole", Scripted())
    later = 0
    for kill_at in range(1, 61, 6):
        platform = Mortal(kill_at=kill_at)
        place = tmp_path / f"killed-{kill_at}"
        with pytest.raises(KeyboardInterrupt):
            play(place, platform)
        later += len(platform.posted) > len(FIRST)
        resumed = play(place, platform)
        assert [(item.job, item.stats) for item in resumed] == [(item.job, item.stats) for item in whole]
        assert len(platform.posted) == len(FIRST + SECOND), kill_at
    assert later >= 3
