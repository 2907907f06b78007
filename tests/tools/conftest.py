from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import pytest

from assay.base import Operator
from assay.config import PeriodPlan, propose_plan
from assay.ledger import Ledger
from assay.market import Panel, simulate
from assay.tools import Caller
from assay.tools.builtin import SearchView, Workbench

AGENT = Operator("agent", "small/017f22e2-79b0-7cc3-98c4-dc0c0c07398f", "small-1")


class StillClock:
    """A clock that stands."""

    def now(self) -> datetime:
        return datetime(2022, 2, 22, tzinfo=UTC)


@pytest.fixture
def caller() -> Caller:
    return Caller(AGENT)


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
    return Ledger.create(tmp_path / "ledger", clock=StillClock())


@pytest.fixture
def bench(view: SearchView, ledger: Ledger) -> Workbench:
    return Workbench.of(view, ledger)
