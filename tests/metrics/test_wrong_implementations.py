"""Mistakes that tools of this kind have made. Each check passes on ours and must fail on the mistake."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from assay.metrics import (
    COSTS_CN,
    Tape,
    annual_ir,
    bar_returns,
    forward_returns,
    information_coefficient,
    max_drawdown,
    psr,
    quantile_membership,
    ratio_of,
    simulate,
)

PRICE = np.array([[10, 12, 13.2, 13.2, 11.88, 11.88]]).T
TARGETS = np.array([[1.0, np.nan, 0.0, np.nan, np.nan, np.nan]]).T


def run(targets: np.ndarray = TARGETS, price: np.ndarray = PRICE) -> Any:
    return simulate(targets, Tape(price), costs=COSTS_CN).books[0].curve


def check_timing(curve: Any) -> None:
    # bought at the close of day 1, sold at that of day 3: the 10% of day 2 and nothing else
    np.testing.assert_allclose(curve.gross, [0, 0, 0.1, 0, 0, 0], atol=1e-12)


def check_costs(curve: Any) -> None:
    np.testing.assert_allclose(curve.cost, curve.bought * 0.0005 + curve.sold * 0.0015, atol=1e-15)
    assert curve.nav[-1] == pytest.approx(1.1 * (1 - 0.0015) / 1.0005)


class Doubled:
    """Costs taken twice: from the return and again from the value."""

    def __init__(self, curve: Any) -> None:
        self.gross, self.bought, self.sold = curve.gross, curve.bought, curve.sold
        self.cost = 2 * curve.cost
        self.nav = np.cumprod(1 + self.gross - self.cost)


def check_drawdown(function: Callable[[list[float]], float]) -> None:
    assert function([-0.10, -1 / 6, 0.02]) == pytest.approx(-0.25)


def drawdown_from_first_day(returns: list[float]) -> float:
    nav = np.cumprod(1 + np.array(returns))
    return float((nav / np.maximum.accumulate(nav) - 1).min())


def check_ddof(function: Callable[[np.ndarray], float]) -> None:
    assert function(np.array([0.01, 0.03])) == pytest.approx(0.02 / (0.02 / math.sqrt(2)))


def check_constant(function: Callable[[np.ndarray], float]) -> None:
    assert math.isnan(function(np.full(50, 0.01)))


def unguarded_ratio(x: np.ndarray) -> float:
    with np.errstate(divide="ignore"):
        return float(x.mean() / x.std(ddof=1))


def check_label(label: np.ndarray) -> None:
    assert label[:, 0] == pytest.approx([0.1, 0.0, -0.1, 0.0, math.nan, math.nan], abs=1e-6, nan_ok=True)


def check_suspension(function: Callable[[np.ndarray], np.ndarray]) -> None:
    price = np.array([[1.0, 1.0, 2.0, np.nan, np.nan, 3.0, 3.0]]).T
    assert np.isfinite(function(price)[:, 0]).tolist() == [True, False, False, False, True, False, False]


def check_rank_ties(function: Callable[[np.ndarray, np.ndarray], float]) -> None:
    x = np.array([1.0, 1, 1, 2, 2, 2, 3, 3, 3, 4, 4, 4])
    y = np.arange(12.0)
    assert function(x, y) == function(x[::-1], y[::-1])
    # mean ranks 2, 5, 8, 11 against 1..12: covariance 135, variances 135 and 143
    assert function(x, y) == pytest.approx(math.sqrt(135 / 143))


def ordinal_spearman(x: np.ndarray, y: np.ndarray) -> float:
    rank = lambda v: np.argsort(np.argsort(v, kind="stable"), kind="stable").astype(float)  # noqa: E731
    return float(np.corrcoef(rank(x), rank(y))[0, 1])


def closed_form_spearman(x: np.ndarray, y: np.ndarray) -> float:
    from scipy import stats

    gap = stats.rankdata(x) - stats.rankdata(y)
    n = len(x)
    return float(1 - 6 * (gap**2).sum() / (n * (n * n - 1)))


def ours_spearman(x: np.ndarray, y: np.ndarray) -> float:
    return float(information_coefficient(x[None, :], y[None, :]).values[0])


def check_quantiles(function: Callable[[np.ndarray], np.ndarray]) -> None:
    x = np.array([0.0] * 20 + [1.0] * 20)
    member = function(x)
    assert len(set(member[:20])) == 1
    assert (member >= 0).all()


def check_psr(function: Callable[[float, int, float, float], float]) -> None:
    assert function(0.458, 24, -2.448, 10.164) == pytest.approx(0.913, abs=5e-4)


def psr_of_excess_kurtosis(sharpe: float, n: int, skew: float, kurtosis: float) -> float:
    from scipy import stats

    factor = 1 - skew * sharpe + (kurtosis - 3 - 1) / 4 * sharpe**2
    return float(stats.norm.cdf(sharpe * math.sqrt(n - 1) / math.sqrt(factor)))


def padded_label(price: np.ndarray) -> np.ndarray:
    filled = price.copy()
    for t in range(1, len(filled)):
        filled[t] = np.where(np.isnan(filled[t]), filled[t - 1], filled[t])
    return forward_returns(filled, 1)


def check_delisting(bars: np.ndarray) -> None:
    assert bars[:, 0].tolist() == [0, 0, -1, 0]


GONE = np.array([[5.0, 5.0, np.nan, np.nan]]).T

CASES: dict[str, tuple[Callable[[Any], None], Any, Any]] = {
    "signal traded with no lag": (check_timing, run(), run(np.roll(TARGETS, -1, axis=0))),
    "signal traded a bar late": (check_timing, run(), run(np.roll(TARGETS, 1, axis=0))),
    "costs taken twice": (check_costs, run(), Doubled(run())),
    "drawdown forgets the first day": (
        check_drawdown,
        lambda r: max_drawdown(r).depth,
        drawdown_from_first_day,
    ),
    "population deviation": (check_ddof, ratio_of, lambda x: ratio_of(x, ddof=0)),
    "daily ratio annualised": (check_ddof, ratio_of, annual_ir),
    "constant returns have a ratio": (check_constant, ratio_of, unguarded_ratio),
    "label without the entry bar": (
        check_label,
        forward_returns(PRICE, 1),
        np.append(PRICE[1:] / PRICE[:-1] - 1, [[np.nan]], axis=0),
    ),
    "label over a padded suspension": (check_suspension, lambda p: forward_returns(p, 1), padded_label),
    "ordinal ranks": (check_rank_ties, ours_spearman, ordinal_spearman),
    "closed form of Spearman": (check_rank_ties, ours_spearman, closed_form_spearman),
    "quantiles split equal values": (
        check_quantiles,
        lambda x: quantile_membership(x[None, :], 10)[0],
        lambda x: np.argsort(np.argsort(x, kind="stable")) * 10 // len(x),
    ),
    "excess kurtosis": (check_psr, psr, psr_of_excess_kurtosis),
    "delisted at its last price": (
        check_delisting,
        bar_returns(GONE, delisted_row=np.array([2]), delisting_value=0.0),
        bar_returns(GONE),
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_the_check_passes_ours_and_catches_the_mistake(name: str) -> None:
    check, right, wrong = CASES[name]
    check(right)
    with pytest.raises(AssertionError):
        check(wrong)
