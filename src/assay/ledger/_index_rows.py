"""What the index answers with: places of records, runs, trials and looks."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass, replace

from assay.ledger._keys import TrialKey


@dataclass(frozen=True, slots=True)
class Place:
    """Where a record lies in the log: bytes ``offset`` to ``offset + length``."""

    line: int
    offset: int
    length: int


@dataclass(frozen=True, slots=True)
class RunState:
    """A run as its start, resumes and stops tell it.

    ``stopped`` is the reason of its last stop, None while the run is open. ``data`` are the data sets that
    its inputs name; None where they name none. ``unrecorded`` is that of the last stop, 0 while it is open.
    """

    id: str
    desk: str | None
    data: tuple[str, ...] | None
    started: int
    stopped: str | None
    unrecorded: int

    @property
    def open(self) -> bool:
        return self.stopped is None


@dataclass(frozen=True, slots=True)
class TrialRow:
    """A trial record without what nobody counts by."""

    line: int
    fingerprint: str
    config_hash: str
    data: str | None
    desk: str | None
    run: str | None
    sharpe: float | None
    series: str | None
    p_value: float | None = None

    @property
    def key(self) -> TrialKey:
        return TrialKey(self.fingerprint, self.config_hash)


@dataclass(frozen=True, slots=True)
class LookRow:
    """A look record without its dates; ``plan`` names the object that holds the plan, None in older ones."""

    line: int
    data: str
    period: str
    fingerprint: str
    config_hash: str
    budget: int | None
    run: str | None
    plan: str | None = None

    @property
    def key(self) -> TrialKey:
        return TrialKey(self.fingerprint, self.config_hash)


RunEvent = tuple[int, str, str, str | None, str | None, str | None, int]
"""Line, run, kind, desk, data sets as JSON, reason and unrecorded of a start, a resume or a stop."""


def run_states(events: Iterable[RunEvent]) -> dict[str, RunState]:
    """Runs by id, in order of their start, from their events in order."""
    found: dict[str, RunState] = {}
    for line, run, kind, desk, data, reason, unrecorded in events:
        stopped, missing = None, 0
        if kind == "run_stop":
            stopped, missing = reason or "", unrecorded
        if run in found:
            found[run] = replace(found[run], stopped=stopped, unrecorded=missing)
        else:
            sets = None if data is None else tuple(json.loads(data))
            found[run] = RunState(run, desk, sets, line, stopped, missing)
    return found
