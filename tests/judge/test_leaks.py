from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from assay.base import generator
from assay.judge._leaks import FULL, QUICK, FieldExponents, Subject, check_leaks

SHAPE = (120, 30)
EXPONENTS = FieldExponents({"close": 1.0, "volume": -1.0, "returns": 0.0, "news": None})


class Memory:
    """Three fields in memory."""

    shape = SHAPE

    def __init__(self):
        rng = generator(3, "leaks")
        steps = rng.normal(0, 0.02, SHAPE)
        self.fields = {
            "close": (20 * np.exp(np.cumsum(steps, axis=0))).astype(np.float32),
            "volume": rng.lognormal(10, 0.5, SHAPE).astype(np.float32),
            "returns": steps.astype(np.float32),
            "news": rng.normal(size=SHAPE).astype(np.float32),
        }
        self.fields["close"][rng.random(SHAPE) < 0.02] = np.nan

    def field(self, name):
        return self.fields[name]

    def group(self, name):
        return np.tile(np.arange(SHAPE[1], dtype=np.int32) % 3, (SHAPE[0], 1))

    def vector(self, name):
        return self.fields["news"][None]


def mean5(x):
    out = np.full(x.shape, np.nan)
    out[4:] = sum(x[i : len(x) - 4 + i].astype(float) for i in range(5)) / 5
    return out


def engine_of(formula: Callable):
    """An engine that knows one formula, in NumPy."""

    def evaluate(nodes, data, *, universe=None, threads=1, sink=None):
        with np.errstate(all="ignore"):
            for name in nodes:
                sink(name, np.asarray(formula(data, universe), dtype=np.float32))

    return evaluate


def outcomes(formula, *, fields=("close",), universe=None, plan=FULL, breaks_at=None):
    subject = {"f": Subject(node=None, fields=fields, lookback=5, breaks_at=breaks_at)}
    checks = check_leaks(
        subject, Memory(), EXPONENTS, engine_of(formula), universe=universe, plan=plan, seed=1
    )["f"]
    assert [check.name for check in checks] == ["prefix", "scramble", "permutation", "adjustment"]
    return {check.name: check for check in checks}


def test_an_honest_invariant_formula_passes_all_four():
    found = outcomes(lambda data, _: data.field("close") / mean5(data.field("close")))
    assert {check.outcome for check in found.values()} == {"passed"}
    assert found["prefix"].numbers["differing"] == 0
    assert found["prefix"].numbers["cells"] == 3 * 16 * 30


def tomorrow(data, _):
    close = data.field("close")
    return np.vstack([close[1:], np.full((1, close.shape[1]), np.nan)]) / close


def whole_sample_zscore(data, _):
    x = data.field("returns")
    return (x - np.nanmean(x)) / np.nanstd(x)


def backfilled(data, _):
    close = data.field("close").copy()
    for row in range(len(close) - 2, -1, -1):
        close[row] = np.where(np.isnan(close[row]), close[row + 1], close[row])
    return close / mean5(close)


def wrapped(data, _):
    return np.roll(data.field("returns"), 1, axis=0) + 0 * np.roll(data.field("returns"), -3, axis=0)


@pytest.mark.parametrize("formula", [tomorrow, whole_sample_zscore])
def test_knowledge_of_the_future_fails_prefix_and_scramble(formula):
    found = outcomes(formula, fields=("close", "returns"))
    assert found["prefix"].outcome == "failed"
    assert found["scramble"].outcome == "failed"
    assert found["prefix"].numbers["differing"] > 0


@pytest.mark.parametrize("formula", [backfilled, wrapped])
def test_rare_leaks_are_found(formula):
    rare = outcomes(formula, fields=("close", "returns"))
    assert "failed" in {rare["prefix"].outcome, rare["scramble"].outcome}


def test_future_universe_is_a_leak():
    members = generator(5, "members").random(SHAPE) < 0.7

    def later_members_only(data, universe):
        return np.where(universe[-1], data.field("returns"), np.nan)

    found = outcomes(later_members_only, fields=("returns",), universe=members)
    assert found["scramble"].outcome == "failed"


def test_position_of_a_name_must_not_matter():
    found = outcomes(lambda data, _: data.field("returns") + np.arange(data.shape[1]), fields=("returns",))
    assert found["permutation"].outcome == "failed"
    assert found["prefix"].outcome == "passed"


@pytest.mark.parametrize(
    "formula",
    [
        lambda data, _: -data.field("close"),
        lambda data, _: data.field("close") + data.field("volume"),
        lambda data, _: (data.field("close") > 40).astype(float),
        lambda data, _: mean5(np.log(data.field("close"))),
    ],
)
def test_dependence_on_the_adjustment_factor_fails(formula):
    found = outcomes(formula, fields=("close", "volume"), breaks_at="close")
    assert found["adjustment"].outcome == "failed"
    assert found["adjustment"].culprit == "close"
    assert "close" in found["adjustment"].detail


@pytest.mark.parametrize(
    "formula",
    [
        lambda data, _: data.field("close") * data.field("volume"),
        lambda data, _: np.log(data.field("close")) - mean5(np.log(data.field("close"))),
        lambda data, _: data.field("returns"),
    ],
)
def test_factors_that_cancel_pass(formula):
    found = outcomes(formula, fields=("close", "volume", "returns"), breaks_at="what the rules could not see")
    assert found["adjustment"].outcome == "passed"


def test_unknown_exponent_is_undefined_not_passed():
    found = outcomes(lambda data, _: data.field("news"), fields=("news",))
    assert found["adjustment"].outcome == "undefined"
    assert "news" in found["adjustment"].detail


def test_no_values_at_all_is_undefined_where_values_are_compared():
    found = outcomes(lambda data, _: np.full(data.shape, np.nan))
    assert found["permutation"].outcome == "undefined"
    assert found["adjustment"].outcome == "undefined"


def test_quick_reads_fewer_rows_and_still_finds_a_leak():
    assert outcomes(tomorrow, plan=QUICK)["prefix"].outcome == "failed"
    assert outcomes(mean5_ratio, plan=QUICK)["prefix"].outcome == "passed"


def mean5_ratio(data, _):
    return data.field("close") / mean5(data.field("close"))
