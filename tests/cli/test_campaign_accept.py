from __future__ import annotations

import shutil
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from assay.ledger import Ledger

Run = Callable[..., Any]

CONFIG = """
[campaign]
horizon = 5

[quota]
slots = 6

[stop]
max_rounds = 3

[admission]
min_t = 1.0
min_payoff_t = "off"
max_adjusted_p = "off"
max_turnover = "off"
min_break_even_bp = "off"
min_residual_ic = "off"
max_value_corr = 0.95
max_ic_corr = 0.98
"""


@pytest.fixture(scope="module")
def ran(market: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A workspace with a finished campaign."""
    from assay.campaign import Campaign, CampaignConfig, Problems, prepare
    from assay.config import init_workspace, load_workspace, propose_plan
    from assay.market import open_panel

    root = tmp_path_factory.mktemp("ran")
    init_workspace(root, plans={"small": propose_plan(open_panel(market).dates, (20,))})
    shutil.copytree(market, root / "data" / "small")
    toml = root / "assay.toml"
    toml.write_text(toml.read_text() + "\n[data.small.looks]\neval = 60\n")
    (root / "campaign.toml").write_text(CONFIG.replace("[campaign]\n", '[campaign]\ndata = "small"\n'))
    problems = Problems()
    workspace = load_workspace(root)
    setup = prepare(CampaignConfig.load(root / "campaign.toml"), workspace, problems)
    assert setup is not None, problems.all
    Campaign(setup, Ledger.create(workspace.ledger_dir), workspace.runs_dir, "c1").run()
    return root


@pytest.fixture
def here(run: Run, ran: Path, tmp_path: Path) -> Path:
    """A copy of it in the current folder."""
    shutil.copytree(ran, tmp_path, dirs_exist_ok=True)
    return tmp_path


def end(root: Path) -> Any:
    return Ledger.open(root / "ledger").end()


def test_it_asks_before_the_hold_out_is_opened(run: Run, here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    before = end(here)
    done = run("campaign", "accept", "c1", "--json")
    assert done.code == 2
    assert done.data["reason"] == "hold_out_closed"
    assert end(here) == before

    class Terminal:
        def isatty(self) -> bool:
            return True

        def readline(self) -> str:
            return "no\n"

    monkeypatch.setattr(sys, "stdin", Terminal())
    done = run("campaign", "accept", "c1")
    assert done.code == 1
    assert "looks of 60 that are left" in done.err
    assert "nothing was opened" in done.err
    assert end(here) == before


def test_accepted_twinned_and_followed(run: Run, here: Path) -> None:
    done = run("campaign", "accept", "c1", "--yes", "--by", "ada", "--json")
    assert done.code in (0, 1), done.err
    found = done.data
    assert done.code == (0 if any(factor["passed"] for factor in found["factors"]) else 1)
    assert "Opened, as --yes says" in done.err
    assert found["operator"]["identifier"] == "ada"
    assert Path(found["folder"]) == here / "runs" / "c1" / "accepted"
    before = end(here)
    again = run("campaign", "accept", "c1")
    assert "accepted before: nothing was opened" in again.out
    assert "PBO" in again.out
    order = found["order"]
    assert f"order of admission: the run's admits {order['given']}, 100 orders {order['least']}" in again.out
    for factor in found["factors"]:
        assert factor["name"] in again.out
    assert end(here) == before

    twin = run("campaign", "noise-twin", "c1")
    assert twin.code == 0, twin.err
    assert "per 100 trials" in twin.out
    assert "twin, seed 3" in twin.out
    counted = run("campaign", "noise-twin", "c1", "--json").data
    assert counted["real"]["admitted"] == sum(1 for _ in found["factors"])
    permuted = run("campaign", "noise-twin", "c1", "--kind", "permuted", "--seed", "5", "--block", "12")
    assert "returns permuted by 12 dates" in permuted.out
    assert end(here) == before


def test_values_and_monitor(run: Run, here: Path) -> None:
    from .recorded import REVERSAL, judged, record

    hashed = record(here, judged(here / "data" / "small", REVERSAL))
    assert run("zoo", "admit", hashed, "--name", "reversal", "--by", "ada").code == 0
    shown = run("zoo", "show", "reversal", "--json").data
    assert shown["watch"]["rule"] == "cusum"

    open_day = run("zoo", "values", "--date", "2018-06-01")
    assert open_day.code == 0, open_day.err
    assert "reversal" in open_day.out
    closed = run("zoo", "values", "--json")
    assert (closed.code, closed.data["reason"]) == (2, "values_closed")
    told = run("zoo", "values", "--yes", "--out", "values.parquet")
    assert told.code == 0, told.err
    frame = pl.read_parquet(here / "values.parquet")
    assert frame.columns == ["date", "instrument", "reversal"]
    assert frame["reversal"].is_not_null().sum() > 30
    assert run("zoo", "values", "--yes", "--out", "values.csv").code == 0

    looks = sum(1 for _ in Ledger.open(here / "ledger").entries(kind="look"))
    done = run("zoo", "monitor", "--json")
    assert (done.code, done.data["reason"]) == (2, "hidden_period")
    followed = run("zoo", "monitor", "--yes")
    assert followed.code in (0, 1), followed.err
    assert "reversal" in followed.out
    assert sum(1 for _ in Ledger.open(here / "ledger").entries(kind="look")) > looks
    again = run("zoo", "monitor", "--json")
    assert again.code == followed.code
    assert not again.data[0]["read"]
    assert (again.code == 1) == (again.data[0]["followed"]["health"] == "alarm")


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("campaign", "accept", "c2"), "no run 'c2'"),
        (("campaign", "accept", "../c1"), "id of a run"),
        (("campaign", "accept", "c1", "--combine", "average"), "no portfolio is 'average'"),
        (("campaign", "accept", "c1", "--only", "r99-s00", "--yes"), "r99-s00 was not admitted"),
        (("campaign", "accept", "c1", "--by", "", "--yes"), "operator"),
        (("campaign", "noise-twin", "c1", "--kind", "shuffled"), "no kind of twin"),
        (("campaign", "noise-twin", "c1", "--twins", "0"), "--twins"),
        (("campaign", "noise-twin", "c1", "--kind", "permuted", "--block", "5000"), "blocks of 5000"),
        (("zoo", "values"), "the zoo is empty"),
        (("zoo", "monitor"), "the zoo is empty"),
        (("zoo", "monitor", "reversl"), "no factor"),
    ],
)
def test_bad_input(run: Run, here: Path, arguments: tuple[str, ...], words: str) -> None:
    before = end(here)
    done = run(*arguments)
    assert done.code == 2, done.out
    assert words in done.err
    assert "what to do" in done.err
    assert end(here) == before


def test_a_portfolio_names_the_extra_that_it_wants(
    run: Run, here: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "lightgbm", None)
    before = end(here)
    done = run("campaign", "accept", "c1", "--combine", "equal,lightgbm", "--yes")
    assert done.code == 2
    assert "alpha-assay[models]" in done.err
    assert end(here) == before
