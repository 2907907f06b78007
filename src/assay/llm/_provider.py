from __future__ import annotations

from typing import Protocol

from assay.llm._types import Reachability, Reply, Request


class Provider(Protocol):
    """A source of replies: a service, a log that is replayed, a script."""

    @property
    def name(self) -> str:
        """The backend's name in the configuration; for people and records."""
        ...

    def complete(self, request: Request) -> Reply:
        """One attempt at one reply; nothing is retried here.

        Raises
        ------
        ProviderError
            One of its four kinds; never an exception of an SDK or of a socket.
        """
        ...

    def check(self) -> Reachability:
        """Whether the service answers, asked in a few seconds and without a completion. Raises nothing."""
        ...
