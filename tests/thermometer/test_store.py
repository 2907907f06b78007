"""Prints are written once, told apart by name, and what is not as it was written is refused."""

from __future__ import annotations

import hashlib
import itertools
import json
import os
import signal
from collections.abc import Callable
from datetime import date
from pathlib import Path

import pytest

from assay.base import folder_lock
from assay.errors import AssayError, Refusal
from assay.thermometer import THERMOMETER_BUSY, PrintStore, StoredPrint, ThermometerPrint, make_print

from ..notes.test_processes import killed_at
from .conftest import AS_OF, two_axes

ONE = make_print(two_axes([1], [1]), AS_OF)
OTHER = make_print(two_axes([1], [-1]), AS_OF)
EARLIER = make_print(two_axes([0], [1]), date(2020, 6, 15))


def code_of(action: Callable[[], object]) -> str:
    with pytest.raises(Refusal) as caught:
        action()
    return caught.value.reason.code


def file_of(store: PrintStore, stored: StoredPrint) -> Path:
    return store.folder / f"{stored.name}.json"


def test_a_print_is_named_by_its_day_and_its_content(store: PrintStore) -> None:
    added = store.add(ONE)
    data = file_of(store, added).read_bytes()
    assert added.name == f"2020-06-30-1-{hashlib.sha256(data).hexdigest()}"
    assert added.print == ONE
    assert store.latest() == added
    assert ThermometerPrint.model_validate_json(data) == ONE


def test_the_same_again_changes_nothing(store: PrintStore) -> None:
    added = store.add(ONE)
    before = file_of(store, added).stat()
    assert store.add(ONE) == added
    assert store.add(added.print) == added
    assert [file.name for file in store.folder.iterdir()] == [f"{added.name}.json"]
    assert file_of(store, added).stat().st_mtime_ns == before.st_mtime_ns


def test_another_content_supersedes_by_name_and_the_old_one_stays(store: PrintStore) -> None:
    first = store.add(ONE)
    kept = file_of(store, first).read_bytes()
    second = store.add(OTHER)
    third = store.add(ONE)
    assert (first.print.supersedes, second.print.supersedes, third.print.supersedes) == (
        None,
        first.name,
        second.name,
    )
    assert store.list() == (first, second, third)
    assert store.standing() == (third,)
    assert store.latest() == third
    assert file_of(store, first).read_bytes() == kept
    assert store.add(third.print) == third, "what it supersedes is no content"


def test_the_latest_is_that_of_a_day_and_never_a_later_one(store: PrintStore) -> None:
    assert code_of(store.latest) == "no_thermometer_print"
    late, early = store.add(ONE), store.add(EARLIER)
    assert store.latest() == late
    assert store.latest(AS_OF) == late
    assert store.latest(date(2020, 6, 29)) == early
    assert code_of(lambda: store.latest(date(2020, 6, 14))) == "no_thermometer_print"
    assert store.standing() == (early, late)


def test_other_files_are_no_prints(store: PrintStore) -> None:
    added = store.add(ONE)
    for name in ("readme.json", f"{added.name}.txt", f".{added.name}.json", f"2020-13-45-1-{'0' * 64}.json"):
        (store.folder / name).write_text("{}")
    assert store.list() == (added,)


def tampered(data: bytes) -> bytes:
    return data.replace(b'"heat": 50.0', b'"heat": 51.0')


def renamed(store: PrintStore, stored: StoredPrint, data: bytes) -> None:
    """The content, under a name that agrees with it."""
    file_of(store, stored).unlink()
    day, number = stored.as_of.isoformat(), stored.number
    (store.folder / f"{day}-{number}-{hashlib.sha256(data).hexdigest()}.json").write_bytes(data)


def changed(**change: object) -> Callable[[bytes], bytes]:
    def act(data: bytes) -> bytes:
        return json.dumps({**json.loads(data), **change}).encode()

    return act


def with_component(**change: object) -> Callable[[bytes], bytes]:
    def act(data: bytes) -> bytes:
        held = json.loads(data)
        held["components"][0].update(change)
        return json.dumps(held).encode()

    return act


@pytest.mark.parametrize("change", [tampered, lambda data: b"", lambda data: data[:-9]])
def test_a_file_that_is_not_what_its_name_says_is_damaged(store: PrintStore, change) -> None:
    added = store.add(ONE)
    path = file_of(store, added)
    assert change(path.read_bytes()) != path.read_bytes()
    path.write_bytes(change(path.read_bytes()))
    for action in (store.latest, store.list, store.standing, lambda: store.add(OTHER)):
        assert code_of(action) == "damaged_state"
    assert len(list(store.folder.iterdir())) == 1, "nothing was written"


