from __future__ import annotations

from pathlib import Path

import pytest


@pytest.fixture
def here(run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name in ("ASSAY_BOOK_STATE_ROOT", "ALPHAKERNEL_BOOK_STATE_ROOT"):
        monkeypatch.delenv(name, raising=False)
    assert run("init", "desk").code == 0
    monkeypatch.chdir(tmp_path / "desk")
    assert run("book", "init").code == 0
    return tmp_path / "desk"


@pytest.fixture
def decision(run, here: Path) -> str:
    """A decision of a promoted strategy, which cites the two notes of the workspace."""
    cite = ("--cite", "note:the-promotion-gate")
    assert run("book", "register", "xs", "--reason", "Reversal", *cite, "--at", "2020-01-01").code == 0
    assert run("book", "promote", "xs", "--reason", "Fit", "--at", "2020-01-02", "--by", "li").code == 0
    cite += ("--cite", "note:walk-forward-without-leakage")
    words = ("--text", "Buy what fell", *cite, "--at", "2020-01-03", "--known", "2026-01-01", "--json")
    return str(run("book", "record", "decision", "xs", *words).data["event_id"])


def test_from_decision_to_attribution(run, here: Path, decision: str) -> None:
    at = ("--at", "2020-01-04T10:00:00Z", "--known", "2026-01-02")
    order = ("book", "record", "order", decision, "buy", "A", "--quantity", "10", "--ref", "o1", *at)
    assert run(*order).code == 0
    fill = ("book", "record", "fill", "o1", "--quantity", "10", "--price", "8", "--fee", "0.5", *at)
    assert run(*fill).code == 0
    assert run("book", "record", "split", "A", "2:1", *at).code == 0
    (here / "fills.csv").write_text(
        "kind,ref,decision,order,instrument,side,quantity,price,fee,exchange_ts\n"
        f"order,o2,{decision},,A,sell,12,,,2020-02-01T10:00:00Z\n"
        "fill,f2,,o2,,,12,5,0.5,2020-02-01T10:00:00Z\n"
    )
    assert run("book", "import", "fills.csv", "--dry-run", "--json").data == {
        "recorded": False, "order": 1, "fill": 1,
    }  # fmt: skip
    assert run("book", "import", "fills.csv", "--dry-run").out == "would record 1 order and 1 fill\n"
    assert run("book", "import", "fills.csv", "--json").data["recorded"] is True
    assert run("book", "record", "mark", "A", "--price", "4.5").code == 0
    told = run("book", "show", "--json").data
    assert (told["realised"], told["unrealised"], told["cash"]) == ("11", "4", "-21")
    assert told["positions"] == [
        {"strategy_slug": "xs", "instrument": "A", "quantity": "8", "cost": "32", "mark": "4.5",
         "value": "36", "unrealised": "4"}
    ]  # fmt: skip
    assert told["strategies"] == [{"slug": "xs", "text": "Reversal", "status": "promoted"}]
    assert [row["operator"] for row in told["recent"]] == ["user", "li", "user"]
    assert [row["event"] for row in told["recent"]] == ["decision", "promoted", "registered"]
    found = run("book", "attribution", "--since", "2020-01-05", "--json").data
    assert found["total"] == "11.5"
    assert [row["realised"] for row in found["rows"]] == ["5.75", "5.75"]
    assert "note:the-promotion-gate" in run("book", "attribution").out
    shown = run("book", "show").out
    assert "realised 11  unrealised 4  cash -21" in shown
    assert run("book", "show", "--as-of", "2026-01-01T12:00:00Z", "--json").data["positions"] == []


def test_promotion_comes_before_orders_and_retirement_ends_decisions(run, here: Path) -> None:
    assert run("book", "register", "xs", "--reason", "Reversal").code == 0
    made = run("book", "record", "decision", "xs", "--text", "Buy", "--json").data["event_id"]
    refused = run("book", "record", "order", made, "buy", "A", "--quantity", "1")
    assert refused.code == 2
    assert "was not promoted" in refused.err
    assert run("book", "promote", "xs", "--reason", "Fit").code == 0
    assert run("book", "record", "order", made, "buy", "A", "--quantity", "1").code == 0
    assert run("book", "retire", "xs", "--reason", "Its edge is gone").code == 0
    late = run("book", "record", "decision", "xs", "--text", "Buy", "--json")
    assert (late.code, late.data["reason"]) == (2, "bad_event")


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("register", "xs", "--reason", "r", "--cite", "note:none"), "note:none does not exist"),
        (("register", "xs", "--reason", "r", "--cite", "none"), "is no citation"),
        (("register", "../xs", "--reason", "r"), "strategy_slug is no slug"),
        (("register", "xs", "--reason", ""), "text is no line"),
        (("register", "xs", "--reason", "r", "--at", "yesterday"), "not an ISO-8601 date-time"),
        (("register", "xs", "--reason", "r", "--at", "2999-01-01"), "known before it happened"),
        (("promote", "xs", "--reason", "r"), "no strategy 'xs' is registered"),
        (("record", "order", "nope", "buy", "A", "--quantity", "1"), "has no decision 'nope'"),
        (("record", "fill", "nope", "--quantity", "1", "--price", "1"), "has no order 'nope'"),
        (("record", "mark", "A", "--price", "1e3"), "'1e3' is not a number"),
        (("record", "mark", "A", "--price", "NaN"), "'NaN' is not a number"),
        (("record", "split", "A", "two"), "no ratio"),
        (("record", "split", "A", "0:1"), "after is no whole number"),
        (("attribution", "--since", "2021-01-01", "--until", "2020-01-01"), "since lies after until"),
        (("attribution", "--until", "2999-01-01"), "after the dates that are open"),
        (("show", "--root", "elsewhere"), "there is no book to read"),
        (("init",), "exists already"),
    ],
)
def test_bad_input_is_named_and_nothing_is_written(run, here: Path, words, said: str) -> None:
    log = here / "book" / "ledger" / "ledger.jsonl"
    before = log.read_bytes()
    done = run("book", *words)
    assert done.code == 2
    assert said in done.err
    assert "what to do" in done.err
    assert log.read_bytes() == before


