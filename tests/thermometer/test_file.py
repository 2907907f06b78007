"""``components.toml`` and its series: what is right is read, and whatever is wrong is told at once."""

from __future__ import annotations

from datetime import date
from pathlib import Path

import polars as pl
import pytest

from assay.thermometer import (
    Component,
    Observation,
    Rules,
    ThermometerProblems,
    make_print,
    read_components,
)

GOOD = """\
# two of them
[rules]
lookback_days = 28
neutral_band = 0

[components.output]
axis = "supply"
direction = 1
source = "Bureau of Output"
release_lag_days = 10

[components.orders]
axis = "demand"
direction = -1
source = "Survey"
release_lag_days = 0
file = "orders.parquet"
simulated = true
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "components.toml").write_text(GOOD)
    (tmp_path / "output.csv").write_text("date,value\n2020-01-31,1\n2020-02-29,2.5\n")
    frame = pl.DataFrame(
        {
            "date": [date(2020, 1, 31), date(2020, 1, 31), date(2020, 2, 29)],
            "value": [1, 2, 3],
            "released": [date(2020, 2, 3), date(2020, 3, 3), date(2020, 3, 3)],
        }
    )
    frame.write_parquet(tmp_path / "orders.parquet")
    return tmp_path


def problems(folder: Path) -> list[tuple[str, str, str]]:
    """Where (below the folder), what, and what to do."""
    with pytest.raises(ThermometerProblems) as caught:
        read_components(folder)
    found = caught.value.problems
    assert all(item.fix for item in found)
    return [(item.where.removeprefix(f"{folder}/"), item.message, item.fix) for item in found]


def test_components_and_rules_are_read(folder: Path) -> None:
    (output, orders), rules = read_components(folder)
    assert rules == Rules(lookback_days=28, neutral_band=0.0)
    assert output.component == Component("output", "supply", 1, "Bureau of Output", 10)
    assert output.observations == (
        Observation(date(2020, 1, 31), date(2020, 2, 10), 1.0),
        Observation(date(2020, 2, 29), date(2020, 3, 10), 2.5),
    )
    assert orders.component == Component("orders", "demand", -1, "Survey", 0, simulated=True)
    assert [item.released for item in orders.observations] == [
        date(2020, 2, 3),
        date(2020, 3, 3),
        date(2020, 3, 3),
    ]
    made = make_print((output, orders), date(2020, 3, 10), rules)
    assert made.freshness.short == []
    assert made.freshness.counted == ["orders", "output"]


def test_csv_and_parquet_of_the_same_values_give_the_same_print(folder: Path) -> None:
    listed, rules = read_components(folder)
    pl.read_parquet(folder / "orders.parquet").write_csv(folder / "orders.csv")
    (folder / "components.toml").write_text(GOOD.replace("orders.parquet", "orders.csv"))
    again, _ = read_components(folder)
    assert make_print(again, date(2020, 3, 10), rules) == make_print(listed, date(2020, 3, 10), rules)


def test_all_problems_of_file_and_series_come_at_once_with_their_lines(folder: Path) -> None:
    text = GOOD.replace("lookback_days = 28", "lookback_days = 0").replace(
        'axis = "supply"', 'axis = "suply"'
    )
    text = text.replace("release_lag_days = 0", "release_lag = 0").replace(
        "direction = -1", "direction = true"
    )
    text += '\n[components."Bad Name"]\naxis = "demand"\n\n[rule]\n'
    text += '\n[components.third]\naxis = "supply"\ndirection = 1\nsource = "x"\nrelease_lag_days = 1\n'
    (folder / "components.toml").write_text(text)
    (folder / "third.csv").write_text(
        "date,value\n2020-01-31,1\n31.01.2020,x\n2020-01-31,2\n2020-02-29,\n2020-03-31,nan\n"
    )
    found = problems(folder)
    assert [(where, what) for where, what, _ in found] == [
        ("components.toml:23", "'rule' is not known here"),
        ("components.toml:3", "lookback_days is 0"),
        ("components.toml:7", "axis is 'suply'"),
        ("components.toml:12", "components.orders has no release_lag_days"),
        ("components.toml:14", "direction is True"),
        ("components.toml:16", "'release_lag' is no setting of components.orders"),
        ("components.toml:20", "'Bad Name' cannot be a name"),
        ("components.toml:20", "components.Bad Name has no direction"),
        ("components.toml:20", "components.Bad Name has no source"),
        ("components.toml:20", "components.Bad Name has no release_lag_days"),
        ("third.csv:3", "date is '31.01.2020'"),
        ("third.csv:3", "value is 'x'"),
        ("third.csv:4", "the date 2020-01-31 stands in line 2 too"),
        ("third.csv:5", "value is ''"),
        ("third.csv:6", "value is 'nan'"),
    ]


@pytest.mark.parametrize(
    ("text", "what"),
    [
        ("", "no tables"),
        ("a = [", "is not TOML"),
        ("a = " + "[" * 5000 + "]" * 5000, "nested too deeply"),
        ("a = " + "9" * 5000, "a number is too long"),
        ("# " + "x" * (1 << 20), "is longer than 1 MiB"),
        ("components = 3", "no tables"),
        ("rules = 3\n" + GOOD[GOOD.index("[components") :], "rules is no table"),
        ("[components]\nx = 1\n", "'x' is no table"),
        ("x = 1\n" + GOOD, "'x' is not known here"),
        (GOOD.replace('"demand"', '"supply"'), "no component tells of demand"),
        (GOOD.replace("neutral_band = 0", "neutral_band = nan"), "neutral_band is nan"),
        (GOOD.replace("neutral_band = 0", "neutral_band = 0.5"), "neutral_band is 0.5"),
        (GOOD.replace("release_lag_days = 10", "release_lag_days = 1e1"), "release_lag_days is 10.0"),
        (GOOD.replace("Survey", "a\\nb"), "source is 'a\\nb'"),
        (GOOD.replace("Survey", "é" * 201), "source is 'é"),
        (GOOD.replace("simulated = true", "simulated = 1"), "simulated is 1"),
        (GOOD.replace("orders.parquet", "gone.csv"), "is not a file"),
        (GOOD.replace("orders.parquet", "components.toml"), "is neither .csv nor .parquet"),
        (GOOD.replace("orders.parquet", "."), "is neither .csv nor .parquet"),
    ],
)
def test_what_is_wrong_with_the_file_is_said(folder: Path, text: str, what: str) -> None:
    (folder / "components.toml").write_text(text)
    assert [said for _, said, _ in problems(folder) if what in said], problems(folder)


@pytest.mark.parametrize(
    ("data", "where", "what"),
    [
        (b"", "output.csv", "has the columns none"),
        (b"date,value\n", "output.csv", "has no rows"),
        (b"day,value\n2020-01-31,1\n", "output.csv", "has the columns day, value"),
        (b"date,value,more\n2020-01-31,1,2\n", "output.csv", "has the columns date, value, more"),
        (b"date,date,value\n2020-01-31,2020-01-31,1\n", "output.csv", "has the columns date, date"),
        (b"date,value\n2020-01-31,1,2\n", "output.csv", "has 3 cells in line 2"),
        (b"date,value\n2020-01-31,\xff\n", "output.csv", "is not UTF-8 text"),
        (b'date,value\n2020-01-31,"1\n', "output.csv", "is no CSV"),
        (b"date,value\n2020-01-31,inf\n", "output.csv:2", "value is 'inf'"),
        (b"date,value\n2020-02-30,1\n", "output.csv:2", "date is '2020-02-30'"),
        (b"date,value\n9999-12-31,1\n", "output.csv:2", "beyond the year 9999"),
        (b"date,value,released\n2020-01-31,1,2020-01-30\n", "output.csv:2", "lies before the date"),
        (b"date,value,released\n2020-01-31,1,\n", "output.csv:2", "released is ''"),
        (b"date,value\n" + b"x,1\n" * 50, "output.csv", "has 30 more such faults"),
    ],
)
def test_what_is_wrong_with_a_series_is_said(folder: Path, data: bytes, where: str, what: str) -> None:
    (folder / "output.csv").write_bytes(data)
    found = problems(folder)
    assert [place for place, said, _ in found if what in said] == [where], found


@pytest.mark.parametrize(
    ("frame", "where", "what"),
    [
        ({"date": ["2020-01-31"], "value": ["x"]}, "orders.parquet:2", "value is 'x'"),
        ({"date": [date(2020, 1, 31)], "value": [None]}, "orders.parquet:2", "value is None"),
        ({"date": [None], "value": [1.0]}, "orders.parquet:2", "date is None"),
        ({"date": [1], "value": [True]}, "orders.parquet:2", "date is 1"),
    ],
)
def test_what_is_wrong_with_a_parquet_is_said(folder: Path, frame: dict, where: str, what: str) -> None:
    pl.DataFrame(frame).write_parquet(folder / "orders.parquet")
    assert [place for place, said, _ in problems(folder) if what in said] == [where]
    (folder / "orders.parquet").write_bytes(b"PAR1 no more")
    assert [said for _, said, _ in problems(folder)] == ["is no readable Parquet file"]


def test_a_file_that_is_not_there_is_named(tmp_path: Path) -> None:
    assert "cannot be read" in problems(tmp_path)[0][1]


def test_a_byte_order_mark_and_windows_lines_are_read(folder: Path) -> None:
    before, _ = read_components(folder)
    text = (folder / "output.csv").read_text()
    (folder / "output.csv").write_bytes(b"\xef\xbb\xbf" + text.replace("\n", "\r\n").encode())
    assert read_components(folder)[0] == before
