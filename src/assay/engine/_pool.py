from __future__ import annotations

import math

import numpy as np

from assay.engine._inputs import Panel

_SLAB_BYTES = 64 << 20
"""Small panels are cut from slabs of this size: the system backs large blocks with large pages, which
costs a hundredth of the page faults."""

_ALIGNED = 16
"""Panels of a slab start at multiples of this many values, the width of the widest vector register."""


class Pool:
    """Panels handed on from step to step; `expected` is about how many will be needed at a time."""

    def __init__(self, shape: tuple[int, int], expected: int) -> None:
        self._shape = shape
        self._expected = max(1, expected)
        self._free: list[Panel] = []

    def take(self) -> Panel:
        """A panel with any content."""
        if not self._free:
            self._free = self._slab()
        return self._free.pop()

    def give_back(self, panel: Panel) -> None:
        """Hand in a panel that nobody reads any more."""
        self._free.append(panel)

    def _slab(self) -> list[Panel]:
        """New panels, as many as a slab holds, one at least; the first to be taken is the last."""
        size = math.prod(self._shape)
        step = -(-max(1, size) // _ALIGNED) * _ALIGNED
        count = min(self._expected, max(1, _SLAB_BYTES // (4 * step)))
        slab = np.empty(count * step, np.float32)
        return [slab[i * step : i * step + size].reshape(self._shape) for i in reversed(range(count))]
