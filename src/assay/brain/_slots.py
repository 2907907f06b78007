"""Simulations on a platform, with every slot taken as long as something waits.

The one engine of everything that simulates: agent, batches, templates, optimiser. Results come as they
are done; whoever needs an order sorts by job.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Final, Literal

from assay.brain._errors import SimulationOverdue, SlotsFull, Throttled, fault_of
from assay.brain._flight import Flight, Job, Journal, NoJournal
from assay.brain._platform import Platform
from assay.brain._queue import Queue
from assay.brain._result import Failure, JobResult
from assay.brain._wire import Alpha, Place, Running, Simulation
from assay.config import BrainSettings
from assay.errors import AssayError, ExpressionError, ProviderTransient

EventName = Literal["queued", "started", "adopted", "retried", "background", "finished", "lost"]
Event = Callable[[EventName, Job, str], None]
Finish = Callable[[JobResult], None]

_LONGEST_PAUSE: Final = 300.0
_NEWEST: Final = 50
_DONE: Final = ("COMPLETE", "WARNING")


@dataclass(frozen=True, slots=True)
class SlotSettings:
    """How patient the slots are; times in seconds of the platform's clock.

    Passing faults of a job: ``silent_retries`` at once, then in the background with growing pauses, up to
    ``background_polls``; after that the job is lost, which is no verdict on it. ``timeout``: a simulation
    that runs longer is overdue, which is a passing fault as well.
    """

    silent_retries: int = 3
    background_polls: int = 60
    poll_interval: float = 5.0
    timeout: float = 3600.0

    @classmethod
    def of(cls, settings: BrainSettings) -> SlotSettings:
        """Those of the tables ``[brain.agent]`` and ``[brain.client]``."""
        agent, client = settings.agent, settings.client
        return cls(
            agent.silent_retries, agent.background_polls, client.poll_interval, client.simulation_timeout
        )


@dataclass(frozen=True, slots=True)
class Lost:
    """A job of which nothing is known for good: the network failed, and the factor was never judged."""

    job: Job
    error: AssayError


class SlotEngine:
    """Takes jobs through a platform's slots.

    Parameters
    ----------
    slots : most that run at once; by default as many as the platform has.
    journal : knows what is in flight before a request goes out, and after.
    on_result : called with each result before the journal forgets the job, so that a kill between the two
        costs nothing: the job is asked for again.
    on_event : told of what happens, with the words of a fault.

    An error that is a ``stop`` (credentials, quota) leaves :meth:`step`; what is in flight stays in the
    journal, and a new engine over the same journal goes on.
    """

    def __init__(
        self,
        platform: Platform,
        *,
        slots: int | None = None,
        settings: SlotSettings | None = None,
        journal: Journal | None = None,
        on_result: Finish | None = None,
        on_event: Event | None = None,
    ) -> None:
        self.platform = platform
        self.slots = max(1, min(platform.slots, slots or platform.slots))
        self.settings = settings or SlotSettings()
        self.queue = Queue()
        self.started = 0
        """Simulations that were paid for: requests that the platform took."""
        self.lost: list[Lost] = []
        self._journal = journal or NoJournal()
        self._on_result = on_result or (lambda result: None)
        self._on_event = on_event or (lambda name, job, words: None)
        self._flights: dict[str, Flight] = {}
        self._full_for = 0.0
        self._full_since = 0.0

    @property
    def flights(self) -> tuple[Flight, ...]:
        """What was begun and is not done, oldest first."""
        return tuple(self._flights.values())

    @property
    def free(self) -> int:
        """Slots in which nothing runs."""
        return max(0, self.slots - sum(flight.holds for flight in self._flights.values()))

    @property
    def busy(self) -> bool:
        return bool(self._flights) or len(self.queue) > 0

    def put(self, jobs: Iterable[Job]) -> None:
        """Let jobs wait for a slot."""
        for job in jobs:
            self.queue.put(job)
            self._on_event("queued", job, "")

    def resume(self, wanted: Iterable[str]) -> tuple[Job, ...]:
        """Take up what the journal has in flight of the jobs that are still wanted; gives those jobs.

        A request of which nobody knows whether it arrived is looked for among the account's newest alphas,
        and posted again if it is not there.
        """
        ids = set(wanted)
        kept = [flight for flight in self._journal.load() if flight.job.id in ids]
        for flight in kept:
            self._flights[flight.job.id] = flight
            self._on_event("adopted", flight.job, flight.location)
        return tuple(flight.job for flight in kept)

    def step(self) -> tuple[JobResult, ...]:
        """One pass: look after what is due, fill free slots, and let time pass if nothing came of it.

        Raises
        ------
        AssayError
            A fault that stops the run, or one that keeps every slot taken by others beyond ``timeout``.
        """
        began, finished = 0, []
        for id_ in (*self._flights, ""):
            # before each, so that no slot is idle while the others are looked after
            more, refused = self._fill()
            result = self._tend(id_)
            began += more
            finished += [*refused, *([] if result is None else [result])]
        if not finished and not began and self.busy:
            self._wait()
        return tuple(finished)

    def run(self, jobs: Sequence[Job]) -> tuple[JobResult, ...]:
        """Run jobs to their end; results in the order of submission, without those that were lost.

        Jobs that :meth:`resume` took up are not begun again.
        """
        self.put(job for job in jobs if job.id not in self._flights)
        done: dict[str, JobResult] = {}
        while self.busy:
            done.update((result.job, result) for result in self.step())
        return tuple(done[job.id] for job in jobs if job.id in done)

    # -- beginning

    def _fill(self) -> tuple[int, list[JobResult]]:
        began, refused = 0, []
        while self.free and self._full_for <= 0:
            job = self.queue.take()
            if job is None:
                break
            self._set(Flight(job, "posting"))
            result = self._post(self._flights[job.id])
            if result is not None:
                refused.append(result)
            elif job.id in self._flights:
                began += 1
        return began, refused

    def _post(self, flight: Flight) -> JobResult | None:
        """Start it; a result where the platform refuses the request itself."""
        job = flight.job
        try:
            location = self.platform.start([job.proposal.request])
        except SlotsFull as error:
            self._drop(job)
            self.queue.put_back(job)
            self._full_for = error.retry_after or self.settings.poll_interval
            return None
        except AssayError as error:
            if fault_of(error) == "factor":
                return self._finish(_failed(job, _failure(error)))
            self._passing(flight, error)
            return None
        self.started += 1
        self._full_since = 0.0
        self._set(Flight(job, "running", location))
        self._on_event("started", job, location)
        return None

    # -- looking after

    def _tend(self, id_: str) -> JobResult | None:
        flight = self._flights.get(id_)
        if flight is None or flight.due > 0:
            return None
        try:
            if flight.alpha:
                return self._read(flight)
            if flight.stage == "posting":
                return self._post_again(flight)
            return self._poll(flight)
        except AssayError as error:
            # the request was taken: whatever is said of its location or alpha is no verdict on the factor
            if fault_of(error) == "stop":
                raise
            if fault_of(error) == "factor" and flight.location and not flight.alpha:
                # the platform no longer has it: look for what came of it, and start it anew if nothing did
                flight = replace(flight, stage="posting", location="")
            self._passing(flight, error)
            return None

    def _post_again(self, flight: Flight) -> JobResult | None:
        found = self._arrived(flight.job)
        if found is not None:
            return self._read(replace(flight, stage="running", alpha=found.id))
        if self.free - (not flight.holds) < 0:
            return None
        return self._post(flight)

    def _arrived(self, job: Job) -> Alpha | None:
        """The alpha of a request whose reply was lost, if the account has it."""
        wanted = job.proposal.request
        for alpha in self.platform.user_alphas(limit=_NEWEST):
            if alpha.regular is None or alpha.regular.code != wanted.regular or alpha.in_sample is None:
                continue
            if alpha.request_settings == wanted.settings:
                return alpha
        return None

    def _poll(self, flight: Flight) -> JobResult | None:
        state = self.platform.poll(flight.location)
        if isinstance(state, Running):
            if flight.waited > self.settings.timeout:
                words = f"a simulation has run for {flight.waited:.0f} s"
                raise SimulationOverdue(words, where=flight.location)
            pause = state.retry_after or self.settings.poll_interval
            well = replace(flight, due=pause, progress=state.progress, faults=0, background=False)
            self._flights[flight.job.id] = well
            return None
        return self._ended(flight, state)

    def _ended(self, flight: Flight, simulation: Simulation) -> JobResult | None:
        if simulation.status == "CANCELLED":
            cancelled = ProviderTransient("the platform cancelled the simulation", where=flight.location)
            self._passing(replace(flight, stage="posting", location=""), cancelled)
            return None
        if simulation.status not in _DONE or simulation.alpha is None:
            words = simulation.message or f"the simulation ended with {simulation.status}"
            return self._finish(_failed(flight.job, Failure(words, simulation.location)))
        # its location tells the same after a kill, so the journal need not know
        done = self._flights[flight.job.id] = replace(flight, alpha=simulation.alpha, faults=0)
        return self._read(done)

    def _read(self, flight: Flight) -> JobResult:
        """The figures of its alpha; that they cannot be read now is never a figure of 0."""
        alpha = self.platform.alpha(flight.alpha)
        if alpha.in_sample is None:
            raise ProviderTransient("the alpha has no figures yet", where=flight.alpha)
        job = flight.job
        return self._finish(
            JobResult(
                job=job.id,
                proposal=job.proposal,
                status="completed",
                alpha=alpha.id,
                stats=alpha.in_sample,
                checks=alpha.in_sample.checks,
                round=job.round,
            )
        )

    # -- faults, time and the journal

    def _passing(self, flight: Flight, error: AssayError) -> None:
        """Try again: at once, then in the background; a stop leaves here."""
        if fault_of(error) == "stop":
            raise error
        settings, job = self.settings, flight.job
        retry_after = getattr(error, "retry_after", None)
        if isinstance(error, Throttled):
            self._set(replace(flight, due=retry_after or settings.poll_interval))
            return
        faults = flight.faults + 1
        overdue = isinstance(error, SimulationOverdue)
        if faults > settings.silent_retries + settings.background_polls:
            self.lost.append(Lost(job, error))
            # whoever cannot do without it leaves here: the journal still has it
            self._on_event("lost", job, str(error))
            self._drop(job)
            return
        background = overdue or faults > settings.silent_retries
        beyond = max(0, faults - settings.silent_retries)
        pause = retry_after or min(_LONGEST_PAUSE, settings.poll_interval * 2.0 ** min(beyond, 10))
        self._set(replace(flight, faults=faults, background=background, due=pause))
        if background and not flight.background:
            self._on_event("background", job, str(error))
        else:
            self._on_event("retried", job, str(error))

    def _wait(self) -> None:
        """Until the next flight is due, or a slot of the platform may be free again."""
        pauses = [flight.due for flight in self._flights.values() if flight.due > 0]
        if self._full_for > 0:
            pauses.append(self._full_for)
            if not self._flights:
                self._full_since += self._full_for
        if self._full_since > self.settings.timeout:
            raise SlotsFull(
                f"others have held every slot for {self._full_since:.0f} s",
                fix="wait for their simulations to end, then resume",
            )
        seconds = min(pauses, default=self.settings.poll_interval)
        self.platform.wait(seconds)
        self._flights = {id_: flight.later(seconds) for id_, flight in self._flights.items()}
        self._full_for = max(0.0, self._full_for - seconds)

    def _finish(self, result: JobResult) -> JobResult:
        self._on_result(result)
        job = self._flights[result.job].job
        self._drop(job)
        self._full_for = 0.0
        words = "" if result.failure is None else result.failure.message
        self._on_event("finished", job, words)
        return result

    def _set(self, flight: Flight) -> None:
        self._flights[flight.job.id] = flight
        self._journal.save(self.flights)

    def _drop(self, job: Job) -> None:
        """Forget a job. The journal hears of it with the next: who resumes asks only for what it lacks."""
        self._flights.pop(job.id, None)
        if not self._flights:
            self._journal.save(())


def _failed(job: Job, failure: Failure) -> JobResult:
    return JobResult(job=job.id, proposal=job.proposal, status="failed", failure=failure, round=job.round)


def _failure(error: AssayError) -> Failure:
    place = None
    if isinstance(error, ExpressionError):
        start = error.span.column - 1
        place = Place(line=error.span.line, start=start, end=start + error.span.end - error.span.start)
    return Failure(error.message, place)
