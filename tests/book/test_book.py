from __future__ import annotations

import json
from dataclasses import replace
from datetime import UTC, datetime
from decimal import Decimal
from pathlib import Path

import pytest

from assay.base import Operator
from assay.book import Book, CandidateEntry, Decision, Fill, Mark, Order, Promoted, Registered, Retired
from assay.errors import Refusal
from assay.provenance import record

from .conftest import AGENT, DAY, HUMAN, OTHER, START, Desk

ENTRY = CandidateEntry("idea", "Reversal among calm names", "f1", "rank_ic", 0.031)


def refused(code: str):
    return pytest.raises(Refusal, check=lambda error: error.reason.code == code)


def lines(book: Book) -> bytes:
    return (book.root / "ledger" / "ledger.jsonl").read_bytes()


def test_a_long_trade(desk: Desk) -> None:
    why = desk.decide("alpha")
    desk.trade(why, "buy", "100", "10", "1", day=1)
    desk.trade(why, "buy", "100", "12", "1", day=2)
    desk.trade(why, "sell", "50", "15", "0.5", day=3)
    desk.mark("14", day=4)
    state = desk.book.state()
    assert state.realised == Decimal(50) * (15 - 11) - Decimal("2.5")
    (position,) = state.positions
    assert (position.quantity, position.cost, position.value) == (150, 1650, 2100)
    assert state.unrealised == 450
    assert state.cash == Decimal(-1000) - 1200 + 750 - Decimal("2.5")
    assert state.cash + position.cost == state.realised


def test_a_short_trade_that_turns(desk: Desk) -> None:
    why = desk.decide("alpha")
    desk.trade(why, "sell", "10", "20", day=1)
    desk.trade(why, "buy", "30", "15", "3", day=2)
    state = desk.book.state()
    assert state.realised == 10 * (20 - 15) - 3
    assert (state.positions[0].quantity, state.positions[0].cost) == (20, 300)
    assert state.unrealised is None, "nothing says what it is worth"


def test_partial_fills_and_a_split(desk: Desk) -> None:
    why = desk.decide("alpha")
    order = desk.order(why, "buy", "90", day=1)
    desk.fill(order, "30", "10", day=1)
    desk.fill(order, "60", "13", day=2)
    desk.mark("12", day=2)
    desk.split(3, 2, day=3)
    state = desk.book.state()
    assert (state.positions[0].quantity, state.positions[0].cost, state.positions[0].mark) == (135, 1080, 8)
    desk.trade(why, "sell", "135", "9", day=4)
    assert desk.book.state().positions == ()
    assert desk.book.state().realised == 135 * 9 - 1080
    with refused("bad_event"):
        desk.fill(order, "1", "10", day=5)


def test_a_third_is_never_lost(desk: Desk) -> None:
    """Average cost of 3 at 10 in all, closed one by one: what rounding leaves goes with the last."""
    why = desk.decide("alpha", "beta", "gamma")
    desk.trade(why, "buy", "1", "1", day=1)
    desk.trade(why, "buy", "2", "4.5", day=1)
    for day in (2, 3, 4):
        desk.trade(why, "sell", "1", "0", day=day)
    assert desk.book.state().realised == -10
    found = desk.book.attribution()
    assert sum(row.realised for row in found.rows) == found.total == -10
    assert [row.fills for row in found.rows] == [5, 5, 5]


def test_attribution_by_note(desk: Desk) -> None:
    one, both, none = desk.decide("alpha"), desk.decide("beta", "alpha"), desk.decide()
    desk.trade(one, "buy", "10", "10", instrument="A")
    desk.trade(one, "sell", "10", "13", instrument="A", day=1)  # +30
    desk.trade(both, "buy", "10", "10", instrument="B")
    desk.trade(both, "sell", "10", "2", instrument="B", day=2)  # -80
    desk.trade(none, "buy", "10", "10", "1", instrument="C")
    desk.trade(none, "sell", "10", "10.6", instrument="C", day=3)  # +5
    found = desk.book.attribution()
    assert [(row.thesis, row.realised) for row in found.rows] == [
        ("note:beta", -40), ("note:alpha", -10), ("uncited", 5)
    ]  # fmt: skip
    assert found.total == desk.book.state().realised == -45


def test_the_window_is_bitemporal(desk: Desk) -> None:
    why = desk.decide("alpha")
    desk.trade(why, "buy", "10", "10", day=1)
    desk.trade(why, "sell", "5", "12", day=10)  # +10
    desk.trade(why, "buy", "10", "16", day=2, known=20)  # known late: the average cost was 13
    desk.trade(why, "sell", "5", "14", day=30)

    def total(since: float | None, until: float) -> Decimal:
        return desk.book.attribution(
            None if since is None else START + since * DAY, START + until * DAY
        ).total

    assert total(None, 15) == 10
    assert total(None, 25) == 5 * (12 - 13)
    assert total(None, 30) == 5 * (12 - 13) + 5 * (14 - 13)
    assert total(10, 25) == -5, "the first moment of the window is in it"
    assert total(10.001, 25) == 0
    assert total(20, 40) == 5
    assert desk.book.state(START + 15 * DAY).positions[0].cost == 50
    assert desk.book.state(START).positions == ()


