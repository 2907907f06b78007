"""What was known at the close of a day: nothing of the cut data set names or depends on a later one."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from datetime import date
from pathlib import Path

import numpy as np
import pytest

from assay.errors import Refusal
from assay.expr import FieldInfo
from assay.market import (
    EVENT_DTYPE,
    Group,
    MarketData,
    Panel,
    Source,
    Universe,
    examine,
    names_later,
    simulate,
    truncate,
    write_dataset,
)

END = date(2018, 10, 12)


@pytest.fixture(scope="module")
def whole() -> MarketData:
    return simulate(5, instruments=150, days=300, minutes=120).data


@pytest.fixture(scope="module")
def cut(whole: MarketData) -> MarketData:
    return truncate(whole, END)


def test_the_rows_before_are_the_same_bits(whole: MarketData, cut: MarketData) -> None:
    rows = len(cut.dates)
    assert cut.dates[-1] <= np.datetime64(END) < whole.dates[rows]
    kept = [whole.instruments.index(name) for name in cut.instruments]
    assert set(cut.fields) == set(whole.fields)
    for name, values in cut.fields.items():
        before_cut = whole.fields[name][:rows, kept]
        if name == "factor":
            anew = (values != before_cut).any(axis=0, where=np.isfinite(values))
            assert 0 < anew.sum() < 10
            values, before_cut = values[:, ~anew], before_cut[:, ~anew]
        assert np.array_equal(values, before_cut, equal_nan=True), name
    before, after = Panel(whole).between(None, END), Panel(cut)
    for name in whole.universes:
        assert np.array_equal(after.universe(name), before.universe(name)[:, kept])
    for name in whole.groups:
        labels = np.array([*before.group_labels(name), ""])
        own = np.array([*after.group_labels(name), ""])
        assert np.array_equal(own[after.group(name)], labels[before.group(name)[:, kept]])
    for name in whole.vectors:
        values = before.vector(name)[:, :, kept]
        assert np.array_equal(after.vector(name), values[: len(after.vector(name))], equal_nan=True)
        assert not np.isfinite(values[len(after.vector(name)) :]).any()


def test_who_is_listed_later_or_delisted_later_is_not_told(whole: MarketData, cut: MarketData) -> None:
    rows = len(cut.dates)
    later = {name for name, row in zip(whole.instruments, whole.first_row, strict=True) if row >= rows}
    assert later
    assert not later & set(cut.instruments)
    assert cut.last_row.max() == rows - 1
    assert (Panel(cut).trading().delisted_row <= rows - 1).all()
    gone = (whole.last_row >= 0) & (whole.last_row < len(whole.dates) - 1) & (whole.last_row >= rows - 1)
    still = [
        cut.instruments.index(whole.instruments[i]) for i in np.flatnonzero(gone & (whole.first_row < rows))
    ]
    assert still
    assert (cut.last_row[still] == rows - 1).all()


def test_events_and_minutes_end_with_the_day(whole: MarketData, cut: MarketData) -> None:
    for name, table in cut.events.items():
        assert len(table) < len(whole.events[name])
        assert table["row"].max() < len(cut.dates)
        assert (table["known_time"].astype("datetime64[D]") <= np.datetime64(END)).all()
        first = table[0]
        assert cut.instruments[first["instrument"]] in whole.instruments
    assert cut.minutes is not None
    assert whole.minutes is not None
    assert cut.minutes.times.max().astype("datetime64[D]") <= np.datetime64(END)
    assert len(cut.minutes.fields["close"]) == len(cut.minutes.times) < len(whole.minutes.times)


def test_nothing_that_makes_the_rest_anew_is_kept(cut: MarketData) -> None:
    assert cut.source == Source("simulated")
    assert cut.planted == ()


def test_the_cut_data_set_is_sound_and_stores(cut: MarketData, tmp_path: Path) -> None:
    panel = write_dataset(cut, tmp_path / "cut")
    assert panel.shape == cut.shape
    assert not [finding for finding in examine(cut) if finding.severity == "serious"]
    text = (tmp_path / "cut" / "manifest.json").read_text(encoding="utf-8")
    manifest = json.loads(text)
    del manifest["created"]
    found = re.findall(r"20\d\d-\d\d-\d\d", json.dumps(manifest))
    assert found
    assert max(found) <= str(END)


def test_a_factor_that_was_anchored_later_is_anchored_anew(whole: MarketData) -> None:
    factor = whole.fields["factor"]
    newest = np.array([column[np.isfinite(column)][-1] for column in factor.T])
    anchored = replace(whole, fields={**whole.fields, "factor": (factor / newest).astype(np.float32)})
    cut = truncate(anchored, END)
    last = [column[np.isfinite(column)][-1] for column in cut.fields["factor"].T if np.isfinite(column).any()]
    assert np.allclose(last, 1.0)
    # and moves as it did
    kept = [whole.instruments.index(name) for name in cut.instruments]
    step = cut.fields["factor"][1:] / cut.fields["factor"][:-1]
    before = factor[1 : len(cut.dates), kept] / factor[: len(cut.dates) - 1, kept]
    assert np.allclose(step, before, rtol=1e-5, equal_nan=True)


def small() -> MarketData:
    dates = np.arange("2020-01-01", "2020-01-07", dtype="datetime64[D]")
    close = np.ones((6, 3), dtype=np.float32)
    close[:4, 2] = np.nan
    events = np.array(
        [(0, "2020-02-01T09:00:00", "2020-01-02T09:00:00", 1, 0.5), (1, "2020-01-05", "2020-01-05", 4, 1)],
        dtype=EVENT_DTYPE,
    )
    return MarketData(
        "small",
        dates,
        ("A", "B", "C"),
        {"close": close},
        {"close": FieldInfo("close", "number", 1.0, "price", "as of 2020-01-06")},
        first_row=np.array([0, 0, 4], dtype=np.int32),
        last_row=np.array([5, 5, 5], dtype=np.int32),
        groups={
            "now": Group(
                np.array([2, 0, 1], dtype=np.int32), ("banks", "new", "steel"), "from labels_202101.csv"
            ),
            "by_date": Group(
                np.array([[0, 1, -1]] * 3 + [[2, 1, -1]] * 3, dtype=np.int32), ("one", "two", "three"), ""
            ),
        },
        universes={
            "index": Universe(
                np.array([[0, 0, 6], [1, 4, 6], [2, 4, 6]], dtype=np.int32),
                np.datetime64("2020-12-31"),
                ("top_2021", "top"),
                "members of 2019 to 2021",
                ("D",),
            )
        },
        events={"news": events},
        rules=("bars to 2020/01/06", "reviewed since 2019"),
    )


def test_words_labels_and_members_of_later_days_go() -> None:
    cut = truncate(small(), date(2020, 1, 3))
    assert cut.instruments == ("A", "B")
    assert cut.infos["close"].description == "as of (later)"
    assert cut.groups["now"].labels == ("banks", "steel")
    assert cut.groups["now"].codes.tolist() == [1, 0]
    assert cut.groups["now"].description == "from labels_(later).csv"
    assert cut.groups["by_date"].labels == ("one", "two")
    universe = cut.universes["index"]
    assert universe.spans.tolist() == [[0, 0, 3]]
    assert universe.known_until == np.datetime64("2020-01-03")
    assert universe.aliases == ("top",)
    assert universe.unknown_members == ()
    assert universe.description == "members of 2019 to (later)"
    assert cut.rules == ("bars to (later)", "reviewed since 2019")
    assert len(cut.events["news"]) == 1
    assert np.isnat(cut.events["news"]["event_time"][0])


@pytest.mark.parametrize(
    ("text", "later"),
    [
        ("2020-01-03", False),
        ("2020-01-04", True),
        ("20200104", True),
        ("2020_01", False),
        ("2020-02", True),
        ("x2021y", True),
        ("2020", False),
        ("12020-01-04", False),
        ("202099", False),
        ("", False),
    ],
)
def test_what_counts_as_a_later_date(text: str, later: bool) -> None:
    assert names_later(text, date(2020, 1, 3)) is later


def test_a_day_before_the_first_is_refused() -> None:
    with pytest.raises(Refusal) as caught:
        truncate(small(), date(2019, 1, 1))
    assert caught.value.reason.code == "no_dates"
