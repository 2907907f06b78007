"""The ledger as its users see it, with nothing going wrong."""

from __future__ import annotations

import re
import threading
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from assay.errors import AssayError, LedgerDamaged
from assay.ledger import Draft, Ledger, OsFiles, Position
from assay.ledger._line import canonical

from .records import StillClock, body, draft, numbers, small

PAGE = Path(__file__).parents[2] / "docs" / "reference" / "ledger.md"


class CountingFiles(OsFiles):
    def __init__(self) -> None:
        self.syncs = 0
        self.writes = 0

    def fsync(self, handle: int) -> None:
        self.syncs += 1
        super().fsync(handle)

    def write(self, handle: int, data: bytes | memoryview) -> int:
        self.writes += 1
        return super().write(handle, data)


def test_what_was_appended_is_read_back_by_another_opening(tmp_path: Path) -> None:
    ledger = Ledger.create(tmp_path / "ledger")
    first = ledger.append("round", body(1), run="r-1", latency=0.25)
    many = ledger.append_many([draft(2), draft(3)])
    other = Ledger.open(tmp_path / "ledger")
    entries = list(other.entries())
    assert entries[1:] == [first, *many]
    assert [entry.line for entry in entries] == [1, 2, 3, 4]
    assert entries[0].kind == "ledger"
    assert entries[0].body == {"format": "assay-ledger", "version": 1}
    assert first.meta["latency"] == 0.25
    assert first.meta.keys() == {"host", "latency", "pid", "time"}
    found = other.verify()
    assert (found.records, found.head, found.torn) == (4, many[-1].hash, None)


@pytest.mark.parametrize("latency", [None, 0, 1.5, 1e-9, 1e300, np.float32(0.5), float("nan")])
def test_what_is_said_of_a_records_making_reads_back(latency: float | None, tmp_path: Path) -> None:
    ledger = Ledger.create(tmp_path / "ledger")
    entry = ledger.append("round", body(1), run="r-1", latency=latency)
    (found,) = ledger.entries(kind="round")
    assert found.meta == entry.meta
    assert list(found.meta) == sorted(found.meta)
    line = (tmp_path / "ledger" / "ledger.jsonl").read_bytes().splitlines()[1]
    assert canonical(found.meta, "meta").data in line


def test_records_by_kind_run_and_start(tmp_path: Path) -> None:
    ledger = small(tmp_path / "ledger")
    # a body that holds the text of another kind's line must not be taken for it
    ledger.append(
        "tool_call", {"tool": '"kind":"round"', "outcome": {"run": "r-1", "kind": "round"}}, run="r-3"
    )
    assert numbers(ledger) == [1, 2, 3, 4, 5, 6]
    assert numbers(ledger, run="r-2") == [2, 4]
    assert numbers(ledger, run="r-3") == []
    assert [entry.kind for entry in ledger.entries(run="r-3")] == ["tool_call"]
    assert numbers(ledger, start=3) == [3, 4, 5, 6]
    assert numbers(ledger, start=99) == []


def test_reading_goes_on_from_a_position(tmp_path: Path) -> None:
    ledger = small(tmp_path / "ledger")
    places = [entry.position for entry in ledger.entries()]
    assert places[-1] == ledger.end()
    for place in places[:2]:
        assert numbers(ledger, start=place) == numbers(ledger, start=place.lines)
    assert list(ledger.entries(start=places[-1])) == []
    ledger.append("round", body(7), run="r-1")
    assert numbers(ledger, start=places[-1]) == [7]


@pytest.mark.parametrize("lines", [2, 7])
def test_a_position_of_another_ledger_is_noticed(lines: int, tmp_path: Path) -> None:
    ledger = small(tmp_path / "ledger")
    place = list(ledger.entries())[lines - 1].position
    with pytest.raises(LedgerDamaged):
        list(ledger.entries(start=Position(place.lines, place.offset, "0" * 64)))
    with pytest.raises(LedgerDamaged, match="is missing"):
        list(ledger.entries(start=Position(99, 10**6, place.hash)))


def test_reading_ends_where_the_record_ended_when_it_began(tmp_path: Path) -> None:
    ledger = small(tmp_path / "ledger")
    reader = ledger.entries(kind="round")
    first = next(reader)
    ledger.append("round", body(7), run="r-1")
    assert [first.body["number"], *(entry.body["number"] for entry in reader)] == [1, 2, 3, 4, 5, 6]


def test_two_openings_see_each_others_records(tmp_path: Path) -> None:
    one = Ledger.create(tmp_path / "ledger")
    two = Ledger.open(tmp_path / "ledger")
    for i in range(6):
        (one, two)[i % 2].append("round", body(i), run="r-1")
    assert numbers(one) == numbers(two) == list(range(6))


