"""Correlations between the alphas of a plan."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from assay.brain._correlation import pnl_correlation
from assay.brain.search._plan_types import Candidate

Pair = tuple[str, str]


class Correlations:
    """Correlations by pair: those of the platform, else those of the daily PnL, each computed once."""

    def __init__(self, given: Mapping[Pair, float]) -> None:
        self._given: dict[Pair, float] = {_pair(*names): value for names, value in given.items()}
        self._known: dict[Pair, float | None] = dict(self._given)
        self._series: dict[str, tuple[np.ndarray, np.ndarray]] = {}

    def of(self, a: Candidate, b: Candidate) -> float | None:
        """None where it is undefined."""
        key = _pair(a.id, b.id)
        if key not in self._known:
            self._known[key] = self._computed(a, b)
        return self._known[key]

    def given(self, a: Candidate, others: Sequence[Candidate]) -> bool:
        """Whether the platform told all correlations of an alpha with others."""
        return all(_pair(a.id, other.id) in self._given for other in others if other.id != a.id)

    def _computed(self, a: Candidate, b: Candidate) -> float | None:
        if not a.pnl.values or not b.pnl.values:
            return None
        (days, pnl), (other_days, other_pnl) = self._arrays(a), self._arrays(b)
        return pnl_correlation(days, pnl, other_days, other_pnl)

    def _arrays(self, alpha: Candidate) -> tuple[np.ndarray, np.ndarray]:
        if alpha.id not in self._series:
            days = np.array(alpha.pnl.dates, dtype="datetime64[D]")
            self._series[alpha.id] = (days, np.array(alpha.pnl.values))
        return self._series[alpha.id]


def _pair(a: str, b: str) -> Pair:
    return (a, b) if a < b else (b, a)
