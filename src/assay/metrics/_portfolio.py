from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from assay.metrics._arrays import Floats
from assay.metrics._conventions import Costs


@dataclass(frozen=True, slots=True)
class Curve:
    """Returns of a book per bar. ``net = gross - cost`` holds exactly; all are shares of the value before
    the bar.

    ``bought`` and ``sold`` are traded values; ``turnover`` counts one way, half of both.
    """

    gross: Floats
    cost: Floats
    net: Floats
    bought: Floats
    sold: Floats

    @classmethod
    def of(cls, gross: Floats, bought: Floats, sold: Floats, costs: Costs) -> Curve:
        """A curve at proportional costs."""
        cost = bought * costs.buy + sold * costs.sell
        return cls(gross, cost, gross - cost, bought, sold)

    @property
    def turnover(self) -> Floats:
        """One-way turnover per bar."""
        return np.asarray(0.5 * (self.bought + self.sold), dtype=np.float64)

    @property
    def nav(self) -> Floats:
        """Net value per bar, beginning at 1 before the first."""
        return np.asarray(np.cumprod(1.0 + self.net), dtype=np.float64)