def test_the_environment_names_the_book(run, here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert run("book", "init", "--root", "other").code == 0
    for name in ("ALPHAKERNEL_BOOK_STATE_ROOT", "ASSAY_BOOK_STATE_ROOT"):
        monkeypatch.setenv(name, str(here / "other"))
        assert run("book", "show", "--json").data["root"].endswith("other")
        monkeypatch.setenv("ALPHAKERNEL_BOOK_STATE_ROOT", str(here / "nowhere"))
    assert run("book", "show", "--root", "book", "--json").data["root"].endswith("book")
    monkeypatch.setenv("ASSAY_BOOK_STATE_ROOT", str(here / "nowhere"))
    lost = run("book", "show", "--json")
    assert (lost.code, lost.data["reason"]) == (2, "no_state_root"), "a misspelt name leads to no other book"


def test_a_damaged_book(run, here: Path, decision: str) -> None:
    log = here / "book" / "ledger" / "ledger.jsonl"
    log.write_bytes(log.read_bytes().replace(b"Buy what fell", b"Buy what rose"))
    for words in (("show",), ("attribution",), ("retire", "xs", "--reason", "r")):
        done = run("book", *words, "--json")
        assert (done.code, done.data["reason"]) == (2, "damaged_state")


def test_outside_a_workspace_a_folder_is_named(run, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("ASSAY_BOOK_STATE_ROOT", "ALPHAKERNEL_BOOK_STATE_ROOT"):
        monkeypatch.delenv(name, raising=False)
    assert run("book", "init").code == 2
    assert run("book", "show").code == 2
    assert run("book", "init", "--root", "mine").code == 0
    assert run("book", "show", "--root", "mine").code == 0
