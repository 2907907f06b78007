from __future__ import annotations

import numpy as np
import pytest

from assay.brain import Stats
from assay.brain.simulator import Daily, Peer, prod_correlation, self_correlation

from .markets import daily, request

RANDOM = np.random.default_rng(3)
OWN = RANDOM.standard_normal(1300)
NOISE = RANDOM.standard_normal(1300)


def _mixed(share: float) -> Daily:
    """PnL whose correlation with OWN is about ``share``."""
    return daily((share * OWN + np.sqrt(1 - share**2) * NOISE).tolist())


def _peer(name: str, series: Daily, sharpe: float | None = 1.5) -> Peer:
    return Peer(name, request("close"), Stats(sharpe=sharpe, turnover=0.2), series)


def test_alone_an_alpha_passes_without_a_value() -> None:
    found = self_correlation(daily(OWN.tolist()), 1.0, [])
    assert (found.correlations.max, found.correlations.min, found.correlations.rows) == (None, None, ())
    assert (found.check.name, found.check.result, found.check.limit) == ("SELF_CORRELATION", "PASS", 0.7)


def test_rows_are_the_platforms_from_the_highest_on() -> None:
    found = self_correlation(
        daily(OWN.tolist()), 1.0, [_peer("low", _mixed(0.1)), _peer("high", _mixed(0.5))]
    )
    assert [row["id"] for row in found.correlations.rows] == ["high", "low"]
    assert list(found.correlations.rows[0]) == [
        "id", "name", "instrumentType", "region", "universe", "correlation", "sharpe", "returns", "turnover",
        "fitness", "margin",
    ]  # fmt: skip
    assert found.correlations.max == found.check.value == found.correlations.rows[0]["correlation"]
    assert found.correlations.min == found.correlations.rows[1]["correlation"]
    assert found.check.result == "PASS"


def test_beyond_the_limit_only_a_tenth_better_sharpe_helps() -> None:
    own, others = daily(OWN.tolist()), [_peer("twin", _mixed(0.95), 2.0), _peer("far", _mixed(0.1), 9.0)]
    assert self_correlation(own, 2.0, others).check.result == "FAIL"
    assert self_correlation(own, 2.19, others).check.result == "FAIL"
    assert self_correlation(own, 2.2, others).check.result == "PASS"
    assert self_correlation(own, None, others).check.result == "FAIL"


def test_a_mirror_image_is_no_copy() -> None:
    found = self_correlation(daily(OWN.tolist()), 1.0, [_peer("mirror", daily((-OWN).tolist()))])
    assert (found.check.result, found.correlations.max) == ("PASS", -1.0)


def test_only_the_last_four_years_count() -> None:
    # nearly five years of days: equal in the first, unrelated after it
    dates = daily(OWN.tolist()).dates
    assert str(dates[-1]) == "2024-12-24"
    first = int(np.searchsorted(dates, np.datetime64("2020-12-25")))
    other = np.where(np.arange(1300) < first, 1000 * OWN, NOISE)
    found = self_correlation(daily(OWN.tolist()), 1.0, [_peer("old", daily(other.tolist()))])
    expected = np.corrcoef(OWN[first:], NOISE[first:])[0, 1]
    assert found.correlations.max == pytest.approx(expected, abs=1e-4)


def test_too_few_common_days_or_a_constant_say_nothing() -> None:
    own = daily(OWN.tolist())
    later = daily(OWN[:200].tolist(), start="2024-11-01")
    assert self_correlation(own, 1.0, [_peer("later", later)]).correlations.rows == ()
    assert self_correlation(own, 1.0, [_peer("flat", daily([1.0] * 1300))]).correlations.rows == ()


def test_the_pool_is_told_as_twenty_bins() -> None:
    others = [_peer("a", _mixed(0.95)), _peer("b", _mixed(0.1)), _peer("c", _mixed(0.1))]
    found = prod_correlation(daily(OWN.tolist()), 1.0, others)
    rows = found.correlations.rows
    assert len(rows) == 20
    assert (rows[0]["min"], rows[-1]["max"]) == (-1.0, 1.0)
    assert sum(row["alphas"] for row in rows) == 3
    assert rows[-1]["alphas"] == 1
    assert (found.check.name, found.check.result) == ("PROD_CORRELATION", "FAIL")
    assert prod_correlation(daily(OWN.tolist()), 1.0, []).correlations.rows == ()
