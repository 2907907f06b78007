"""How much the order decides: three candidates of which the middle one is like both others."""

from __future__ import annotations

from dataclasses import replace
from itertools import permutations

import numpy as np
import pytest

from assay.errors import AssayError
from assay.judge.training import AdmissionRule, Pool, TrainingScore, admit, order_effect

from .conftest import made_score

RULE = AdmissionRule(max_value_corr=0.6)


def ranked(values: np.ndarray) -> np.ndarray:
    return 2 * (values.argsort().argsort() + 1)[None]


@pytest.fixture(scope="module")
def three() -> list[TrainingScore]:
    rng = np.random.default_rng(4)
    a, c = rng.normal(size=(2, 400))
    series = 0.03 + rng.normal(0, 0.1, (3, 300))
    names = ("ts_return(close, 5)", "ts_return(close, 6)", "ts_return(close, 7)")
    ranks = (ranked(a), ranked(a + c), ranked(c))
    return [made_score(*parts) for parts in zip(names, series, ranks, strict=True)]


def counted(scores: list[TrainingScore]) -> int:
    pool = Pool()
    for score in scores:
        if admit(score, pool, RULE, 3).admitted:
            pool = pool.grown(score.expression.text, score)
    return len(pool)


def test_the_one_between_shuts_out_both_or_is_shut_out(three: list[TrainingScore]) -> None:
    by_hand = {order: counted([three[place] for place in order]) for order in permutations(range(3))}
    assert by_hand == {(0, 1, 2): 2, (0, 2, 1): 2, (2, 0, 1): 2, (2, 1, 0): 2, (1, 0, 2): 1, (1, 2, 0): 1}
    found = order_effect(three, RULE, n=3, orders=300, seed=1)
    assert found.counts[0] == 2
    assert set(found.counts) == {1, 2}
    ones = sum(count == 1 for count in found.counts) / 300
    assert ones == pytest.approx(1 / 3, abs=0.1)
    assert found.shares[three[1].expression.fingerprint] == ones
    assert found.shares[three[0].expression.fingerprint] == 1 - ones
    assert found.always == 0
    # two orders drawn at random admit the same set with probability (1/3)^2 + (2/3)^2, else nothing in common
    assert found.overlap == pytest.approx(5 / 9, abs=0.08)
    shown = found.as_dict()
    assert (shown["given"], shown["least"], shown["most"], shown["ever"]) == (2, 1, 2, 3)


def test_orders_are_those_of_the_seed(three: list[TrainingScore]) -> None:
    one, two = (order_effect(three, RULE, n=3, orders=30, seed=seed) for seed in (1, 1))
    assert one == two
    assert order_effect(three, RULE, n=3, orders=30, seed=2).counts != one.counts


def test_what_fails_alone_is_in_no_order(three: list[TrainingScore]) -> None:
    weak = [replace(score, t=1.0) for score in three]
    found = order_effect(weak, RULE, n=3, orders=5)
    assert (found.counts, found.shares, found.overlap) == ((0,) * 5, {}, 1.0)
    assert order_effect([], RULE, n=None, orders=2).counts == (0, 0)


def test_the_pool_that_was_there_counts(three: list[TrainingScore]) -> None:
    pool = Pool().grown("middle", three[1])
    assert order_effect([three[0], three[2]], RULE, pool=pool, n=3, orders=4).counts == (0,) * 4


def test_at_least_one_order(three: list[TrainingScore]) -> None:
    with pytest.raises(AssayError, match="0 orders"):
        order_effect(three, RULE, n=3, orders=0)
