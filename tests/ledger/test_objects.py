"""The pack: payloads by content, durable when put, checked when got."""

from __future__ import annotations

import hashlib
import os
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.errors import AssayError, LedgerDamaged
from assay.ledger import KINDS, Ledger, OsFiles

HEADER = 48


@pytest.fixture
def ledger(tmp_path: Path) -> Ledger:
    return Ledger.create(tmp_path / "ledger")


def pack(ledger: Ledger) -> Path:
    return ledger.folder / "objects.pack"


def reopened(ledger: Ledger) -> Ledger:
    return Ledger.open(ledger.folder)


def test_payloads_come_back_under_their_content(ledger: Ledger) -> None:
    payloads = [b"", b"one", b"\x00" * 5000, os.urandom(10_000_000), b"\x89OBJ" * 30]
    names = ledger.put(payloads)
    assert names == tuple(f"sha256:{hashlib.sha256(payload).hexdigest()}" for payload in payloads)
    for one in (ledger, reopened(ledger)):
        assert [one.get(name) for name in names] == payloads


class CountingFiles(OsFiles):
    syncs = 0

    def fsync(self, handle: int) -> None:
        self.syncs += 1
        super().fsync(handle)


def test_many_payloads_are_one_sync_and_known_ones_are_not_written_again(ledger: Ledger) -> None:
    files = CountingFiles()
    other = Ledger.open(ledger.folder, files=files)
    names = other.put([b"%d" % i for i in range(50)])
    assert files.syncs == 1
    size = pack(ledger).stat().st_size
    assert other.put([b"%d" % i for i in range(50)]) == names
    assert other.put([b"7", b"7"]) == (names[7], names[7])
    assert files.syncs == 1
    assert pack(ledger).stat().st_size == size
    assert other.put([]) == ()


def test_what_another_process_left_unsynced_is_synced_before_it_counts(ledger: Ledger) -> None:
    class Careless(OsFiles):
        def fsync(self, handle: int) -> None:
            pass

    Ledger.open(ledger.folder, files=Careless()).put([b"one"])
    files = CountingFiles()
    other = Ledger.open(ledger.folder, files=files)
    other.put([b"one"])
    assert files.syncs == 1
    other.put([b"one"])
    assert files.syncs == 1


def test_two_openings_see_each_others_objects(ledger: Ledger) -> None:
    other = reopened(ledger)
    (one,) = ledger.put([b"one"])
    assert other.get(one) == b"one"
    (two,) = other.put([b"two"])
    assert ledger.get(two) == b"two"


@pytest.mark.parametrize(
    "name", ["", "sha256:", "sha256:" + "a" * 63, "sha256:" + "A" * 64, "../" * 20, "a" * 64]
)
def test_what_names_no_object_is_refused(name: str, ledger: Ledger) -> None:
    with pytest.raises(AssayError, match="names no object"):
        ledger.get(name)


def test_an_object_that_is_not_there_is_damage(ledger: Ledger) -> None:
    name = "sha256:" + "0" * 64
    with pytest.raises(LedgerDamaged, match="is missing") as caught:
        ledger.get(name)
    assert caught.value.where == name


def test_an_object_whose_bytes_changed_is_damage_until_it_is_put_again(ledger: Ledger) -> None:
    first, last = ledger.put([b"first" * 20, b"last" * 20])
    data = bytearray(pack(ledger).read_bytes())
    data[8 + HEADER + 3] ^= 1
    pack(ledger).write_bytes(data)
    for one in (ledger, reopened(ledger)):
        with pytest.raises(LedgerDamaged, match="does not fit its name") as caught:
            one.get(first)
        assert caught.value.where == first
        assert one.get(last) == b"last" * 20
    assert reopened(ledger).put([b"first" * 20]) == (first,)
    assert reopened(ledger).get(first) == b"first" * 20


