from __future__ import annotations

import json
from dataclasses import replace
from datetime import UTC, date, datetime

import pytest

from assay.base import Operator
from assay.book import Book, BookDesk, Decision, Fill, Order, Promoted, book_tools
from assay.tools import Caller, Illegal, Ok, Refused, Registry

from .book_cases import BOOK_CALLS, BOOK_ROWS, CANDIDATE, HUMAN, whole_desk
from .conftest import AGENT

CALLER = Caller(AGENT)
CLOCK = date(2018, 1, 2)


def registry(desk: BookDesk, *, allow_record: bool = True) -> Registry:
    return Registry(book_tools(desk, allow_record=allow_record))


def case_name(row) -> str:
    return f"{row[0]} {row[1]} {json.dumps(row[2])[:40]}"


@pytest.mark.parametrize("row", BOOK_ROWS, ids=case_name)
def test_each_declared_pair_is_reached(row) -> None:
    tool, reason, sent, change = row
    desk = change(whole_desk())
    before = None if desk.root is None else files(desk)
    face = registry(desk).call(tool, sent, CALLER).face()
    assert isinstance(face, Refused), face
    assert face.reason == reason
    assert face.message
    assert face.fix
    assert before is None or files(desk) == before, "a refusal writes nothing"


def files(desk: BookDesk) -> dict[str, bytes]:
    assert desk.root is not None
    found = [file for file in desk.root.rglob("*") if file.is_file() and "sqlite" not in file.name]
    return {str(file): file.read_bytes() for file in found}


def test_no_pair_is_left_out_and_none_is_made_up() -> None:
    declared = {(row.tool, row.reason.code) for row in registry(BookDesk()).reasons()}
    assert declared == {(tool, reason) for tool, reason, _, _ in BOOK_ROWS}


def call(desk: BookDesk, tool: str, caller: Caller = CALLER, **sent: object):
    outcome = registry(desk).call(tool, sent, caller)
    assert isinstance(outcome, Ok), outcome
    return outcome.result


def test_each_tool_works_and_keeps_to_its_schema() -> None:
    desk = whole_desk()
    for tool in registry(desk).tools():
        tool.result.model_validate_json(json.dumps(call(desk, tool.id, **BOOK_CALLS[tool.id])))
        extra = registry(desk).call(tool.id, {**BOOK_CALLS[tool.id], "more": 1}, CALLER)
        assert isinstance(extra, Illegal)
        assert extra.reason == "bad_arguments"


def test_recording_exists_for_agents_alone_and_if_it_is_allowed() -> None:
    tool = "provenance.record_candidate"
    outcome = registry(whole_desk(), allow_record=False).call(tool, CANDIDATE, CALLER)
    assert isinstance(outcome, Illegal)
    assert outcome.kind == "unknown_tool"
    for operator in (HUMAN, Operator.system()):
        outcome = registry(whole_desk()).call(tool, CANDIDATE, Caller(operator))
        assert isinstance(outcome, Illegal)
        assert outcome.kind == "unknown_tool"


def test_the_bounds_are_in_the_schema() -> None:
    (recent,) = [t for t in registry(BookDesk()).tools() if t.id == "book.recent_provenance"]
    assert (recent.input_schema["properties"]["limit"]["minimum"], 100) == (
        1, recent.input_schema["properties"]["limit"]["maximum"],
    )  # fmt: skip


def test_rows_of_provenance() -> None:
    desk = whole_desk()
    made = call(desk, "provenance.record_candidate", **CANDIDATE)
    rows = call(desk, "book.recent_provenance", limit=2)["rows"]
    assert rows[0] == {
        "event_id": made["event_id"],
        "exchange_ts": "2018-01-02T23:59:59Z",
        "strategy_slug": "idea",
        "operator_kind": "agent",
        "cited_artifacts": ["note:alpha", f"agent:{AGENT.identifier}"],
    }
    assert [row["strategy_slug"] for row in rows] == ["idea", "theirs"]
    assert made["operator"] == AGENT.identifier
    assert (made["n"], made["sharpe"], made["entries"]) == (1, 0.05, 2)
    assert call(desk, "book.recent_provenance", strategy="xs")["rows"][0]["operator_kind"] == "human"


