from __future__ import annotations

import math

import numpy as np
import pytest

from assay.ledger._clusters import LEAST_COMMON_DAYS, best_clusters, correlations, effective_number
from assay.ledger._series import DailySeries


def series_of(matrix: np.ndarray) -> list[DailySeries]:
    days = np.datetime64("2020-01-01", "D") + np.arange(len(matrix))
    found = []
    for column in matrix.T:
        known = ~np.isnan(column)
        found.append(DailySeries(days[known], column[known]))
    return found


def blocks(rng: np.random.Generator, count: int, members: int, days: int, rho: float) -> np.ndarray:
    """``count`` independent factors, each shown by ``members`` series that correlate ``rho``."""
    factors = rng.standard_normal((days, count))
    noise = rng.standard_normal((days, count, members))
    mixed = math.sqrt(rho) * factors[:, :, None] + math.sqrt(1 - rho) * noise
    return mixed.reshape(days, count * members)


@pytest.mark.parametrize("count", [2, 5, 12, 40])
@pytest.mark.parametrize("rho", [0.6, 0.9])
def test_blocks_of_correlated_series_count_once_each(count: int, rho: float) -> None:
    rng = np.random.default_rng(count)
    assert effective_number(series_of(blocks(rng, count, 8, 500, rho))) == count


def test_identical_series_are_one() -> None:
    column = np.random.default_rng(1).standard_normal((300, 1))
    assert effective_number(series_of(np.repeat(column, 7, axis=1))) == pytest.approx(1.0)
    assert effective_number(series_of(column * np.array([1.0, 2.0, 0.5]))) == pytest.approx(1.0)


@pytest.mark.parametrize("n", [2, 3, 30, 300])
def test_independent_series_count_about_one_each(n: int) -> None:
    found = effective_number(series_of(np.random.default_rng(n).standard_normal((600, n))))
    assert 0.95 * n <= found <= n


def test_independent_series_beside_blocks_keep_their_number() -> None:
    rng = np.random.default_rng(4)
    matrix = np.concatenate([blocks(rng, 5, 10, 500, 0.9), rng.standard_normal((500, 50))], axis=1)
    assert effective_number(series_of(matrix)) == pytest.approx(55, abs=2)


def test_series_without_common_days_count_one_each() -> None:
    values = np.random.default_rng(2).standard_normal(400)
    days = np.datetime64("2020-01-01", "D") + np.arange(400)
    apart = [DailySeries(days[:200], values[:200]), DailySeries(days[200:], values[:200])]
    assert effective_number(apart) == 2.0


def test_gaps_do_not_change_the_number_of_blocks() -> None:
    rng = np.random.default_rng(3)
    matrix = blocks(rng, 6, 8, 500, 0.9)
    matrix[rng.random(matrix.shape) < 0.1] = np.nan
    assert effective_number(series_of(matrix)) == 6


def test_no_series_and_one() -> None:
    assert effective_number([]) == 0.0
    assert effective_number(series_of(np.ones((30, 1)))) == 1.0


def test_constant_series_correlate_with_nothing() -> None:
    matrix = np.random.default_rng(5).standard_normal((100, 3))
    matrix[:, 1] = 0.0
    found = correlations(matrix)
    assert (found[1, [0, 2]] == 0.0).all()
    assert (np.diag(found) == 1.0).all()


@pytest.mark.parametrize("missing", [False, True])
def test_correlations_are_those_of_the_common_days(missing: bool) -> None:
    rng = np.random.default_rng(6)
    matrix = blocks(rng, 2, 2, 200, 0.5) * 0.01 + 0.003
    if missing:
        matrix[rng.random(matrix.shape) < 0.2] = np.nan
    found = correlations(matrix)
    for i in range(4):
        for j in range(4):
            both = ~np.isnan(matrix[:, i]) & ~np.isnan(matrix[:, j])
            expected = np.corrcoef(matrix[both, i], matrix[both, j])[0, 1]
            assert found[i, j] == pytest.approx(expected, abs=1e-10)


def test_too_few_common_days_are_no_correlation() -> None:
    line = np.arange(LEAST_COMMON_DAYS + 1.0)
    matrix = np.column_stack([line, line])
    assert correlations(matrix)[0, 1] == pytest.approx(1.0)
    matrix[:2, 0] = np.nan
    assert correlations(matrix)[0, 1] == 0.0


def test_silhouettes_are_those_of_the_definition() -> None:
    rng = np.random.default_rng(7)
    correlation = correlations(blocks(rng, 3, 4, 300, 0.7))
    found = best_clusters(correlation)
    labels, silhouettes = found.labels, found.silhouettes
    distance = np.sqrt((1 - correlation) / 2)
    assert len(set(labels.tolist())) == 3
    for i, label in enumerate(labels):
        others = [j for j in np.flatnonzero(labels == label) if j != i]
        inside = distance[i, others].mean()
        outside = min(distance[i, labels == c].mean() for c in set(labels.tolist()) - {label})
        assert silhouettes[i] == pytest.approx((outside - inside) / max(inside, outside))


def test_more_blocks_than_cuts_err_upward(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("assay.ledger._clusters.MOST_CLUSTERS", 5)
    rng = np.random.default_rng(9)
    assert 20 <= effective_number(series_of(blocks(rng, 20, 5, 500, 0.9))) <= 100
