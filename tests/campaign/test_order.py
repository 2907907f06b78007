"""A run's trials admitted in other orders, where factors shut each other out."""

from __future__ import annotations

from dataclasses import replace

import pytest

from assay.campaign._order import order_spread
from assay.campaign._prepare import open_market
from assay.campaign._resume import Recorded
from assay.config import Workspace
from assay.ledger import Ledger

from .accepted import RUN, config, desk

STRICT = config(admission=replace(config().admission, max_value_corr=0.3, max_ic_corr=0.4))


@pytest.fixture(scope="module")
def workspace(tmp_path_factory: pytest.TempPathFactory) -> Workspace:
    return desk(tmp_path_factory.mktemp("desk"), rounds=3, admission=STRICT.admission)


def test_order_decides_where_factors_are_alike(workspace: Workspace) -> None:
    ledger = Ledger.open(workspace.ledger_dir)
    run, end = ledger.run(RUN), ledger.end()
    history, market = Recorded.read(run).history, open_market(STRICT, workspace)
    found = order_spread(workspace, run, STRICT, history, market, 1)
    # this rule asks nothing of N, so the run's own order admits what the run admitted
    assert found.given == len(history.zoo)
    assert found.orders == 100
    assert found.least <= found.given <= found.most <= found.ever
    assert found.always <= found.least < found.ever
    assert found.always < found.ever
    assert 0 < found.overlap < 1
    assert order_spread(workspace, run, STRICT, history, market, 2) == found
    assert ledger.end() == end, "no trial is added"


def test_n_is_that_of_the_end(workspace: Workspace) -> None:
    """What only an early, small N let in is in no order."""
    run = Ledger.open(workspace.ledger_dir).run(RUN)
    history, market = Recorded.read(run).history, open_market(STRICT, workspace)
    chosen = replace(STRICT, admission=replace(STRICT.admission, max_adjusted_p=1e-9, least_n=1))
    found = order_spread(workspace, run, chosen, history, market, 1)
    assert (found.given, found.most, found.ever, found.overlap) == (0, 0, 0, 1.0)
