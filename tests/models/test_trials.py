from __future__ import annotations

from pathlib import Path

import pytest

from assay.base import Operator
from assay.features import FeatureStore
from assay.ledger import Ledger, Scope
from assay.models import Strategy, record_trials, walk_forward

from .conftest import FORMULAS

WHO = Operator.agent("toy", "toy-1")
BASE = Strategy("base", features=tuple(FORMULAS))


@pytest.fixture
def ledger(tmp_path: Path) -> Ledger:
    return Ledger.create(tmp_path / "ledger")


def test_each_is_a_trial_and_a_repeat_adds_none(store: FeatureStore, ledger: Ledger) -> None:
    base = walk_forward(store, BASE)
    assert [report.n for report in record_trials(ledger, [base], operator=WHO)] == [1]
    assert [report.n for report in record_trials(ledger, [base], operator=WHO)] == [1]
    others = [walk_forward(store, BASE.varied(alpha=alpha)) for alpha in (10.0, 100.0)]
    assert [report.n for report in record_trials(ledger, others, operator=WHO)] == [3, 3]
    assert record_trials(ledger, [], operator=WHO) == ()
    found = ledger.trials(Scope(data="sim"))
    assert found.n == 3
    assert len(found.series().keys) == 3
    ledger.verify(objects=True)
    body = next(iter(ledger.entries(kind="trial"))).body
    assert body["fingerprint"] == base.report.provenance.fingerprint
    assert body["expression"] == "ridge(reversal, volatility, traded) -> fwd_ret_5"
    assert body["rank_ic"] == base.report.metrics.rank_ic
    assert [state.stopped for state in _runs(ledger)] == ["finished"] * 3


def _runs(ledger: Ledger):
    with ledger.index() as index:
        return list(index.runs().values())


def test_trials_of_an_open_run_belong_to_it(store: FeatureStore, ledger: Ledger) -> None:
    run = ledger.run("desk-1")
    run.start("desk", WHO, "c", {})
    (report,) = record_trials(ledger, [walk_forward(store, BASE)], operator=WHO, desk="desk", run="desk-1")
    assert report.n == 1
    assert run.state().open
    assert [entry.run for entry in ledger.entries(kind="trial")] == ["desk-1"]


def test_n_is_not_known_while_another_run_is_open(store: FeatureStore, ledger: Ledger) -> None:
    ledger.run("other").start("desk", WHO, "c", {})
    (report,) = record_trials(ledger, [walk_forward(store, BASE)], operator=WHO)
    assert report.n is None
