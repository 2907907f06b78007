from __future__ import annotations

from dataclasses import replace

import pytest
from tests.brain.fakes import Catalogue

from assay.brain import Check, Column, JobResult, Proposal, Recordset, SimulationRequest, Stats
from assay.brain.search import MutationSpace, perturbed, stability
from assay.errors import ProviderBadReply

TEXT = "rank(ts_mean(close, 21))"
START = Proposal(SimulationRequest(regular=TEXT))


def result(proposal: Proposal, sharpe: float | None) -> JobResult:
    check = Check(name="LOW_SUB_UNIVERSE_SHARPE", result="PASS", limit=0.5, value=0.8)
    stats = Stats(sharpe=sharpe, fitness=1.0, turnover=0.2, checks=(check,))
    return JobResult("j0001", proposal, "completed", alpha="A1", stats=stats, checks=stats.checks)


def years(*sharpes: float | None) -> Recordset:
    names = ("year", "sharpe", "fitness", "turnover")
    rows = tuple((2018 + at, sharpe, 1.0, 0.2) for at, sharpe in enumerate(sharpes))
    return Recordset(name="yearly-stats", columns=tuple(Column(name=name) for name in names), records=rows)


def test_each_change_is_the_nearest_of_its_rule_and_one_the_platform_takes() -> None:
    platform = Catalogue()
    space = replace(MutationSpace.offline(TEXT), choices=platform.choices())
    made = {item.origin: item.request for item in perturbed(START, space)}
    assert made["longer"].regular == "rank(ts_mean(close, 42))"
    assert made["shorter"].regular == "rank(ts_mean(close, 10))"
    assert (made["decay_up"].settings.decay, made["decay_down"].settings.decay) == (10, 3)
    assert len({item.model_dump_json() for item in made.values()}) == len(made) <= 8
    assert all(not platform.choices().problems(item.settings) for item in made.values())
    assert START.request not in made.values()


def test_shares_are_of_the_alphas_own_sharpe_ratio() -> None:
    changed = [replace(START, origin=name) for name in ("longer", "shorter", "decay_up")]
    others = [result(item, sharpe) for item, sharpe in zip(changed, (1.5, -0.2, None), strict=True)]
    found = stability(result(START, 2.0), years(1.0, -0.5, None), others)
    assert [item.kept for item in found.changes] == [0.75, -0.1, None]
    assert found.weakest == -0.1
    assert (found.years_alike, len(found.years)) == (1, 3)
    assert found.sub_universe is not None
    assert found.sub_universe.value == 0.8


@pytest.mark.parametrize("sharpe", [None, 0.0])
def test_without_a_figure_there_is_no_share(sharpe: float | None) -> None:
    found = stability(result(START, sharpe), years(), [result(replace(START, origin="longer"), 1.0)])
    assert (found.weakest, found.years_alike, found.years) == (None, 0, ())


def test_records_without_years_are_named() -> None:
    records = Recordset(name="yearly-stats", columns=(Column(name="sharpe"),), records=((1.0,),))
    with pytest.raises(ProviderBadReply, match="names no years"):
        stability(result(START, 1.0), records, [])