def test_a_present_book_without_rows_gives_none(tmp_path) -> None:
    Book.create(tmp_path)
    desk = BookDesk(tmp_path)
    assert call(desk, "book.recent_provenance") == {"rows": []}
    assert call(desk, "book.attribution_by_thesis")["rows"] == []
    assert call(desk, "book.attribution_by_thesis")["total"] == "0"


def test_a_book_that_is_made_later_is_found(tmp_path) -> None:
    tools = registry(BookDesk(tmp_path))
    assert tools.call("book.recent_provenance", {}, CALLER).face().reason == "no_state_root"  # type: ignore[union-attr]
    Book.create(tmp_path)
    assert isinstance(tools.call("book.recent_provenance", {}, CALLER), Ok)


def traded(desk: BookDesk) -> None:
    """A trade that closes within the clock, and one that is known after it."""
    book = desk.book()
    stamps = [datetime(2018, 1, day, 13, tzinfo=UTC) for day in (1, 2, 3)]
    book.record(Promoted(**book.stamp(stamps[0], stamps[0]), strategy_slug="xs", text="fit"), HUMAN)
    why = Decision(
        **book.stamp(stamps[0], stamps[0]), strategy_slug="xs", text="because", cites=("note:alpha",)
    )
    book.record(why, HUMAN)
    from decimal import Decimal

    for side, price, when in (("buy", "10", 0), ("sell", "12.5", 1), ("sell", "99", 2)):
        at = stamps[when]
        order = Order(
            **book.stamp(at, at), strategy_slug="xs", decision=why.event_id, instrument="A", side=side,
            quantity=Decimal(4),
        )  # fmt: skip
        fill = Fill(
            **book.stamp(at, at), strategy_slug="xs", order=order.event_id, quantity=Decimal(4),
            price=Decimal(price), fee=Decimal("0.1"),
        )  # fmt: skip
        book.record_many([order, fill], HUMAN)


def test_attribution_ends_with_the_clock() -> None:
    desk = whole_desk()
    traded(desk)
    found = call(desk, "book.attribution_by_thesis")
    assert found == {
        "rows": [{"thesis": "note:alpha", "realised": "9.8", "fills": 2}],
        "total": "9.8",
        "since": None,
        "until": "2018-01-02T23:59:59Z",
    }
    at_noon = call(desk, "book.attribution_by_thesis", until="2018-01-02T12:59:59Z")
    assert at_noon["total"] == "-0.1"
    assert call(desk, "book.attribution_by_thesis", since="2018-01-02")["total"] == "9.9"
    assert call(desk, "book.attribution_by_thesis", since="2018-01-02", until="2018-01-02")["total"] == "9.9"
    # 21:00 in this zone is 13:00 in UTC, the very moment of the fill
    assert call(desk, "book.attribution_by_thesis", since="2018-01-02T21:00:00+08:00")["total"] == "9.9"
    assert call(replace(desk, clock=None), "book.attribution_by_thesis")["rows"][0]["fills"] == 3


def test_rows_that_were_known_after_the_clock_are_not_shown() -> None:
    desk = whole_desk()
    book = desk.book()
    book.record(Decision(**book.stamp(), strategy_slug="xs", text="later"), HUMAN)
    assert len(book.recent()) == 3
    assert len(call(desk, "book.recent_provenance")["rows"]) == 2


def test_a_misspelt_strategy_is_told_the_nearest() -> None:
    face = registry(whole_desk()).call("book.recent_provenance", {"strategy": "their"}, CALLER).face()
    assert isinstance(face, Refused)
    assert "theirs" in face.fix
