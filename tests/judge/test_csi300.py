"""Known factors on real data, within .002 of figures computed elsewhere."""

from __future__ import annotations

import importlib.util
from pathlib import Path

import pytest

from assay.judge import JudgeSettings, judge, verify_certificate

FORMULAS = {
    "correlation of close and volume": "-ts_corr(close, volume, 10)",
    "low volatility": "-ts_std(returns, 20)",
    "momentum": "delay(close, 21) / delay(close, 252)",
    "reversal": "-ts_return(close, 20)",
}
MEMBERS = (0.034, 0.038, 0.034, 0.0145)
EVER_MEMBERS = (0.036, 0.032, 0.028, 0.014)
QUICK = {"robustness": "quick", "leak_checks": "quick", "min_names": 30}


@pytest.fixture(scope="module")
def csi300(shared, tmp_path_factory):
    path = Path(__file__).parents[1] / "market" / "real.py"
    spec = importlib.util.spec_from_file_location("real_market_data", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.csi300_panel(shared, tmp_path_factory.mktemp("real"))


@pytest.mark.parametrize(("universe", "expected"), [("csi300", MEMBERS), (None, EVER_MEMBERS)])
def test_rank_ics_of_known_factors(csi300, universe, expected):
    verdicts = judge(FORMULAS, csi300, JudgeSettings(universe=universe, **QUICK))
    found = [verdict.summary["rank_ic"] for verdict in verdicts]
    assert found == pytest.approx(expected, abs=0.002)
    for verdict in verdicts:
        verify_certificate(verdict.certificate)
        assert verdict.data.simulated is False
        assert [check.outcome for check in verdict.leaks] == ["passed"] * 4
        assert all(shuffled < 0.01 for shuffled in map(abs, verdict.robustness.shuffle.means))
    if universe:
        assert 280 < verdicts[0].summary["names"] < 300
