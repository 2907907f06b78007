from __future__ import annotations

import errno
import hashlib
import json
import os
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any, NoReturn

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.base import (
    atomic_write,
    atomic_write_json,
    canonical_json,
    clear_leavings,
    json_hash,
    new_folder,
    sha256_file,
)
from assay.errors import AssayError

json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=10,
)


def failing(number: int) -> Callable[..., NoReturn]:
    def fail(*_: Any, **__: Any) -> NoReturn:
        raise OSError(number, os.strerror(number))

    return fail


def names(folder: Path) -> set[str]:
    return {path.name for path in folder.iterdir()}


def test_a_file_is_written_and_replaced(tmp_path: Path) -> None:
    file = tmp_path / "a.txt"
    atomic_write(file, "grüße")
    assert file.read_bytes() == "grüße".encode()
    atomic_write(file, b"\x00\xff")
    assert file.read_bytes() == b"\x00\xff"
    assert names(tmp_path) == {"a.txt"}


def test_permissions_of_a_file_are_kept(tmp_path: Path) -> None:
    file = tmp_path / "a.txt"
    atomic_write(file, "one")
    assert file.stat().st_mode & 0o777 == 0o644
    file.chmod(0o600)
    atomic_write(file, "two")
    assert file.stat().st_mode & 0o777 == 0o600


@pytest.mark.parametrize("step", ["fsync", "chmod", "replace"])
@pytest.mark.parametrize("number", [errno.ENOSPC, errno.EIO, errno.EACCES])
def test_a_failed_write_leaves_the_old_content_and_nothing_else(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, step: str, number: int
) -> None:
    file = tmp_path / "a.txt"
    atomic_write(file, "old")
    with monkeypatch.context() as patch:
        patch.setattr(os, step, failing(number))
        with pytest.raises(AssayError, match="cannot write") as caught:
            atomic_write(file, "new")
    assert os.strerror(number) in str(caught.value)
    assert caught.value.where == str(file)
    assert file.read_text() == "old"
    assert names(tmp_path) == {"a.txt"}


def test_an_interrupt_passes_through_and_leaves_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupt(*_: Any) -> NoReturn:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(os, "replace", interrupt)
        with pytest.raises(KeyboardInterrupt):
            atomic_write(tmp_path / "a.txt", "new")
    assert names(tmp_path) == set()


def test_a_missing_folder_is_named(tmp_path: Path) -> None:
    with pytest.raises(AssayError, match="cannot write"):
        atomic_write(tmp_path / "absent" / "a.txt", "x")


def test_a_folder_in_place_of_the_file_is_named(tmp_path: Path) -> None:
    (tmp_path / "a").mkdir()
    with pytest.raises(AssayError, match="cannot write"):
        atomic_write(tmp_path / "a", "x")
    assert names(tmp_path) == {"a"}


@given(json_values)
def test_canonical_json_reads_back_and_writes_the_same_again(value: Any) -> None:
    text = canonical_json(value)
    assert json.loads(text) == value
    assert canonical_json(json.loads(text)) == text


def test_canonical_json_does_not_depend_on_the_order_of_keys() -> None:
    assert canonical_json({"b": 1, "a": [1.5, None]}) == canonical_json({"a": [1.5, None], "b": 1})
    assert canonical_json({"b": 1, "a": "é"}) == '{"a":"é","b":1}'


def test_json_hash_is_that_of_the_text() -> None:
    text = '{"a":"é","b":[1.5,null]}'
    assert json_hash({"b": [1.5, None], "a": "é"}) == hashlib.sha256(text.encode()).hexdigest()


@pytest.mark.parametrize("value", [float("nan"), float("inf"), -float("inf")])
def test_canonical_json_refuses_what_json_cannot_say(value: float) -> None:
    with pytest.raises(ValueError, match="JSON"):
        canonical_json({"x": value})


def test_json_files_are_indented_and_refuse_nan(tmp_path: Path) -> None:
    atomic_write_json(tmp_path / "a.json", {"b": 1, "a": 2})
    assert (tmp_path / "a.json").read_text() == '{\n  "a": 2,\n  "b": 1\n}\n'
    with pytest.raises(ValueError, match="JSON"):
        atomic_write_json(tmp_path / "b.json", float("nan"))
    assert names(tmp_path) == {"a.json"}


