from __future__ import annotations

import fcntl
import json
import os
import re
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import jsonschema
import numpy as np
import pytest
from numpy.typing import NDArray

from assay.errors import AssayError, DataError
from assay.expr import FieldInfo
from assay.market import (
    MarketData,
    Minutes,
    Panel,
    Quarantined,
    manifest_schema,
    open_panel,
    read_manifest,
    rewrite_dataset,
    verify,
    write_dataset,
)

from .tapes import tape

Array = NDArray[Any]


class StillClock:
    def now(self) -> datetime:
        return datetime(2024, 1, 2, tzinfo=UTC)


def test_what_is_stored_comes_back(tmp_path: Path) -> None:
    data = tape(quarantined=(Quarantined("2020-01-03", "B", "outside_range"),))
    panel = write_dataset(data, tmp_path / "tape", clock=StillClock())
    memory = Panel(data)
    for name in memory.fields:
        if memory.fields[name].kind in {"number", "bool"}:
            np.testing.assert_array_equal(panel.field(name), memory.field(name))
        assert panel.fields[name] == memory.fields[name]
    np.testing.assert_array_equal(panel.dates, memory.dates)
    assert panel.instruments == memory.instruments
    np.testing.assert_array_equal(panel.vector("score"), memory.vector("score"))
    np.testing.assert_array_equal(panel.events("news"), memory.events("news"))
    np.testing.assert_array_equal(panel.group("industry"), memory.group("industry"))
    assert panel.between(None, "2020-01-06").universe("idx").sum() == 6
    assert panel.data.quarantined == data.quarantined
    assert panel.data.limits == data.limits


def test_fields_are_mapped_from_the_file_and_not_copied(tmp_path: Path) -> None:
    panel = write_dataset(tape(), tmp_path / "tape")
    raw = panel.raw("close")
    while raw.base is not None and isinstance(raw.base, np.ndarray):
        raw = raw.base
    assert isinstance(raw, np.memmap)


def test_the_manifest_follows_its_published_schema(tmp_path: Path) -> None:
    write_dataset(tape(), tmp_path / "tape")
    document = json.loads((tmp_path / "tape" / "manifest.json").read_text())
    jsonschema.validate(document, manifest_schema())
    assert document["fields"]["close"]["exponent"] == 1.0
    assert document["fields"]["returns"]["derived"].startswith("close / previous close")
    assert document["universes"]["index"]["known_until"] == "2020-01-06"
    assert set(document["files"]) >= {"dates.npy", "fields/close.npy", "universes/index.npy"}


def test_equal_data_has_an_equal_fingerprint(tmp_path: Path) -> None:
    first = write_dataset(tape(), tmp_path / "tape")
    again = write_dataset(tape(), tmp_path / "other" / "tape")
    assert first.manifest.fingerprint == again.manifest.fingerprint
    changed = tape()
    close = changed.fields["close"].copy()
    close[0, 0] += 1
    other = write_dataset(tape(fields={**changed.fields, "close": close}), tmp_path / "more" / "tape")
    assert other.manifest.fingerprint != first.manifest.fingerprint


def test_an_existing_folder_is_not_overwritten(tmp_path: Path) -> None:
    write_dataset(tape(), tmp_path / "tape")
    with pytest.raises(AssayError, match="exists already"):
        write_dataset(tape(), tmp_path / "tape")


def test_a_data_set_is_replaced_whole_and_open_ones_stay_readable(tmp_path: Path) -> None:
    old = write_dataset(tape(), tmp_path / "tape")
    before = old.raw("close")
    data = tape()
    doubled = {**data.fields, "close": data.fields["close"] * 2}
    new = write_dataset(tape(fields=doubled), tmp_path / "tape", replace_old=True)
    assert new.raw("close")[0, 0] == 20
    assert before[0, 0] == 10
    assert [path.name for path in tmp_path.iterdir()] == ["tape"]


