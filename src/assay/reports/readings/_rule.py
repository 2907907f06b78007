"""When a spec hangs on one reading of its text."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from assay.reports._reasons import SINGLE_READING
from assay.spec import Direction, GateFinding, Reading

SIGNIFICANT_T: Final = 2.0
"""A t from which on a reading supports a factor by itself."""

AGREES_T: Final = 1.0
"""A t in the same direction from which on another reading does not speak against it."""


def single_reading(readings: Sequence[Reading], direction: Direction) -> GateFinding | None:
    """Whether only one reading supports the factor.

    t statistics are taken in the declared direction; without one, in that of the reading with the largest.
    Of at least two readings that are defined, the spec fails where

    - one alone is significant (t >= 2.0) and no other agrees with it (t >= 1.0); or
    - one alone has the declared sign, and another is significant with the opposite one (t <= -2.0).

    Readings that are all weak, or all against the text, fail nothing here: they agree with each other.
    """
    known = [(item.name, item.t_stat) for item in readings if item.t_stat is not None]
    if len(known) < 2:
        return None
    sign = _sign(direction, [t for _, t in known])
    ts = {name: sign * t for name, t in known}
    best = max(ts, key=lambda name: ts[name])
    others = [t for name, t in ts.items() if name != best]
    if ts[best] >= SIGNIFICANT_T and max(others) < AGREES_T:
        found = f"is significant (t {ts[best]:.1f}); the next has t {max(others):.1f}"
    elif ts[best] > 0 and max(others) <= 0 and min(others) <= -SIGNIFICANT_T:
        found = f"has the sign of the text; another has t {min(others):.1f}"
    else:
        return None
    return GateFinding(SINGLE_READING.code, f"of {len(ts)} readings only {best!r} {found}", "readings")


def _sign(direction: Direction, ts: Sequence[float]) -> float:
    if direction == "undeclared":
        return 1.0 if max(ts, key=abs) >= 0 else -1.0
    return 1.0 if direction == "positive" else -1.0
