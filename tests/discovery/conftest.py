from __future__ import annotations

from pathlib import Path

import pytest

from assay.config import PeriodPlan, propose_plan
from assay.discovery import DiscoveryDesk
from assay.features import FeatureStore, standard_graph
from assay.ledger import Ledger
from assay.market import Panel, simulate
from assay.tools.builtin import SearchView, Workbench

FORMULAS = {
    "reversal": "-ts_return(close, 5)",
    "volatility": "-ts_std(returns, 20)",
    "traded": "-ts_mean(amount, 20)",
    "turning": "ts_mean(turn, 10)",
    "gap": "open / delay(close, 1)",
}


@pytest.fixture(scope="session")
def market() -> Panel:
    return simulate(instruments=40, days=420)


@pytest.fixture(scope="session")
def plan(market: Panel) -> PeriodPlan:
    return propose_plan(market.dates, (5, 20))


@pytest.fixture(scope="session")
def view(market: Panel, plan: PeriodPlan) -> SearchView:
    return SearchView.of(market, plan)


@pytest.fixture
def ledger(tmp_path: Path) -> Ledger:
    return Ledger.create(tmp_path / "ledger")


@pytest.fixture
def bench(view: SearchView, ledger: Ledger) -> Workbench:
    return Workbench.of(view, ledger)


@pytest.fixture(scope="session")
def store() -> FeatureStore:
    panel = simulate(5, instruments=50, days=300, minutes=12)
    return FeatureStore(panel, standard_graph(panel, formulas=FORMULAS))


@pytest.fixture(scope="session")
def desk(store: FeatureStore) -> DiscoveryDesk:
    return DiscoveryDesk(store)
