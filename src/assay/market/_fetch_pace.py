from __future__ import annotations

import random
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TypeVar

from assay.errors import AssayError, ProviderTransient

T = TypeVar("T")

MAX_RATE = 50.0


@dataclass(slots=True, kw_only=True)
class Pace:
    """How fast a source is asked, and how often again after a failure that may pass.

    Parameters
    ----------
    per_second : requests a second at most.
    attempts : how often one thing is asked for before it counts as failed.
    first_wait, longest_wait : seconds before the second attempt (doubled each time, times a draw from
        [0.5, 1), so that many clients do not come back at once), and at most. A source that asks for more
        than ``longest_wait`` is not waited for.
    monotonic, sleep, draw : clock, pause and chance, replaceable in tests.
    """

    per_second: float = 5.0
    attempts: int = 5
    first_wait: float = 1.0
    longest_wait: float = 120.0
    monotonic: Callable[[], float] = time.monotonic
    sleep: Callable[[float], None] = time.sleep
    draw: Callable[[], float] = random.random
    _next: float = field(default=float("-inf"), init=False)

    def __post_init__(self) -> None:
        if not 0 < self.per_second <= MAX_RATE:
            raise AssayError(
                f"{self.per_second:g} requests a second",
                where="rate",
                fix=f"choose more than 0 and at most {MAX_RATE:g}",
            )

    def turn(self) -> None:
        """Wait until the next request may be made."""
        now = self.monotonic()
        if now < self._next:
            self.sleep(self._next - now)
            now = self._next
        self._next = now + 1 / self.per_second

    def persistently(self, action: Callable[[], T]) -> T:
        """``action()``, again after each failure that may pass.

        Raises
        ------
        ProviderTransient
            The last failure, when every attempt failed or the source asks to wait too long.
        """
        for attempt in range(1, self.attempts):
            try:
                return action()
            except ProviderTransient as error:
                asked = error.retry_after or 0.0
                if asked > self.longest_wait:
                    raise
                grown = min(self.first_wait * 2 ** (attempt - 1), self.longest_wait)
                self.sleep(max(asked, grown * (0.5 + self.draw() / 2)))
        return action()
