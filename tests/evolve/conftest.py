from __future__ import annotations

import pytest

from assay.config import DateRange, PeriodPlan, as_date
from assay.market import Panel, simulate

SPANS = ((0, 299), (330, 469), (500, 619))


@pytest.fixture(scope="session")
def market() -> Panel:
    return simulate(5, instruments=200, days=620, name="toy")


@pytest.fixture(scope="session")
def plan(market: Panel) -> PeriodPlan:
    days = [as_date(day) for day in market.dates]
    search, score, last = (DateRange(days[a], days[b]) for a, b in SPANS)
    return PeriodPlan(search=search, score=score, eval=last, embargo_bars=21)
