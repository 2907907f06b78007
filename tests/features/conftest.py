from __future__ import annotations

import pytest

from assay.features import FeatureGraph, feature, standard_graph
from assay.market import Panel, simulate

FORMULAS = {
    "reversal": "rank(-ts_return(close, 5))",
    "volatility": "-ts_std(returns, 20)",
    "ranked_range": "rank(bar_range)",
    "by_industry": "group_rank(close, industry)",
    "smooth": "ts_ema(close, 12)",
}


@feature("bar_range", deps=("high", "low", "close"))
def bar_range(high, low, close):
    """Width of the bar as a share of its close."""
    return (high - low) / close


@feature("slow_range", deps=("ranked_range", "reversal"), lag=2)
def slow_range(ranked, reversal):
    """A Python feature of formulas, known two rows later."""
    return ranked - reversal


@pytest.fixture(scope="session")
def market() -> Panel:
    return simulate(5, instruments=30, days=260)


@pytest.fixture(scope="session")
def graph(market: Panel) -> FeatureGraph:
    return standard_graph(market, formulas=FORMULAS, extra=[bar_range]).extended([slow_range])
