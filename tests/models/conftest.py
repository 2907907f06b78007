from __future__ import annotations

import pytest

from assay.features import FeatureStore, standard_graph
from assay.market import Panel, simulate

FORMULAS = {
    "reversal": "-ts_return(close, 5)",
    "volatility": "-ts_std(returns, 20)",
    "traded": "-ts_mean(amount, 20)",
}


@pytest.fixture(scope="session")
def market() -> Panel:
    return simulate(5, instruments=60, days=420)


@pytest.fixture(scope="session")
def store(market: Panel) -> FeatureStore:
    return FeatureStore(market, standard_graph(market, formulas=FORMULAS))
