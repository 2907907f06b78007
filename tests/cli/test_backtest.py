"""``assay backtest``: here, as a check of the installation, and tokens. Through a service: tests/service."""

from __future__ import annotations

import re

import pytest


@pytest.fixture
def desk(run, tmp_path, monkeypatch):
    """A workspace with a simulated data set large enough for ten groups of an index."""
    from assay.config import init_workspace, propose_plan
    from assay.market import simulate, write_dataset

    market = simulate(3, instruments=150, days=420, name="small")
    root = tmp_path / "desk"
    init_workspace(root, plans={"small": propose_plan(market.dates, (1, 20))})
    write_dataset(market.data, root / "data" / "small")
    monkeypatch.chdir(root)
    return root


def test_smoke_says_that_its_market_is_simulated(run):
    done = run("backtest", "smoke")
    assert done.code == 0
    assert "SIMULATED" in done.out
    assert "CSI500" in done.out
    assert re.search(r"IR -?\d+\.\d\d, RankIC -?0\.\d{4}$", done.out, re.MULTILINE)
    found = run("backtest", "smoke", "--json").data
    assert found["ok"]
    assert found["simulated"]
    assert len(found["steps"]) == 5


def test_a_formula_is_judged_under_the_house_defaults(run, desk):
    done = run("backtest", "run", "-TS_PCTCHANGE($close, 5)", "--data", "small", "--json")
    assert done.code == 0, done.err
    assert done.data["period"] == "search"
    assert run("ledger", "count", "--json").data
    text = run("backtest", "run", "-TS_PCTCHANGE($close, 5)", "--data", "small")
    assert "SIMULATED" in text.out
    assert "rank_ic" in text.out


def test_the_sign_of_what_was_judged_is_told(run, desk):
    from ..service.conftest import gated_spec

    (desk / "spec.json").write_text(gated_spec(direction="negative").to_json())
    text = run("backtest", "run", "--spec", "spec.json", "--data", "small")
    assert text.code == 0, text.err
    assert "judged as -(" in text.out
    (desk / "spec.json").write_text(gated_spec(direction="positive").to_json())
    assert "judged as" not in run("backtest", "run", "--spec", "spec.json", "--data", "small").out


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["RANK("], "formula"),
        (["$close", "--period", "score"], "only the search period"),
        (["$close", "--endpoint", "http://127.0.0.1:1"], "wants a spec and a token"),
        ([], "give a formula"),
        (["--spec", "nothing.json"], "nothing.json"),
    ],
)
def test_bad_input_is_told_what_to_do(run, desk, arguments, words):
    done = run("backtest", "run", *arguments, "--data", "small")
    assert done.code == 2
    assert words in done.err


def test_a_service_that_is_not_there_is_an_outside_failure(run, desk):
    from ..service.conftest import gated_spec

    (desk / "spec.json").write_text(gated_spec().to_json())
    assert run("backtest", "token", "--to", "token").code == 0
    done = run(
        "backtest", "run", "--spec", "spec.json", "--endpoint", "http://127.0.0.1:1", "--token-file", "token"
    )
    assert done.code == 3
    assert "does not answer" in done.err


def test_tokens_are_told_once(run, desk):
    done = run("backtest", "token", "--eval", "--uses", "2", "--data", "small", "--by", "owner")
    assert done.code == 0
    token = done.out.strip()
    record = (desk / "ledger" / "ledger.jsonl").read_text()
    assert token not in record
    assert '"uses":2' in record
    assert run("backtest", "token").code == 2
    assert run("backtest", "token", "--to", "t").code == 0
    assert run("backtest", "token", "--to", "t").code == 2
