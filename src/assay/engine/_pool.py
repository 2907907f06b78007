"""Memory of panels: what bringing in fresh pages costs decides how fast a short op is."""

from __future__ import annotations

import mmap
from contextlib import suppress

import numpy as np

from assay.engine._inputs import Panel

_HUGE_PAGE = 2 << 20
"""Bytes that one fault brings in, where the system has huge pages."""

_FILLED = 0.85
"""Share of its last huge page that a panel must fill to get one: the rest of the page is lost."""


class Pool:
    """Panels handed on from step to step; each is an allocation of its own, freed with its last reader."""

    def __init__(self, shape: tuple[int, int]) -> None:
        self._shape = shape
        self._free: list[Panel] = []

    def take(self) -> Panel:
        """A panel with any content."""
        return self._free.pop() if self._free else new_panel(self._shape)

    def give_back(self, panel: Panel) -> None:
        """Hand in a panel that nobody reads any more."""
        self._free.append(panel)


def new_panel(shape: tuple[int, int]) -> Panel:
    """A panel with any content, on huge pages where it fills them and the system has them.

    The system clears fresh memory page by page, at a fault each: with pages of 4 kB that takes longer than
    most ops take to fill them.
    """
    size = 4 * shape[0] * shape[1]
    pages, rest = divmod(size, _HUGE_PAGE)
    pages += rest >= _FILLED * _HUGE_PAGE
    advice = getattr(mmap, "MADV_HUGEPAGE", None)
    if advice is None or not pages:
        return np.empty(shape, np.float32)
    # one page more than needed, so that the panel can begin where a huge page does
    room = max(size, pages * _HUGE_PAGE) + _HUGE_PAGE
    memory = mmap.mmap(-1, room, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
    whole = np.frombuffer(memory, np.uint8)
    start = -whole.__array_interface__["data"][0] % _HUGE_PAGE
    with suppress(OSError):  # a kernel built without huge pages: the memory serves all the same
        memory.madvise(advice, start, pages * _HUGE_PAGE)
    panel: Panel = whole[start : start + size].view(np.float32).reshape(shape)
    return panel
