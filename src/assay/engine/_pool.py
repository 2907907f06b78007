from __future__ import annotations

import numpy as np

from assay.engine._inputs import Panel


class Pool:
    """Panels handed on from step to step. ``made`` counts how many had to be allocated."""

    def __init__(self, shape: tuple[int, int]) -> None:
        self._shape = shape
        self._free: list[Panel] = []
        self.made = 0

    def take(self) -> Panel:
        """A panel with any content."""
        if self._free:
            return self._free.pop()
        self.made += 1
        return np.empty(self._shape, np.float32)

    def give_back(self, panel: Panel) -> None:
        """Hand in a panel that nobody reads any more."""
        self._free.append(panel)
