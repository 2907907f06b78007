"""Any bytes whatever: damage or a torn tail, no other exception, and no record that nobody wrote."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assay.errors import LedgerDamaged
from assay.ledger import Entry, Ledger
from assay.ledger._line import NO_HASH, Prepared, canonical, seal

from .records import body, small

BITS = st.binary(max_size=40) | st.sampled_from(
    [
        b"\n",
        b"\0" * 20,
        b'{"batch":[0,1],"body":{',
        b',"prev":"',
        b',"hash":"',
        b'"}\n',
        b"{",
        b"[",
        b'"',
        b"\xff",
    ]
)
BYTES = st.lists(BITS, max_size=12).map(b"".join)


@dataclass(frozen=True)
class Good:
    """A folder to spoil, and what its files held before."""

    folder: Path
    content: bytes
    hint: bytes


@pytest.fixture(scope="module")
def good(tmp_path_factory: pytest.TempPathFactory) -> Good:
    folder = tmp_path_factory.mktemp("fuzz") / "ledger"
    small(folder)
    return Good(folder, (folder / "ledger.jsonl").read_bytes(), (folder / "head").read_bytes())


def entries_of(folder: Path) -> list[Entry] | LedgerDamaged:
    try:
        return list(Ledger.open(folder).entries())
    except LedgerDamaged as error:
        return error


def read(folder: Path, data: bytes, hint: bytes = b"") -> list[int] | None:
    """The rounds that a reader accepts, or None for damage; verify and entries must agree."""
    (folder / "ledger.jsonl").write_bytes(data)
    (folder / "head").write_bytes(hint)
    entries = entries_of(folder)
    if isinstance(entries, LedgerDamaged):
        assert (entries.where or "").startswith("line ")
        with pytest.raises(LedgerDamaged):
            Ledger.open(folder).verify()
        return None
    found = Ledger.open(folder).verify()
    assert found.records == len(entries)
    accepted = entries[-1].end
    assert accepted + (found.torn.bytes if found.torn else 0) == len(data)
    assert (found.torn.offset if found.torn else len(data)) == accepted
    return [entry.body["number"] for entry in entries if entry.kind == "round"]


@settings(max_examples=300)
@given(data=BYTES)
def test_any_bytes_as_a_ledger(good: Good, data: bytes) -> None:
    assert read(good.folder, data) is None


@settings(max_examples=300)
@given(tail=BYTES)
def test_any_bytes_behind_a_ledger(good: Good, tail: bytes) -> None:
    accepted = read(good.folder, good.content + tail, good.hint)
    assert accepted in (None, [1, 2, 3, 4, 5, 6])
    if b"\n" not in tail:
        assert accepted is not None


@settings(max_examples=300)
@given(patch=BYTES, place=st.integers(0, 10_000), cut=st.integers(0, 200))
def test_any_bytes_within_a_ledger(good: Good, patch: bytes, place: int, cut: int) -> None:
    place %= len(good.content)
    data = good.content[:place] + patch + good.content[place + cut :]
    if data != good.content and not data.startswith(good.content):
        assert read(good.folder, data, good.hint) is None
        # without the hint a spoilt end may be taken for a torn tail; a record that nobody wrote may not
        accepted = read(good.folder, data)
        assert accepted is None or accepted == list(range(1, 7))[: len(accepted)]


@settings(max_examples=300)
@given(
    middle=st.text(max_size=30)
    | st.sampled_from(["[" * 3000, '{"a":' * 2000, "9" * 5000, '"\\ud800"', "NaN", "1e999"])
)
def test_lines_whose_hashes_fit_but_which_no_ledger_wrote(good: Good, middle: str) -> None:
    """Somebody who knows the format can write any chain; a reader says damage, or reads what is there."""
    prepared = Prepared("round", "r-1", canonical(body(1)), canonical({}, "meta"))
    raw, _ = seal(prepared, 0, 1, NO_HASH)
    start = raw.split(b'"body":{')[0] + b'"body":{'
    head = start + middle.encode().replace(b"\n", b" ") + b'},"kind":"round","meta":{},"run":null,"prev":"'
    head += good.content[-67:-3] + b'"'
    line = head + b',"hash":"' + hashlib.sha256(head).hexdigest().encode() + b'"}\n'
    (good.folder / "ledger.jsonl").write_bytes(good.content + line)
    (good.folder / "head").unlink(missing_ok=True)
    entries = entries_of(good.folder)
    if isinstance(entries, LedgerDamaged):
        assert entries.where == "line 8"
    else:
        assert len(entries) == 8
        assert entries[-1].kind == "round"


@settings(max_examples=300)
@given(data=st.binary(max_size=600))
def test_any_bytes_as_the_hint(good: Good, data: bytes) -> None:
    assert read(good.folder, good.content, data) == [1, 2, 3, 4, 5, 6]