def test_an_exit_that_belongs_to_the_decision_that_entered_leaves_its_result_there(desk: Desk) -> None:
    enter, leave = desk.decide("alpha"), desk.decide("beta", day=2)
    desk.trade(enter, "buy", "20", "10", day=1)
    desk.trade(enter, "sell", "10", "11", day=3)
    desk.trade(leave, "sell", "10", "12", day=3)
    amounts = {row.thesis: row.realised for row in desk.book.attribution().rows}
    assert amounts == {"note:alpha": 10, "note:beta": 20}


def test_what_is_read_again_is_the_same(desk: Desk) -> None:
    why = desk.decide("alpha")
    desk.trade(why, "buy", "0.000000001", "999999999999999.999999999", day=1)
    book = Book.open(desk.book.root)
    assert book.state(START + 5 * DAY) == desk.book.state(START + 5 * DAY)
    assert book.recent() == desk.book.recent()


def test_decisions_have_rows_of_provenance(desk: Desk) -> None:
    desk.decide("alpha", "beta", day=7)
    newest, *rest = desk.book.recent()
    assert newest.cited_artifacts == ("note:alpha", "note:beta")
    assert (newest.strategy_slug, newest.operator, newest.exchange_ts) == ("xs", HUMAN, START + 7 * DAY)
    assert len(rest) == 2
    assert desk.book.recent(1) == (newest,)
    assert newest not in desk.book.recent(as_of=START + 6 * DAY)
    assert desk.book.recent(strategy="other") == ()


@pytest.mark.parametrize("cite", ["hallucinated", "draft"])
def test_a_decision_cites_what_exists(desk: Desk, cite: str) -> None:
    before = lines(desk.book)
    with pytest.raises(ValueError) as caught:
        desk.decide("alpha", cite)
    assert isinstance(caught.value, Refusal)
    assert caught.value.reason.code == "unresolved_citation"
    assert lines(desk.book) == before


def test_rules_of_what_may_follow(desk: Desk, clock) -> None:
    book = desk.book
    now = book.stamp()
    why = desk.decide("alpha", day=5)
    order = desk.order(why, "buy", "10", day=6)
    before = lines(book)
    x = {"instrument": "A", "side": "buy", "quantity": Decimal(1)}
    late = {**book.stamp(), "knowledge_ts": clock.now() + DAY}
    refusals = [
        Registered(**now, strategy_slug="xs", text="again"),
        Promoted(**now, strategy_slug="xs", text="again"),
        Promoted(**now, strategy_slug="unknown", text="who"),
        Decision(**now, strategy_slug="unknown", text="why"),
        Order(**now, strategy_slug="xs", decision=order, **x),
        Order(**desk.stamp(4, None), strategy_slug="xs", decision=why, **x),
        Fill(**now, strategy_slug="xs", order=why, quantity=Decimal(1), price=Decimal(1)),
        Fill(**now, strategy_slug="xs", order=order, quantity=Decimal(11), price=Decimal(1)),
        Fill(**desk.stamp(5.5, None), strategy_slug="xs", order=order, quantity=Decimal(1), price=Decimal(1)),
        Fill(**desk.stamp(7, 7) | {"event_id": order}, strategy_slug="xs", order=order, quantity=Decimal(1),
             price=Decimal(1)),
        Mark(**late, strategy_slug=None, instrument="A", price=Decimal(1)),
    ]  # fmt: skip
    for event in refusals:
        with refused("bad_event"):
            book.record(event, HUMAN)
    assert lines(book) == before
    book.record(Registered(**now, strategy_slug="new", text="New"), HUMAN)
    with refused("bad_event"):
        desk.order(desk.decide(day=1000, slug="new"), "buy", "1", day=1000, slug="new")


def test_a_retired_strategy_decides_no_more_and_may_be_closed(desk: Desk) -> None:
    why = desk.decide("alpha", day=1)
    desk.trade(why, "buy", "1", "1", day=1)
    desk.book.record(Retired(**desk.stamp(2, None), strategy_slug="xs", text="lost its edge"), HUMAN)
    with refused("bad_event"):
        desk.decide("alpha", day=3)
    desk.trade(why, "sell", "1", "2", day=3)
    assert [row.status for row in desk.book.state().strategies] == ["retired"]
    assert [row.status for row in desk.book.state(START).strategies] == ["promoted"]


