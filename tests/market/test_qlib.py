from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from assay.market import DataProblems, Panel, import_qlib

from .tables import write

DAYS = ("2020-01-02", "2020-01-03", "2020-01-06", "2020-01-07")


def binary(folder: Path, symbol: str, field: str, start: int, values: list[float]) -> None:
    target = folder / "features" / symbol
    target.mkdir(parents=True, exist_ok=True)
    np.array([start, *values], dtype="<f4").tofile(target / f"{field}.day.bin")


@pytest.fixture
def qlib(tmp_path: Path) -> Path:
    folder = tmp_path / "cn_data"
    (folder / "calendars").mkdir(parents=True)
    (folder / "instruments").mkdir()
    write(folder / "calendars", "day.txt", *DAYS)
    write(
        folder / "instruments",
        "all.txt",
        "SH600000\t2020-01-02\t2020-01-07",
        "SH600001\t2020-01-03\t2020-01-06",
    )
    write(
        folder / "instruments",
        "csi300.txt",
        "SH600000\t2020-01-02\t2020-01-03",
        "SH600000\t2020-01-07\t2020-01-07",
    )
    for field, values in {
        "open": [10, 11, 12, 13],
        "high": [10, 11, 12, 13],
        "low": [10, 11, 12, 13],
        "close": [10, 11, 12, 13],
        "volume": [100, 100, 100, 100],
        "factor": [1, 1, 2, 2],
        "change": [0, 0.1, 0.09, 0.08],
    }.items():
        binary(folder, "sh600000", field, 0, values)
        binary(folder, "sh600001", field, 1, values[:2])
    return folder


def test_adjusted_values_come_back_as_they_stand_in_the_folder(qlib: Path) -> None:
    taken = import_qlib(qlib)
    panel = Panel(taken.data)
    assert panel.instruments == ("SH600000", "SH600001")
    np.testing.assert_allclose(panel.field("close")[:, 0], [10, 11, 12, 13])
    np.testing.assert_allclose(panel.raw("close")[:, 0], [10, 11, 6, 6.5])
    np.testing.assert_allclose(panel.raw("volume")[:, 0], [100, 100, 200, 200])
    np.testing.assert_allclose(panel.field("close")[:, 1], [np.nan, 10, 11, np.nan])
    assert taken.left_out == ("change",)
    assert panel.trading().delisted_row.tolist() == [-1, 3]


def test_instrument_files_are_universes_with_inclusive_ends(qlib: Path) -> None:
    panel = Panel(import_qlib(qlib).data)
    assert panel.universe("csi300")[:, 0].tolist() == [True, True, False, True]
    assert str(panel.manifest.universes["csi300"].known_until) == "2020-01-07"


def test_dates_can_be_cut(qlib: Path) -> None:
    data = import_qlib(qlib, start="2020-01-03", end="2020-01-06").data
    assert data.shape == (2, 2)


@pytest.mark.parametrize(
    ("harm", "words"),
    [
        (lambda folder: (folder / "calendars" / "day.txt").unlink(), "calendar does not exist"),
        (lambda folder: (folder / "calendars" / "day.txt").write_text("soon"), "not a date"),
        (
            lambda folder: (folder / "features" / "sh600000" / "close.day.bin").write_bytes(b"abc"),
            "no qlib series",
        ),
        (lambda folder: binary(folder, "sh600000", "close", 3, [1, 2, 3]), "do not fit a calendar of 4 days"),
        (lambda folder: binary(folder, "sh600000", "close", -1, [1]), "do not fit"),
        (
            lambda folder: write(
                folder / "instruments", "csi300.txt", "A\t2020-01-02\t2020-01-06", "A\t2020-01-06\t2020-01-07"
            ),
            "overlap",
        ),
    ],
)
def test_what_is_malformed_is_told(qlib: Path, harm: object, words: str) -> None:
    harm(qlib)  # type: ignore[operator]
    with pytest.raises(DataProblems) as caught:
        import_qlib(qlib)
    assert words in caught.value.message


def test_no_folder_and_no_features(tmp_path: Path) -> None:
    with pytest.raises(DataProblems, match="no such folder"):
        import_qlib(tmp_path / "none")
    with pytest.raises(DataProblems, match="2 problems"):
        import_qlib(tmp_path)


def test_dates_that_are_none(qlib: Path) -> None:
    with pytest.raises(DataProblems, match="not a date"):
        import_qlib(qlib, start="soon")
    with pytest.raises(DataProblems, match="no trading day"):
        import_qlib(qlib, start="2021-01-01")