@pytest.mark.parametrize(
    "change",
    [
        tampered,
        lambda data: b"[]",
        lambda data: b"[" * 100_000,
        lambda data: b'{"as_of": "2020-06-30", ' + data[1:],
        changed(verdict="hot"),
        changed(verdict="easing"),
        changed(as_of="2020-06-29"),
        changed(simulated=True),
        changed(methodology_hash="0" * 64),
        changed(more=1),
        changed(components=[]),
        changed(supersedes="2020-06-30-1-" + "0" * 64),
        with_component(change="down"),
        with_component(direction=-1),
        with_component(state="stale"),
        with_component(age_days=1),
        with_component(source="another"),
    ],
)
def test_a_print_whose_figures_do_not_follow_is_damaged_under_any_name(store: PrintStore, change) -> None:
    added = store.add(ONE)
    renamed(store, added, change(file_of(store, added).read_bytes()))
    assert code_of(store.latest) == "damaged_state"


def test_a_print_that_is_gone_from_the_midst_of_a_day_is_noticed(store: PrintStore) -> None:
    first, second = store.add(ONE), store.add(OTHER)
    file_of(store, first).rename(store.folder / "away")
    assert code_of(store.latest) == "damaged_state"
    (store.folder / "away").rename(file_of(store, first))
    assert store.latest() == second
    skipped = store.folder / f"2020-06-30-3-{second.content_hash}.json"
    file_of(store, second).rename(skipped)
    assert code_of(store.latest) == "damaged_state"
    skipped.rename(file_of(store, second))
    twin = store.folder / f"2020-06-30-2-{'0' * 64}.json"
    twin.write_bytes(file_of(store, second).read_bytes())
    assert code_of(store.latest) == "damaged_state"


def test_a_name_that_leads_to_no_file_is_damaged(store: PrintStore) -> None:
    added = store.add(ONE)
    file_of(store, added).unlink()
    file_of(store, added).mkdir()
    assert code_of(store.latest) == "damaged_state"


def test_damage_on_a_later_day_is_not_told_to_who_must_not_see_it(store: PrintStore) -> None:
    late, early = store.add(ONE), store.add(EARLIER)
    file_of(store, late).write_text("{}")
    assert store.latest(date(2020, 6, 29)) == early
    assert code_of(store.latest) == "damaged_state"


def test_a_folder_that_cannot_be_made_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(AssayError, match="cannot create"):
        PrintStore(tmp_path / "file" / "prints").add(ONE)


def test_what_would_be_damaged_is_not_written(store: PrintStore) -> None:
    with pytest.raises(ValueError, match="do not follow"):
        store.add(ONE.model_copy(update={"heat": 51.0}))
    assert not store.folder.exists()


def test_a_writer_that_does_not_end_is_named_and_readers_do_not_wait(store: PrintStore) -> None:
    added = store.add(ONE)
    hasty = PrintStore(store.folder, wait=0.0)
    with folder_lock(store.folder, 1.0, THERMOMETER_BUSY):
        assert code_of(lambda: hasty.add(OTHER)) == "thermometer_busy"
        assert hasty.latest() == added


@pytest.mark.filterwarnings("ignore:.*multi-threaded.*:DeprecationWarning")
def test_two_writers_lose_nothing(store: PrintStore) -> None:
    def write(made: ThermometerPrint) -> int:
        pid = os.fork()
        if pid == 0:
            for _ in range(10):
                store.add(made)
            os._exit(0)
        return pid

    store.folder.mkdir()
    for pid in [write(ONE), write(OTHER)]:
        assert os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == 0
    prints = store.list()
    assert {stored.print.heat for stored in prints} == {ONE.heat, OTHER.heat}
    heats = [stored.print.heat for stored in prints]
    assert all(one != other for one, other in itertools.pairwise(heats))


@pytest.mark.filterwarnings("ignore:.*multi-threaded.*:DeprecationWarning")
@pytest.mark.parametrize("after", [False, True])
@pytest.mark.parametrize("name", ["open", "chmod", "fsync", "replace", "close"])
def test_a_killed_writer_leaves_the_old_print_or_the_new_one(
    store: PrintStore, name: str, after: bool
) -> None:
    number, reached = 0, True
    while reached:
        number += 1
        made = PrintStore(store.folder.parent / f"{name}-{number}")
        first = made.add(ONE)
        code = killed_at(name, number, lambda made=made: made.add(OTHER), after=after)
        assert code in (0, -signal.SIGKILL)
        reached = code != 0
        assert made.latest().print.heat in (ONE.heat, OTHER.heat)
        assert made.list()[0] == first
        second = made.add(OTHER)
        assert made.list() == (first, second)
        assert len(list(made.folder.iterdir())) == 2, "what the killed writer left is cleared away"
    assert number > 1, "the operation was never reached"