@pytest.mark.parametrize(
    "change",
    [
        {"event_id": "7"}, {"event_id": "017F22E2-79B0-7CC3-98C4-DC0C0C07398F"}, {"strategy_slug": "../x"},
        {"strategy_slug": None}, {"side": "hold"}, {"quantity": Decimal(0)}, {"quantity": Decimal("NaN")},
        {"quantity": Decimal("1e-10")}, {"quantity": Decimal("1e15")}, {"quantity": 1.5}, {"instrument": ""},
        {"instrument": "a\nb"}, {"limit": Decimal(-1)}, {"ref": " "}, {"exchange_ts": datetime(2020, 1, 1)},
        {"exchange_ts": START + DAY}, {"decision": "d"},
    ],
)  # fmt: skip
def test_what_cannot_be_an_event_is_refused_at_once(change) -> None:
    good = {
        "event_id": "017f22e2-79b0-7cc3-98c4-dc0c0c07398f", "exchange_ts": START, "knowledge_ts": START,
        "strategy_slug": "xs", "decision": "017f22e2-79b0-7cc3-98c4-dc0c0c07398f", "instrument": "A",
        "side": "buy", "quantity": Decimal(1), "limit": None, "ref": None,
    }  # fmt: skip
    Order(**good)
    with refused("bad_event"):
        Order(**{**good, **change})


def test_agents_record_nothing_but_their_candidates(desk: Desk) -> None:
    before = lines(desk.book)
    event = Decision(**desk.book.stamp(), strategy_slug="xs", text="I would")
    for operator in (AGENT, Operator.system()):
        with refused("not_allowed"):
            desk.book.record(event, operator)
    for operator in (HUMAN, Operator.system()):
        with refused("not_allowed"):
            desk.book.record_candidate(operator, ENTRY, ["note:alpha"])
    assert lines(desk.book) == before


def test_a_candidate_is_one_entry_and_one_row(desk: Desk) -> None:
    row = desk.book.record_candidate(AGENT, ENTRY, ["note:alpha", "note:beta"])
    assert row.provenance == desk.book.recent(1)[0]
    assert row.provenance.cited_artifacts == ("note:alpha", "note:beta", f"agent:{AGENT.identifier}")
    assert row.provenance.event_id == row.event.event_id
    board = json.loads((desk.book.root / "leaderboard.json").read_text())
    assert board == desk.book.leaderboard()
    (entry,) = board["entries"]
    assert entry["trial"] == {
        "fingerprint": "f1", "config_hash": "c1", "expression": "rank(f1)", "data": "sim", "sharpe": 0.06,
        "n": 3,
    }  # fmt: skip
    assert entry["claimed"] == {"metric": "rank_ic", "score": 0.031}
    assert entry["operator"] == AGENT.as_dict()


def test_an_agent_that_has_an_entry_may_be_cited(desk: Desk) -> None:
    cited = f"agent:{AGENT.identifier}"
    with refused("unresolved_citation"):
        desk.book.record_candidate(OTHER, ENTRY, ["note:alpha", cited])
    desk.book.record_candidate(AGENT, ENTRY, ["note:alpha"])
    other = CandidateEntry("other", "Another", "f2", "rank_ic", 0.01, "c2")
    desk.book.record_candidate(OTHER, other, ["note:alpha", cited])
    assert [entry["strategy_slug"] for entry in desk.book.leaderboard()["entries"]] == ["idea", "other"]


def test_certificates_of_the_workspace_may_be_cited(desk: Desk, workspace) -> None:
    (document,) = workspace.put([b"{}"])
    cited = f"certificate:{document.removeprefix('sha256:')}"
    with refused("unresolved_citation"):
        desk.book.record_candidate(AGENT, ENTRY, [cited])
    workspace.append("certificate", {"fingerprint": "f", "config_hash": "c", "document": document})
    desk.book.record_candidate(AGENT, ENTRY, [cited])


@pytest.mark.parametrize(
    ("entry", "cites", "code"),
    [
        (ENTRY, [], "uncited"),
        (ENTRY, [f"agent:{AGENT.identifier}"], "uncited"),
        (ENTRY, ["alpha"], "bad_citation"),
        (ENTRY, ["note:alpha", "note:hallucinated"], "unresolved_citation"),
        (CandidateEntry("idea", "t", "f9", "m", 0.0), ["note:alpha"], "unknown_trial"),
        (CandidateEntry("idea", "t", "f1", "m", 0.0, "c2"), ["note:alpha"], "unknown_trial"),
        (CandidateEntry("xs", "t", "f1", "m", 0.0), ["note:alpha"], "strategy_taken"),
        (CandidateEntry("../xs", "t", "f1", "m", 0.0), ["note:alpha"], "bad_event"),
        (CandidateEntry("idea", "t", "f1", "m", float("nan")), ["note:alpha"], "bad_event"),
    ],
)
def test_a_refused_candidate_writes_nothing(desk: Desk, entry, cites, code: str) -> None:
    before = lines(desk.book)
    with refused(code):
        desk.book.record_candidate(AGENT, entry, cites)
    assert lines(desk.book) == before
    assert not (desk.book.leaderboard()["entries"])


