from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from assay.errors import DataError
from assay.expr import edit_distance, parse
from assay.library import factor, nearest, reference_factors, similarity

panels = arrays(np.float32, (3, 12), elements=st.floats(-100, 100, width=32) | st.just(float("nan")))


def test_a_day_by_hand() -> None:
    a = np.array([[1.0, 2.0, 3.0, 4.0], [1.0, 2.0, 3.0, 4.0]])
    b = np.array([[1.0, 2.0, 4.0, 3.0], [4.0, 3.0, 2.0, 1.0]])
    # day 1: one swap of neighbours, 1 - 6*2/(4*15) = 0.8; day 2: reversed, -1
    assert similarity(a, b, minimum=2) == (pytest.approx(-0.1), 2)


def test_ties_take_their_average_rank() -> None:
    a = np.array([[1.0, 1.0, 2.0]])
    b = np.array([[1.0, 2.0, 3.0]])
    assert similarity(a, b, minimum=3).correlation == pytest.approx(math.sqrt(3) / 2)


def test_days_without_a_correlation_do_not_count() -> None:
    rng = np.random.default_rng(0)
    a, b = rng.normal(size=(4, 12)), rng.normal(size=(4, 12))
    a[1] = 5.0
    b[2, :3] = np.nan
    assert similarity(a, b).days == 2
    nothing = similarity(a, np.full_like(b, np.nan))
    assert math.isnan(nothing.correlation)
    assert nothing.days == 0


@given(panels, panels)
def test_it_is_symmetric_bounded_and_blind_to_monotone_changes(a: np.ndarray, b: np.ndarray) -> None:
    forth, back = similarity(a, b), similarity(b, a)
    assert forth.days == back.days
    if forth.days:
        assert -1.0 <= forth.correlation <= 1.0
        assert forth.correlation == pytest.approx(back.correlation, abs=1e-12)
        cubed = similarity(a.astype(np.float64) ** 3, b)
        assert cubed.correlation == pytest.approx(forth.correlation, abs=1e-12)
        assert similarity(-a, b).correlation == pytest.approx(-forth.correlation, abs=1e-12)


def test_shapes_must_agree() -> None:
    with pytest.raises(DataError, match=r"\(2, 3\)"):
        similarity(np.zeros((2, 3)), np.zeros((3, 2)))


def test_the_nearest_of_a_published_formula_is_itself() -> None:
    for id in ("alpha101-012", "alpha191-089", "alpha158-kmid2", "classic-beta-60"):
        known = factor(id)
        first = nearest(known.node, known.set, limit=3)[0]
        assert first.match == "fingerprint"
        assert first.distance == 0
        assert first.factor.expression.fingerprint == known.expression.fingerprint


def test_sign_and_scale_do_not_hide_a_formula() -> None:
    first = nearest(parse("2 * ts_std(returns, 20)").node, "classics")[0]
    assert first.factor.id == "classic-volatility-20"
    assert first.match == "signature"


def test_the_same_formula_is_found_in_another_set() -> None:
    found = nearest(factor("alpha101-003").node, "alpha191", limit=1)
    assert found[0].factor.id == "alpha191-105"
    assert found[0].match == "fingerprint"


def test_pruning_changes_nothing() -> None:
    node = parse("rank(ts_corr(close, volume, 7)) * rank(delta(close, 3))").node
    found = nearest(node, "alpha101", limit=4)
    distances = sorted(edit_distance(node, f.node) for f in reference_factors("alpha101"))
    assert [neighbour.distance for neighbour in found] == distances[:4]
    assert [neighbour.match for neighbour in found] == ["distance"] * 4
