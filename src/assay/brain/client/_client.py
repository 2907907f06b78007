"""The client of the platform, asynchronous."""

from __future__ import annotations

import asyncio
import random
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import httpx

from assay.brain._platform import CorrelationKind
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
from assay.brain.client._alphas import Alphas
from assay.brain.client._cache import QUOTA, Cache, Cached
from assay.brain.client._calls import Calls
from assay.brain.client._catalog import Catalog, DataQuery
from assay.brain.client._credentials import Credentials
from assay.brain.client._filter import AlphaFilter
from assay.brain.client._http import Http
from assay.brain.client._patience import Patience, Sleep
from assay.brain.client._session import Session, Sessions
from assay.brain.client._session_file import SessionFile
from assay.brain.client._simulations import Simulations
from assay.brain.client._submit import submit
from assay.config import BrainClientSettings
from assay.errors import ProviderError

Requests = SimulationRequest | Sequence[SimulationRequest]


class BrainClient:
    """The platform, or what speaks like it. Use as an asynchronous context, within one event loop.

    A session begins with the first request that needs one, and is renewed. Passing errors are tried again,
    429 is waited for; what stays is raised as one of :mod:`assay.brain._errors` or a
    :class:`~assay.errors.ProviderError`. Neither password nor cookie is in any of them.

    Parameters
    ----------
    settings : address, patience, slots.
    credentials : the account.
    transport : instead of the network.
    clock : seconds that only count up.
    sleep : waits so many seconds.
    draw : a number from [0, 1), for the jitter of own pauses.
    on_biometric : shown the address where a person has to sign in; without it
        :class:`~assay.brain.BiometricRequired` is raised.
    cache : folder for lists of data sets, fields, operators and choices.
    session_file : file that keeps the session between two clients.
    note : hears what a person should know, such as a damaged cache.

    Raises
    ------
    Refusal
        ``host_not_allowed``: credentials may not go to this address.
    """

    def __init__(
        self,
        settings: BrainClientSettings,
        credentials: Credentials,
        *,
        transport: httpx.AsyncBaseTransport | None = None,
        clock: Callable[[], float] | None = None,
        sleep: Sleep | None = None,
        draw: Callable[[], float] | None = None,
        on_biometric: Callable[[str], None] | None = None,
        cache: Path | None = None,
        session_file: Path | None = None,
        note: Callable[[str], None] | None = None,
    ) -> None:
        clock, sleep, hear = clock or time.monotonic, sleep or asyncio.sleep, note or _unheard
        self.settings = settings
        self._http = Http(settings, credentials, transport=transport)
        origin = self._http.address.url("")
        file = None if session_file is None else SessionFile.of(session_file, origin, credentials)
        self._sessions = Sessions(
            self._http, settings, clock=clock, sleep=sleep, on_biometric=on_biometric, file=file
        )
        self._patience = Patience(settings.attempts, sleep, draw or random.random)
        self._calls = Calls(self._http, self._sessions, self._patience, settings, clock, sleep)
        self._alphas = Alphas(self._calls, hear)
        self._simulations = Simulations(self._calls, self._alphas)
        self._catalog = Catalog(self._calls, Cache(cache, hear), hear)
        self._sleep = sleep

    async def __aenter__(self) -> BrainClient:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    async def close(self) -> None:
        """Close the connections; the session goes on until it ends or :meth:`logout`."""
        if self.quota != Quota():
            self._catalog.cache.save(QUOTA, (), [self.quota.wire()])
        await self._http.close()

    # ---- session and limits

    async def login(self, expiry: int | None = None) -> Session:
        """Sign in now, for ``expiry`` seconds (1 to 14400) where they are given.

        Raises
        ------
        ProviderAuth
            The credentials are refused, or too many sign-ins failed.
        BiometricRequired
            A person has to sign in at ``url``.
        """
        return await self._patience(lambda: self._sessions.login(expiry))

    async def session(self) -> Session | None:
        """What the platform says of the session; None where there is none. It never signs in."""
        return await self._patience(self._sessions.ask)

    async def logout(self) -> ProviderError | None:
        """End the session, here in any case.

        Returns why the platform did not end it, too, so that it lasts there until it expires; else None.
        """
        try:
            await self._patience(self._sessions.logout)
        except ProviderError as error:
            await self._sessions.forget()
            return error
        return None

    @property
    def quota(self) -> Quota:
        """What the platform said last about the simulations of the day."""
        return self._http.told.quota

    @property
    def rates(self) -> dict[str, int]:
        """What the platform said last about requests: limit and remaining, of a minute and a second."""
        return dict(self._http.told.rates)

    @property
    def last_quota(self) -> tuple[Quota, str] | None:
        """What another client of this cache was told last, and when (UTC)."""
        found = self._catalog.cache.load(QUOTA, ())
        dated = [one.fetched for one in self.cached if one.kind == QUOTA]
        return (Quota.model_validate(found[0]), dated[0]) if found and dated else None

    @property
    def cached(self) -> tuple[Cached, ...]:
        """The lists that the cache holds."""
        return self._catalog.cache.listed()

    async def sleep(self, seconds: float) -> None:
        """Let time pass by the client's clock."""
        await self._sleep(seconds)

    # ---- what the platform offers

    async def choices(self, *, refresh: bool = False) -> SettingsChoices:
        """What the settings of a simulation may be."""
        return await self._catalog.choices(refresh=refresh)

    async def operators(self, *, refresh: bool = False) -> tuple[OperatorInfo, ...]:
        """The operators that the account may use."""
        return await self._catalog.operators(refresh=refresh)

    async def data_sets(self, wanted: DataQuery, *, refresh: bool = False) -> tuple[DataSetInfo, ...]:
        """The data sets of a query; an empty answer is a refusal that names the query."""
        return await self._catalog.data_sets(wanted, refresh=refresh)

    async def data_fields(self, wanted: DataQuery, *, refresh: bool = False) -> tuple[DataFieldInfo, ...]:
        """The data fields of a query; an empty answer is a refusal that names the query."""
        return await self._catalog.data_fields(wanted, refresh=refresh)

    # ---- simulations

    async def start(self, requests: Requests) -> str:
        """Start one simulation, or 2 to 10 in one request; gives the address to poll.

        Settings are held against :meth:`choices` before. Where the reply was lost, the account's newest
        alphas are looked at before it is sent again.

        Raises
        ------
        SlotsFull
            As many simulations run as may; nothing was started.
        Refusal
            ``bad_settings``, ``bad_expression``, ``not_permitted``; ``host_not_allowed`` for a reply that
            leads elsewhere.
        ProviderQuotaExhausted
            No simulation is left for the day.
        """
        asked = _several(requests)
        return self._http.address.url(await self._simulations.start(asked, await self._choices_for(asked)))

    async def poll(self, location: str) -> Running | Simulation:
        """How far a simulation is, or what came of it; an ERROR is a result, with message and place."""
        return await self._simulations.poll(self._path(location))

    async def result(self, location: str, on_progress: Callable[[Running], None] | None = None) -> Simulation:
        """What came of a simulation, waited for.

        Raises
        ------
        SimulationOverdue
            It was not over in ``simulation_timeout``.
        """
        return await self._simulations.result(self._path(location), on_progress)

    async def children(self, parent: Simulation) -> tuple[Simulation, ...]:
        """The simulations of a parent, waited for, in the order in which they were asked for.

        One that failed has the status ERROR, message and place; the siblings it stopped are CANCELLED.
        """
        return await self._simulations.children(parent)

    async def simulate(
        self, requests: Requests, on_progress: Callable[[Running], None] | None = None
    ) -> tuple[Simulation, ...]:
        """Simulate ``requests`` in one of the ``concurrent`` slots, once one is free, and wait for the end.

        Called many times at once it keeps all slots busy.
        """
        asked = _several(requests)
        return await self._simulations.simulate(asked, await self._choices_for(asked), on_progress)

    async def _choices_for(self, asked: Sequence[SimulationRequest]) -> SettingsChoices:
        return await self._catalog.settled(
            lambda choices: not any(choices.problems(one.settings) for one in asked)
        )

    def _path(self, location: str) -> str:
        path = location if "/" in location else f"/simulations/{location}"
        return self._http.address.path_of(path, asked="/simulations")

    # ---- alphas

    async def alpha(self, alpha_id: str) -> Alpha:
        """An alpha with its figures and checks."""
        return await self._alphas.get(alpha_id)

    async def set_properties(self, alpha_id: str, **properties: Any) -> Alpha:
        """Change ``name``, ``color``, ``tags``, ``category``, ``favorite``, ``hidden``, ``description``."""
        return await self._alphas.set_properties(alpha_id, **properties)

    async def check(self, alpha_id: str) -> tuple[Check, ...]:
        """All checks of an alpha; those that are PENDING are asked for and waited for."""
        return await self._alphas.check(alpha_id)

    async def recordsets(self, alpha_id: str) -> tuple[str, ...]:
        """Names of the record sets of an alpha."""
        return await self._alphas.recordsets(alpha_id)

    async def recordset(self, alpha_id: str, name: str) -> Recordset:
        """One record set, such as ``pnl``, ``daily-pnl`` or ``yearly-stats``."""
        return await self._alphas.recordset(alpha_id, name)

    async def correlations(self, alpha_id: str, kind: CorrelationKind = "self") -> Correlations:
        """Correlations of an alpha; ``max`` is None where there is nothing to correlate with."""
        return await self._alphas.correlations(alpha_id, kind)

    async def user_alphas(self, wanted: AlphaFilter | None = None) -> tuple[Alpha, ...]:
        """The account's alphas that a filter leaves, newest first unless it says otherwise."""
        return await self._alphas.listed(wanted or AlphaFilter())

    async def submit(self, alpha_id: str) -> Alpha:
        """Submit an alpha, and read it again as proof; see :func:`assay.brain.client._submit.submit`.

        Raises
        ------
        Refusal
            ``not_submitted``, with the checks that failed.
        """
        return await submit(self._calls, self._alphas, alpha_id)


def _several(requests: Requests) -> tuple[SimulationRequest, ...]:
    return (requests,) if isinstance(requests, SimulationRequest) else tuple(requests)


def _unheard(_: str) -> None:
    """Nobody listens."""
