from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterator
from dataclasses import dataclass, field
from typing import Any, TypeVar

import pytest

from assay.brain.client import BrainClient, Credentials
from assay.config import BrainClientSettings, Secret

from .server import PASSWORD, USER, Platform

T = TypeVar("T")


@dataclass
class Time:
    """A clock that moves only when somebody sleeps."""

    now: float = 1000.0
    slept: list[float] = field(default_factory=list)

    def clock(self) -> float:
        return self.now

    async def sleep(self, seconds: float) -> None:
        self.slept.append(seconds)
        self.now += seconds
        await asyncio.sleep(0)


class Desk:
    """A platform, and clients of it whose time is a test's."""

    def __init__(self, platform: Platform) -> None:
        self.platform = platform
        self.time = Time()
        self.notes: list[str] = []

    def client(self, **given: Any) -> BrainClient:
        options: dict[str, Any] = {"credentials": Credentials(Secret(USER), Secret(PASSWORD))}
        settings = {name: given.pop(name) for name in list(given) if name in _SETTINGS}
        options |= {"clock": self.time.clock, "sleep": self.time.sleep, "draw": lambda: 0.0} | given
        made = BrainClientSettings(**{"base_url": self.platform.url, **settings})
        return BrainClient(made, options.pop("credentials"), note=self.notes.append, **options)

    def act(self, work: Callable[[BrainClient], Awaitable[T]], **given: Any) -> T:
        """What ``work`` gives with a new client."""

        async def run() -> T:
            async with self.client(**given) as client:
                return await work(client)

        return asyncio.run(run())

    def raises(
        self, kind: type[Exception], work: Callable[[BrainClient], Awaitable[Any]], **given: Any
    ) -> Any:
        with pytest.raises(kind) as caught:
            self.act(work, **given)
        return caught.value


_SETTINGS = set(BrainClientSettings.__dataclass_fields__)


@pytest.fixture
def desk() -> Iterator[Desk]:
    with Platform() as platform:
        yield Desk(platform)
