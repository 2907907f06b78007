"""How much the order of admission decides: the same candidates under other orders."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np

from assay.base import generator
from assay.errors import AssayError
from assay.judge.training._admission import admit, checks_alone
from assay.judge.training._pool import Pool
from assay.judge.training._rule import AdmissionRule
from assay.judge.training._score import TrainingScore


@dataclass(frozen=True, slots=True)
class OrderEffect:
    """The spread of admission over orders; the first order is the one given.

    Parameters
    ----------
    orders : orders tried.
    counts : how many were admitted in each.
    shares : of each candidate that was ever admitted, by fingerprint, the share of orders that admitted it.
    overlap : mean Jaccard index of the sets admitted in each two orders; 1 where order decides nothing.
    """

    orders: int
    counts: tuple[int, ...]
    shares: Mapping[str, float]
    overlap: float

    @property
    def always(self) -> int:
        """Candidates that every order admits."""
        return sum(share == 1.0 for share in self.shares.values())

    def as_dict(self) -> dict[str, Any]:
        """JSON-ready."""
        return {
            "orders": self.orders,
            "given": self.counts[0],
            "least": min(self.counts),
            "most": max(self.counts),
            "always": self.always,
            "ever": len(self.shares),
            "overlap": self.overlap,
            "counts": list(self.counts),
            "shares": dict(self.shares),
        }


def order_effect(
    scores: Sequence[TrainingScore],
    rule: AdmissionRule,
    *,
    pool: Pool | None = None,
    n: int | None,
    variance: float = float("nan"),
    orders: int = 20,
    seed: int = 0,
) -> OrderEffect:
    """Admit the same candidates under permuted orders, with the pool growing in each.

    Parameters
    ----------
    scores : in the order in which they were in fact decided on.
    pool : what was there before the first of them.
    n, variance : as for :func:`admit`; the same for all, as the number of trials at the end is.
    orders : how many orders, the given one included.

    Raises
    ------
    AssayError
        Fewer than one order is asked for.
    """
    if orders < 1:
        raise AssayError(f"{orders} orders", where="orders", fix="give at least 1")
    # most candidates fail whatever was admitted before them, and need no second look
    able = [
        score
        for score in scores
        if all(check.outcome == "passed" for check in checks_alone(score, rule, n, variance))
    ]
    rng = generator(seed, "admission order")
    tried = [np.arange(len(able)), *(rng.permutation(len(able)) for _ in range(orders - 1))]
    admitted = [
        _admitted([able[place] for place in order], pool or Pool(), rule, n, variance) for order in tried
    ]
    ever = {fingerprint for names in admitted for fingerprint in names}
    shares = {name: sum(name in names for names in admitted) / orders for name in sorted(ever)}
    return OrderEffect(orders, tuple(len(names) for names in admitted), shares, _overlap(admitted))


def _admitted(
    scores: Sequence[TrainingScore], pool: Pool, rule: AdmissionRule, n: int | None, variance: float
) -> frozenset[str]:
    names = []
    for score in scores:
        if admit(score, pool, rule, n, variance).admitted:
            name = score.expression.fingerprint
            pool = pool.grown(name, score)
            names.append(name)
    return frozenset(names)


def _overlap(admitted: Sequence[frozenset[str]]) -> float:
    pairs = [(a, b) for a, b in combinations(admitted, 2) if a or b]
    return float(np.mean([len(a & b) / len(a | b) for a, b in pairs])) if pairs else 1.0
