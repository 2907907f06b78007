from __future__ import annotations

import os
import re
import threading
from collections import OrderedDict
from typing import Final

from mcp_types import Implementation

from assay.base import Clock, Operator, RandomBytes
from assay.tools import Caller

CLIENT: Final = "client:"
"""Begins the model of an agent that is known by its client alone."""
MOST_CLIENTS: Final = 1000
_ODD = re.compile(r"[^A-Za-z0-9._+-]+")
_NAME, _VERSION = 60, 40


class Callers:
    """Who calls: always an agent, and never without an artifact.

    Parameters
    ----------
    operator : the agent whom the server was started for; it makes every call. Without it an agent stands for
        each client by the name and version that the client gives itself: a claim, good enough to tell trials
        apart, and not to sign with.
    clock, ids : where the identifiers of such agents come from.
    """

    def __init__(
        self, operator: Operator | None = None, *, clock: Clock | None = None, ids: RandomBytes = os.urandom
    ) -> None:
        self._operator, self._clock, self._ids = operator, clock, ids
        self._known: OrderedDict[tuple[str, str], Operator] = OrderedDict()
        self._lock = threading.Lock()

    def of(self, client: Implementation | None) -> Caller:
        """The caller behind a request."""
        if self._operator is not None:
            return Caller(self._operator)
        name = _plain(client.name if client is not None else "", _NAME) or "unknown"
        version = _plain(client.version if client is not None else "", _VERSION) or "unknown"
        with self._lock:
            found = self._known.pop((name, version), None)
            if found is None:
                artifact = f"{name} {version}"
                found = Operator.agent(f"{CLIENT}{name}", artifact, clock=self._clock, random=self._ids)
            self._known[name, version] = found
            if len(self._known) > MOST_CLIENTS:
                self._known.popitem(last=False)
        return Caller(found)


def _plain(text: str, longest: int) -> str:
    return _ODD.sub("-", text[: 2 * longest]).strip("-")[:longest]
