from __future__ import annotations

import json
import math
import os

from assay.base import Clock
from assay.ledger._line import Canonical


class Stamp:
    """What a record says of its making: time, process, host and, if there was one, the latency in seconds."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._host = os.uname().nodename
        self._host_text = json.dumps(self._host)

    def __call__(self, latency: float | None = None) -> Canonical:
        """The ``meta`` of a record made now, and its text: written out, as it is part of every append."""
        time, pid = self._clock.now().isoformat(), os.getpid()
        value = {"host": self._host, "pid": pid, "time": time}
        text = f'"pid":{pid},"time":"{time}"}}'
        if latency is None or not math.isfinite(latency):
            return Canonical(value, f'{{"host":{self._host_text},{text}'.encode())
        seconds = float(latency)
        value = {"host": self._host, "latency": seconds, "pid": pid, "time": time}
        return Canonical(value, f'{{"host":{self._host_text},"latency":{seconds!r},{text}'.encode())
