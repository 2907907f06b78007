from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from assay.errors import DataError
from assay.market import (
    Finding,
    MarketData,
    Panel,
    PriceLimits,
    Quarantined,
    Universe,
    doctor,
    field_info,
    quarantine,
    simulate,
    write_dataset,
)

from .tapes import tape


@pytest.fixture(scope="module")
def sound() -> MarketData:
    return simulate(2, 30, 120).data


def with_cells(data: MarketData, name: str, cells: dict[tuple[int, int], float]) -> MarketData:
    values = data.fields[name].copy()
    for place, value in cells.items():
        values[place] = value
    return replace(data, fields={**data.fields, name: values})


def find(data: MarketData, check: str) -> Finding:
    found = {finding.check: finding for finding in doctor(data)}
    assert check in found, sorted(found)
    return found[check]


def calm(data: MarketData, rows: int = 1) -> tuple[int, int]:
    """A cell with a trading day before and after."""
    traded = np.isfinite(data.fields["close"])
    inside = traded[9:-2] & traded[10:-1] & traded[11:]
    steady = data.fields["factor"][9:-2] == data.fields["factor"][10:-1]
    row, column = np.argwhere(inside & steady)[7]
    return int(row) + 10, int(column)


def test_sound_data_has_no_serious_finding(sound: MarketData) -> None:
    assert not [finding for finding in doctor(sound) if finding.severity != "note"]


@pytest.mark.parametrize("name", ["open", "high", "low", "close", "vwap"])
@pytest.mark.parametrize("value", [0.0, -3.0])
def test_prices_that_are_not_positive(sound: MarketData, name: str, value: float) -> None:
    cell = calm(sound)
    finding = find(with_cells(sound, name, {cell: value}), "non_positive_price")
    assert finding.count == 1
    assert finding.severity == "serious"
    assert f"{sound.dates[cell[0]]} {sound.instruments[cell[1]]}" in finding.examples[0]


def test_a_close_outside_the_bar(sound: MarketData) -> None:
    cell = calm(sound)
    high = float(sound.fields["high"][cell])
    assert find(with_cells(sound, "close", {cell: high * 1.01}), "outside_range").count == 1
    assert find(with_cells(sound, "low", {cell: high * 1.01}), "outside_range").count == 1
    # a rounding of the source is none
    assert not [
        f for f in doctor(with_cells(sound, "close", {cell: high * 1.00005})) if f.check == "outside_range"
    ]


def test_a_negative_volume(sound: MarketData) -> None:
    assert find(with_cells(sound, "volume", {calm(sound): -1.0}), "negative_volume").count == 1


def scaled_from(data: MarketData, row: int, column: int, ratio: float, names: tuple[str, ...]) -> MarketData:
    fields = dict(data.fields)
    for name in names:
        values = fields[name].copy()
        values[row:, column] *= np.float32(ratio)
        fields[name] = values
    return replace(data, fields=fields)


PRICES = ("open", "high", "low", "close", "vwap")


@pytest.mark.parametrize("limits", [PriceLimits("flat", 0.1), PriceLimits("none")])
def test_a_split_without_a_step_of_the_factor(sound: MarketData, limits: PriceLimits) -> None:
    row, column = calm(sound)
    level = {name: 1 / 2 / float(1 + moved(sound, row, column)) for name in PRICES}
    data = replace(scaled_from(sound, row, column, level["close"], PRICES), limits=limits)
    finding = find(data, "unexplained_jump")
    assert finding.count == 1
    assert "(before " in finding.examples[0]


def moved(data: MarketData, row: int, column: int) -> float:
    close = data.fields["close"][:, column].astype(np.float64) * data.fields["factor"][:, column]
    return float(close[row] / close[row - 1] - 1)


@pytest.mark.parametrize("limits", [PriceLimits("flat", 0.1), PriceLimits("none")])
def test_a_step_of_the_factor_without_a_split(sound: MarketData, limits: PriceLimits) -> None:
    row, column = calm(sound)
    data = replace(scaled_from(sound, row, column, 1.5, ("factor",)), limits=limits)
    assert find(data, "unexplained_jump").count == 1


def test_a_split_with_its_step_is_no_jump(sound: MarketData) -> None:
    row, column = calm(sound)
    data = scaled_from(scaled_from(sound, row, column, 0.5, PRICES), row, column, 2.0, ("factor",))
    checks = {finding.check for finding in doctor(replace(data, limits=PriceLimits("none")))}
    assert not checks & {"unexplained_jump", "large_move", "factor_falls"}


def test_a_large_move_is_only_worth_a_look(sound: MarketData) -> None:
    row, column = calm(sound)
    data = replace(scaled_from(sound, row, column, 0.55, PRICES), limits=PriceLimits("none"))
    finding = find(data, "large_move")
    assert finding.severity == "warning"
    assert quarantine(data).quarantined == ()


def test_a_factor_that_falls(sound: MarketData) -> None:
    row, column = calm(sound)
    data = scaled_from(sound, row, column, 0.98, ("factor",))
    assert find(data, "factor_falls").count == 1


def test_a_bar_without_a_factor(sound: MarketData) -> None:
    assert find(with_cells(sound, "factor", {calm(sound): np.nan}), "missing_factor").severity == "serious"
    fields = {name: values for name, values in sound.fields.items() if name != "factor"}
    assert find(replace(sound, fields=fields), "missing_factor").severity == "warning"


