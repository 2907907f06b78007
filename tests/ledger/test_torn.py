"""Torn tails: dropped and reported by readers; kept, cut off and recorded by the next writer."""

from __future__ import annotations

import hashlib
from pathlib import Path

import pytest

from assay.errors import LedgerDamaged
from assay.ledger import Ledger, LedgerUnwritable, OsFiles, TornTail

from .records import body, draft, numbers, small

# lines of ``small`` at which an append ends
WHOLE = (1, 2, 3, 6, 7)


def log(folder: Path) -> Path:
    return folder / "ledger.jsonl"


@pytest.mark.parametrize("hint", [True, False], ids=["with the hint", "without it"])
def test_the_log_cut_short_at_every_byte(hint: bool, tmp_path: Path) -> None:
    folder = tmp_path / "ledger"
    small(folder)
    data = log(folder).read_bytes()
    ends = [place + 1 for place in range(len(data)) if data[place] == ord("\n")]
    if not hint:
        (folder / "head").unlink()
    for size in range(len(data)):
        log(folder).write_bytes(data[:size])
        whole = max((lines for lines in WHOLE if ends[lines - 1] <= size), default=0)
        if hint or whole == 0:
            with pytest.raises(LedgerDamaged) as caught:
                Ledger.open(folder).verify()
            assert caught.value.where == f"line {whole + 1}"
            continue
        ledger = Ledger.open(folder)
        found = ledger.verify()
        left = size - ends[whole - 1]
        assert found.records == whole == len(list(ledger.entries()))
        if left == 0:
            assert found.torn is None
        else:
            reason = "incomplete_batch" if data[size - 1] == ord("\n") else "no_newline"
            assert found.torn == TornTail(ends[whole - 1], left, reason) == ledger.torn()
        assert log(folder).read_bytes() == data[:size], "reading changes nothing"


TAILS = {
    "a part of a line": (b'{"batch":[0,1],"body":{"num', "no_newline"),
    "a page of zeros": (bytes(4096), "lost_page"),
    "zeros and an end": (b'{"batch":[0,1],"bo' + bytes(50) + b'"}\n', "lost_page"),
    "anything without an end": (b"\xff\xfe\x80", "no_newline"),
    "one byte": (b"{", "no_newline"),
    "zeros, then lines that begin no append": (
        bytes(64) + b"\n" + b'{"batch":[1,2],"body":{}}\n',
        "lost_page",
    ),
}


@pytest.mark.parametrize("name", TAILS)
def test_what_becomes_of_a_torn_tail(name: str, tmp_path: Path) -> None:
    tail, reason = TAILS[name]
    folder = tmp_path / "ledger"
    before = small(folder).end()
    with open(log(folder), "ab") as file:
        file.write(tail)
    ledger = Ledger.open(folder)
    assert ledger.torn() == TornTail(before.offset, len(tail), reason)
    assert numbers(ledger) == [1, 2, 3, 4, 5, 6]
    entry = ledger.append("round", body(7), run="r-1")
    assert ledger.torn() is None
    recovery = next(ledger.entries(kind="recovery"))
    assert (recovery.line, entry.line) == (before.lines + 1, before.lines + 2)
    assert recovery.run is None
    kept = recovery.body.pop("kept")
    assert (folder / kept).read_bytes() == tail
    assert recovery.body == {
        "offset": before.offset,
        "bytes": len(tail),
        "sha256": hashlib.sha256(tail).hexdigest(),
        "reason": reason,
    }
    assert Ledger.open(folder).verify().records == before.lines + 2


def test_a_batch_whose_end_is_missing_counts_for_nothing(tmp_path: Path) -> None:
    folder = tmp_path / "ledger"
    ledger = small(folder)
    end, hint = ledger.end(), (folder / "head").read_bytes()
    last = ledger.append_many([draft(7), draft(8), draft(9)])
    data = log(folder).read_bytes()
    log(folder).write_bytes(data[: last[1].end])
    (folder / "head").write_bytes(hint)  # it is written when the append is on the disk
    other = Ledger.open(folder)
    assert other.torn() == TornTail(end.offset, last[1].end - end.offset, "incomplete_batch")
    assert numbers(other) == [1, 2, 3, 4, 5, 6]
    other.append_many([draft(7), draft(8), draft(9)])
    assert numbers(other) == [1, 2, 3, 4, 5, 6, 7, 8, 9]


@pytest.mark.parametrize("zeroed", [0, 1, 2])
def test_a_batch_that_lost_a_page_counts_for_nothing(zeroed: int, tmp_path: Path) -> None:
    folder = tmp_path / "ledger"
    ledger = small(folder)
    end, hint = ledger.end(), (folder / "head").read_bytes()
    last = ledger.append_many([draft(7), draft(8), draft(9)])
    data = bytearray(log(folder).read_bytes())
    data[last[zeroed].end - 200 : last[zeroed].end - 80] = bytes(120)
    log(folder).write_bytes(data)
    (folder / "head").write_bytes(hint)
    other = Ledger.open(folder)
    assert other.torn() == TornTail(end.offset, last[-1].end - end.offset, "lost_page")
    assert numbers(other) == [1, 2, 3, 4, 5, 6]
    assert other.append("round", body(7), run="r-1").line == end.lines + 2


def test_a_tail_that_is_put_back_is_cut_off_again(tmp_path: Path) -> None:
    folder = tmp_path / "ledger"
    ledger = small(folder)
    for i in range(3):
        with open(log(folder), "ab") as file:
            file.write(b"the same bytes")
        ledger.append("round", body(10 + i), run="r-1")
    kept = [entry.body["kept"] for entry in ledger.entries(kind="recovery")]
    assert len(set(kept)) == 3
    assert ledger.verify().torn is None


class FullFiles(OsFiles):
    """A disk on which no file can grow."""

    def write(self, handle: int, data: bytes | memoryview) -> int:
        raise OSError(28, "No space left on device")


def test_a_tail_that_cannot_be_kept_is_not_cut_off(tmp_path: Path) -> None:
    folder = tmp_path / "ledger"
    small(folder)
    with open(log(folder), "ab") as file:
        file.write(b"torn")
    data = log(folder).read_bytes()
    with pytest.raises(LedgerUnwritable, match="No space left") as caught:
        Ledger.open(folder, files=FullFiles()).append("round", body(7), run="r-1")
    assert caught.value.fix
    assert log(folder).read_bytes() == data
    assert Ledger.open(folder).append("round", body(7), run="r-1").line == 9
