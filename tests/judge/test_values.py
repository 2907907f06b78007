from __future__ import annotations

import numpy as np
import pandas as pd
import polars as pl
import pytest

from assay.errors import DataError
from assay.judge._values import is_values, read_values

DATES = np.arange("2020-01-01", "2020-01-05", dtype="datetime64[D]")
NAMES = ("B", "A", "C")
GRID = np.arange(12, dtype=np.float32).reshape(4, 3)
GRID[1, 2] = np.nan


def wide_pandas():
    return pd.DataFrame(GRID, index=pd.DatetimeIndex(DATES), columns=list(NAMES))


def long_pandas():
    frame = wide_pandas().stack().rename("value").reset_index()
    return frame.set_axis(["date", "code", "value"], axis=1)


def forms():
    long = long_pandas()
    yield "array", GRID.astype(float)
    yield "wide pandas", wide_pandas()
    yield "wide pandas, other order", wide_pandas()[["A", "C", "B"]].iloc[::-1]
    yield "long pandas", long
    yield "long pandas, index", long.set_index(["date", "code"])
    yield "long pandas, text dates", long.assign(date=long["date"].dt.strftime("%Y-%m-%d"))
    yield "Series, dates and names", long.set_index(["date", "code"])["value"]
    series = long.set_axis(["datetime", "instrument", "score"], axis=1)
    yield "Series as of qlib", series.set_index(["datetime", "instrument"])["score"]
    yield "Series, names first", series.set_index(["instrument", "datetime"])["score"].rename(None)
    yield (
        "Series, text dates",
        series.assign(datetime=series["datetime"].dt.strftime("%Y-%m-%d"))
        .set_index(["instrument", "datetime"])["score"]
        .rename_axis([None, None]),
    )
    yield "wide pandas, text dates", wide_pandas().set_axis([str(day) for day in DATES])
    yield (
        "wide pandas, compact text dates",
        wide_pandas().set_axis([str(day).replace("-", "") for day in DATES]),
    )
    yield (
        "wide pandas, stored with its index of text",
        pl.from_pandas(
            wide_pandas().set_axis([str(day) for day in DATES]).reset_index(names="__index_level_0__")
        ),
    )
    yield "wide pandas, nullable numbers", wide_pandas().astype("Float32")
    yield "long polars", pl.from_pandas(long)
    yield "long polars, dates", pl.from_pandas(long).with_columns(pl.col("date").cast(pl.Date))
    yield "long pandas, numbers as dates", long.assign(date=long["date"].dt.strftime("%Y%m%d").astype(int))
    yield "long pandas, local dates", long.assign(date=long["date"].dt.tz_localize("Asia/Shanghai"))
    yield (
        "long polars, local dates",
        pl.from_pandas(long).with_columns(pl.col("date").dt.replace_time_zone("Asia/Shanghai")),
    )
    yield "wide pandas, local dates", wide_pandas().tz_localize("America/New_York")
    yield (
        "wide pandas, stored with its index",
        pl.from_pandas(wide_pandas().reset_index(names="__index_level_0__")),
    )
    yield "wide polars", pl.from_pandas(wide_pandas().rename_axis("date").reset_index())


@pytest.mark.parametrize("form", [pytest.param(form, id=name) for name, form in forms()])
def test_every_form_gives_the_same_grid(form):
    assert is_values(form)
    (factor,) = read_values(form, DATES, NAMES)
    np.testing.assert_array_equal(factor.values, GRID)
    assert factor.values.dtype == np.float32
    assert factor.warnings == ()


def test_long_frame_with_several_columns_gives_several_factors():
    factors = read_values(long_pandas().assign(double=lambda f: 2 * f["value"]), DATES, NAMES)
    assert [factor.name for factor in factors] == ["value", "double"]
    np.testing.assert_array_equal(factors[1].values, 2 * GRID)


