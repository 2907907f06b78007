from __future__ import annotations

from decimal import Decimal
from pathlib import Path

import pytest

from assay.book import Fill, Order, read_events
from assay.book._import import COLUMNS, ImportProblems
from assay.errors import DataError

from .conftest import HUMAN, START, Desk

HEAD = ",".join(COLUMNS)


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "fills.csv"


def test_orders_and_fills_are_read_and_recorded(desk: Desk, file: Path, clock) -> None:
    why = desk.decide("alpha")
    file.write_text(
        f"{HEAD}\r\n"
        f"order,o1,{why},,A,buy,100,12.5,,2020-02-01T09:30:00+08:00,2020-02-01T12:00:00Z\r\n"
        "fill,f1,,o1,,,60,12,1.5,2020-02-01T02:00:00Z,2020-02-01T12:00:00Z\r\n"
        "fill,f2,,o1,,,40,12.25,,2020-02-01T03:00:00Z,\r\n"
    )
    order, first, second = read_events(desk.book, file, HUMAN)
    assert desk.book.state().positions == (), "nothing is recorded yet"
    assert isinstance(order, Order)
    assert (order.limit, order.ref, order.exchange_ts.isoformat()) == (
        Decimal("12.5"), "o1", "2020-02-01T01:30:00+00:00",
    )  # fmt: skip
    assert isinstance(first, Fill)
    assert isinstance(second, Fill)
    assert (first.fee, second.fee, second.knowledge_ts) == (Decimal("1.5"), 0, clock.now())
    desk.book.record_many([order, first, second], HUMAN)
    assert desk.book.state().positions[0].cost == 60 * 12 + 40 * Decimal("12.25")
    assert desk.book.refs().keys() == {"o1", "f1", "f2"}


def test_every_problem_is_told_at_once_and_nothing_is_written(desk: Desk, file: Path) -> None:
    why = desk.decide("alpha")
    order = desk.order(why, "buy", "10")
    before = (desk.book.root / "ledger" / "ledger.jsonl").read_bytes()
    file.write_text(
        f"{HEAD}\n"
        "cancel,c1,,,,,,,,,\n"
        "order,o1,nowhere,,A,hold,-5,ten,,yesterday,\n"
        f"order,,{why},,,buy,1,,,2020-02-01,\n"
        f"fill,f1,,{order},,,11,1,,2020-02-01,\n"
        f"fill,f2,,{order},,,5,1,,2020-02-01,2019-01-01\n"
        f"fill,f3,,{order},,,5,1,,2020-02-01,\n"
        f"fill,f3,,{order},,,5,1,,2020-02-01,\n"
    )
    with pytest.raises(ImportProblems) as caught:
        read_events(desk.book, file, HUMAN)
    assert [(problem.where, problem.message.split(" ")[0]) for problem in caught.value.problems] == [
        ("line 2, kind", "'cancel'"),
        ("line 3, quantity", "'-5'"),
        ("line 3, price", "'ten'"),
        ("line 3, exchange_ts", "'yesterday'"),
        ("line 3, side", "'hold'"),
        ("line 3, decision", "there"),
        ("line 4, ref", "is"),
        ("line 4, instrument", "is"),
        ("line 5", "11"),
        ("line 6", "fill:"),
        ("line 8", "'f3'"),
    ]
    assert (desk.book.root / "ledger" / "ledger.jsonl").read_bytes() == before


@pytest.mark.parametrize(
    ("order", "said"),
    [("1,,,2020-02-01,2019-01-01", "known before it happened"), ("1,,,2099-02-01,2099-02-01", "")],
    ids=["by itself", "by the book"],
)
def test_a_fill_of_a_refused_order_names_it_as_the_file_does(
    desk: Desk, file: Path, order: str, said: str
) -> None:
    why = desk.decide("alpha")
    file.write_text(f"{HEAD}\norder,o3,{why},,A,buy,{order}\nfill,f3,,o3,,,1,1,,2020-02-01,\n")
    with pytest.raises(ImportProblems) as caught:
        read_events(desk.book, file, HUMAN)
    first, second = caught.value.problems
    assert (first.where, said in first.message) == ("line 2", True)
    assert second.where.startswith("line 3")
    assert second.message == "the order 'o3' is refused, see line 2"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "header"),
        ("kind,ref\n", "missing: quantity, exchange_ts"),
        (f"{HEAD},note\n", "unknown: note"),
        (f"{HEAD},kind\n", "twice"),
        (f"{HEAD}\norder,o1\n", "number of cells"),
        (f"{HEAD}\n" + "x," * 20 + "\n", "number of cells"),
        (f'{HEAD}\n"order,o1\n', "not CSV"),
    ],
)
def test_what_is_no_such_file_is_named(desk: Desk, file: Path, text: str, said: str) -> None:
    file.write_text(text)
    with pytest.raises(DataError, match=said):
        read_events(desk.book, file, HUMAN)


def test_files_that_cannot_be_read(desk: Desk, tmp_path: Path) -> None:
    (tmp_path / "latin.csv").write_bytes(f"{HEAD}\n\xff".encode("latin-1"))
    for name, said in (("latin.csv", "UTF-8"), ("none.csv", "cannot read"), ("", "cannot read")):
        with pytest.raises(DataError, match=said):
            read_events(desk.book, tmp_path / name, HUMAN)


def test_an_empty_file_of_events_has_none(desk: Desk, file: Path) -> None:
    file.write_text(HEAD + "\n")
    assert read_events(desk.book, file, HUMAN) == []
    desk.book.record_many([], HUMAN)
    assert desk.book.now() > START
