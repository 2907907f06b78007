"""Ids of runs that cannot be meant are refused before a run is announced, with the near ones."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from assay.base import Operator
from assay.cli._runs import played
from assay.errors import AssayError, ProviderQuotaExhausted, Refusal
from assay.ledger import LEDGER_BUSY, Ledger, LedgerUnwritable

Run = Callable[..., Any]


@pytest.fixture
def first(run: Run, desk: Path) -> Path:
    """A workspace in which the run ``first`` of an agent has finished."""
    assert run("agent", "run", "x", "--turns", "2", "--run", "first").code == 0
    return desk


@pytest.mark.parametrize("arguments", [("show",), ("resume",), ("replay", "--to", "again")])
def test_an_unknown_run_of_an_agent(run: Run, first: Path, arguments: tuple[str, ...]) -> None:
    Ledger.open(first / "ledger").run("firsts").start("evolve", Operator.human(), "c", {})
    command, *more = arguments
    near = run("agent", command, "frist", *more)
    assert (near.code, near.out) == (2, "")
    assert "no run 'frist' was started" in near.err
    assert "did you mean first? list the runs: assay agent list" in near.err
    far = run("agent", command, "zzz", *more, "--json")
    assert (far.data["reason"], far.data["fix"]) == ("unknown_run", "list the runs: assay agent list")


def test_a_run_is_announced_once_it_may_begin(run: Run, first: Path) -> None:
    taken = run("agent", "run", "x", "--run", "first")
    assert (taken.code, taken.out) == (2, "")
    assert "a run 'first' was started before" in taken.err
    over = run("agent", "resume", "first")
    assert (over.code, over.out) == (2, "")
    assert "the run 'first' has finished" in over.err
    assert "assay agent show first" in over.err


def test_an_empty_ledger_names_no_near_run(run: Run, desk: Path) -> None:
    Ledger.create(desk / "ledger")
    found = run("agent", "show", "first", "--json").data
    assert found["fix"] == "list the runs: assay agent list"


STOPS = (
    (
        LedgerUnwritable("the disk is full", fix="free some space"),
        "see that the disk has space and works, then: ",
    ),
    (Refusal(LEDGER_BUSY, "it was not free"), "see which process holds the ledger, then: "),
    (ProviderQuotaExhausted("nothing is left", fix="pay the bill"), "pay the bill; then: "),
)


@pytest.mark.parametrize(("error", "fix"), STOPS, ids=lambda item: type(item).__name__)
def test_what_stops_a_run_says_how_it_goes_on(error: AssayError, fix: str, tmp_path: Path) -> None:
    ledger = Ledger.create(tmp_path / "ledger")
    ledger.run("first").start("evolve", Operator.human(), "c", {})
    with pytest.raises(type(error)) as caught, played(ledger, "first", "assay report evolve --resume"):
        raise error
    assert caught.value.fix == f"{fix}assay report evolve --resume"


def test_a_run_that_did_not_begin_does_not_go_on(tmp_path: Path) -> None:
    ledger = Ledger.create(tmp_path / "ledger")
    with pytest.raises(LedgerUnwritable) as caught, played(ledger, "first", "assay agent resume first"):
        raise LedgerUnwritable("the disk is full", fix="free some space")
    assert caught.value.fix == "free some space"
