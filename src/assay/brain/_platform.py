"""What everything that searches wants of a platform, be it the real one or the simulator."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, Protocol

from assay.brain._settings import SettingsChoices, SimulationRequest
from assay.brain._wire import (
    Alpha,
    Check,
    Correlations,
    DataFieldInfo,
    DataSetInfo,
    OperatorInfo,
    Quota,
    Recordset,
    Running,
    Simulation,
)

CorrelationKind = Literal["self", "prod", "power-pool"]


@dataclass(frozen=True, slots=True)
class DataIdentity:
    """The data that a platform simulates on, as the ledger knows it.

    Trials are counted under ``name``, those of other desks on the same data among them. ``digest`` changes
    with all that changes the figures of equal settings; empty where nobody can tell, as on the real platform.
    """

    name: str
    digest: str = ""


class Platform(Protocol):
    """A platform, called from one thread. Its errors are those of :mod:`assay.brain._errors`.

    ``name`` tells data and numbers of one platform from those of another (``BRAIN``, ``local:sim``).
    """

    @property
    def name(self) -> str: ...

    @property
    def simulated(self) -> bool:
        """Whether the market is invented; pages must say so."""
        ...

    @property
    def data(self) -> DataIdentity: ...

    @property
    def slots(self) -> int:
        """Simulations that may run at once."""
        ...

    def choices(self) -> SettingsChoices: ...

    def operators(self) -> tuple[OperatorInfo, ...]: ...

    def data_sets(self, search: str = "") -> tuple[DataSetInfo, ...]: ...

    def data_fields(self, data_set: str | None = None, search: str = "") -> tuple[DataFieldInfo, ...]: ...

    def start(self, requests: Sequence[SimulationRequest]) -> str:
        """Start one simulation, or several at once; gives the location to poll.

        Raises
        ------
        SlotsFull
            As many run as may; nothing was started, and nothing is wrong.
        Refusal
            ``bad_settings``, ``bad_expression``.
        """
        ...

    def poll(self, location: str) -> Running | Simulation: ...

    def children(self, parent: Simulation) -> tuple[Simulation, ...]:
        """The simulations of a parent, in the order in which they were asked for."""
        ...

    def alpha(self, alpha_id: str) -> Alpha: ...

    def check(self, alpha_id: str) -> tuple[Check, ...]:
        """All checks of an alpha, those that are PENDING asked for and waited for."""
        ...

    def recordset(self, alpha_id: str, name: str) -> Recordset: ...

    def correlations(self, alpha_id: str, kind: CorrelationKind = "self") -> Correlations: ...

    def user_alphas(
        self, *, status: str | None = None, stage: str | None = None, limit: int | None = None
    ) -> tuple[Alpha, ...]: ...

    def submit(self, alpha_id: str) -> Alpha:
        """Submit an alpha and read it again; whoever calls it has a person's word for it."""
        ...

    def quota(self) -> Quota: ...

    def wait(self, seconds: float) -> None:
        """Let time pass: the platform's own clock, so that a local one need not wait."""
        ...

    def close(self) -> None: ...
