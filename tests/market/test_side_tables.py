from __future__ import annotations

from datetime import datetime
from pathlib import Path

import numpy as np
import polars as pl
import pytest

from assay.market import DataProblems, GroupSource, MembershipSource, Panel, Sides, attach
from assay.market._problems import Collector
from assay.market._side_tables import read_calendar

from .tables import write
from .tapes import tape

DATA = tape(universes={}, groups={}, events={}, vectors={})


def members(path: Path, **rules: object) -> list[list[bool]]:
    data = attach(DATA, Sides(membership={"index": MembershipSource(path, **rules)}))  # type: ignore[arg-type]
    mask: list[list[bool]] = data.universes["index"].mask(data.shape).tolist()
    return mask


def refused(sides: Sides) -> str:
    with pytest.raises(DataProblems) as caught:
        attach(DATA, sides)
    return str(caught.value.message)


@pytest.mark.parametrize(
    "header", ["symbol,in,out", "symbol,opt-in,opt-out", "code,start,end", "股票代码,纳入日期,剔除日期"]
)
def test_spans_by_any_common_header(tmp_path: Path, header: str) -> None:
    path = write(tmp_path, "m.csv", header, "A,2019-01-01,2020-01-06", "B,2020-01-03,")
    assert members(path) == [
        [True, False, False],
        [True, True, False],
        [False, True, False],
        [False, True, False],
    ]


def test_the_out_date_may_be_the_last_day_in(tmp_path: Path) -> None:
    path = write(tmp_path, "m.csv", "symbol,in,out", "A,2019-01-01,2020-01-06")
    assert [row[0] for row in members(path, end_inclusive=True)] == [True, True, True, False]


def test_spans_without_a_header(tmp_path: Path) -> None:
    path = write(tmp_path, "m.txt", "A\t2019-01-01\t2020-01-03", "B\t2020-01-03\t2020-01-03")
    assert members(path, end_inclusive=True)[1] == [True, True, False]


def test_known_until_is_the_latest_date_of_the_file_unless_told(tmp_path: Path) -> None:
    path = write(tmp_path, "m.csv", "symbol,in,out", "A,2019-01-01,2020-01-03", "B,2020-01-02,")
    guessed = attach(DATA, Sides(membership={"index": MembershipSource(path)}))
    assert str(guessed.universes["index"].known_until) == "2020-01-03"
    told = attach(DATA, Sides(membership={"index": MembershipSource(path, known_until="2020-06-01")}))
    assert Panel(told).universe("index").shape == (4, 3)
    assert "not a date" in refused(Sides(membership={"index": MembershipSource(path, known_until="soon")}))


def test_a_span_without_an_in_date_needs_a_rule(tmp_path: Path) -> None:
    path = write(tmp_path, "m.csv", "symbol,in,out", "A,,2020-01-06", "B,2020-01-03,")
    assert "has no date" in refused(Sides(membership={"index": MembershipSource(path)}))
    assert [row[0] for row in members(path, unknown_start="leave_out")] == [False] * 4
    assert [row[0] for row in members(path, unknown_start="from_first_date")] == [True, True, False, False]


def test_overlaps_are_refused_by_name_or_merged_when_told(tmp_path: Path) -> None:
    path = write(tmp_path, "m.csv", "symbol,in,out", "A,2019-01-01,2020-01-06", "A,2020-01-03,2020-01-07")
    assert "the spans of A from 2019-01-01 and from 2020-01-03 overlap" in refused(
        Sides(membership={"index": MembershipSource(path)})
    )
    merged = attach(DATA, Sides(membership={"index": MembershipSource(path, overlaps="merge")}))
    assert merged.universes["index"].mask((4, 3))[:, 0].tolist() == [True, True, True, False]
    assert "merged" in merged.universes["index"].description


def test_a_span_that_ends_before_it_starts(tmp_path: Path) -> None:
    path = write(tmp_path, "m.csv", "symbol,in,out", "A,2020-01-06,2020-01-03")
    assert "before it enters" in refused(Sides(membership={"index": MembershipSource(path)}))


def test_a_snapshot_group(tmp_path: Path) -> None:
    path = write(tmp_path, "g.csv", "symbol,name,sw_l1", "A,Acme,steel", "C,Cee,", "X,Unknown,bank")
    data = attach(DATA, Sides(groups={"industry": GroupSource(path)}))
    panel = Panel(data)
    assert panel.group("industry")[0].tolist() == [panel.group_labels("industry").index("steel"), -1, -1]
    assert "industry is one snapshot for all dates, not point in time" in data.rules


def test_a_group_by_date(tmp_path: Path) -> None:
    path = write(
        tmp_path, "g.csv", "symbol,label,in,out", "A,steel,2019-01-01,2020-01-06", "A,bank,2020-01-06,"
    )
    panel = Panel(attach(DATA, Sides(groups={"industry": GroupSource(path)})))
    names = [panel.group_labels("industry")[code] for code in panel.group("industry")[:, 0]]
    assert names == ["steel", "steel", "bank", "bank"]


@pytest.mark.parametrize("since", ["date", "in", "交易日期"])
def test_a_label_without_an_end_holds_until_the_next_row(tmp_path: Path, since: str) -> None:
    lines = ("A,bank,2020-01-06", "A,steel,2019-01-01", "B,,2020-01-03", "B,bank,2020-01-02")
    path = write(tmp_path, "g.csv", f"symbol,label,{since}", *lines, "X,oil,2020-01-02")
    panel = Panel(attach(DATA, Sides(groups={"industry": GroupSource(path, "label")})))
    names = [*panel.group_labels("industry"), None]
    shown = [[names[code] for code in panel.group("industry")[:, column]] for column in range(3)]
    assert shown == [["steel", "steel", "bank", "bank"], ["bank", None, None, None], [None] * 4]


