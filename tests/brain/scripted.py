"""A platform whose figures are a function of the request, with faults on call: for fault injection."""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from tests.brain.fakes import Catalogue

from assay.brain import (
    Alpha,
    Check,
    Column,
    CorrelationKind,
    Correlations,
    Quota,
    Recordset,
    Running,
    Simulation,
    SimulationRequest,
    SlotsFull,
    Stats,
)
from assay.brain._platform import DataIdentity
from assay.errors import AssayError, ProviderTransient

Figures = Callable[[SimulationRequest], Stats | str]
DAYS = tuple(f"2020-{month:02d}-{day:02d}" for month in range(1, 13) for day in range(1, 29))


def steady(request: SimulationRequest) -> Stats | str:
    """Figures that depend on the settings alone; an expression with ``bad`` in it fails."""
    if "bad" in request.regular:
        return 'Attempted to use unknown variable "bad"'
    decay = request.settings.decay
    value = (
        1.0
        + {"SECTOR": 0.4, "INDUSTRY": 0.3}.get(request.settings.neutralization, 0.0)
        - abs(decay - 10) / 50
    )
    return Stats(
        sharpe=round(value, 2), fitness=round(value - 0.2, 2), turnover=0.3, long_count=50, short_count=50
    )


@dataclass
class Scripted(Catalogue):
    """``seconds`` is how long a simulation takes; ``faults`` are raised by the next calls of a method."""

    figures: Figures = steady
    seconds: float = 10.0
    name: str = "scripted"
    faults: dict[str, deque[AssayError]] = field(default_factory=lambda: defaultdict(deque))
    now: float = 0.0
    posted: list[SimulationRequest] = field(default_factory=list)
    most_at_once: int = 0
    taken_by_others: int = 0
    never_ends: bool = False
    _jobs: dict[str, tuple[SimulationRequest, float]] = field(default_factory=dict)
    _alphas: dict[str, Alpha] = field(default_factory=dict)

    @property
    def data(self) -> DataIdentity:
        return DataIdentity(self.name)

    def _fault(self, method: str) -> None:
        if self.faults[method]:
            raise self.faults[method].popleft()

    @property
    def running(self) -> int:
        return sum(ends > self.now for _, ends in self._jobs.values())

    def start(self, requests: Sequence[SimulationRequest]) -> str:
        self._fault("start")
        if self.running + self.taken_by_others >= self.slots:
            raise SlotsFull("CONCURRENT_SIMULATION_LIMIT_EXCEEDED", status=429)
        location = f"/simulations/s{len(self._jobs) + 1}"
        ends = float("inf") if self.never_ends else self.now + self.seconds
        self._jobs[location] = (requests[0], ends)
        self.posted.append(requests[0])
        self.most_at_once = max(self.most_at_once, self.running)
        self._fault("started")
        return location

    def poll(self, location: str) -> Running | Simulation:
        self._fault("poll")
        request, ends = self._jobs[location]
        if ends > self.now:
            return Running(progress=0.5, retry_after=1.0)
        id_ = location.rsplit("/", 1)[1]
        found = self.figures(request)
        if isinstance(found, str):
            return Simulation(id=id_, status="ERROR", regular=request.regular, message=found)
        self._alphas[f"A{id_}"] = _alpha(f"A{id_}", request, found)
        return Simulation(id=id_, status="COMPLETE", alpha=f"A{id_}")

    def children(self, parent: Simulation) -> tuple[Simulation, ...]:
        return ()

    def alpha(self, alpha_id: str) -> Alpha:
        self._fault("alpha")
        return self._alphas[alpha_id]

    def check(self, alpha_id: str) -> tuple[Check, ...]:
        self._fault("check")
        stats = self._alphas[alpha_id].in_sample
        return () if stats is None else stats.checks

    def recordset(self, alpha_id: str, name: str) -> Recordset:
        self._fault("recordset")
        if name != "daily-pnl":
            return Recordset(name=name)
        stats = self._alphas[alpha_id].in_sample
        assert stats is not None
        drift = (stats.sharpe or 0.0) * 100.0
        rows = tuple((day, drift + (1000.0 if index % 2 else -1000.0)) for index, day in enumerate(DAYS))
        return Recordset(name=name, columns=(Column(name="date"), Column(name="daily-pnl")), records=rows)

    def correlations(self, alpha_id: str, kind: CorrelationKind = "self") -> Correlations:
        self._fault("correlations")
        return Correlations(kind=kind)

    def user_alphas(
        self, *, status: str | None = None, stage: str | None = None, limit: int | None = None
    ) -> tuple[Alpha, ...]:
        self._fault("user_alphas")
        newest = [a for a in reversed(self._alphas.values()) if status in (None, a.status)]
        return tuple(newest[:limit])

    def submit(self, alpha_id: str) -> Alpha:
        raise AssertionError("nobody submits here")

    def quota(self) -> Quota:
        return Quota(limit=5000, remaining=5000 - len(self.posted))

    def wait(self, seconds: float) -> None:
        self.now += max(seconds, 0.01)

    def close(self) -> None:
        return None

    def finish(self, location: str) -> None:
        """Let a simulation be read as an alpha without anybody polling it."""
        request, _ = self._jobs[location]
        found = self.figures(request)
        assert isinstance(found, Stats)
        id_ = location.rsplit("/", 1)[1]
        self._alphas[f"A{id_}"] = _alpha(f"A{id_}", request, found)


def _alpha(id_: str, request: SimulationRequest, stats: Stats) -> Alpha:
    return Alpha.model_validate(
        {
            "id": id_,
            "settings": request.settings.wire(),
            "regular": {"code": request.regular},
            "is": stats.wire(),
        }
    )


def passing(status: int = 503) -> ProviderTransient:
    return ProviderTransient(f"HTTP {status}", status=status)
