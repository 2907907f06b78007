"""Export to qlib's binary format, and back."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from assay.errors import AssayError, DataError
from assay.market import Panel, export_qlib, import_qlib, simulate


@pytest.fixture(scope="module")
def panel() -> Panel:
    return simulate(5, instruments=20, days=130, minutes=1, name="small")


def one_apart(left: np.ndarray, right: np.ndarray) -> None:
    """Equal, missing in the same cells, and at most one float32 apart."""
    np.testing.assert_array_equal(np.isnan(left), np.isnan(right))
    known = np.isfinite(left)
    np.testing.assert_array_max_ulp(left[known], right[known], maxulp=1)


def test_what_is_exported_comes_back(panel: Panel, tmp_path: Path) -> None:
    done = export_qlib(panel, tmp_path / "out")
    back = Panel(import_qlib(tmp_path / "out", market="CN", quarantine_bars=False).data)
    assert back.dates.tolist() == panel.dates.tolist()
    assert back.instruments == tuple(sorted(panel.instruments))
    order = [panel.instruments.index(name) for name in back.instruments]
    for name in ("open", "high", "low", "close", "volume"):
        one_apart(back.raw(name), panel.raw(name)[:, order])
    for name in ("factor", "amount", "suspended"):
        stored = panel.raw(name) if name != "amount" else panel.field(name)
        np.testing.assert_array_equal(
            back.raw(name) if name != "amount" else back.field(name), stored[:, order]
        )
    for name in ("index_a", "index_b"):
        np.testing.assert_array_equal(back.universe(name), panel.universe(name)[:, order])
        assert back.manifest.universes[name].known_until == str(panel.dates[-1])
    np.testing.assert_array_equal(back.data.first_row, panel.data.first_row[order])
    np.testing.assert_array_equal(back.data.last_row, panel.data.last_row[order])
    np.testing.assert_array_equal(back.trading().delisted_row, panel.trading().delisted_row[order])
    assert "group industry" in done.left_out
    assert "bars inside the day" in done.left_out


@pytest.mark.parametrize("power", [-3, 0, 2])
def test_with_factors_of_two_it_comes_back_exactly(power: int, tmp_path: Path) -> None:
    data = simulate(power + 3, instruments=20, days=60).data
    factor = np.where(np.isfinite(data.fields["factor"]), np.float32(2.0**power), np.float32(np.nan))
    twos = Panel(replace(data, fields={**data.fields, "factor": factor}))
    export_qlib(twos, tmp_path / "out")
    back = Panel(import_qlib(tmp_path / "out", quarantine_bars=False).data)
    order = [twos.instruments.index(name) for name in back.instruments]
    for name in ("open", "high", "low", "close", "volume", "shares", "cap", "is_st"):
        np.testing.assert_array_equal(back.data.fields[name], twos.data.fields[name][:, order])


def test_the_files_are_as_qlib_reads_them(panel: Panel, tmp_path: Path) -> None:
    export_qlib(panel.between(panel.dates[10], panel.dates[20]), tmp_path / "out")
    days = (tmp_path / "out" / "calendars" / "day.txt").read_text().split()
    assert days == panel.dates.astype(str).tolist()
    lines = (tmp_path / "out" / "instruments" / "all.txt").read_text().splitlines()
    symbol = panel.instruments[0]
    first, last = panel.data.first_row[0], panel.data.last_row[0]
    assert lines[0] == f"{symbol}\t{panel.dates[first]}\t{panel.dates[last]}"
    numbers = np.fromfile(tmp_path / "out" / "features" / symbol.lower() / "close.day.bin", dtype="<f4")
    start = int(numbers[0])
    np.testing.assert_array_equal(numbers[1:], panel.field("close")[start : start + len(numbers) - 1, 0])
    change = np.fromfile(tmp_path / "out" / "features" / symbol.lower() / "change.day.bin", dtype="<f4")
    assert np.nanmax(np.abs(change[1:] - panel.field("returns")[int(change[0]) :][: len(change) - 1, 0])) == 0


def test_symbols_that_windows_keeps_and_symbols_that_collide(tmp_path: Path) -> None:
    data = simulate(1, instruments=20, days=60).data
    names = ("PRN", "COM1", *data.instruments[2:])
    export_qlib(Panel(replace(data, instruments=names)), tmp_path / "out")
    assert (tmp_path / "out" / "features" / "_qlib_prn").is_dir()
    assert {"PRN", "COM1"} <= set(import_qlib(tmp_path / "out").data.instruments)
    for bad in (("A", "a"), ("..", "B"), ("x/y", "B")):
        with pytest.raises(DataError, match="cannot be a folder"):
            export_qlib(Panel(replace(data, instruments=(*bad, *data.instruments[2:]))), tmp_path / "no")
    assert not (tmp_path / "no").exists()


def test_membership_is_written_as_far_as_it_is_known(panel: Panel, tmp_path: Path) -> None:
    known = panel.dates[100]
    universes = {"index_a": replace(panel.data.universes["index_a"], known_until=known)}
    export_qlib(Panel(replace(panel.data, universes=universes)), tmp_path / "out")
    ends = [
        line.split("\t")[2] for line in (tmp_path / "out/instruments/index_a.txt").read_text().splitlines()
    ]
    assert max(ends) == str(known)


def test_a_factor_of_one_where_there_is_none(panel: Panel, tmp_path: Path) -> None:
    fields = {name: values for name, values in panel.data.fields.items() if name != "factor"}
    infos = {name: info for name, info in panel.data.infos.items() if name != "factor"}
    export_qlib(Panel(replace(panel.data, fields=fields, infos=infos)), tmp_path / "out")
    back = Panel(import_qlib(tmp_path / "out").data)
    assert np.nanmin(back.raw("factor")) == np.nanmax(back.raw("factor")) == 1


def test_an_existing_folder_is_not_touched(panel: Panel, tmp_path: Path) -> None:
    with pytest.raises(AssayError, match="exists already"):
        export_qlib(panel, tmp_path)
    assert list(tmp_path.iterdir()) == []


def test_a_full_disk_leaves_nothing(panel: Panel, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: object, **__: object) -> int:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Path, "write_text", full)
    with pytest.raises(DataError, match="No space left on device; nothing was kept"):
        export_qlib(panel, tmp_path / "out")
    assert list(tmp_path.iterdir()) == []
