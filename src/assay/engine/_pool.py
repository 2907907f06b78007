from __future__ import annotations

import numpy as np

from assay.engine._inputs import Panel


class Pool:
    """Panels handed on from step to step.

    Each is an allocation of its own: the allocator keeps blocks of this size for the next call, while larger
    ones would go back to the system and be cleared page by page again.
    """

    def __init__(self, shape: tuple[int, int]) -> None:
        self._shape = shape
        self._free: list[Panel] = []

    def take(self) -> Panel:
        """A panel with any content."""
        return self._free.pop() if self._free else np.empty(self._shape, np.float32)

    def give_back(self, panel: Panel) -> None:
        """Hand in a panel that nobody reads any more."""
        self._free.append(panel)
