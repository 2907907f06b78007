"""The simulator in process: the client's requests without a socket and without waiting."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import replace
from datetime import datetime, timedelta
from email.utils import format_datetime
from typing import Final, TypedDict, Unpack

import httpx

from assay.base import Clock, SystemClock
from assay.brain._platform import DataIdentity
from assay.brain.client import BlockingClient, BrainClient, Credentials
from assay.brain.simulator._account import Account
from assay.brain.simulator._account_types import Login
from assay.brain.simulator._market import Market
from assay.brain.simulator._wire import Wire
from assay.brain.simulator._wire_faults import FaultSettings, FaultyWire
from assay.brain.simulator._wire_types import Request
from assay.config import BrainSettings, BrainSimulatorSettings, PeriodPlan, Secret, Workspace
from assay.market import Panel

URL: Final = "http://localhost"
_MOST_BYTES: Final = 2**20

Sleep = Callable[[float], Awaitable[None]]


class PassingTime:
    """A clock that goes on at once where somebody waits, so that nothing local takes longer than its work."""

    def __init__(self, clock: Clock | None = None) -> None:
        self._clock, self._skipped = clock or SystemClock(), 0.0

    def now(self) -> datetime:
        """The time of ``clock``, and what was skipped."""
        return self._clock.now() + timedelta(seconds=self._skipped)

    def seconds(self) -> float:
        """The same in seconds."""
        return self.now().timestamp()

    async def sleep(self, seconds: float) -> None:
        """Skip so many seconds."""
        self._skipped += max(0.0, seconds)


class AccountOptions(TypedDict, total=False):
    """What may be said of an account beside its market and folder; see :class:`Account`."""

    login: Login
    clock: Clock | None
    seed: int
    workers: int
    patience: float
    persona: bool
    session_requests: int | None


class LocalTransport(httpx.AsyncBaseTransport):
    """A transport of httpx to a simulator in the same process.

    Requests are answered one at a time in the order in which they are sent, on a thread, so that the event
    loop stays free.

    Parameters
    ----------
    wire : what answers.
    sleep : how a slow reply is waited for.
    """

    def __init__(self, wire: FaultyWire, sleep: Sleep = asyncio.sleep) -> None:
        self._wire, self._sleep, self._turn = wire, sleep, asyncio.Lock()

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        """See the base class."""
        body = await request.aread()
        if len(body) > _MOST_BYTES:
            return httpx.Response(413, request=request)
        asked = Request(
            method=request.method,
            path=request.url.raw_path.partition(b"?")[0].decode("ascii"),
            query=request.url.query.decode("ascii"),
            headers={name.lower(): value for name, value in request.headers.items()},
            body=body,
            scheme=request.url.scheme,
        )
        async with self._turn:
            delivery = await asyncio.to_thread(self._wire.handle, asked)
        await self._wait(delivery.delay, request)
        if delivery.reply is None:
            raise httpx.RemoteProtocolError("the connection broke without a reply", request=request)
        now = format_datetime(self._wire.wire.account.clock.now(), usegmt=True)
        reply = delivery.reply
        return httpx.Response(
            reply.status, headers=[*reply.headers, ("Date", now)], content=reply.body, request=request
        )

    async def _wait(self, seconds: float, request: httpx.Request) -> None:
        longest = request.extensions.get("timeout", {}).get("read")
        if longest is not None and seconds > longest:
            await self._sleep(longest)
            raise httpx.ReadTimeout("no reply in time", request=request)
        if seconds:
            await self._sleep(seconds)


class LocalPlatform(BlockingClient):
    """The client of a simulator in the same process; ``account`` is what it is a client of."""

    def __init__(self, client: BrainClient, account: Account) -> None:
        super().__init__(client, account.market.name, account.market.simulated)
        self.account = account

    @property
    def data(self) -> DataIdentity:
        return self.account.market.data

    def close(self) -> None:
        """Close the client and the account."""
        super().close()
        self.account.close()


def open_account(
    workspace: Workspace | None,
    panel: Panel,
    settings: BrainSimulatorSettings | None = None,
    *,
    plan: PeriodPlan | None = None,
    **options: Unpack[AccountOptions],
) -> Account:
    """The account on a data set: the workspace's own, or one in memory without a workspace.

    Parameters
    ----------
    workspace : keeps the account in ``brain/account/NAME``, and says settings and period plan.
    panel : the market.
    settings, plan : instead of the workspace's.
    options : as of :class:`Account`.

    Raises
    ------
    DataError
        Too few trading days are left in sample; the folder holds something else.
    Refusal
        ``account_busy``: another process works on the account.
    """
    if settings is None:
        settings = BrainSimulatorSettings() if workspace is None else workspace.brain.simulator
    if plan is None and workspace is not None:
        plan = workspace.settings(panel.name).periods
    folder = None if workspace is None else workspace.brain_dir / "account" / panel.name
    return Account(Market.of(panel, plan, settings), folder=folder, **options)


def local_platform(
    workspace: Workspace | None,
    panel: Panel,
    settings: BrainSettings | None = None,
    *,
    plan: PeriodPlan | None = None,
    faults: FaultSettings | None = None,
    **options: Unpack[AccountOptions],
) -> LocalPlatform:
    """The simulator on a data set, called as the platform is: no server, no key, no waiting.

    Parameters
    ----------
    settings : by default those of the workspace.
    faults : what goes wrong on purpose.
    workspace, panel, plan, options : as of :func:`open_account`; ``clock`` is where the dates begin, time
        that is waited for is skipped.

    Raises
    ------
    DataError, Refusal
        As :func:`open_account`.
    """
    if settings is None:
        settings = BrainSettings() if workspace is None else workspace.brain
    passing = PassingTime(options.get("clock"))
    options["clock"] = passing
    account = open_account(workspace, panel, settings.simulator, plan=plan, **options)
    client = BrainClient(
        replace(settings.client, base_url=URL, concurrent=settings.simulator.concurrent),
        Credentials(Secret(account.login.username), account.login.password),
        transport=LocalTransport(FaultyWire(Wire(account), faults), passing.sleep),
        clock=passing.seconds,
        sleep=passing.sleep,
    )
    return LocalPlatform(client, account)
