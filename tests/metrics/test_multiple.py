from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from scipy import stats
from statsmodels.stats.multitest import multipletests

from assay.errors import DataError
from assay.metrics import adjust_p, haircut_sharpe

HLZ_PRINTED = np.array([4.66, 0.85, 2.71, 0.05, 3.00, 0.84, 0.00, 0.00, 0.60, 1.28]) / 100
HLZ_T = np.array([1.99, 2.63, 2.21, 3.43, 2.17, 2.64, 4.56, 5.34, 2.75, 2.49])
THEIRS = {"bonferroni": "bonferroni", "holm": "holm", "bh": "fdr_bh", "by": "fdr_by"}


@pytest.mark.parametrize(("method", "found"), [("bonferroni", 3), ("holm", 4), ("by", 6)])
def test_ten_tests_of_harvey_liu_zhu_2016(method: str, found: int) -> None:
    assert adjust_p(HLZ_PRINTED, method).discoveries == found


def test_the_by_factor_of_ten_tests() -> None:
    single = adjust_p([0.01], "by", tests=10).values[0]
    assert single == pytest.approx(0.1 * 2.92897, rel=1e-5)


def test_recomputed_p_values_flip_holm() -> None:
    p = 2 * stats.norm.sf(HLZ_T)
    assert [adjust_p(p, m).discoveries for m in ("bonferroni", "holm", "by")] == [3, 6, 6]


@settings(max_examples=60, deadline=None)
@given(hnp.arrays(float, st.integers(1, 30), elements=st.floats(0, 1)), st.sampled_from(sorted(THEIRS)))
def test_property_equal_to_statsmodels(p: np.ndarray, method: str) -> None:
    ours = adjust_p(p, method)
    rejected, theirs, _, _ = multipletests(p, 0.05, method=THEIRS[method])
    np.testing.assert_allclose(ours.values, theirs, rtol=1e-12, atol=1e-300)
    clear = np.abs(theirs - 0.05) > 1e-12
    np.testing.assert_array_equal(ours.rejected[clear], rejected[clear])


def test_absent_tests_count_as_failures() -> None:
    given_only = adjust_p([0.001, 0.02], "bh")
    of_many = adjust_p([0.001, 0.02], "bh", tests=100)
    padded = adjust_p([0.001, 0.02] + [1.0] * 98, "bh")
    np.testing.assert_allclose(of_many.values, padded.values[:2])
    assert of_many.discoveries == 0
    assert given_only.discoveries == 2
    assert of_many.tests == 100


def test_bad_p_values_are_refused() -> None:
    for p in ([0.1, np.nan], [-0.1], [1.2]):
        with pytest.raises(DataError):
            adjust_p(p, "bh")
    with pytest.raises(DataError, match="method"):
        adjust_p([0.1], "fdr")
    with pytest.raises(DataError, match="tests"):
        adjust_p([0.1, 0.2], "bh", tests=1)


def test_haircut_of_harvey_and_liu_2015() -> None:
    cut = haircut_sharpe(0.75, 240, 12, 200)
    assert cut.p == pytest.approx(0.000796, abs=5e-7)
    assert cut.adjusted_p == pytest.approx(0.1473, abs=5e-5)
    assert cut.sharpe == pytest.approx(0.3241, abs=5e-5)
    assert cut.share == pytest.approx(0.568, abs=5e-4)


def test_one_test_costs_nothing_and_many_cost_everything() -> None:
    assert haircut_sharpe(0.75, 240, 12, 1).sharpe == pytest.approx(0.75)
    assert haircut_sharpe(0.75, 240, 12, 10**6, "bonferroni").sharpe == 0.0
    assert haircut_sharpe(-0.75, 240, 12, 200).sharpe == pytest.approx(
        -haircut_sharpe(0.75, 240, 12, 200).sharpe
    )
    with pytest.raises(DataError):
        haircut_sharpe(0.75, 240, 12, 0)
