"""How often a request is tried again, and how long is waited in between."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Final, TypeVar

from assay.brain._errors import SlotsFull, Throttled
from assay.brain.client._reply import LONGEST_WAIT
from assay.errors import ProviderBadReply, ProviderTransient

T = TypeVar("T")
Sleep = Callable[[float], Awaitable[None]]

THROTTLED_FOR: Final = 3600.0
"""Seconds that one request waits for 429 to end, in all."""
SHORTEST_WAIT: Final = 0.05
"""Seconds before anything is asked again, though the platform should say 0 for ever."""
_FIRST: Final = 1.0
_LONGEST: Final = 60.0


@dataclass(frozen=True, slots=True)
class Patience:
    """What may pass is waited for; a 429 uses up no attempt, and full slots are the caller's to wait for.

    ``sleep`` waits so many seconds, ``draw`` gives a number from [0, 1) for the jitter.
    """

    attempts: int
    sleep: Sleep
    draw: Callable[[], float]

    async def __call__(self, call: Callable[[], Awaitable[T]], *, again_if_garbled: bool = False) -> T:
        """What ``call`` gives; with ``again_if_garbled`` an unusable reply counts as a passing error.

        Raises
        ------
        AssayError
            The last error once the attempts are used up, :class:`Throttled` after an hour of 429, and any
            that does not pass at once.
        """
        failures = throttles = 0
        throttled = 0.0
        while True:
            try:
                return await call()
            except SlotsFull:
                raise
            except Throttled as error:
                throttles += 1
                pause = self._pause(throttles, error.retry_after)
                throttled += pause
                if throttled > THROTTLED_FOR:
                    raise
            except (ProviderTransient, ProviderBadReply) as error:
                failures += 1
                passing = isinstance(error, ProviderTransient) or again_if_garbled
                if not passing or failures >= self.attempts:
                    raise
                pause = self._pause(failures, error.retry_after)
            await self.sleep(pause)

    def _pause(self, failures: int, retry_after: float | None) -> float:
        """Seconds before the next attempt: what the platform asks for, else growing and jittered."""
        if retry_after:
            return min(max(retry_after, SHORTEST_WAIT), LONGEST_WAIT)
        longest = min(_FIRST * 2.0 ** min(failures - 1, 30), _LONGEST)
        return longest * (1 - self.draw() / 2)