def test_two_updates_at_once_are_one(tmp_path: Path) -> None:
    folder = tmp_path / "tape"
    write_dataset(tape(), folder)
    other = os.open(folder, os.O_RDONLY)
    try:
        fcntl.flock(other, fcntl.LOCK_EX)
        with pytest.raises(DataError, match="is being updated by another process"):
            write_dataset(tape(), folder, replace_old=True)
    finally:
        os.close(other)
    write_dataset(tape(), folder, replace_old=True)
    assert [path.name for path in tmp_path.iterdir()] == ["tape"]


def test_a_change_is_made_to_what_is_stored_and_nobody_comes_between(tmp_path: Path) -> None:
    folder = tmp_path / "tape"
    write_dataset(tape(), folder)

    def twice(data: MarketData) -> MarketData:
        with pytest.raises(DataError, match="is being updated by another process"):
            rewrite_dataset(folder, lambda other: other)
        return replace(data, fields={**data.fields, "close": data.fields["close"] * 2})

    assert rewrite_dataset(folder, twice).raw("close")[0, 0] == 20
    assert rewrite_dataset(folder, lambda data: data).raw("close")[0, 0] == 20
    assert [path.name for path in tmp_path.iterdir()] == ["tape"]


def test_a_lock_on_a_folder_that_was_replaced_meanwhile_does_not_count(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "tape"
    write_dataset(tape(), folder)
    lock = fcntl.flock

    def slow(handle: int, operation: int) -> None:
        monkeypatch.setattr(fcntl, "flock", lock)
        write_dataset(tape(), folder, replace_old=True)
        lock(handle, operation)

    monkeypatch.setattr(fcntl, "flock", slow)
    with pytest.raises(DataError, match="is being updated by another process"):
        rewrite_dataset(folder, lambda data: data)


def test_of_a_link_the_target_is_replaced(tmp_path: Path) -> None:
    write_dataset(tape(), tmp_path / "store" / "tape")
    (tmp_path / "tape").symlink_to(tmp_path / "store" / "tape")
    rewrite_dataset(tmp_path / "tape", lambda data: data)
    write_dataset(tape(), tmp_path / "tape", replace_old=True)
    assert (tmp_path / "tape").is_symlink()
    assert [path.name for path in (tmp_path / "store").iterdir()] == ["tape"]


def test_an_update_clears_what_an_old_one_left(tmp_path: Path) -> None:
    write_dataset(tape(), tmp_path / "tape")
    for name in (".tape.abcd_123.tmp", "..tape.incoming.abcd_123.tmp"):
        (tmp_path / name).mkdir()
        os.utime(tmp_path / name, (0, 0))
    write_dataset(tape(), tmp_path / "tape", replace_old=True)
    assert [path.name for path in tmp_path.iterdir()] == ["tape"]


def test_a_panel_knows_where_it_is_stored(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    stored = write_dataset(tape(), tmp_path / "tape")
    assert stored.folder == tmp_path / "tape"
    monkeypatch.chdir(tmp_path)
    near = open_panel(Path("tape"))
    monkeypatch.chdir("/")
    assert near.folder == tmp_path / "tape"
    assert near.between("2020-01-03", None).folder == tmp_path / "tape"
    assert Panel(tape()).folder is None


def test_only_a_data_set_can_be_replaced(tmp_path: Path) -> None:
    (tmp_path / "tape").mkdir()
    (tmp_path / "tape" / "thesis.txt").write_text("precious")
    with pytest.raises(DataError, match="not a data set"):
        write_dataset(tape(), tmp_path / "tape", replace_old=True)
    assert (tmp_path / "tape" / "thesis.txt").read_text() == "precious"


def test_a_failed_write_leaves_nothing(tmp_path: Path) -> None:
    data = tape()
    broken = {**data.fields, "close": np.array(["no number"] * 12, dtype=object).reshape(4, 3)}
    with pytest.raises(ValueError):
        write_dataset(tape(fields=broken), tmp_path / "tape")
    assert list(tmp_path.iterdir()) == []


def test_a_field_without_values_is_not_stored(tmp_path: Path) -> None:
    infos = {**tape().infos, "eps": FieldInfo("eps", "number", 0.0, "1", "")}
    with pytest.raises(DataError, match="'eps' and no file for it"):
        write_dataset(tape(infos=infos), tmp_path / "tape")
    assert list(tmp_path.iterdir()) == []


def test_a_full_disk_is_told_and_leaves_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: object, **__: object) -> None:
        raise OSError("4096 requested and 0 written")

    monkeypatch.setattr(np, "save", full)
    with pytest.raises(DataError, match="0 written; nothing was kept"):
        write_dataset(tape(), tmp_path / "tape")
    assert list(tmp_path.iterdir()) == []


def test_a_bad_name_is_refused(tmp_path: Path) -> None:
    with pytest.raises(AssayError, match="cannot be a data set name"):
        write_dataset(tape(), tmp_path / "My Data")


@pytest.mark.parametrize("content", ["", "{", "[]", '{"format": "assay-data/9"}', '{"name": 1}'])
def test_a_damaged_manifest_is_named(tmp_path: Path, content: str) -> None:
    folder = tmp_path / "tape"
    write_dataset(tape(), folder)
    (folder / "manifest.json").write_text(content)
    with pytest.raises(DataError, match="manifest is damaged"):
        read_manifest(folder)


def test_a_folder_without_manifest_is_no_data_set(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="not a data set"):
        open_panel(tmp_path)


@pytest.mark.parametrize("content", [None, b"", b"not numpy", b"\x93NUMPY\x01\x00"])
def test_a_missing_or_damaged_file_is_named(tmp_path: Path, content: bytes | None) -> None:
    folder = tmp_path / "tape"
    write_dataset(tape(), folder)
    file = folder / "fields" / "close.npy"
    if content is None:
        file.unlink()
    else:
        file.write_bytes(content)
    with pytest.raises(DataError, match=r"close\.npy"):
        open_panel(folder).field("close")


def test_an_object_array_is_not_unpickled(tmp_path: Path) -> None:
    folder = tmp_path / "tape"
    write_dataset(tape(), folder)
    np.save(folder / "fields" / "close.npy", np.array([{"a": 1}], dtype=object), allow_pickle=True)
    with pytest.raises(DataError, match="damaged"):
        open_panel(folder).raw("close")


def test_a_field_of_another_shape_is_refused(tmp_path: Path) -> None:
    folder = tmp_path / "tape"
    write_dataset(tape(), folder)
    np.save(folder / "fields" / "close.npy", np.zeros((2, 2), dtype=np.float32))
    with pytest.raises(DataError, match="shape"):
        open_panel(folder).raw("close")


DAMAGE: dict[str, tuple[str, Callable[[Array], Array]]] = {
    "a field of three dimensions": ("fields/close.npy", lambda x: x[None]),
    "dates in descending order": ("dates.npy", lambda x: x[::-1].copy()),
    "a date twice": ("dates.npy", lambda x: np.r_[x[:1], x[:-1]]),
    "a date that is none": ("dates.npy", lambda x: np.r_[np.datetime64("NaT"), x[1:]]),
    "dates as numbers": ("dates.npy", lambda x: x.astype(np.int64)),
    "an instrument twice": ("instruments.npy", lambda x: np.r_[x[:1], x[:-1]]),
    "instruments as numbers": ("instruments.npy", lambda x: np.arange(len(x))),
    "rows outside": ("rows.npy", lambda x: x + np.int32(1000)),
    "codes without a label": ("groups/industry.npy", lambda x: x + np.int32(1000)),
    "codes of another shape": ("groups/industry.npy", lambda x: x[..., :1]),
    "spans outside": ("universes/index.npy", lambda x: x + np.int32(1000)),
    "spans of another shape": ("universes/index.npy", lambda x: x[:, :1]),
    "spans as fractions": ("universes/index.npy", lambda x: x.astype(np.float32)),
    "events outside": ("events/news.npy", lambda x: np.array([(99, 0, 0, 0, 1.0)], dtype=x.dtype)),
    "events of another type": ("events/news.npy", lambda x: np.zeros(3)),
}


@pytest.mark.parametrize("name", DAMAGE)
def test_files_that_do_not_fit_each_other_are_refused(tmp_path: Path, name: str) -> None:
    folder = tmp_path / "tape"
    write_dataset(tape(), folder)
    file, damage = DAMAGE[name]
    np.save(folder / file, damage(np.load(folder / file)))
    with pytest.raises(DataError) as caught:
        open_panel(folder).field("close")
    assert Path(file).name in str(caught.value.where) or Path(file).stem in caught.value.message
    assert "import the data again" in str(caught.value.fix)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"files": {}}, "no file for it"),
        ({"name": "\x1b[31mred"}, "calls the data set '\\x1b[31mred'"),
        ({"quarantine": {"file": "../../secret.csv"}}, "secret.csv"),
        ({"quarantine": {"file": "gone.csv"}}, "quarantined bars cannot be read"),
        ({"universes": {"index": {"known_until": "soon"}}}, "no date"),
        ({"universes": {"index": {"known_until": "today"}}}, "no date"),
        ({"events": {"../news": 1}}, "'../news'"),
        ({"fields": {"../close": {"kind": "number", "exponent": 1, "unit": "", "description": ""}}}, "'../"),
        ({"fields": {"eps": {"kind": "number", "exponent": 1, "unit": "", "description": ""}}}, "'eps'"),
        ({"dates": {"count": 10**18}}, "promises"),
    ],
)
def test_a_manifest_that_promises_other_files_is_refused(
    tmp_path: Path, change: dict[str, Any], words: str
) -> None:
    folder = tmp_path / "tape"
    write_dataset(tape(), folder)
    file = folder / "manifest.json"
    document = json.loads(file.read_text())
    for key, value in change.items():
        document[key] = {} if value == {} else _merged(document[key], value)
    file.write_text(json.dumps(document))
    with pytest.raises(DataError, match=re.escape(words)):
        open_panel(folder)