@pytest.mark.parametrize("byte", range(HEADER))
def test_a_damaged_header_takes_no_other_object_with_it(byte: int, ledger: Ledger) -> None:
    first, second, third = (
        ledger.put([payload])[0] for payload in (b"first" * 20, b"second" * 20, b"third" * 20)
    )
    data = bytearray(pack(ledger).read_bytes())
    data[8 + HEADER + 100 + byte] ^= 64
    pack(ledger).write_bytes(data)
    other = reopened(ledger)
    assert other.get(first) == b"first" * 20
    assert other.get(third) == b"third" * 20
    with pytest.raises(LedgerDamaged):
        other.get(second)
    size = pack(ledger).stat().st_size
    other.put([b"fourth"])
    assert pack(ledger).read_bytes()[:size] == data


def test_the_pack_cut_short_at_every_byte_of_what_was_not_acknowledged(ledger: Ledger) -> None:
    (kept,) = ledger.put([b"kept" * 10])
    size, hint = pack(ledger).stat().st_size, (ledger.folder / "head").read_bytes()
    first, second = ledger.put([b"lost", b"gone" * 10])
    data = pack(ledger).read_bytes()
    for cut in range(size, len(data)):
        pack(ledger).write_bytes(data[:cut])
        (ledger.folder / "head").write_bytes(hint)
        other = reopened(ledger)
        assert other.get(kept) == b"kept" * 10
        with pytest.raises(LedgerDamaged):
            other.get(second)
        assert other.put([b"lost", b"gone" * 10]) == (first, second)
        assert pack(ledger).read_bytes() == data
        assert reopened(ledger).get(second) == b"gone" * 10


@pytest.mark.parametrize("size", [0, 5, 8, 60])
def test_a_pack_that_is_shorter_than_it_was_is_damage(size: int, ledger: Ledger) -> None:
    (name,) = ledger.put([b"x" * 100])
    os.truncate(pack(ledger), size)
    for one in (ledger, reopened(ledger)):
        for _ in range(2):
            with pytest.raises(LedgerDamaged):
                one.get(name)
            with pytest.raises(LedgerDamaged):
                one.put([b"new"])


def test_a_pack_that_is_gone_is_damage(ledger: Ledger) -> None:
    (name,) = ledger.put([b"x"])
    pack(ledger).unlink()
    with pytest.raises(LedgerDamaged, match="is missing"):
        reopened(ledger).get(name)
    with pytest.raises(LedgerDamaged, match="is missing"):
        ledger.put([b"y"])


def test_verify_checks_the_objects_that_records_name(ledger: Ledger) -> None:
    (name,) = ledger.put([b"series"])
    trial = dict.fromkeys(KINDS["trial"].keys)
    ledger.append("trial", {**trial, "series": name})
    ledger.append("trial", trial)
    assert ledger.verify(objects=True).objects == 1
    assert ledger.verify().objects == 0
    ledger.append("trial", {**trial, "series": "sha256:" + "0" * 64})
    ledger.verify()
    with pytest.raises(LedgerDamaged, match="is missing") as caught:
        ledger.verify(objects=True)
    assert caught.value.where == "line 4"


def test_verify_does_not_fail_on_a_name_that_cannot_be(ledger: Ledger) -> None:
    ledger.append("trial", {**dict.fromkeys(KINDS["trial"].keys), "series": 7})
    with pytest.raises(LedgerDamaged, match="names the object 7") as caught:
        ledger.verify(objects=True)
    assert caught.value.where == "line 2"


@given(payloads=st.lists(st.binary(max_size=200), max_size=8), tail=st.binary(max_size=120))
def test_any_bytes_after_the_pack_do_no_harm(
    tmp_path_factory: pytest.TempPathFactory, payloads: list[bytes], tail: bytes
) -> None:
    ledger = Ledger.create(tmp_path_factory.mktemp("pack") / "ledger")
    names = ledger.put(payloads)
    with open(pack(ledger), "ab") as file:
        file.write(tail)
    other = reopened(ledger)
    assert [other.get(name) for name in names] == payloads
    (new,) = other.put([b"new"])
    assert reopened(ledger).get(new) == b"new"
    assert [reopened(ledger).get(name) for name in names] == payloads