def test_a_price_without_volume(sound: MarketData) -> None:
    finding = find(with_cells(sound, "volume", {calm(sound): 0.0}), "zero_volume")
    assert finding.severity == "serious"


def test_absent_and_empty_fields(sound: MarketData) -> None:
    fields = {name: values for name, values in sound.fields.items() if name != "volume"}
    fields["pe"] = np.full(sound.shape, np.nan, dtype=np.float32)
    data = replace(sound, fields=fields, infos={**sound.infos, "pe": field_info("pe")})
    assert "volume" in find(data, "missing_fields").message
    assert "pe" in find(data, "empty_fields").message


def test_calendar_gaps_weekends_and_thin_days(sound: MarketData) -> None:
    dates = sound.dates.copy()
    dates[60:] += 21
    assert find(replace(sound, dates=dates), "calendar_gap").count == 1
    dates = sound.dates.copy()
    dates[-1] = np.busday_offset(dates[-1], 0, roll="forward") + (5 - (dates[-1].astype(int) + 3) % 7)
    assert find(replace(sound, dates=dates), "weekend").count == 1
    close = sound.fields["close"].copy()
    close[50, 5:] = np.nan
    thin = replace(sound, fields={**sound.fields, "close": close})
    assert find(thin, "thin_day").count == 1


def test_days_without_any_record(sound: MarketData) -> None:
    row, column = calm(sound)
    data = with_cells(
        with_cells(sound, "close", {(row, column): np.nan}), "suspended", {(row, column): np.nan}
    )
    assert find(data, "no_record").count == 1
    # a bar that was set aside is not counted a second time
    listed = (Quarantined(str(sound.dates[row]), sound.instruments[column], "outside_range"),)
    checks = {finding.check for finding in doctor(replace(data, quarantined=listed))}
    assert "no_record" not in checks


def test_overlapping_and_outdated_membership() -> None:
    spans = np.array([[0, 0, 3], [0, 2, 4]], dtype=np.int32)
    data = tape(universes={"index": Universe(spans, np.datetime64("2020-01-06"), unknown_members=("X",))})
    assert find(data, "overlapping_spans").severity == "serious"
    assert find(data, "outdated_universe").severity == "warning"
    assert find(data, "unknown_members").examples == ("X",)


def test_quarantine_sets_the_whole_bar_missing_and_lists_it(sound: MarketData) -> None:
    first, second = calm(sound), (calm(sound)[0] + 1, (calm(sound)[1] + 1) % 30)
    data = with_cells(with_cells(sound, "close", {first: -1.0}), "low", {second: 1e6})
    cleaned = quarantine(data)
    for name in ("open", "high", "low", "close", "vwap", "volume", "amount", "turn"):
        assert np.isnan(cleaned.fields[name][first])
    assert np.isfinite(cleaned.fields["cap"][first])
    assert {item.reason for item in cleaned.quarantined} == {"non_positive_price", "outside_range"}
    assert np.isfinite(data.fields["high"][first])
    assert not [finding for finding in doctor(cleaned) if finding.severity == "serious"]


def test_a_stored_data_set_is_checked_with_its_files(tmp_path: Path, sound: MarketData) -> None:
    folder = tmp_path / "sim"
    write_dataset(sound, folder)
    assert not [finding for finding in doctor(folder) if finding.severity == "serious"]
    close = np.load(folder / "fields" / "close.npy")
    np.save(folder / "fields" / "close.npy", -close)
    found = {finding.check: finding for finding in doctor(folder)}
    assert found["files"].severity == "serious"
    assert found["non_positive_price"].count == np.isfinite(close).sum()
    (folder / "fields" / "high.npy").unlink()
    assert [finding.check for finding in doctor(folder)] == ["files"]


def test_a_stored_quarantine_is_told(tmp_path: Path, sound: MarketData) -> None:
    data = quarantine(with_cells(sound, "close", {calm(sound): -1.0}))
    write_dataset(data, tmp_path / "sim")
    found = {finding.check: finding for finding in doctor(tmp_path / "sim")}
    assert found["quarantine"].count == 1
    assert "non_positive_price 1" in found["quarantine"].message


def test_a_panel_can_be_examined_and_a_folder_must_be_one(tmp_path: Path, sound: MarketData) -> None:
    assert doctor(Panel(sound)) == doctor(sound)
    with pytest.raises(DataError):
        doctor(tmp_path)


def test_raw_prices_between_cents(sound: MarketData) -> None:
    adjusted = {name: sound.fields[name] * np.float32(1.0371) for name in PRICES}
    data = replace(sound, fields={**sound.fields, **adjusted})
    assert find(data, "off_tick").severity == "warning"
    assert "off_tick" not in {f.check for f in doctor(replace(data, limits=PriceLimits("none")))}


def test_a_damaged_file_does_not_hide_the_rest(tmp_path: Path, sound: MarketData) -> None:
    write_dataset(sound, tmp_path / "sim")
    (tmp_path / "sim" / "fields" / "low.npy").write_bytes(b"junk")
    assert [finding.check for finding in doctor(tmp_path / "sim")] == ["files", "unreadable"]
