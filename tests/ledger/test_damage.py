"""Every kind of edit is noticed, and names the line."""

from __future__ import annotations

import re
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from assay.errors import AssayError, LedgerDamaged, Refusal
from assay.ledger import Ledger
from assay.ledger._kinds import KINDS
from assay.ledger._line import NO_HASH, Prepared, canonical, seal

from .records import body, numbers, small

LINES = 7


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    small(tmp_path / "ledger")
    return tmp_path / "ledger"


def lines_of(folder: Path) -> list[bytes]:
    return (folder / "ledger.jsonl").read_bytes().splitlines(keepends=True)


def write(folder: Path, lines: list[bytes]) -> None:
    (folder / "ledger.jsonl").write_bytes(b"".join(lines))


def assert_damaged(folder: Path, line: int) -> None:
    """Reading, verifying and writing all stop, name the line, and leave the files alone."""
    before = {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}
    for use in (
        lambda ledger: ledger.verify(),
        lambda ledger: list(ledger.entries()),
    ):
        with pytest.raises(LedgerDamaged) as caught:
            use(Ledger.open(folder))
        assert caught.value.where == f"line {line}"
        assert f"line {line}" in caught.value.message
        assert caught.value.fix
    after = {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}
    assert after == before


def edited(raw: bytes) -> bytes:
    return re.sub(rb'"(number|version)":\d', rb'"\1":8', raw, count=1)


@pytest.mark.parametrize("line", range(1, LINES + 1))
def test_an_edited_line(folder: Path, line: int) -> None:
    lines = lines_of(folder)
    assert len(lines) == LINES
    lines[line - 1] = edited(lines[line - 1])
    assert lines != lines_of(folder)
    write(folder, lines)
    assert_damaged(folder, line)


@pytest.mark.parametrize("line", range(1, LINES))
def test_a_deleted_line(folder: Path, line: int) -> None:
    lines = lines_of(folder)
    del lines[line - 1]
    write(folder, lines)
    assert_damaged(folder, line)


@pytest.mark.parametrize("line", range(1, LINES))
def test_two_lines_that_changed_places(folder: Path, line: int) -> None:
    lines = lines_of(folder)
    lines[line - 1 : line + 1] = lines[line - 1 : line + 1][::-1]
    write(folder, lines)
    assert_damaged(folder, line)


@pytest.mark.parametrize("line", range(1, LINES))
def test_a_doubled_line(folder: Path, line: int) -> None:
    lines = lines_of(folder)
    lines.insert(line, lines[line - 1])
    write(folder, lines)
    assert_damaged(folder, line + 1)


@pytest.mark.parametrize("line", range(2, LINES + 1))
def test_a_line_put_in_with_a_right_hash_of_its_own(folder: Path, line: int) -> None:
    lines = lines_of(folder)
    prev = lines[line - 2][-67:-3].decode()
    record = Prepared("round", "r-1", canonical(body(9)), canonical({}, "meta"))
    lines.insert(line - 1, seal(record, 0, 1, prev)[0])
    write(folder, lines)
    # inside an append of three it does not fit itself; else the next line does not follow it
    assert_damaged(folder, line if line in (5, 6) else line + 1)


@pytest.mark.parametrize("cut", range(1, LINES))
def test_a_missing_tail(folder: Path, cut: int) -> None:
    write(folder, lines_of(folder)[:cut])
    # of an append of three that is not whole, nothing counts
    assert_damaged(folder, 4 if cut in (4, 5) else cut + 1)


@pytest.mark.parametrize("size", [1, 50, 300])
def test_a_last_line_that_was_accepted_and_is_cut_short(folder: Path, size: int) -> None:
    data = (folder / "ledger.jsonl").read_bytes()
    (folder / "ledger.jsonl").write_bytes(data[:-size])
    assert_damaged(folder, LINES)


def test_an_accepted_last_line_turned_to_zeros(folder: Path) -> None:
    lines = lines_of(folder)
    lines[-1] = bytes(len(lines[-1]))
    write(folder, lines)
    assert_damaged(folder, LINES)


