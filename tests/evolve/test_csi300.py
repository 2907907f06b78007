"""An admitted spec evolved on CSI 300, 2017 to 2024, with the hidden periods sealed."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from typing import Any

import pytest

from assay.config import DateRange, PeriodPlan, as_date
from assay.market import Panel
from assay.tools import Audit

from .desk import gated_spec, script, tried
from .test_market import Bench, hidden_needles, sampled

SEED = "TS_STD($return, 60)"


@pytest.fixture(scope="module")
def csi300(shared: Path, tmp_path_factory: pytest.TempPathFactory) -> Panel:
    path = Path(__file__).parents[1] / "market" / "real.py"
    spec = importlib.util.spec_from_file_location("real_market_data", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    panel: Panel = module.csi300_panel(shared, tmp_path_factory.mktemp("real"))
    return panel


def real_plan(years: tuple[tuple[str, str], ...]) -> PeriodPlan:
    search, score, last = (DateRange(as_date(first), as_date(end)) for first, end in years)
    return PeriodPlan(search=search, score=score, eval=last, embargo_bars=21)


# the last bars of a period are the embargo before the next one
FULL = real_plan((("2018-01-01", "2021-11-30"), ("2022-01-01", "2023-11-30"), ("2024-01-01", "2024-12-31")))
SHORT = real_plan((("2020-10-01", "2021-11-30"), ("2022-01-01", "2022-09-30"), ("2024-01-01", "2024-12-31")))


def check(bench: Bench, found: Any) -> None:
    """What holds of any episode on any data."""
    assert bench.market.manifest.simulated is False
    assert isinstance(found.audit, Audit)
    assert found.audit.illegal_tool_calls == 0
    assert found.delta is not None
    assert -1.0 <= found.delta <= 1.0
    assert round(found.delta * 20) == pytest.approx(found.delta * 20)
    needles = hidden_needles(bench.market, bench.plan)
    for path in bench.folder.rglob("runs/**/*.json"):
        text = path.read_text()
        assert [needle for needle in needles if needle in text] == []
    assert [entry.body["period"] for entry in bench.ledger.entries(kind="look")] == ["score"]


def test_a_short_evolution_on_real_data(csi300: Panel, tmp_path: Path) -> None:
    bench = Bench(csi300, SHORT, tmp_path)
    found = bench.evolve(
        script(tried("TS_STD($return, 20)", "TS_MEAN(ABS($return), 20)")),
        gated_spec(expr=SEED, windows=(60,)),
    )
    check(bench, found)
    assert [item.figures.defined for item in found.candidates] == [True, True]
    assert all(item.figures.coverage > 0.9 for item in found.candidates)
    assert found.best is not None


@pytest.mark.slow
@pytest.mark.parametrize("neutralization", ["none", "industry"])
def test_the_sampler_on_the_whole_of_it(csi300: Panel, tmp_path: Path, neutralization: str) -> None:
    bench = Bench(csi300, FULL, tmp_path)
    found = bench.evolve(sampled(0), gated_spec(expr=SEED, windows=(60,), neutralization=neutralization))
    check(bench, found)
    assert len(found.candidates) == 4
    assert found.winner is not None
    assert found.winner.figures.ir == max(
        item.figures.ir for item in found.candidates if item.figures.ir is not None and not item.is_seed
    )