def test_sha256_of_a_file(tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(b"abc" * 100_000)
    assert sha256_file(tmp_path / "a") == hashlib.sha256(b"abc" * 100_000).hexdigest()


def test_a_folder_appears_whole(tmp_path: Path) -> None:
    target = tmp_path / "deep" / "set"
    with new_folder(target) as staged:
        (staged / "part").mkdir()
        (staged / "part" / "a").write_text("1")
        assert not target.exists()
    assert (target / "part" / "a").read_text() == "1"
    assert target.stat().st_mode & 0o777 == 0o755
    assert names(target.parent) == {"set"}


def test_a_folder_whose_filling_fails_does_not_appear(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError), new_folder(tmp_path / "set") as staged:
        (staged / "absent" / "a").write_text("1")
    assert names(tmp_path) == set()


@pytest.mark.parametrize("step", ["fsync", "replace"])
def test_a_folder_that_cannot_be_named_does_not_appear(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, step: str
) -> None:
    with monkeypatch.context() as patch:
        patch.setattr(os, step, failing(errno.ENOSPC))
        with pytest.raises(AssayError, match="cannot create"), new_folder(tmp_path / "set") as staged:
            (staged / "a").write_text("1")
    assert names(tmp_path) == set()


def test_a_folder_made_by_someone_else_meanwhile_is_left_alone(tmp_path: Path) -> None:
    def theirs() -> None:
        (tmp_path / "set").mkdir()
        (tmp_path / "set" / "a").write_text("theirs")

    with pytest.raises(AssayError, match="cannot create"), new_folder(tmp_path / "set"):
        theirs()
    assert (tmp_path / "set" / "a").read_text() == "theirs"
    assert names(tmp_path) == {"set"}


def test_an_existing_folder_is_refused(tmp_path: Path) -> None:
    with pytest.raises(AssayError, match="exists already"), new_folder(tmp_path):
        pytest.fail("the body must not run")


def test_a_folder_under_a_file_is_refused(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(AssayError, match="cannot create"), new_folder(tmp_path / "file" / "set"):
        pytest.fail("the body must not run")


def test_no_staging_place_is_one_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tempfile, "mkdtemp", failing(errno.EROFS))
    with pytest.raises(AssayError, match="cannot create"), new_folder(tmp_path / "set"):
        pytest.fail("the body must not run")


@pytest.mark.parametrize("number", [errno.ENOSPC, errno.EFBIG])
def test_no_room_for_what_goes_in_names_the_folder(tmp_path: Path, number: int) -> None:
    with (
        pytest.raises(AssayError, match="cannot create") as caught,
        new_folder(tmp_path / "set"),
    ):
        failing(number)()
    assert caught.value.where == str(tmp_path / "set")
    assert names(tmp_path) == set()


def test_an_error_that_names_its_file_stays_as_it_is(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError), new_folder(tmp_path / "set"):
        (tmp_path / "missing").read_bytes()
    assert names(tmp_path) == set()


def left_behind(folder: Path, name: str, age: float) -> Path:
    left = folder / name
    (left / "part").mkdir(parents=True)
    for path in (left / "part", left):
        os.utime(path, (1e9 - age, 1e9 - age))
    return left


def test_old_leavings_of_the_same_name_are_cleared_away(tmp_path: Path) -> None:
    hour = 3600.0
    left_behind(tmp_path, ".set.abcd_123.tmp", 25 * hour)
    busy = left_behind(tmp_path, ".set.busy_123.tmp", 25 * hour)
    os.utime(busy / "part", (1e9, 1e9))
    left_behind(tmp_path, ".set.youngone.tmp", 23 * hour)
    left_behind(tmp_path, ".set.more.abcd_123.tmp", 25 * hour)
    left_behind(tmp_path, ".other.abcd_123.tmp", 25 * hour)
    (tmp_path / ".set.a_file12.tmp").write_text("")
    os.utime(tmp_path / ".set.a_file12.tmp", (0, 0))
    before = names(tmp_path)
    clear_leavings(tmp_path / "set", now=1e9)
    assert before - names(tmp_path) == {".set.abcd_123.tmp"}


def test_the_next_writer_clears_leavings(tmp_path: Path) -> None:
    left_behind(tmp_path, ".set.abcd_123.tmp", 0)  # of the year 2001
    with new_folder(tmp_path / "set"):
        pass
    assert names(tmp_path) == {"set"}