def test_an_append_is_one_write_and_one_sync(tmp_path: Path) -> None:
    Ledger.create(tmp_path / "ledger")
    files = CountingFiles()
    ledger = Ledger.open(tmp_path / "ledger", files=files)
    ledger.append("round", body(1), run="r-1")
    assert (files.writes, files.syncs) == (1, 1)
    ledger.append_many([draft(i) for i in range(100)])
    assert (files.writes, files.syncs) == (2, 2)
    assert ledger.append_many([]) == ()
    assert (files.writes, files.syncs) == (2, 2)


def test_a_transaction_keeps_other_threads_out(tmp_path: Path) -> None:
    ledger = Ledger.create(tmp_path / "ledger")
    started = threading.Event()

    def other() -> None:
        started.set()
        ledger.append("round", body(100), run="r-2")

    thread = threading.Thread(target=other)
    with ledger.transaction() as held:
        thread.start()
        started.wait()
        for _ in range(5):
            held.append("round", body(len(numbers(held))), run="r-1")
    thread.join()
    assert numbers(ledger) == [0, 1, 2, 3, 4, 100]


def test_threads_share_a_ledger(tmp_path: Path) -> None:
    ledger = Ledger.create(tmp_path / "ledger")

    def work(which: int) -> None:
        for i in range(10):
            ledger.append("round", body(10 * which + i), run=f"r-{which}")
            ledger.put([b"%d" % (10 * which + i)])

    threads = [threading.Thread(target=work, args=(i,)) for i in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(numbers(ledger)) == list(range(40))
    assert all(numbers(ledger, run=f"r-{i}") == list(range(10 * i, 10 * i + 10)) for i in range(4))
    assert ledger.verify().records == 41


def test_a_clock_that_goes_back_changes_nothing(tmp_path: Path) -> None:
    clock = StillClock()
    ledger = Ledger.create(tmp_path / "ledger", clock=clock)
    for i in range(4):
        ledger.append("round", body(i), run="r-1")
        clock.move(-3600 * 24 * 400)
    times = [entry.meta["time"] for entry in ledger.entries(kind="round")]
    assert times == sorted(times, reverse=True)
    assert numbers(ledger) == [0, 1, 2, 3]
    assert ledger.verify().records == 5


def test_ten_megabytes_in_one_record(tmp_path: Path) -> None:
    ledger = Ledger.create(tmp_path / "ledger")
    reply = '\u4e2d\ud800\\"\n' * 2_000_000
    entry = ledger.append("llm_call", {"role": "planner", "request_hash": "h", "ordinal": 0, "reply": reply})
    ledger.append("round", body(1), run="r-1")
    assert entry.body["reply"] == reply
    found = list(Ledger.open(tmp_path / "ledger").entries())
    assert found[1] == entry
    assert found[2].body == body(1)


def test_a_record_beyond_the_limit_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    ledger = Ledger.create(tmp_path / "ledger")
    monkeypatch.setattr("assay.ledger._log.MAX_LINE", 1000)
    with pytest.raises(AssayError, match="bytes") as caught:
        ledger.append("round", body(1, text="x" * 1000), run="r-1")
    assert caught.value.fix == "store it as an object"
    assert numbers(ledger) == []


def test_a_ledger_is_not_made_twice(tmp_path: Path) -> None:
    Ledger.create(tmp_path / "ledger")
    with pytest.raises(AssayError, match="exists already"):
        Ledger.create(tmp_path / "ledger")


def test_a_folder_without_a_ledger_is_named(tmp_path: Path) -> None:
    with pytest.raises(AssayError, match="no ledger") as caught:
        Ledger.open(tmp_path)
    assert caught.value.where == str(tmp_path)
    assert "assay init" in (caught.value.fix or "")


def test_a_ledger_that_is_taken_away_is_named(tmp_path: Path) -> None:
    ledger = small(tmp_path / "ledger")
    (tmp_path / "ledger").rename(tmp_path / "away")
    for use in (
        ledger.verify,
        lambda: ledger.append("round", body(1), run="r-1"),
        lambda: list(ledger.entries()),
    ):
        with pytest.raises(AssayError):
            use()


def test_the_check_on_the_reference_page_holds(tmp_path: Path) -> None:
    code = re.search(r"```python\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL)
    assert code is not None
    names: dict[str, Any] = {}
    exec(code[1], names)  # the page's own code
    small(tmp_path / "ledger")
    path = tmp_path / "ledger" / "ledger.jsonl"
    names["check"](path)
    path.write_bytes(path.read_bytes().replace(b'"number":4', b'"number":9'))
    with pytest.raises(AssertionError, match="5"):
        names["check"](path)


def test_records_for_no_run(tmp_path: Path) -> None:
    ledger = Ledger.create(tmp_path / "ledger")
    entry = ledger.append_many([Draft("seal", {"data": "csi300", "period": "eval"})])[0]
    assert entry.run is None
    assert list(ledger.entries(kind="seal")) == [entry]
