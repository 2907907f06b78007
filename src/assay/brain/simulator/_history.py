from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from assay.brain.simulator._universes import (
    SUB_SHARE,
    Mask,
    UniverseInfo,
    members_of,
    most_traded_part,
)
from assay.market import Panel, truncate

Floats = NDArray[np.float64]
A = TypeVar("A")


def known_at(panel: Panel, first: np.datetime64, end: np.datetime64) -> Panel:
    """The panel from ``first`` on as it was known at the close of ``end``: no later row tells in it."""
    cut = truncate(replace(panel.data, minutes=None), end.astype("datetime64[D]").item())
    return Panel(cut, own=panel.own).between(first, end)


@dataclass(frozen=True, slots=True)
class Smaller:
    """Members of a smaller universe, bool ``(T, N)``, and its size as a part of the larger one's."""

    members: Mask
    ratio: float


class History:
    """A market up to a day, with what simulations compute from it again and again.

    Parameters
    ----------
    panel : cut by :func:`known_at`.
    universes : what the wire offers, TOPn from the largest on, then those of the data set.
    """

    def __init__(self, panel: Panel, universes: Iterable[UniverseInfo]) -> None:
        self.panel = panel
        self.universes = {info.name: info for info in universes}
        self._kept: dict[tuple[str, ...], Any] = {}

    def keep(self, key: tuple[str, ...], make: Callable[[], A]) -> A:
        """What ``make`` gives, made once under a key."""
        if key not in self._kept:
            self._kept[key] = make()
        value: A = self._kept[key]
        return value

    def members(self, universe: str) -> Mask:
        """Members of a universe by date, bool ``(T, N)``."""
        return self.keep(("members", universe), lambda: members_of(self.panel, self.universes[universe]))

    def next_smaller(self, universe: str) -> Smaller:
        """The universe that the sub-universe test holds an alpha to.

        TOPn has the next smaller TOPn; any other universe, and the smallest, the most traded third of itself.
        """
        info = self.universes[universe]
        below = [other for other in self.universes.values() if 0 < other.size < info.size]
        if below:
            nested = max(below, key=lambda other: other.size)
            return Smaller(self.members(nested.name) & self.members(universe), nested.size / info.size)
        key = ("third", universe)
        return Smaller(
            self.keep(key, lambda: most_traded_part(self.panel, self.members(universe))), SUB_SHARE
        )

    @cached_property
    def gains(self) -> Floats:
        """Return of each bar on the last price before it, float64 ``(T, N)``; 0 where there is no price.

        A stock that did not trade earns what it moved when it trades again.
        """
        close = self.panel.field("close").astype(np.float64)
        row = np.where(np.isfinite(close), np.arange(len(close))[:, None], 0)
        last = np.take_along_axis(close, np.maximum.accumulate(row, axis=0), axis=0)
        out = np.zeros(close.shape)
        with np.errstate(invalid="ignore", divide="ignore"):
            out[1:] = close[1:] / last[:-1] - 1.0
        out[~np.isfinite(out)] = 0.0
        return out

    def codes(self, group: str) -> NDArray[np.int32]:
        """Codes of a group, int32 ``(T, N)``, -1 for none."""
        return self.panel.group(group)

    def inputs(self, universe: str) -> Members:
        """The fields with everything outside a universe missing."""
        return self.keep(("inputs", universe), lambda: Members(self.panel, self.members(universe)))


class Members:
    """Fields, groups and vectors of the members alone: what an engine reads under pasteurization."""

    def __init__(self, panel: Panel, members: Mask) -> None:
        self._panel = panel
        self._outside = ~members
        self._kept: dict[tuple[str, str], NDArray[Any]] = {}

    @property
    def shape(self) -> tuple[int, int]:
        return self._panel.shape

    def field(self, name: str) -> NDArray[np.float32]:
        return self._masked("field", name, np.float32(np.nan))

    def group(self, name: str) -> NDArray[np.int32]:
        return self._masked("group", name, np.int32(-1))

    def vector(self, name: str) -> NDArray[np.float32]:
        return self._masked("vector", name, np.float32(np.nan))

    def _masked(self, kind: str, name: str, missing: Any) -> NDArray[Any]:
        if (kind, name) not in self._kept:
            values = getattr(self._panel, kind)(name)
            self._kept[kind, name] = np.where(self._outside, missing, values)
        return self._kept[kind, name]