def test_an_accepted_last_line_with_zeros_and_an_end_that_fits_the_hint(folder: Path) -> None:
    lines = lines_of(folder)
    lines[-1] = lines[-1][:30] + bytes(50) + lines[-1][80:]
    write(folder, lines)
    assert_damaged(folder, LINES)


def test_zeros_before_the_last_append_are_damage_without_the_hint_too(folder: Path) -> None:
    (folder / "head").unlink()
    lines = lines_of(folder)
    lines[2] = bytes(len(lines[2]))
    write(folder, lines)
    assert_damaged(folder, 3)


def test_a_writer_that_has_seen_more_notices_a_missing_tail(folder: Path) -> None:
    ledger = Ledger.open(folder)
    assert ledger.end().lines == LINES
    (folder / "head").unlink()
    write(folder, lines_of(folder)[:3])
    with pytest.raises(LedgerDamaged, match="ends after line 3, and had 7 lines"):
        ledger.append("round", body(9), run="r-1")


@pytest.mark.parametrize("left", [1, 3, 6])
def test_the_index_bears_witness_of_a_missing_tail(folder: Path, left: int) -> None:
    Ledger.open(folder).index().close()
    (folder / "head").unlink()
    write(folder, lines_of(folder)[:left])
    with pytest.raises(LedgerDamaged, match="is missing") as caught:
        Ledger.open(folder).verify()
    assert caught.value.where == f"line {left + 1}"


def test_the_index_bears_witness_of_a_line_that_was_written_anew(folder: Path) -> None:
    Ledger.open(folder).index().close()
    (folder / "head").unlink()
    lines = lines_of(folder)
    record = Prepared("round", "r-1", canonical(body(9)), canonical({}, "meta"))
    lines[-1] = seal(record, 0, 1, lines[-2][-67:-3].decode())[0]
    write(folder, lines)
    with pytest.raises(LedgerDamaged):
        Ledger.open(folder).verify()
    (folder / "index.sqlite").unlink()
    assert Ledger.open(folder).verify().records == LINES


@pytest.mark.parametrize("content", [b"", b"no database", bytes(4096)])
def test_an_index_that_cannot_be_read_bears_no_witness(folder: Path, content: bytes) -> None:
    (folder / "index.sqlite").write_bytes(content)
    assert Ledger.open(folder).verify().records == LINES


def test_a_file_put_in_place_of_another(folder: Path, tmp_path: Path) -> None:
    ledger = Ledger.open(folder)
    ledger.verify()
    copy = tmp_path / "copy"
    shutil.copyfile(folder / "ledger.jsonl", copy)
    copy.replace(folder / "ledger.jsonl")
    ledger.append("round", body(7), run="r-1")
    assert numbers(ledger) == [1, 2, 3, 4, 5, 6, 7]
    other = Ledger.create(tmp_path / "other")
    for i in range(20):
        other.append("round", body(i), run="r-1")
    (tmp_path / "other" / "ledger.jsonl").replace(folder / "ledger.jsonl")
    with pytest.raises(LedgerDamaged):
        ledger.append("round", body(8), run="r-1")


