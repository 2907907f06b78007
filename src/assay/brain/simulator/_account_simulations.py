"""Simulations of an account: posted, queued, computed, counted."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Final

from assay.base import Clock
from assay.brain._settings import SimulationRequest
from assay.brain._wire import Quota
from assay.brain.simulator._account_jobs import Bench
from assay.brain.simulator._account_store import Record, Store
from assay.brain.simulator._account_types import EST, Job, JobStatus, NoSlot, QuotaExhausted, draw_id
from assay.brain.simulator._outcome import CodeError, Outcome
from assay.config import BrainSimulatorSettings

_BROKEN: Final = "The simulator failed on this simulation; its log says how."

_log = logging.getLogger("assay.brain.simulator")

Compute = Callable[[SimulationRequest], Outcome | CodeError]
Make = Callable[[Job, Outcome], tuple[str, list[Record]]]
"""Makes an alpha of the outcome of a simulation: gives its id, and what to store."""
Keep = Callable[[Sequence[Record]], None]
"""Takes in what was stored."""


class Simulations:
    """The queue of one account. A simulation takes at least ``settings.retry_after`` seconds.

    Parameters
    ----------
    compute, make, keep : what a simulation is, what becomes of its outcome, and where that goes.
    store : holds those of an earlier process; what was not computed then is computed now.
    seed : of the ids.
    workers : threads that compute ahead; 0 computes what is asked for.
    patience : seconds that :meth:`finished` waits for one that is being computed.
    """

    def __init__(
        self,
        compute: Compute,
        make: Make,
        keep: Keep,
        store: Store,
        settings: BrainSimulatorSettings,
        clock: Clock,
        *,
        seed: int,
        workers: int,
        patience: float,
    ) -> None:
        self._compute, self._make, self._keep, self._store = compute, make, keep, store
        self._settings, self._clock, self._seed, self._patience = settings, clock, seed, patience
        self._lock = threading.RLock()
        self._jobs = {job.id: job for job in store.all("simulation", Job.of)}
        self._names = {job.number: job.id for job in self._jobs.values()}
        self._open = {job.number for job in self._jobs.values() if job.parent is None and not job.done}
        self._bench = Bench(self._work, workers)
        for number in sorted(self._open):
            self._bench.add(number)

    def close(self) -> None:
        """Wait for what is being computed; the rest is computed when the account is opened again."""
        self._bench.close()

    def post(self, requests: Sequence[SimulationRequest]) -> Job:
        """Take one simulation in, or several under a parent.

        Raises
        ------
        NoSlot
            As many run as may.
        QuotaExhausted
            Not so many are left today.
        """
        if len(self._open) >= self._settings.concurrent:
            self.settle_due()
        with self._lock:
            if len(self._open) >= self._settings.concurrent:
                raise NoSlot
            if (self.quota().remaining or 0) < len(requests):
                raise QuotaExhausted
            jobs = self._new_jobs(requests)
            self._put(jobs)
            unit = jobs[0]
            self._open.add(unit.number)
        self._bench.add(unit.number)
        return unit

    def get(self, name: str) -> Job | None:
        """A simulation by its id."""
        with self._lock:
            return self._jobs.get(name)

    def finished(self, name: str) -> Job | None:
        """A simulation that is done; None while it runs. Computes it, or waits a little, where it is due."""
        job = self._jobs[name]
        unit = job if job.parent is None else self._jobs[job.parent]
        if not unit.done and not (self._due(unit) and self._bench.settle(unit.number, self._patience)):
            return None
        job = self._jobs[name]
        return job if job.done else None

    def progress(self, job: Job) -> float:
        """How far one that runs is: 0 while it waits; of several the share that is done."""
        return 0.5 if self._bench.working(job.number) else 0.0

    def quota(self) -> Quota:
        """What is left today, in the platform's time zone."""
        now = self._clock.now().astimezone(EST)
        midnight = datetime.combine(now.date() + timedelta(days=1), datetime.min.time(), EST)
        with self._lock:
            used = sum(
                not job.children and job.posted.astimezone(EST).date() == now.date()
                for job in self._jobs.values()
            )
        return Quota(
            limit=self._settings.daily_simulations,
            remaining=max(0, self._settings.daily_simulations - used),
            reset_seconds=(midnight - now).total_seconds(),
            concurrent=self._settings.concurrent,
        )

    def _due(self, job: Job) -> bool:
        elapsed = (self._clock.now() - job.posted).total_seconds()
        # below 0: an earlier process had a clock that was ahead
        return elapsed < 0 or elapsed >= self._settings.retry_after

    def settle_due(self) -> None:
        """End what has had its time, whether or not anybody asks for it."""
        with self._lock:
            running = [self._jobs[self._names[number]] for number in sorted(self._open)]
        for unit in running:
            if self._due(unit):
                self._bench.settle(unit.number, 0.0)

    def _new_jobs(self, requests: Sequence[SimulationRequest]) -> list[Job]:
        """The job of a request, or a parent followed by its children."""
        posted, first = self._clock.now(), len(self._jobs)
        if first:
            posted = max(posted, self._jobs[self._names[first - 1]].posted)

        def job(number: int, request: SimulationRequest | None, parent: str | None = None) -> Job:
            name = draw_id(self._seed, "simulation", number, 20)
            return Job(name, number, posted, None if request is None else request.wire(), parent)

        if len(requests) == 1:
            return [job(first, requests[0])]
        parent = job(first, None)
        children = [job(first + 1 + row, request, parent.id) for row, request in enumerate(requests)]
        return [replace(parent, children=tuple(child.id for child in children)), *children]

    def _work(self, number: int) -> None:
        unit = self._jobs[self._names[number]]
        jobs = [self._jobs[name] for name in unit.children] or [unit]
        outcomes = [self._outcome(job) for job in jobs]
        # the good siblings of a bad one are given up
        good = all(isinstance(outcome, Outcome) for outcome in outcomes)
        done: list[Job] = []
        records: list[Record] = []
        for job, outcome in zip(jobs, outcomes, strict=True):
            if good and isinstance(outcome, Outcome):
                alpha, more = self._make(job, outcome)
                done.append(replace(job, status=_status(outcome), alpha=alpha))
                records += more
            else:
                done.append(_failed(job, outcome))
        if unit.children:
            done.append(replace(unit, status="COMPLETE" if good else "ERROR"))
        with self._lock:
            self._put(done, records)
            self._keep(records)
            self._open.discard(number)

    def _outcome(self, job: Job) -> Outcome | CodeError | None:
        try:
            return self._compute(job.asked)
        except Exception:  # noqa: BLE001 - one simulation that fails may not stop the queue
            _log.exception("simulation %s failed", job.id)
            return None

    def _put(self, jobs: Sequence[Job], more: Sequence[Record] = ()) -> None:
        self._store.put(*(("simulation", job.id, job.document()) for job in jobs), *more)
        for job in jobs:
            self._jobs[job.id], self._names[job.number] = job, job.id


def _status(outcome: Outcome) -> JobStatus:
    units = any(check.name == "UNITS" and check.result == "WARNING" for check in outcome.stats.checks)
    return "WARNING" if units else "COMPLETE"


def _failed(job: Job, outcome: Outcome | CodeError | None) -> Job:
    if isinstance(outcome, Outcome):
        return replace(job, status="CANCELLED")
    if outcome is None:
        return replace(job, status="FAIL", message=_BROKEN)
    place = None if outcome.place is None else outcome.place.wire()
    return replace(job, status="ERROR", message=outcome.message, location=place)
