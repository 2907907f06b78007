"""The importers, the doctor and the rules on real data."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from assay.market import Panel, doctor

from .real import csi300_panel, us_panel


@pytest.fixture(scope="module")
def cn(shared: Path, tmp_path_factory: pytest.TempPathFactory) -> Panel:
    return csi300_panel(shared, tmp_path_factory.mktemp("real"))


@pytest.fixture(scope="module")
def us(shared: Path, tmp_path_factory: pytest.TempPathFactory) -> Panel:
    return us_panel(shared, tmp_path_factory.mktemp("real"))


def test_a_date_holds_285_to_300_members_of_csi_300(cn: Panel) -> None:
    members = cn.universe("csi300").sum(axis=1)
    assert cn.shape == (1943, 569)
    assert members.min() >= 285
    assert members.max() <= 300
    assert len(cn.manifest.universes["csi300"].unknown_members) == 16


def test_paused_days_are_missing(cn: Panel) -> None:
    suspended = cn.trading().suspended
    assert suspended.sum() == 11_771
    assert np.isnan(cn.raw("close")[suspended]).all()


def test_nothing_serious_is_found(cn: Panel, us: Panel) -> None:
    for panel in (cn, us):
        assert not [finding for finding in doctor(panel) if finding.severity == "serious"]
    assert cn.data.quarantined == ()


def test_the_doctor_met_the_faults_of_the_american_file(us: Panel) -> None:
    reasons = {(item.date, item.symbol): item.reason for item in us.data.quarantined}
    # a spin-off that is in the factor though the prices are adjusted for it already
    assert reasons["2016-07-05", "DHR"] == "unexplained_jump"
    assert sum(reason == "outside_range" for reason in reasons.values()) == 6


def test_closes_at_the_limit_are_about_as_rare_as_they_are(cn: Panel) -> None:
    trading = cn.trading()
    traded = trading.priced.sum()
    assert 0.004 < trading.limit_up.sum() / traded < 0.012
    assert 0.001 < trading.limit_down.sum() / traded < 0.005
    # hardly a bar lies beyond its limits
    moves = np.abs(cn.field("returns"))
    main = np.array([name[2:5] not in {"688", "300", "301"} for name in cn.instruments])
    seasoned = trading.age_bars[:, main] > 5
    assert (moves[:, main][seasoned] > 0.105).mean() < 1e-4


def test_adjusted_returns_have_no_ex_day_losses(cn: Panel) -> None:
    factor = cn.raw("factor").astype(np.float64)
    steps = np.full(cn.shape, np.nan)
    steps[1:] = factor[1:] / factor[:-1]
    on_step = (steps > 1.05) & np.isfinite(cn.field("returns"))
    assert on_step.sum() > 200
    assert abs(np.median(cn.field("returns")[on_step])) < 0.01
    raw = cn.raw("close").astype(np.float64)
    raw_return = np.full(cn.shape, np.nan)
    raw_return[1:] = raw[1:] / raw[:-1] - 1
    assert np.median(raw_return[on_step]) < -0.04


@pytest.mark.slow
def test_rank_ic_of_known_formulas(cn: Panel) -> None:
    from assay import expr
    from assay.engine import evaluate

    members = cn.universe("csi300")
    formulas = {
        "-ts_corr(close, volume, 10)": 0.034,
        "-ts_std(returns, 20)": 0.038,
        "delay(close, 21) / delay(close, 252) - 1": 0.034,
        "-(close / delay(close, 20) - 1)": 0.0145,
    }
    nodes = {text: expr.parse(text, "core", fields=cn.fields).node for text in formulas}
    values = evaluate(nodes, cn)
    close = cn.field("close").astype(np.float64)
    for text, expected in formulas.items():
        found = []
        for row in range(len(close) - 7):
            label = close[row + 7] / close[row + 2] - 1
            both = np.isfinite(values[text][row]) & np.isfinite(label) & members[row + 1]
            if both.sum() >= 30:
                x = np.argsort(np.argsort(values[text][row][both]))
                y = np.argsort(np.argsort(label[both]))
                found.append(np.corrcoef(x, y)[0, 1])
        assert abs(np.mean(found) - expected) < 0.002, text
