from __future__ import annotations

import sys
from dataclasses import replace

import numpy as np
import pytest

from assay.campaign._combine import PENALTIES, Samples, centred_ranks, combine, rank_ic, require_combination
from assay.errors import AssayError

DATES, NAMES = 200, 60


def samples(signal: tuple[float, ...], noise: float = 1.0, seed: int = 0) -> Samples:
    """Independent factors, and a label that they foretell with these weights."""
    rng = np.random.default_rng(seed)
    members = np.ones((DATES, NAMES), dtype=bool)
    values = [rng.normal(size=(DATES, NAMES)).astype(np.float32) for _ in signal]
    label = sum(weight * value for weight, value in zip(signal, values, strict=True))
    label = label + noise * rng.normal(size=(DATES, NAMES))
    ranks = [centred_ranks(value, members) for value in values]
    return Samples(ranks, centred_ranks(label, members), members, slice(0, 120), slice(125, 160))


def test_ranks_lie_about_zero() -> None:
    members = np.array([[True, True, True, False], [True, True, True, True]])
    found = centred_ranks(
        np.array([[3.0, 1.0, 2.0, 9.0], [1.0, 1.0, np.nan, 5.0]], dtype=np.float32), members
    )
    assert np.allclose(found[0, :3], [1 / 3, -1 / 3, 0], atol=1e-6)
    assert np.isnan(found[0, 3])
    assert np.allclose(found[1, [0, 1, 3]], [-1 / 6, -1 / 6, 1 / 3], atol=1e-6)


def test_ridge_finds_the_weights_and_reads_nothing_after_validate() -> None:
    made = samples((1.0, -0.5, 0.0))
    found = combine("ridge", made, 1)
    assert found.penalty in PENALTIES
    weights = np.array(found.weights) / found.weights[0]
    assert weights == pytest.approx([1.0, -0.5, 0.0], abs=0.1)
    later = made.label.copy()
    later[made.validate.stop :] = -later[made.validate.stop :]
    assert combine("ridge", replace(made, label=later), 1).weights == found.weights
    assert rank_ic(found.values, made.label, made.members, slice(160, 200)) > 0.5


def test_the_validate_tail_picks_the_penalty() -> None:
    """Two nearly equal factors with little to say: a strong penalty shrinks what is only fitted."""
    made = samples((0.05, 0.05), noise=3.0, seed=4)
    reached = {}
    for penalty in PENALTIES:
        fitted = _ridge_by_hand(made, penalty)
        mixed = sum(weight * ranks for weight, ranks in zip(fitted, made.ranks, strict=True))
        reached[penalty] = rank_ic(
            np.asarray(mixed, dtype=np.float32), made.label, made.members, made.validate
        )
    found = combine("ridge", made, 1)
    assert found.validate_rank_ic == pytest.approx(max(reached.values()), abs=1e-6)
    assert reached[found.penalty or 0.0] == pytest.approx(max(reached.values()), abs=1e-6)


def _ridge_by_hand(made: Samples, penalty: float) -> np.ndarray:
    x = np.stack([ranks[made.train].ravel() for ranks in made.ranks], axis=1).astype(np.float64)
    y = made.label[made.train].ravel().astype(np.float64)
    gram = x.T @ x / len(x)
    scale = np.trace(gram) / len(gram)
    return np.linalg.solve(gram + penalty * scale * np.eye(len(gram)), x.T @ y / len(x))


def test_equal_weight_and_members_without_a_value() -> None:
    made = samples((1.0, 1.0))
    made.ranks[0][5, 3] = np.nan
    made.ranks[1][5, 4] = made.ranks[0][5, 4] = np.nan
    found = combine("equal", made, 1)
    assert found.weights == (0.5, 0.5)
    assert found.penalty is None
    assert found.values[5, 3] == pytest.approx(made.ranks[1][5, 3] / 2)
    assert np.isnan(found.values[5, 4])


def test_two_equal_factors_do_not_stop_ridge() -> None:
    made = samples((1.0,))
    twice = replace(made, ranks=[made.ranks[0], made.ranks[0]])
    found = combine("ridge", twice, 1)
    assert found.weights[0] == pytest.approx(found.weights[1])


def test_trees_want_their_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "lightgbm", None)
    for act in (lambda: require_combination("lightgbm"), lambda: combine("lightgbm", samples((1.0,)), 1)):
        with pytest.raises(AssayError, match="lightgbm") as wanted:
            act()
        assert "alpha-assay[models]" in str(wanted.value.fix)
    require_combination("ridge")


def test_trees_learn_and_repeat_themselves() -> None:
    pytest.importorskip("lightgbm", reason="the extra models is not installed")
    made = samples((1.0, -1.0, 0.0), noise=0.5)
    found = combine("lightgbm", made, 3)
    assert rank_ic(found.values, made.label, made.members, slice(160, 200)) > 0.6
    assert sum(found.weights) == pytest.approx(1.0)
    assert found.weights[2] < 0.1
    assert np.array_equal(combine("lightgbm", made, 3).values, found.values, equal_nan=True)
