"""Many simulations through a platform's slots: each is paid for once, also after a kill."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final, Literal

from assay.base import folder_lock
from assay.brain._errors import fault_of
from assay.brain._fingerprint import TrialId
from assay.brain._flight import FlightFile, Job, job_id
from assay.brain._platform import Platform
from assay.brain._result import JobResult, Proposal
from assay.brain._slots import EventName, Lost, SlotEngine, SlotSettings
from assay.brain._trials import read_pnl, trial_draft
from assay.brain.search._store import ResultStore
from assay.brain.search._stored import StoredResult
from assay.config import BrainSettings
from assay.errors import ProviderError, Reason, Refusal
from assay.ledger import Run

SLOTS: Final = "slots.json"
BATCH_BUSY: Final = Reason(
    "batch_busy", "another process works on this batch", "wait until it ends, or start another batch"
)
BatchStop = Literal["finished", "budget", "paused"]


@dataclass(frozen=True, slots=True)
class BatchProgress:
    """How a batch stands: proposals that have their result, of how many; what runs, waits, was paid for."""

    done: int
    total: int
    running: int
    queued: int
    background: int
    simulated: int
    budget: int | None
    best: JobResult | None
    message: str = ""


@dataclass(frozen=True, slots=True)
class BatchReport:
    """What came of proposals. Their number is ``len(results) + len(lost) + len(unrun)``.

    Parameters
    ----------
    results : in the order of submission.
    simulated : simulations that were paid for here.
    known : results that the store had, or that another proposal of the batch had.
    lost : jobs that no platform gave an answer to; no verdict on them.
    unrun : proposals that were not begun: the budget was spent, or the batch had to pause.
    """

    results: tuple[JobResult, ...]
    simulated: int
    known: int
    lost: tuple[Lost, ...]
    unrun: tuple[Proposal, ...]
    stop: BatchStop
    message: str = ""

    @property
    def failed(self) -> int:
        """Proposals whose factor failed."""
        return sum(result.status == "failed" for result in self.results)


Observer = Callable[[BatchProgress], None]


class Batch:
    """Runs proposals on a platform and keeps their results.

    A result is in the ledger (as a trial) and in the store before the slots forget it. So the same
    proposals can be run again at any time, after a pause or a kill: what is known costs nothing, what was in
    flight is looked after, the rest is simulated.

    Parameters
    ----------
    store : keeps results; what it knows of this platform is not simulated again.
    folder : of the run; ``slots.json`` there knows what is in flight. One process at a time works on it.
    run : of the ledger, open, for the trials; None records none.
    budget : simulations that may be paid for in all.
    """

    def __init__(
        self,
        platform: Platform,
        store: ResultStore,
        folder: Path,
        *,
        settings: BrainSettings | None = None,
        run: Run | None = None,
        budget: int | None = None,
        agent: str = "batch",
        observer: Observer | None = None,
    ) -> None:
        self._platform, self._store, self._folder = platform, store, folder
        self._settings, self._run, self._agent = settings or BrainSettings(), run, agent
        self._budget, self._observer = budget, observer
        self._simulated = 0
        self._numbered = 0
        self._keys: dict[str, TrialId] = {}
        self._done: dict[str, JobResult] = {}
        self._total = 0
        self._engine: SlotEngine | None = None

    @property
    def remaining(self) -> int | None:
        """Simulations that may still be paid for; None without a budget."""
        return None if self._budget is None else max(0, self._budget - self._simulated)

    def run(self, proposals: Sequence[Proposal]) -> BatchReport:
        """Bring each proposal to its result.

        A fault that stops (credentials, a quota, an outage that lasts) pauses the batch: its report says
        so, and nothing is lost.

        Raises
        ------
        Refusal
            ``batch_busy``; ``ledger_busy``.
        DataError
            ``slots.json`` or the store is damaged.
        """
        self._folder.mkdir(parents=True, exist_ok=True)
        with folder_lock(self._folder, 0.0, BATCH_BUSY):
            return self._run_all(proposals)

    def skip(self, count: int) -> None:
        """Count so many proposals as done elsewhere, so that jobs of a run that goes on keep their ids.

        What is in flight is found by them.
        """
        self._numbered += count

    def _run_all(self, proposals: Sequence[Proposal]) -> BatchReport:
        jobs = self._jobs(proposals)
        first = self._firsts(jobs)
        self._done = self._stored(first.values())
        self._total = len(jobs)
        engine = self._engine = self._new_engine()
        flying = self._adopt(engine, [job for job in first.values() if job.id not in self._done])
        waiting = [job for job in first.values() if job.id not in self._done and job.id not in flying]
        allowed = len(waiting) if self.remaining is None else self.remaining
        engine.put(waiting[:allowed])
        stop: BatchStop = "finished" if allowed >= len(waiting) else "budget"
        message = "" if stop == "finished" else f"the budget of {self._budget} simulations is spent"
        known = len(jobs) - len(flying) - len(waiting)
        try:
            while engine.busy:
                engine.step()
                self._tell("")
        except ProviderError as error:
            stop, message = "paused", error.message
        except Refusal as refusal:
            if fault_of(refusal) != "stop":
                raise
            stop, message = "paused", refusal.message
        finally:
            self._simulated += engine.started
        return self._report(jobs, first, engine, known, stop, message)

    # -- jobs

    def _jobs(self, proposals: Sequence[Proposal]) -> list[Job]:
        jobs = []
        for proposal in proposals:
            self._numbered += 1
            jobs.append(Job(job_id(self._numbered), proposal))
        return jobs

    def _firsts(self, jobs: Sequence[Job]) -> dict[TrialId, Job]:
        """The first job of each trial: what is proposed twice is simulated once."""
        found: dict[TrialId, Job] = {}
        for job in jobs:
            key = self._keys[job.id] = TrialId.of(job.proposal.request)
            found.setdefault(key, job)
        return found

    def _stored(self, jobs: Iterable[Job]) -> dict[str, JobResult]:
        found = {}
        for job in jobs:
            mark = self._keys[job.id].fingerprint
            name, digest = self._platform.name, self._platform.data.digest
            kept = self._store.get(job.proposal.request, platform=name, digest=digest, mark=mark)
            if kept is not None:
                found[job.id] = replace(kept.result, job=job.id, proposal=job.proposal)
        return found

    def _adopt(self, engine: SlotEngine, jobs: Sequence[Job]) -> set[str]:
        """Take up what is in flight, if it is of the same request."""
        asked = {job.id: job.proposal.request for job in jobs}
        flights = FlightFile(self._folder / SLOTS).load()
        same = [f.job.id for f in flights if asked.get(f.job.id) == f.job.proposal.request]
        return {job.id for job in engine.resume(same)}

    def _new_engine(self) -> SlotEngine:
        return SlotEngine(
            self._platform,
            slots=self._settings.agent.slots,
            settings=SlotSettings.of(self._settings),
            journal=FlightFile(self._folder / SLOTS),
            on_result=self._keep,
            on_event=self._heard,
        )

    # -- results

    def _keep(self, found: JobResult) -> None:
        """A result into the ledger and the store; what it lacks is asked for first."""
        result = replace(found, fingerprint=self._keys[found.job].fingerprint)
        if result.alpha is not None:
            pnl, data = read_pnl(self._platform, result.alpha), self._platform.data
            result = self._answered(result, result.alpha)
            if self._run is not None:
                self._run.append_many([trial_draft(self._run.ledger, result, pnl, data=data)])
        run = "" if self._run is None else self._run.id
        name, digest = self._platform.name, self._platform.data.digest
        self._store.put([result], platform=name, digest=digest, run=run, agent=self._agent)
        self._done[result.job] = result

    def _answered(self, result: JobResult, alpha: str) -> JobResult:
        """With answers to the checks that are pending, where nothing else stands against the alpha."""
        passes = StoredResult(result, self._platform.name).passes(self._settings.simulator.level)
        if not result.pending or not passes:
            return result
        return replace(result, checks=self._platform.check(alpha) or result.checks)

    def _report(
        self,
        jobs: Sequence[Job],
        first: dict[TrialId, Job],
        engine: SlotEngine,
        known: int,
        stop: BatchStop,
        message: str,
    ) -> BatchReport:
        results, unrun = [], []
        lost = {item.job.id for item in engine.lost}
        for job in jobs:
            source = first[self._keys[job.id]].id
            if source in self._done:
                results.append(replace(self._done[source], job=job.id, proposal=job.proposal))
            elif job.id not in lost:
                unrun.append(job.proposal)
        return BatchReport(
            results=tuple(results),
            simulated=engine.started,
            known=known,
            lost=tuple(engine.lost),
            unrun=tuple(unrun),
            stop=stop,
            message=message,
        )

    # -- what is told

    def _heard(self, name: EventName, job: Job, words: str) -> None:
        if name in ("background", "lost"):
            state = "waits in the background" if name == "background" else "was given up, without a verdict"
            self._tell(f"{job.id} {state}: {words}")

    def _tell(self, message: str) -> None:
        if self._observer is None or self._engine is None:
            return
        flights = self._engine.flights
        self._observer(
            BatchProgress(
                done=len(self._done),
                total=self._total,
                running=sum(flight.holds for flight in flights),
                queued=len(self._engine.queue),
                background=sum(flight.background for flight in flights),
                simulated=self._simulated + self._engine.started,
                budget=self._budget,
                best=_best(self._done.values()),
                message=message,
            )
        )


def _best(results: Iterable[JobResult]) -> JobResult | None:
    return max(
        (result for result in results if result.sharpe is not None),
        key=lambda result: result.sharpe or 0.0,
        default=None,
    )
