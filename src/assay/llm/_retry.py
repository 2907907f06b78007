from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import TypeVar

from assay.errors import ProviderTransient

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class RetryPolicy:
    """How often and how patiently a passing error is tried again.

    Parameters
    ----------
    attempts : calls in all, the first one included; at least 1.
    first : seconds before the second attempt; doubled for each later one.
    longest : cap in seconds on one wait, also on one that the service asks for.
    jitter : part of a wait that is drawn at random, so that parallel runs do not come back together.
    """

    attempts: int = 5
    first: float = 1.0
    longest: float = 60.0
    jitter: float = 0.5

    def wait(self, failures: int, retry_after: float | None, draw: float) -> float:
        """Seconds to wait after the ``failures``-th failure (from 1); ``draw`` is from [0, 1).

        A service's Retry-After is a floor and jitter comes on top; without one jitter shortens the wait.
        """
        if retry_after is not None:
            return min(retry_after * (1 + self.jitter * draw / 4), self.longest)
        backoff = min(self.first * 2.0 ** min(failures - 1, 60), self.longest)
        return backoff * (1 - self.jitter * draw)


def with_retries(
    call: Callable[[], T],
    policy: RetryPolicy,
    *,
    sleep: Callable[[float], None],
    draw: Callable[[], float],
    on_failure: Callable[[ProviderTransient, int], None] | None = None,
) -> T:
    """The result of ``call``, tried again after a :class:`ProviderTransient` and after no other error.

    Parameters
    ----------
    sleep : waits so many seconds.
    draw : a random number from [0, 1).
    on_failure : told each failed attempt and its number (from 1) before any wait; may raise to end it.

    Raises
    ------
    ProviderError
        The last transient error once the attempts are used up; any other kind at once.
    """
    attempt = 1
    while True:
        try:
            return call()
        except ProviderTransient as error:
            if on_failure is not None:
                on_failure(error, attempt)
            if attempt >= policy.attempts:
                raise
            pause = policy.wait(attempt, error.retry_after, draw())
        sleep(pause)
        attempt += 1


def retry_after(headers: Mapping[str, str], now: datetime) -> float | None:
    """Seconds that headers ask to wait: ``retry-after-ms``, or ``retry-after`` in seconds or as a date.

    ``headers`` looks names up without regard to case. ``None`` where there is none that can be read.
    """
    milliseconds = _number(headers.get("retry-after-ms"))
    if milliseconds is not None:
        return milliseconds / 1000
    text = headers.get("retry-after")
    seconds = _number(text)
    if seconds is not None or text is None:
        return seconds
    try:
        date = parsedate_to_datetime(text)
    except ValueError:
        return None
    if date.tzinfo is None:
        date = date.replace(tzinfo=UTC)
    return max(0.0, (date - now).total_seconds())


def _number(text: str | None) -> float | None:
    try:
        value = float(text or "")
    except ValueError:
        return None
    return value if math.isfinite(value) and value >= 0 else None
