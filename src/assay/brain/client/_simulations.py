"""Simulations: start, poll, and what came of them."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Callable, Sequence
from typing import Any, Final

from assay.brain._errors import BAD_SETTINGS, NOT_PERMITTED, SlotsFull, Throttled
from assay.brain._settings import SettingsChoices, SimulationRequest
from assay.brain._wire import Running, Simulation
from assay.brain.client._alphas import Alphas
from assay.brain.client._calls import Calls, Waiting
from assay.brain.client._faults import NotSent
from assay.brain.client._lost import (
    LOOKED_AT,
    found_alphas,
    found_location,
    found_simulation,
    same_request,
)
from assay.brain.client._reply import Reply
from assay.errors import ProviderBadReply, ProviderTransient, Refusal

PATH: Final = "/simulations"
MOST_AT_ONCE: Final = 10
_LOCATION: Final = re.compile(rf"{PATH}/[!-~]+")
_OVER: Final = ("CANCELLED", "COMPLETE", "WARNING", "ERROR", "TIMEOUT", "FAIL")
_SHARED: Final = ("instrument_type", "region", "delay", "language")


class Simulations:
    """Simulations of an account; ``concurrent`` of them at once where :meth:`simulate` starts them."""

    def __init__(self, calls: Calls, alphas: Alphas) -> None:
        self._calls = calls
        self._alphas = alphas
        self._slots = asyncio.Semaphore(calls.settings.concurrent)
        self._asked: dict[str, tuple[SimulationRequest, ...]] = {}

    async def start(self, requests: Sequence[SimulationRequest], choices: SettingsChoices) -> str:
        """Start one simulation, or 2 to 10 at once; gives the location to poll, as a path.

        Raises
        ------
        SlotsFull, Refusal, ProviderError
        """
        asked = tuple(requests)
        _check(asked, choices)
        if len(asked) > 1:
            await self._check_permission()
        body: Any = [one.wire() for one in asked] if len(asked) > 1 else asked[0].wire()
        unknown = False

        async def post() -> str:
            nonlocal unknown
            if unknown:
                found = found_location(asked, await self._alphas.newest(LOOKED_AT))
                if found is not None:
                    return found
            try:
                reply = await self._calls.once("POST", PATH, json=body)
            except (NotSent, SlotsFull, Throttled):
                raise
            except ProviderTransient:
                unknown = True
                raise
            return self._location(reply)

        path = await self._calls.patience(post)
        self._asked[_id(path)] = asked
        return path

    async def poll(self, path: str) -> Running | Simulation:
        """How far a simulation is."""
        alphas = found_alphas(path)
        if len(alphas) > 1:
            ids = tuple(f"/alphas/{alpha}" for alpha in alphas)
            return Simulation(id=path, status="COMPLETE", children=ids)
        if alphas:
            return found_simulation(await self._alphas.get(alphas[0]))
        return await self._calls.get(path, self._read)

    async def result(self, path: str, on_progress: Callable[[Running], None] | None = None) -> Simulation:
        """A simulation once it is over.

        Raises
        ------
        SimulationOverdue
            It was not in ``simulation_timeout``; the message says how far it was.
        """
        waiting = Waiting(self._calls)
        while True:
            found = await self.poll(path)
            if isinstance(found, Simulation):
                return found
            if on_progress is not None:
                on_progress(found)
            far = "" if found.progress is None else f", at {found.progress:.0%}"
            await waiting.pause(found.retry_after, f"the simulation {path} has not ended{far}")

    async def children(self, parent: Simulation) -> tuple[Simulation, ...]:
        """The simulations of a parent, over, in the order in which they were asked for."""
        asked = self._asked.get(parent.id, ())
        number = len(parent.children)
        if number > MOST_AT_ONCE or (asked and number != len(asked)):
            raise ProviderBadReply(
                f"the simulation {parent.id[:40]} names {number} children"
                + (f", and {len(asked)} were asked for" if asked else ""),
                where=PATH,
                fix="look at the account's newest alphas, then start what is missing again",
            )
        address = self._calls.http.address
        paths = [address.path_of(child, asked=f"{PATH}/") for child in parent.children]
        tasks = [asyncio.ensure_future(self.result(path)) for path in paths]
        try:
            found = tuple(await asyncio.gather(*tasks))
        finally:
            # one that cannot be read must not leave its siblings being polled
            for task in tasks:
                task.cancel()
        return _in_order(found, asked)

    async def simulate(
        self,
        requests: Sequence[SimulationRequest],
        choices: SettingsChoices,
        on_progress: Callable[[Running], None] | None = None,
    ) -> tuple[Simulation, ...]:
        """Start ``requests`` as soon as a slot is free, and give what came of each."""
        async with self._slots:
            waiting = Waiting(self._calls)
            while True:
                try:
                    path = await self.start(requests, choices)
                    break
                except SlotsFull as error:
                    # somebody else uses this account's slots
                    await waiting.pause(error.retry_after, "no slot became free")
            found = await self.result(path, on_progress)
        if found.children:
            return await self.children(found)
        # several that ended together, before they had children: the end of each is that of all
        return (found,) * len(requests)

    async def _check_permission(self) -> None:
        await self._calls.patience(self._calls.sessions.ready)
        session = self._calls.sessions.current
        if session is not None and "MULTI_SIMULATION" not in session.permissions:
            raise Refusal(
                NOT_PERMITTED,
                "this account may not run several simulations in one request (MULTI_SIMULATION)",
                where=session.user,
                fix="start them one by one",
            )

    def _location(self, reply: Reply) -> str:
        location = reply.headers.get("location")
        if not location:
            raise reply.bad("a Location was expected, as the simulation cannot be followed without")
        path = self._calls.http.address.path_of(location, asked=PATH)
        if not _LOCATION.fullmatch(path):
            raise reply.bad("the Location that came leads to no simulation")
        return path

    def _read(self, reply: Reply) -> Running | Simulation:
        wait = reply.retry_after
        pause = self._calls.settings.poll_interval if wait is None else wait
        if reply.is_empty:
            return Running(retry_after=pause)
        body = reply.object()
        if body.get("status") in _OVER:
            if isinstance(body.get("alpha"), dict):
                body = {**body, "alpha": body["alpha"].get("id")}
            # a parent has been seen without its id
            over = reply.model(Simulation, {"id": _id(reply.path), **body}, "a simulation")
            if over.status in ("COMPLETE", "WARNING") and not (over.alpha or over.children):
                raise reply.bad(f"the simulation is {over.status}, and neither alpha nor children are named")
            return over
        return reply.model(Running, {"progress": body.get("progress"), "retryAfter": pause}, "a progress")


def _id(path: str) -> str:
    return path if found_alphas(path) else path.rpartition("/")[2]


def _check(requests: tuple[SimulationRequest, ...], choices: SettingsChoices) -> None:
    """Refuse what the platform would, before a call is spent on it."""
    if not 1 <= len(requests) <= MOST_AT_ONCE:
        raise Refusal(
            BAD_SETTINGS, f"{len(requests)} simulations in one request", fix=f"use 1 to {MOST_AT_ONCE}"
        )
    problems: dict[str, str] = {}
    for place, request in enumerate(requests, 1):
        for key, text in choices.problems(request.settings).items():
            problems[f"{place}: {key}" if len(requests) > 1 else key] = text
    for name in _SHARED:
        if len({getattr(request.settings, name) for request in requests}) > 1:
            problems[name] = "it must be the same for all simulations of one request"
    if problems:
        listed = "; ".join(f"{key}: {text}" for key, text in problems.items())
        raise Refusal(BAD_SETTINGS, f"settings that the platform does not take: {listed}", details=problems)


def _in_order(found: tuple[Simulation, ...], asked: tuple[SimulationRequest, ...]) -> tuple[Simulation, ...]:
    """``found`` in the order of ``asked``; as the platform lists them where they cannot be told apart."""
    left = list(found)
    ordered = []
    for request in asked:
        match = next((one for one in left if same_request(request, one.regular, one.settings)), None)
        if match is None:
            return found
        left.remove(match)
        ordered.append(match)
    return (*ordered, *left)
