"""The jobs of a round, run to their end and handed on in the order of submission."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

from assay.brain._errors import SimulationOverdue, fault_of
from assay.brain._flight import Flight, Job
from assay.brain._platform import Platform
from assay.brain._result import DailyPnl, JobResult
from assay.brain._slots import EventName, SlotEngine, SlotSettings
from assay.brain._trials import read_pnl
from assay.brain.agent._criteria import good_figures
from assay.brain.agent._journal import RoundJournal
from assay.brain.agent._types import SlotView
from assay.config import BrainSettings
from assay.errors import Refusal

SLOTS: Final = "slots.json"
_NO_PNL: Final = DailyPnl((), ())


@dataclass(frozen=True, slots=True)
class Finished:
    """A job with its result and, where it completed, its daily PnL."""

    result: JobResult
    pnl: DailyPnl = _NO_PNL


@dataclass(frozen=True, slots=True)
class GivenUp:
    """A job that never ended: that says nothing about the expression."""

    job: str
    message: str


Record = Callable[[Finished | GivenUp], Job | None]
"""Takes an outcome, in the order of submission; gives the job that follows from it, if any."""
Tell = Callable[[str], None]


class Runner:
    """Runs jobs on a platform through its slots.

    Parameters
    ----------
    folder : of the run; ``slots.json`` there knows what is in flight.
    tell : is called whenever something has changed, with a line for the reader or nothing.
    """

    def __init__(self, platform: Platform, settings: BrainSettings, folder: Path, tell: Tell) -> None:
        self._platform, self._settings, self._tell = platform, settings, tell
        self._journal = RoundJournal(folder / SLOTS)
        self._done: dict[str, Finished | GivenUp] = {}
        self._engine = SlotEngine(
            platform,
            slots=settings.agent.slots,
            settings=SlotSettings.of(settings),
            journal=self._journal,
            on_result=self._take,
            on_event=self._heard,
        )

    @property
    def queued(self) -> int:
        """Jobs that wait for a slot."""
        return len(self._engine.queue)

    @property
    def background(self) -> int:
        """Jobs whose network failed too often to keep silent about; they go on being asked for."""
        return sum(flight.background for flight in self._engine.flights)

    def views(self) -> tuple[SlotView, ...]:
        """The slots, idle ones last."""
        busy = [_view(flight) for flight in self._engine.flights if flight.holds]
        return (*busy, *(SlotView() for _ in range(self._engine.slots - len(busy))))

    def run(self, jobs: Iterable[Job], record: Record) -> None:
        """Run jobs, and those that follow from them; what was started before is taken up.

        Raises
        ------
        ProviderError
            An outage lasts, or credentials or a quota are gone. Nothing is lost: run the same jobs again.
        """
        order = deque(jobs)
        flying = {job.id for job in self._engine.resume(job.id for job in order)}
        self._engine.put(job for job in order if job.id not in flying)
        while order:
            self._engine.step()
            while order and order[0].id in self._done:
                job = order.popleft()
                following = record(self._done.pop(job.id))
                self._journal.release(job.id)
                if following is not None:
                    order.append(following)
                    self._engine.put([following])
            self._tell("")

    def _take(self, result: JobResult) -> None:
        """A result as it comes; what it lacks is asked for, and if that fails it is asked for again."""
        self._done[result.job] = (
            Finished(result) if result.alpha is None else self._full(result, result.alpha)
        )
        self._journal.hold(result.job)

    def _full(self, result: JobResult, alpha: str) -> Finished:
        """With the answers to checks where nothing else is missing, and with the daily PnL."""
        if result.pending and good_figures(result, self._settings.agent):
            result = replace(result, checks=self._platform.check(alpha) or result.checks)
        return Finished(result, self._pnl(alpha))

    def _pnl(self, alpha: str) -> DailyPnl:
        try:
            return read_pnl(self._platform, alpha)
        except Refusal as refusal:
            if fault_of(refusal) == "stop":
                raise
            return _NO_PNL  # not every platform keeps it

    def _heard(self, name: EventName, job: Job, words: str) -> None:
        if name == "background":
            self._tell(f"{job.id} waits in the background: {words}")
        if name != "lost":
            return
        error = self._engine.lost[-1].error
        if not isinstance(error, SimulationOverdue):
            raise error
        text = f"{job.id} was given up, which says nothing about the expression: {words}"
        self._done[job.id] = GivenUp(job.id, text)
        self._tell(text)


def _view(flight: Flight) -> SlotView:
    return SlotView(flight.job.id, flight.job.proposal.request.regular, flight.progress)