def test_every_byte_of_every_line_is_covered(folder: Path) -> None:
    """One bit of each third byte, up to and with the last."""
    path = folder / "ledger.jsonl"
    data = path.read_bytes()
    line = 1
    for place in range(len(data)):
        if place % 3 == 0:
            flipped = bytearray(data)
            flipped[place] ^= 1 << (place // 3) % 8
            path.write_bytes(flipped)
            with pytest.raises(LedgerDamaged) as caught:
                Ledger.open(folder).verify()
            assert caught.value.where == f"line {line}"
        line += data[place] == ord("\n")


def header(**changes: object) -> bytes:
    fields = {"format": "assay-ledger", "version": 1, **changes}
    return seal(Prepared("ledger", None, canonical(fields), canonical({}, "meta")), 0, 1, NO_HASH)[0]


def foreign_kind(first: bytes) -> bytes:
    record = Prepared("gossip", None, canonical({}), canonical({}, "meta"))
    return seal(record, 0, 1, first[-67:-3].decode())[0]


@pytest.mark.parametrize(
    ("content", "line", "says"),
    [
        (b"", 1, "not the first line"),
        (b"\n", 1, "not the first line"),
        (b"{}\n", 1, "not the first line"),
        (header()[:-1], 1, "not the first line"),
        (header(format="other"), 1, "not the first line"),
        (header(version=2), 1, "names version 2; this program reads version 1"),
        (header(version="1"), 1, "names version '1'"),
        (header() + foreign_kind(header()), 2, "kind 'gossip', which this version does not know"),
        (header() + b"\xff\n", 2, "does not fit its hash"),
    ],
)
def test_files_that_are_no_ledger_of_this_version(
    content: bytes, line: int, says: str, tmp_path: Path
) -> None:
    Ledger.create(tmp_path / "ledger")
    (tmp_path / "ledger" / "head").unlink()
    (tmp_path / "ledger" / "ledger.jsonl").write_bytes(content)
    with pytest.raises(LedgerDamaged, match=says) as caught:
        Ledger.open(tmp_path / "ledger").verify()
    assert caught.value.where == f"line {line}"


@pytest.mark.parametrize("hint", [b"", b"\0" * 512, b"7 99999 " + b"a" * 64 + b" 00000000\n", b"\xff" * 100])
def test_a_hint_that_cannot_be_read_counts_as_none(hint: bytes, folder: Path) -> None:
    (folder / "head").write_bytes(hint)
    assert Ledger.open(folder).verify().records == LINES
    Ledger.open(folder).append("round", body(7), run="r-1")
    write(folder, lines_of(folder)[:-1])
    assert_damaged(folder, LINES + 1)  # the append has written the hint anew


def test_required_keys_are_not_trusted_when_reading(folder: Path) -> None:
    """A record of an older version may lack what is required now; reading it is no fault."""
    lines = lines_of(folder)
    record = Prepared("trial", None, canonical({}), canonical({}, "meta"))
    lines.append(seal(record, 0, 1, lines[-1][-67:-3].decode())[0])
    write(folder, lines)
    assert KINDS["trial"].keys
    assert Ledger.open(folder).verify(objects=True).records == LINES + 1


def test_a_folder_in_place_of_the_file(tmp_path: Path) -> None:
    ledger = small(tmp_path / "ledger")
    (tmp_path / "ledger" / "ledger.jsonl").unlink()
    (tmp_path / "ledger" / "ledger.jsonl").mkdir()
    with pytest.raises(AssayError):
        ledger.verify()
    with pytest.raises(AssayError):
        Ledger.open(tmp_path / "ledger")


@pytest.mark.parametrize("use", [Ledger.index, Ledger.trials, lambda ledger: ledger.run("r-1").state()])
def test_nothing_is_counted_by_an_index_whose_record_was_edited(
    use: Callable[[Ledger], object], folder: Path
) -> None:
    """The index has seen the line and need not read it again; so the chain is checked first."""
    Ledger.open(folder).index().close()
    lines = lines_of(folder)
    lines[2] = edited(lines[2])
    write(folder, lines)
    with pytest.raises(LedgerDamaged) as caught:
        use(Ledger.open(folder))
    assert caught.value.where == "line 3"


def test_a_large_record_is_not_read_through_before_it_is_counted(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("assay.ledger._ledger._CHECKED_AT_ONCE", 100)
    Ledger.open(folder).index().close()
    lines = lines_of(folder)
    lines[2] = edited(lines[2])
    write(folder, lines)
    with Ledger.open(folder).index() as index:
        assert index.records == LINES
    with pytest.raises(LedgerDamaged, match="line 3"):
        Ledger.open(folder).verify()


def test_an_unknown_kind_is_told_the_nearest(folder: Path) -> None:
    with pytest.raises(Refusal, match="'trail'") as caught:
        Ledger.open(folder).entries(kind="trail")
    assert caught.value.fix == "did you mean 'trial'?"