def test_an_agent_cannot_write_below_the_name_of_another(desk: Desk) -> None:
    desk.book.record_candidate(AGENT, ENTRY, ["note:alpha"])
    with refused("strategy_taken"):
        desk.book.record_candidate(OTHER, ENTRY, ["note:alpha"])
    desk.book.record_candidate(AGENT, ENTRY, ["note:alpha"])
    desk.book.record(Registered(**desk.book.stamp(), strategy_slug="idea", text="Taken up"), HUMAN)
    with refused("strategy_taken"):
        desk.book.record_candidate(AGENT, ENTRY, ["note:alpha"])


def test_without_a_workspace_nothing_can_be_entered(tmp_path: Path, notes) -> None:
    book = Book.create(tmp_path / "alone", notes=notes)
    with refused("no_ledger"):
        book.record_candidate(AGENT, ENTRY, ["note:alpha"])


def test_no_book_is_no_empty_book(tmp_path: Path) -> None:
    with refused("no_state_root"):
        Book.open(tmp_path)
    book = Book.create(tmp_path)
    assert book.recent() == ()
    assert book.attribution().rows == ()
    (tmp_path / "ledger" / "ledger.jsonl").unlink()
    with refused("damaged_state"):
        Book.open(tmp_path)


def test_a_damaged_book_is_named(desk: Desk) -> None:
    desk.decide("alpha")
    log = desk.book.root / "ledger" / "ledger.jsonl"
    log.write_bytes(log.read_bytes().replace(b"because", b"thereby"))
    book = Book.open(desk.book.root)
    for act in (book.state, book.attribution, book.recent, book.leaderboard):
        with refused("damaged_state"):
            act()


@pytest.mark.parametrize(
    "body",
    [
        {"event": "dividend"},
        {"event": "mark", "instrument": "A"},
        {"event": "mark", "instrument": "A", "price": 7},
        {"event": "mark", "instrument": "A", "price": "1e400"},
        {"event": "promoted", "text": "x", "cites": [], "strategy_slug": "nobody"},
        {"event": "decision", "text": "x", "cites": "note:alpha", "strategy_slug": "xs"},
        {"event": "mark", "instrument": "A", "price": "1", "exchange_ts": "yesterday"},
        {"event": "mark", "instrument": "A", "price": "1", "operator": AGENT.as_dict()},
        {"event": "mark", "instrument": "A", "price": "1", "operator": {}},
    ],
)
def test_a_whole_record_that_cannot_be_is_damage(desk: Desk, body) -> None:
    from assay.ledger import Ledger

    common = {
        "event_id": "017f22e2-79b0-7cc3-98c4-dc0c0c07398f", "exchange_ts": "2020-01-01T00:00:00Z",
        "knowledge_ts": "2020-01-01T00:00:00Z", "strategy_slug": None, "operator": HUMAN.as_dict(),
    }  # fmt: skip
    Ledger.open(desk.book.root / "ledger").append("book_event", {**common, **body})
    for book in (desk.book, Book.open(desk.book.root)):
        with refused("damaged_state") as caught:
            book.state()
        assert "line 6" in caught.value.message


def test_a_row_of_provenance_without_its_details_is_damage(desk: Desk) -> None:
    from assay.ledger import Ledger

    record(Ledger.open(desk.book.root / "ledger"), HUMAN, "something", citations=[])
    with refused("damaged_state"):
        desk.book.recent()


def test_times_are_told_in_utc(desk: Desk) -> None:
    from assay.book import time_text

    assert time_text(datetime(2020, 1, 1, 8, tzinfo=UTC)) == "2020-01-01T08:00:00Z"


def test_what_was_tried_on_hidden_dates_is_no_trial_of_an_agent(desk: Desk, workspace) -> None:
    """Neither as the latest of a formula nor by name: the entry would tell the figure of hidden dates."""
    known = [entry.body for entry in workspace.entries(kind="trial")][1]
    for period in ("score", "eval"):
        workspace.append("trial", {**known, "period": period, "config_hash": f"c-{period}", "sharpe": 9.0})
        named = replace(ENTRY, config_hash=f"c-{period}")
        with refused("unknown_trial"):
            desk.book.record_candidate(AGENT, named, ["note:alpha"])
    found = desk.book.record_candidate(AGENT, ENTRY, ["note:alpha"])
    assert (found.event.config_hash, found.event.sharpe) == (known["config_hash"], known["sharpe"])
