"""The client as a :class:`~assay.brain.Platform`: called from one thread, without asynchronous code."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Coroutine, Sequence
from functools import partial
from typing import Any, TypeVar

from assay.brain._errors import fault_of
from assay.brain._platform import CorrelationKind, DataIdentity
from assay.brain._settings import SettingsChoices, SimulationRequest, SimulationSettings
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
from assay.brain.client._cache import Cached
from assay.brain.client._catalog import DataQuery
from assay.brain.client._choices import default_settings
from assay.brain.client._client import BrainClient
from assay.brain.client._filter import AlphaFilter
from assay.brain.client._session import Session
from assay.errors import AssayError, ProviderError

T = TypeVar("T")


class BlockingClient:
    """A platform over a client, in an event loop of its own on a thread of its own.

    Parameters
    ----------
    client : closed by :meth:`close`.
    name : of the platform, such as ``BRAIN`` or ``local:sim``.
    simulated : whether its market is invented.
    settings : whose region, universe and delay data sets and fields are asked for; by default the usual ones
        where the platform has them, else its first choices.
    """

    def __init__(
        self,
        client: BrainClient,
        name: str,
        simulated: bool,
        settings: SimulationSettings | None = None,
    ) -> None:
        self._client = client
        self._name = name
        self._simulated = simulated
        self._settings = settings
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, name=f"platform {name}", daemon=True)
        self._thread.start()

    def __enter__(self) -> BlockingClient:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _run(self, work: Coroutine[Any, Any, T]) -> T:
        future = asyncio.run_coroutine_threadsafe(work, self._loop)
        try:
            return future.result()
        except BaseException:
            # an interrupted caller must not leave the request running
            future.cancel()
            raise

    def close(self) -> None:
        """Close connections and thread; further calls are an error."""
        if self._loop.is_closed():
            return
        self._run(self._client.close())
        # a request that was given up may still be worked on in this process
        self._run(self._loop.shutdown_default_executor())
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()

    # ---- the account

    @property
    def name(self) -> str:
        return self._name

    @property
    def simulated(self) -> bool:
        return self._simulated

    @property
    def data(self) -> DataIdentity:
        return DataIdentity(self._name)

    @property
    def slots(self) -> int:
        return self._client.settings.concurrent

    @property
    def rates(self) -> dict[str, int]:
        """See :attr:`BrainClient.rates`."""
        return self._client.rates

    @property
    def cached(self) -> tuple[Cached, ...]:
        """See :attr:`BrainClient.cached`."""
        return self._client.cached

    @property
    def last_quota(self) -> tuple[Quota, str] | None:
        """See :attr:`BrainClient.last_quota`."""
        return self._client.last_quota

    def quota(self) -> Quota:
        return self._client.quota

    def login(self, expiry: int | None = None) -> Session:
        """See :meth:`BrainClient.login`."""
        return self._run(self._client.login(expiry))

    def session(self) -> Session | None:
        """See :meth:`BrainClient.session`."""
        return self._run(self._client.session())

    def logout(self) -> ProviderError | None:
        """See :meth:`BrainClient.logout`."""
        return self._run(self._client.logout())

    def wait(self, seconds: float) -> None:
        self._run(self._client.sleep(seconds))

    # ---- what the platform offers

    def default_settings(self) -> SimulationSettings:
        """The settings that this platform takes where nobody says any."""
        if self._settings is None:
            self._settings = default_settings(self.choices())
        return self._settings

    def choices(self) -> SettingsChoices:
        return self._run(self._client.choices())

    def operators(self, *, refresh: bool = False) -> tuple[OperatorInfo, ...]:
        return self._run(self._client.operators(refresh=refresh))

    def data_sets(
        self, search: str = "", *, refresh: bool = False, settings: SimulationSettings | None = None
    ) -> tuple[DataSetInfo, ...]:
        wanted = DataQuery.of(settings or self.default_settings(), search=search)
        return self._run(self._client.data_sets(wanted, refresh=refresh))

    def data_fields(
        self,
        data_set: str | None = None,
        search: str = "",
        *,
        refresh: bool = False,
        settings: SimulationSettings | None = None,
    ) -> tuple[DataFieldInfo, ...]:
        wanted = DataQuery.of(settings or self.default_settings(), data_set=data_set, search=search)
        return self._run(self._client.data_fields(wanted, refresh=refresh))

    # ---- simulations and alphas

    def start(self, requests: Sequence[SimulationRequest]) -> str:
        return self._run(self._client.start(requests))

    def poll(self, location: str) -> Running | Simulation:
        return self._run(self._client.poll(location))

    def children(self, parent: Simulation) -> tuple[Simulation, ...]:
        return self._run(self._client.children(parent))

    def simulate_all(
        self,
        groups: Sequence[Sequence[SimulationRequest]],
        on_result: Callable[[int, tuple[Simulation, ...] | AssayError], None],
        on_progress: Callable[[int, Running], None] | None = None,
    ) -> None:
        """Simulate groups of requests, each in one slot, with all slots busy as long as groups wait.

        ``on_result`` hears, as they end, of each group by its place what came of it, or why nothing did;
        ``on_progress`` how far it is. Both are called on the client's thread, and must not call the client.
        After an error that stops (credentials, quota) no further group is begun.
        """
        waiting = iter(enumerate(groups))
        stopped: AssayError | None = None

        async def slot() -> None:
            nonlocal stopped
            for place, group in waiting:
                try:
                    if stopped is not None:
                        raise stopped
                    tell = None if on_progress is None else partial(on_progress, place)
                    came = await self._client.simulate(group, tell)
                except AssayError as error:
                    stopped = stopped or (error if fault_of(error) == "stop" else None)
                    on_result(place, error)
                else:
                    on_result(place, came)

        async def every() -> None:
            async with asyncio.TaskGroup() as tasks:
                for _ in range(self.slots):
                    tasks.create_task(slot())

        self._run(every())

    def alpha(self, alpha_id: str) -> Alpha:
        return self._run(self._client.alpha(alpha_id))

    def check(self, alpha_id: str) -> tuple[Check, ...]:
        return self._run(self._client.check(alpha_id))

    def recordset(self, alpha_id: str, name: str) -> Recordset:
        return self._run(self._client.recordset(alpha_id, name))

    def correlations(self, alpha_id: str, kind: CorrelationKind = "self") -> Correlations:
        return self._run(self._client.correlations(alpha_id, kind))

    def user_alphas(
        self, *, status: str | None = None, stage: str | None = None, limit: int | None = None
    ) -> tuple[Alpha, ...]:
        return self._run(self._client.user_alphas(AlphaFilter(status=status, stage=stage, limit=limit)))

    def submit(self, alpha_id: str) -> Alpha:
        return self._run(self._client.submit(alpha_id))
