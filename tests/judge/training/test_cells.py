"""The sampled cells, and correlations on them."""

from __future__ import annotations

import numpy as np
import pytest

from assay.engine import evaluate
from assay.expr import parse
from assay.judge._measure import lagged_signal
from assay.judge.training import Cells, Pool, TrainingJudge, rank_correlations
from assay.judge.training._cells import Stack
from assay.library import similarity


def test_one_date_is_drawn_from_each_stretch() -> None:
    members = np.random.default_rng(1).random((120, 30)) < 0.5
    cells = Cells.draw(members, slice(20, 120), 10, seed=3)
    assert [(row - 20) // 10 for row in cells.rows] == list(range(10))
    again = Cells.draw(members, slice(20, 120), 10, seed=3)
    assert np.array_equal(cells.rows, again.rows)
    assert not np.array_equal(cells.rows, Cells.draw(members, slice(20, 120), 10, seed=4).rows)
    assert len(Cells.draw(members, slice(20, 24), 10, seed=3).rows) == 4


def test_ranks_are_doubled_and_shared_by_ties() -> None:
    members = np.array([[True, True, False, True, True]])
    cells = Cells.draw(members, slice(0, 1), 8, seed=0)
    signal = np.array([[0.5, 0.5, 9.0, np.nan, -1.0]], dtype=np.float32)
    # of -1, .5, .5: ranks 1, 2.5, 2.5; the outsider is not there, the missing one is 0
    assert cells.ranks(signal).tolist() == [[5, 5, 0, 2]]


def test_correlations_by_hand() -> None:
    base = [[2, 4, 6, 8]]
    stack = Stack.of_ranks([np.array(x, dtype=np.uint16) for x in (base, [[8, 6, 4, 2]], [[5, 5, 5, 5]])])
    other = Stack.of_ranks([np.array(x, dtype=np.uint16) for x in (base, [[2, 6, 4, 0]])])
    found = stack.correlations(other, 3)
    # the last shares three names with the first: (2, 4, 6) against (2, 6, 4) correlate by 1/2
    np.testing.assert_allclose(found, [[1.0, 0.5], [-1.0, -0.5], [np.nan, np.nan]])
    assert np.isnan(stack.correlations(other, 4)[0, 1])


def test_a_date_counts_where_both_are_known_and_vary() -> None:
    one = np.array([[2, 4, 6, 8], [2, 4, 6, 8], [4, 4, 4, 0]], dtype=np.uint16)
    two = np.array([[2, 4, 6, 8], [8, 6, 4, 2], [2, 4, 6, 8]], dtype=np.uint16)
    assert Stack.of_ranks([one]).correlations(Stack.of_ranks([two]), 3)[0, 0] == 0.0


def test_values_that_all_names_have_correlate_as_the_library_says(trained: TrainingJudge) -> None:
    texts = ["ts_return(close, 5)", "-ts_return(close, 7)", "ts_std(returns, 20)"]
    kept: list[np.ndarray] = []
    setup, rows = trained.setup, trained.cells.rows
    for text in texts:
        node = parse(text).node
        evaluate(
            {"x": node},
            setup.view,
            universe=setup.members,
            sink=lambda _, values: kept.append(lagged_signal(values, setup)[rows]),
        )
    known = np.isfinite(np.stack(kept)).all(axis=0)
    alike = [np.where(known, values, np.nan) for values in kept]
    full = np.zeros((len(setup.dates), setup.view.shape[1]), dtype=np.float32)
    ranks = []
    for values in alike:
        full[rows] = values
        ranks.append(trained.cells.ranks(full))
    found = rank_correlations(ranks, ranks)
    for a in range(3):
        for b in range(3):
            assert found[a, b] == pytest.approx(similarity(alike[a], alike[b]).correlation, abs=1e-9)


def test_values_are_told_without_a_score(trained: TrainingJudge) -> None:
    items = [parse("ts_return(close, 11)"), parse("rank(ts_return(close, 11))")]
    before = len(trained._scores)
    one, two = trained.ranks(items)
    assert len(trained._scores) == before
    assert rank_correlations([one], [two])[0, 0] == 1.0
    assert one.tobytes() == trained.score(items[:1])[0].ranks.tobytes() == trained.ranks(items)[0].tobytes()
    assert trained.ranks([]) == ()


def test_a_pool_grows_and_names_the_nearest(trained: TrainingJudge) -> None:
    near, far, score = trained.score(
        [parse(text) for text in ("ts_return(close, 6)", "ts_std(returns, 20)", "-ts_return(close, 5)")]
    )
    empty = Pool()
    assert empty.nearest(empty.value_correlations(score)).name is None
    pool = empty.grown("far", far, "zoo").grown("near", near)
    assert (len(empty), len(pool), [member.source for member in pool.members]) == (0, 2, ["zoo", "run"])
    found = pool.nearest(pool.value_correlations(score))
    assert found.name == "near"
    assert found.correlation < -0.8
    assert pool.nearest(pool.ic_correlations(score)).name == "near"
    both = trained.pool({"a": near.expression}, "known").joined(pool)
    assert both.nearest(both.value_correlations(score)).name == "a"
    shared = np.isfinite(score.rank_ics) & np.isfinite(near.rank_ics)
    expected = np.corrcoef(score.rank_ics[shared], near.rank_ics[shared])[0, 1]
    assert pool.ic_correlations(score)[1] == pytest.approx(expected, abs=1e-12)
