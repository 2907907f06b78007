"""The simulator against the slow one, on random programs and settings."""

from __future__ import annotations

import numpy as np
import pytest

from assay.brain.simulator import Market, Outcome, simulate
from assay.expr import STANDARD_FIELDS, Space, convert, sample, to_text

from . import reference
from .markets import SETTINGS, market, request, simulated

SPACE = Space(
    fields={name: STANDARD_FIELDS[name] for name in ("close", "volume", "returns", "cap", "sector")},
    ops=(
        "sub", "div", "neg", "abs", "delay", "delta", "ts_mean", "ts_std", "ts_zscore", "ts_corr", "rank",
        "zscore", "group_neutralize", "group_zscore", "group_rank",
    ),
    windows=(3, 5, 10, 20),
    nodes=12,
    depth=4,
)  # fmt: skip
CHOICES = {
    "universe": ("TOP3000", "TOP1000", "INDEX_A"),
    "neutralization": ("NONE", "MARKET", "SECTOR", "SUBINDUSTRY"),
    "decay": (0, 1, 4),
    "truncation": (0.0, 0.02, 0.08),
    "pasteurization": ("ON", "OFF"),
    "delay": (0, 1),
}


def _agree(tested: Market, code: str, **settings: object) -> None:
    asked = request(code, **settings)
    found = simulate(tested, asked)
    assert isinstance(found, Outcome), found
    expected = reference.figures(tested, asked)
    scale = max(float(np.abs(expected.pnl).max()), 1.0)
    np.testing.assert_allclose(found.daily.pnl, expected.pnl, atol=1e-4 * scale, err_msg=code)
    stats = found.stats
    for name, places in (("turnover", 4), ("returns", 4), ("drawdown", 4)):
        assert getattr(stats, name) == pytest.approx(getattr(expected, name), abs=1.01 * 10**-places)
    if stats.sharpe is not None:
        assert stats.sharpe == pytest.approx(expected.sharpe, abs=0.011)
        assert stats.fitness == pytest.approx(expected.fitness, abs=0.011)
        assert stats.margin == pytest.approx(expected.margin, abs=2e-6 + 1e-3 * abs(expected.margin))
    assert stats.long_count == pytest.approx(expected.long_count, abs=0.51)
    assert stats.short_count == pytest.approx(expected.short_count, abs=0.51)


@pytest.mark.parametrize("seed", range(12))
def test_random_programs_have_the_figures_of_the_slow_simulator(seed: int) -> None:
    random = np.random.default_rng(seed)
    drawn = convert(to_text(sample(random, SPACE)), "core", "fastexpr", exact=False)
    settings = {name: values[random.integers(len(values))] for name, values in CHOICES.items()}
    _agree(_small(), drawn.text, **settings)


def test_vectors_and_groups_reach_the_program() -> None:
    _agree(_small(), "group_rank(ts_sum(vec_sum(event_score), 3), sector)", decay=0, truncation=0.0)


def test_prices_before_a_pause_are_held_against_those_after_it() -> None:
    tested = market()
    close = tested.sample.panel.field("close")
    paused = np.isnan(close[1:-1]) & np.isfinite(close[:-2]) & np.isfinite(close[2:])
    row, name = np.argwhere(paused)[0] + (1, 0)
    assert tested.sample.gains[row, name] == 0.0
    expected = float(close[row + 1, name]) / float(close[row - 1, name]) - 1
    assert tested.sample.gains[row + 1, name] == pytest.approx(expected)


def _small() -> Market:
    return Market.of(simulated(instruments=40, days=360), None, SETTINGS)