def test_values_outside_the_panel_are_left_out_and_counted():
    long = long_pandas()
    extra = pd.DataFrame(
        {
            "date": [pd.Timestamp("2021-01-01"), pd.Timestamp("2020-01-01")],
            "code": ["A", "Z"],
            "value": [1, 1],
        }
    )
    (factor,) = read_values(pd.concat([long, extra]), DATES, NAMES)
    np.testing.assert_array_equal(factor.values, GRID)
    assert [note.split()[0] for note in factor.warnings] == ["1", "1"]


def test_infinite_values_are_missing():
    array = GRID.astype(float)
    array[0, 0] = np.inf
    (factor,) = read_values(array, DATES, NAMES)
    assert np.isnan(factor.values[0, 0])


@pytest.mark.parametrize("kind", [bool, "boolean", float])
def test_truth_values_are_ones_and_zeros_and_their_ties_are_named(kind):
    names = [f"N{number:02d}" for number in range(20)]
    flags = np.arange(80).reshape(4, 20) % 3 == 0
    frame = pd.DataFrame(flags, index=pd.DatetimeIndex(DATES), columns=names).astype(kind)
    (factor,) = read_values(frame, DATES, names)
    np.testing.assert_array_equal(factor.values, flags.astype(np.float32))
    assert len(factor.warnings) == 1
    assert "share 2 different values: those that tie" in factor.warnings[0]


def test_values_that_differ_give_no_word_of_ties():
    names = [f"N{number:02d}" for number in range(20)]
    values = np.random.default_rng(1).normal(size=(4, 20))
    assert read_values(values, DATES, names)[0].warnings == ()
    assert "share one value" in read_values(np.ones((4, 20)), DATES, names)[0].warnings[0]


@pytest.mark.parametrize(
    ("bad", "message"),
    [
        (GRID[:2], "shape"),
        (pd.concat([long_pandas(), long_pandas().head(1)]), "more than one value"),
        (long_pandas().assign(value="x"), "not numeric"),
        (GRID.astype(complex), "not numeric"),
        (np.zeros((4, 3), dtype="datetime64[D]"), "not numeric"),
        (wide_pandas()[["A", "A"]], "'A' occurs twice"),
        (long_pandas().assign(code="Z"), "no value lies"),
        (long_pandas().rename(columns={"date": "wann"}).astype({"wann": str}), "no column .* is a date"),
        (long_pandas().rename(columns={"value": "\x1b[31mred"}), "cannot be the name of a factor"),
        (long_pandas().assign(date="today"), "'today' is not a date"),
        (long_pandas().assign(date="2020"), "'2020' is not a date"),
        (long_pandas().assign(date="soon"), "dates of the values cannot be read"),
        (long_pandas().set_index("date")["value"], "a Series of values needs two index levels"),
        (long_pandas().assign(date="x").set_index(["date", "code"])["value"], "dates of the values cannot"),
        (wide_pandas().set_axis(["a", "b", "c", "d"]), "no column of the values is a date"),
        (wide_pandas().set_axis(range(4)), "no column of the values is a date"),
    ],
)
def test_bad_values_are_one_clear_error(bad, message):
    with pytest.raises(DataError, match=message):
        read_values(bad, DATES, NAMES)


@pytest.mark.parametrize("frame", ["polars", "pandas", "index"])
def test_dates_of_another_time_zone_are_refused(frame):
    # midnight of Shanghai is the day before in UTC: taken as a date, each value would be known a day early
    utc = long_pandas()
    utc["date"] = utc["date"].dt.tz_localize("Asia/Shanghai").dt.tz_convert("UTC")
    source = {"polars": pl.from_pandas(utc), "pandas": utc, "index": utc.set_index(["date", "code"])}[frame]
    with pytest.raises(DataError, match="time zone UTC"):
        read_values(source, DATES, NAMES)


def test_identity_of_values_does_not_depend_on_the_form():
    hashes = {read_values(form, DATES, NAMES)[0].sha256 for _, form in forms()}
    assert len(hashes) == 1
    assert read_values(2 * GRID, DATES, NAMES)[0].sha256 not in hashes