def _merged(old: Any, new: Any) -> Any:
    if not isinstance(new, dict) or not isinstance(old, dict):
        return new
    return {**old, **{key: _merged(old.get(key), value) for key, value in new.items()}}


def test_verify_finds_altered_missing_and_added_files(tmp_path: Path) -> None:
    folder = tmp_path / "tape"
    write_dataset(tape(), folder)
    assert verify(folder) == ()
    values = np.load(folder / "fields" / "close.npy")
    np.save(folder / "fields" / "close.npy", values + 1)
    (folder / "fields" / "high.npy").unlink()
    (folder / "notes.txt").write_text("x")
    found = verify(folder)
    assert len(found) == 3
    assert "fields/close.npy is not the file that was stored (sha256 differs)" in found


def test_bars_inside_the_day_are_kept(tmp_path: Path) -> None:
    times = np.array(["2020-01-06T15:00", "2020-01-07T15:00"], dtype="datetime64[s]")
    bars = Minutes(times, {"close": np.ones((2, 3), dtype=np.float32)})
    panel = write_dataset(tape(minutes=bars), tmp_path / "tape")
    inside = panel.between(None, "2020-01-06").minutes()
    assert inside is not None
    assert inside.times.tolist() == times[:1].tolist()
    assert inside.fields["close"].shape == (1, 3)


def test_an_interrupted_update_is_told(tmp_path: Path) -> None:
    write_dataset(tape(), tmp_path / "tape")
    (tmp_path / "tape").rename(tmp_path / ".tape.outgoing")
    with pytest.raises(DataError, match="update of tape was interrupted") as caught:
        open_panel(tmp_path / "tape")
    assert "rename .tape.outgoing to tape" in str(caught.value.fix)


def test_an_altered_array_is_found_when_hashes_are_checked(tmp_path: Path) -> None:
    folder = tmp_path / "tape"
    write_dataset(tape(), folder)
    path = folder / "fields" / "close.npy"
    np.save(path, np.load(path) * np.float32(1.5))
    assert open_panel(folder).name == "tape"
    with pytest.raises(DataError, match=r"close\.npy is not the file that was stored"):
        open_panel(folder, check_hashes=True)
