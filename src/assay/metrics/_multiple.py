from __future__ import annotations

import math
from dataclasses import dataclass
from statistics import NormalDist
from typing import Literal

import numpy as np

from assay.metrics._arrays import AnyArray, Bools, Floats, require, series64

Adjustment = Literal["bonferroni", "holm", "bh", "by"]


@dataclass(frozen=True, slots=True)
class Adjusted:
    """p-values after correction for the number of tests, in the order given, and which are below
    ``level``.
    """

    method: Adjustment
    values: Floats
    rejected: Bools
    level: float
    tests: int

    @property
    def discoveries(self) -> int:
        """Hypotheses rejected."""
        return int(self.rejected.sum())


def adjust_p(
    p_values: AnyArray, method: Adjustment, level: float = 0.05, tests: int | None = None
) -> Adjusted:
    """Correct p-values for multiple testing.

    Parameters
    ----------
    p_values : of every test made, in [0, 1].
    method : ``bonferroni`` and ``holm`` bound the chance of any false discovery; ``bh``
        (Benjamini-Hochberg) and ``by`` (Benjamini-Yekutieli, for any dependence) bound the expected share
        of false ones.
    tests : number of tests made, if more than are given; the absent ones count as p = 1.

    Raises
    ------
    DataError
        A p-value is missing or outside [0, 1], or ``tests`` is below their number.
    """
    p = series64(p_values, "p_values")
    require(
        bool(((p >= 0) & (p <= 1)).all()),
        "a p-value is missing or outside [0, 1]",
        "p_values",
        "drop or mend it",
    )
    m = len(p) if tests is None else tests
    require(
        m >= len(p), f"tests is {m} for {len(p)} p-values", "tests", "give at least the number of p-values"
    )
    require(method in ("bonferroni", "holm", "bh", "by"), f"no method is named {method!r}", "method",
            "give bonferroni, holm, bh or by")  # fmt: skip
    order = np.argsort(p, kind="stable")
    ranked, position = p[order], np.arange(1, len(p) + 1)
    if method == "bonferroni":
        raised = ranked * m
    elif method == "holm":
        raised = np.maximum.accumulate(ranked * (m - position + 1))
    else:
        factor = float(np.sum(1.0 / np.arange(1, m + 1))) if method == "by" else 1.0
        raised = np.minimum.accumulate((ranked * m * factor / position)[::-1])[::-1]
    values = np.empty(len(p))
    values[order] = np.minimum(raised, 1.0)
    return Adjusted(method, values, values <= level, level, m)


@dataclass(frozen=True, slots=True)
class Haircut:
    """A Sharpe ratio after the number of tests: ``share`` of it is taken away."""

    t: float
    p: float
    adjusted_p: float
    sharpe: float
    share: float


def haircut_sharpe(
    sharpe: float, n: int, periods: int, tests: int, method: Literal["sidak", "bonferroni"] = "sidak"
) -> Haircut:
    """The annual Sharpe ratio that a single test would need for the same p-value: Harvey and Liu (2015).

    Parameters
    ----------
    sharpe : annualised ratio of the strategy chosen.
    n, periods : number of returns and returns a year.
    tests : independent tests made.
    """
    require(n >= 1 and periods >= 1, f"n is {n}, periods {periods}", "n", "give at least 1")
    require(tests >= 1, f"tests is {tests}", "tests", "give at least 1")
    normal = NormalDist()
    root = math.sqrt(n / periods)
    t = sharpe * root
    p = math.erfc(abs(t) / math.sqrt(2.0))
    adjusted = -math.expm1(tests * math.log1p(-p)) if method == "sidak" and p < 1 else min(1.0, tests * p)
    cut = (
        0.0
        if adjusted >= 1
        else math.copysign(-normal.inv_cdf(adjusted / 2.0) if adjusted > 0 else abs(t), sharpe)
    )
    left = cut / root
    return Haircut(t, p, adjusted, left, math.nan if sharpe == 0 else 1.0 - left / sharpe)
