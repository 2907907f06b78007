"""The universes of the wire: those of the data set, and TOPn by traded amount, nested in each other."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from assay.errors import Refusal
from assay.market import ALL, Panel

Mask = NDArray[np.bool_]

SIZES: Final = (3000, 1000, 500, 200)
LARGEST: Final = f"TOP{SIZES[0]}"
LEAST_NAMES: Final = 10
AMOUNT_DAYS: Final = 63
SUB_SHARE: Final = 1 / 3
"""Share of the most traded members that stands for the next smaller universe where none is nested."""


@dataclass(frozen=True, slots=True)
class UniverseInfo:
    """A universe of the wire; ``source`` is its name in the data set, ``size`` the n of TOPn."""

    name: str
    description: str
    source: str | None = None
    size: int = 0


def universes_of(panel: Panel) -> tuple[UniverseInfo, ...]:
    """The universes that a data set has to offer on the dates of ``panel``, the largest TOPn first."""
    listed = panel.universe(ALL).sum(axis=1)
    usual = int(np.median(listed))
    own = [
        UniverseInfo(name.upper(), panel.data.universes[name].description, name)
        for name in panel.universes
        if name != ALL and _known(panel, name)
    ]
    taken = {info.name for info in own}
    top = [
        UniverseInfo(f"TOP{size}", _described(size, usual), size=size)
        for size in SIZES
        if (size == SIZES[0] or (_count(size, usual) >= LEAST_NAMES and traded_amount(panel) is not None))
        and f"TOP{size}" not in taken
    ]
    return (*top, *own)


def _known(panel: Panel, name: str) -> bool:
    try:
        return bool(panel.universe(name).any())
    except Refusal:  # its membership ends before these dates do
        return False


def _count(size: int, listed: int) -> int:
    """How many of ``listed`` names TOPn holds: n of many, the same share of fewer than the largest TOPn."""
    return min(size, round(listed * size / SIZES[0])) if listed < SIZES[0] else size


def _described(size: int, usual: int) -> str:
    return f"the {_count(size, usual)} most traded of about {usual} listed names, chosen anew each month"


def traded_amount(panel: Panel) -> NDArray[np.float32] | None:
    """What was traded each day, or None where the data set does not tell."""
    return panel.field("amount") if "amount" in panel.fields else None


def members_of(panel: Panel, info: UniverseInfo) -> Mask:
    """Members by date, bool ``(T, N)``; those of a date are known from rows before it."""
    if info.source is not None:
        return panel.universe(info.source)
    amount = traded_amount(panel)
    listed = panel.universe(ALL)
    if amount is None:
        return listed
    return _most_traded(panel.dates, amount, listed, lambda count: _count(info.size, count))


def most_traded_part(panel: Panel, members: Mask) -> Mask:
    """The most traded third of the members, chosen anew each month from rows before it."""
    amount = traded_amount(panel)
    if amount is None:
        return members
    return _most_traded(panel.dates, amount, members, lambda count: round(count * SUB_SHARE))


def _most_traded(
    dates: NDArray[np.datetime64],
    amount: NDArray[np.float32],
    eligible: Mask,
    count_of: Callable[[int], int],
) -> Mask:
    out = np.zeros(eligible.shape, dtype=np.bool_)
    reviews = review_rows(dates)
    for row, stop in zip(reviews, (*reviews[1:], len(dates)), strict=True):
        past = amount[max(row - AMOUNT_DAYS, 0) : row]
        traded = np.where(eligible[row - 1], np.nansum(past, axis=0, dtype=np.float64), 0.0)
        candidates = np.flatnonzero(traded > 0)
        order = candidates[np.argsort(-traded[candidates], kind="stable")]
        out[row:stop, order[: count_of(len(candidates))]] = True
    return out & eligible


def review_rows(dates: NDArray[np.datetime64]) -> tuple[int, ...]:
    """The second row of all, and the first of each month after it."""
    month = dates.astype("datetime64[M]")
    starts = np.flatnonzero(month[1:] != month[:-1]) + 1
    return (1, *(int(row) for row in starts if row > 1))