def test_a_label_of_a_later_row_is_not_known_before(tmp_path: Path) -> None:
    path = write(tmp_path, "g.csv", "symbol,label,date", "A,steel,2020-01-03", "A,bank,2020-02-03")
    codes = Panel(attach(DATA, Sides(groups={"industry": GroupSource(path)}))).group("industry")
    assert (codes[:, 0] >= 0).tolist() == [False, True, True, True]
    assert len(set(codes[1:, 0].tolist())) == 1


def test_two_labels_on_one_date_are_refused(tmp_path: Path) -> None:
    path = write(tmp_path, "g.csv", "symbol,label,date", "A,steel,2020-01-03", "A,bank,2020-01-03")
    assert "two labels of A on 2020-01-03: steel and bank" in refused(
        Sides(groups={"industry": GroupSource(path)})
    )


def test_unclear_and_contradicting_groups(tmp_path: Path) -> None:
    path = write(tmp_path, "g.csv", "symbol,a,b", "A,x,y")
    assert "which column holds the labels" in refused(Sides(groups={"industry": GroupSource(path)}))
    assert "no column 'c'" in refused(Sides(groups={"industry": GroupSource(path, "c")}))
    assert Panel(attach(DATA, Sides(groups={"b": GroupSource(path)}))).group_labels("b") == ("y",)
    twice = write(tmp_path, "h.csv", "symbol,a", "A,x", "A,y")
    assert "two labels: x and y" in refused(Sides(groups={"industry": GroupSource(twice)}))


def test_events_are_usable_from_the_first_close_after_they_are_known(tmp_path: Path) -> None:
    path = write(
        tmp_path,
        "e.csv",
        "symbol,event_time,known_time,score",
        "A,2020-01-02 09:00:00,2020-01-02 14:59:59,1",
        "A,2020-01-02 09:00:00,2020-01-02 15:00:01,2",
        "A,2020-01-03 09:00:00,2020-01-04,3",
        "B,2020-01-03 09:00:00,2020-01-03,4",
        "X,2020-01-03 09:00:00,2020-01-03,5",
        "B,2020-01-07 09:00:00,2020-01-08,6",
    )
    panel = Panel(attach(DATA, Sides(events={"news": path})))
    table = panel.events("news")
    # a date alone is the end of that day: the next close
    assert list(zip(table["row"].tolist(), table["score"].tolist(), strict=True)) == [
        (0, 1),
        (1, 2),
        (2, 3),
        (2, 4),
    ]
    assert panel.fields["news"].kind == "vector"
    assert np.nansum(panel.vector("news")) == 10


def test_events_need_the_time_of_knowledge(tmp_path: Path) -> None:
    path = write(tmp_path, "e.csv", "symbol,date,score", "A,2020-01-02,1")
    assert "no column looks like known_time" in refused(Sides(events={"news": path}))
    early = write(tmp_path, "f.csv", "symbol,event_time,known_time,score", "A,2020-01-03,2020-01-02,1")
    assert "known before they happen" in refused(Sides(events={"news": early}))
    words = write(tmp_path, "g.csv", "symbol,known_time,score", "A,soon,1")
    assert "has no time in 1 row, e.g. 'soon' (line 2)" in refused(Sides(events={"news": words}))


def known_rows(folder: Path, *times: str) -> list[int]:
    path = write(folder, "e.csv", "symbol,known_time,score", *(f"A,{time},1" for time in times))
    rows: list[int] = attach(DATA, Sides(events={"news": path})).events["news"]["row"].tolist()
    return rows


@pytest.mark.parametrize("form", ["2020-01-03", "20200103", "2020/01/03", "2020-01-03 00:00:00"])
def test_a_table_of_dates_is_known_at_the_end_of_the_day(tmp_path: Path, form: str) -> None:
    assert known_rows(tmp_path, form) == [2]


def test_midnight_among_times_is_a_time(tmp_path: Path) -> None:
    assert known_rows(tmp_path, "2020-01-03 00:00:00", "2020-01-03 09:30") == [1, 1]


def test_dates_that_pandas_stored_are_dates(tmp_path: Path) -> None:
    path = tmp_path / "e.parquet"
    day = pl.Series("known_time", [datetime(2020, 1, 3)], dtype=pl.Datetime("ns"))
    pl.DataFrame({"symbol": ["A"], "known_time": day, "score": [1.0]}).write_parquet(path)
    assert attach(DATA, Sides(events={"news": path})).events["news"]["row"].tolist() == [2]


@pytest.mark.parametrize(
    "time", ["2020-01-03T16:00:00+08:00", "2020-01-03T08:00:00Z", "now", "today", "2020", "2020-02-30", "NaT"]
)
def test_times_of_another_place_or_of_the_clock_are_refused(tmp_path: Path, time: str) -> None:
    path = write(tmp_path, "e.csv", "symbol,known_time,score", f"A,{time},1")
    with pytest.raises(DataProblems, match="has no time in 1 row") as caught:
        attach(DATA, Sides(events={"news": path}))
    assert "without a time zone" in str(caught.value.fix)


def test_a_time_zone_in_parquet_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "e.parquet"
    time = pl.Series("known_time", [datetime(2020, 1, 3, 8)], dtype=pl.Datetime("us", "UTC"))
    pl.DataFrame({"symbol": ["A"], "known_time": time, "score": [1.0]}).write_parquet(path)
    assert "is in the time zone UTC" in refused(Sides(events={"news": path}))


def test_a_calendar_does_not_know_today(tmp_path: Path) -> None:
    problems = Collector()
    assert read_calendar(write(tmp_path, "days.txt", "2020-01-02", "today"), problems) is None
    with pytest.raises(DataProblems, match="not a date"):
        problems.raise_any("days.txt")
