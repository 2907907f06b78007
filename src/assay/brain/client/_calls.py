"""Requests within a session: signed in, waited for, tried again."""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import dataclass
from typing import Any, TypeVar

from assay.brain._errors import SimulationOverdue
from assay.brain.client._faults import fault
from assay.brain.client._http import Http, Query
from assay.brain.client._patience import SHORTEST_WAIT, Patience, Sleep
from assay.brain.client._reply import Reply
from assay.brain.client._session import Sessions
from assay.config import BrainClientSettings
from assay.errors import ProviderAuth

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Calls:
    """What every part of the client asks the platform through."""

    http: Http
    sessions: Sessions
    patience: Patience
    settings: BrainClientSettings
    clock: Callable[[], float]
    sleep: Sleep

    async def once(
        self, method: str, path: str, *, query: Query = (), json: Any = None, accept: Collection[int] = ()
    ) -> Reply:
        """One reply of success or of a status in ``accept``; an expired session is renewed once.

        Raises
        ------
        AssayError
            What :func:`assay.brain.client._faults.fault` makes of any other status.
        """
        generation = await self.sessions.ready()
        reply = await self.http.send(method, path, query=query, json=json)
        if reply.status == 401 or reply.is_stale:
            await self.sessions.renew(generation)
            reply = await self.http.send(method, path, query=query, json=json)
        if reply.is_stale:
            raise ProviderAuth(
                f"{reply.where}: the session does not hold, though it was renewed",
                where=reply.path,
                fix="wait a while; sign in once in a browser to see whether the account is in order",
                status=reply.status,
            )
        if 200 <= reply.status < 300 or reply.status in accept:
            return reply
        raise fault(reply)

    async def get(
        self, path: str, read: Callable[[Reply], T], *, query: Query = (), method: str = "GET"
    ) -> T:
        """What ``read`` makes of the reply; garbage is asked for again, up to the attempts."""

        async def ask() -> T:
            return read(await self.once(method, path, query=query))

        return await self.patience(ask, again_if_garbled=True)

    async def change(
        self, method: str, path: str, *, json: Any = None, accept: Collection[int] = ()
    ) -> Reply:
        """The reply to a change that may safely be asked for twice."""
        return await self.patience(lambda: self.once(method, path, json=json, accept=accept))

    async def finished(self, path: str, read: Callable[[Reply], T]) -> T:
        """What ``read`` makes of the reply to a GET once it is ready.

        Raises
        ------
        SimulationOverdue
            It was not in ``simulation_timeout``.
        """

        async def ask() -> tuple[Reply, T | None]:
            reply = await self.once("GET", path)
            return reply, None if reply.is_running else read(reply)

        waiting = Waiting(self)
        while True:
            reply, found = await self.patience(ask, again_if_garbled=True)
            if found is not None:
                return found
            await waiting.pause(reply.retry_after, f"{reply.where}: no answer yet")


class Waiting:
    """Pauses between polls, up to ``simulation_timeout`` in all."""

    def __init__(self, calls: Calls) -> None:
        self._calls = calls
        self._began = calls.clock()
        self._waited = 0.0

    async def pause(self, seconds: float | None, what: str) -> None:
        """Wait ``seconds``, or ``poll_interval`` where the platform named none.

        Raises
        ------
        SimulationOverdue
            The time is over; the message begins with ``what``.
        """
        settings = self._calls.settings
        limit = settings.simulation_timeout
        # a clock that is injected may stand still while it is slept
        if max(self._calls.clock() - self._began, self._waited) >= limit:
            raise SimulationOverdue(
                f"{what} after {limit:g} s",
                fix="poll it again later, or raise simulation_timeout in [brain.client]",
            )
        pause = settings.poll_interval if seconds is None else max(seconds, SHORTEST_WAIT)
        self._waited += pause
        await self._calls.sleep(pause)
