from __future__ import annotations

from pathlib import Path

import numpy as np
import polars as pl
import pytest

from assay.market import DataProblems, GroupSource, Imported, Panel, Sides, TableOptions, import_table
from assay.market._side_tables import MembershipSource

from .tables import HEADER, ROWS, bars, write


def problems(path: Path, options: TableOptions | None = None) -> str:
    with pytest.raises(DataProblems) as caught:
        import_table(path, options)
    return str(caught.value.message) + str([problem.message for problem in caught.value.problems])


def test_a_long_csv_becomes_a_panel(tmp_path: Path) -> None:
    taken = import_table(bars(tmp_path))
    panel = Panel(taken.data)
    assert panel.instruments == ("A", "B")
    assert panel.dates.astype(str).tolist() == ["2020-01-02", "2020-01-03", "2020-01-06"]
    np.testing.assert_array_equal(panel.field("close")[:, 0], np.float32([10, 11, 12]))
    assert taken.columns["close"] == "close"
    assert taken.data.quarantined == ()


def test_parquet_csv_tsv_and_row_order_give_the_same(tmp_path: Path) -> None:
    csv = bars(tmp_path)
    pl.read_csv(csv, try_parse_dates=True).write_parquet(tmp_path / "bars.parquet")
    write(
        tmp_path, "bars.tsv", HEADER.replace(",", "\t"), *(row.replace(",", "\t") for row in reversed(ROWS))
    )
    expected = import_table(csv).data
    for name in ("bars.parquet", "bars.tsv"):
        data = import_table(tmp_path / name).data
        assert data.instruments == expected.instruments
        for field, values in expected.fields.items():
            np.testing.assert_array_equal(data.fields[field], values, err_msg=f"{name} {field}")


@pytest.mark.parametrize(
    "form",
    [
        "2020-01-02",
        "20200102",
        "2020/01/02",
        "2020/1/2",
        "2020.01.02",
        "2020-01-02 00:00:00",
        "2020-01-02T15:00:00",
        "2020-01-02T15:00:00.000000+08:00",
    ],
)
def test_date_forms(tmp_path: Path, form: str) -> None:
    data = import_table(write(tmp_path, "t.csv", "date,symbol,close", f"{form},A,1")).data
    assert str(data.dates[0]) == "2020-01-02"


@pytest.mark.parametrize(
    "text",
    [
        "2020-02-30",
        "2020-13-01",
        "02/01/2020",
        "2020-01-02x",
        "20-01-02",
        "202001",
        "2020112",
        "2020-01",
        "1577923200",
        "112",
    ],
)
def test_texts_that_are_no_date(tmp_path: Path, text: str) -> None:
    assert "no date in 1 value" in problems(write(tmp_path, "t.csv", "date,symbol,close", f"{text},A,1"))


def test_a_date_form_can_be_told(tmp_path: Path) -> None:
    path = write(tmp_path, "t.csv", "date,symbol,close", "03/02/2020,A,1")
    data = import_table(path, TableOptions(date_format="%d/%m/%Y")).data
    assert str(data.dates[0]) == "2020-02-03"


@pytest.mark.parametrize(
    "header",
    [
        "trade_date,ts_code,open,high,low,close,vol,adj_factor",
        "Date,Ticker,Open,High,Low,Close,Volume,factor",
        "$date,instrument,$open,$high,$low,$close,$volume,$factor",
        "日期,股票代码,开盘,最高,最低,收盘,成交量,复权因子",
    ],
)
def test_columns_are_guessed(tmp_path: Path, header: str) -> None:
    data = import_table(write(tmp_path, "t.csv", header, *ROWS)).data
    assert set(data.fields) == {"open", "high", "low", "close", "volume", "factor", "suspended"}


def test_columns_can_be_told(tmp_path: Path) -> None:
    path = write(tmp_path, "t.csv", "d,s,px,close", "2020-01-02,A,1,9")
    data = import_table(
        path, TableOptions(columns={"date": "d", "symbol": "s", "close": "px"}, skip=("close",))
    ).data
    assert data.fields["close"][0, 0] == 1
    assert data.filters == ("columns left out: close",)


def test_names_that_terminals_use(tmp_path: Path) -> None:
    header = "Trade Dt,Sec Code,PX_OPEN,PX_HIGH,PX_LOW,PX_LAST,PX_VOLUME"
    taken = import_table(write(tmp_path, "t.csv", header, "2020-01-02,A,1,2,1,2,100"))
    assert list(taken.columns) == ["date", "symbol", "open", "high", "low", "close", "volume"]


def test_a_column_that_is_not_recognised_is_told_by_an_option(tmp_path: Path) -> None:
    with pytest.raises(DataProblems) as caught:
        import_table(write(tmp_path, "t.csv", "date,who,close", "2020-01-02,A,1"))
    assert caught.value.problems[0].fix == "say which it is: --column symbol=COLUMN"


def test_the_told_symbol_column_holds_for_the_tables_beside(tmp_path: Path) -> None:
    path = write(tmp_path, "t.csv", "date,who,close,line", "2020-01-02,A,1,banks", "2020-01-02,B,1,mines")
    sides = Sides(groups={"industry": GroupSource(path, "line")})
    taken = import_table(path, TableOptions(columns={"symbol": "who"}, sides=sides))
    assert taken.data.groups["industry"].labels == ("banks", "mines")
    assert taken.left_out == (), "a column of labels is used"


@pytest.mark.parametrize(("rate", "found"), [("4054360", True), ("2.5", False), ("", False)])
def test_a_traded_value_that_is_called_turnover_is_found(tmp_path: Path, rate: str, found: bool) -> None:
    path = write(tmp_path, "t.csv", "date,symbol,close,TURNOVER", f"2020-01-02,A,1,{rate}")
    assert ("turnover_rate" in {finding.check for finding in import_table(path).findings}) is found


def test_further_columns_keep_an_unknown_exponent_until_told(tmp_path: Path) -> None:
    path = write(tmp_path, "t.csv", "date,symbol,close,PE,name", "2020-01-02,A,1,9,Acme")
    taken = import_table(path)
    assert taken.data.infos["pe"].exponent is None
    assert taken.left_out == ("name",)
    told = import_table(path, TableOptions(exponents={"pe": 0}))
    assert told.data.infos["pe"].exponent == 0


def test_an_adjusted_close_gives_the_factor(tmp_path: Path) -> None:
    path = write(tmp_path, "t.csv", "Date,Symbol,Close,Adj Close", "2020-01-02,A,10,5", "2020-01-03,A,11,11")
    data = import_table(path).data
    assert data.fields["factor"][:, 0].tolist() == [0.5, 1.0]
    assert "adj_close" not in data.fields
    assert "factor = adjusted close / close" in data.rules


@pytest.mark.parametrize(
    ("header", "row"),
    [
        (HEADER + ",paused", "2020-01-03,A,10,10,10,10,5,1,true"),
        (HEADER, "2020-01-03,A,10,10,10,10,0,1"),
        (HEADER + ",tradestatus", "2020-01-03,A,10,10,10,10,7,1,0"),
    ],
)
def test_suspended_bars_become_missing(tmp_path: Path, header: str, row: str) -> None:
    extra = header.removeprefix(HEADER)
    fill = {",paused": ",false", ",tradestatus": ",1"}.get(extra, "")
    path = write(
        tmp_path,
        "t.csv",
        header,
        "2020-01-02,A,10,10,10,10,5,1" + fill,
        row,
        "2020-01-06,A,10,10,10,10,5,1" + fill,
    )
    data = import_table(path).data
    panel = Panel(data)
    for name in ("open", "high", "low", "close", "volume"):
        assert np.isfinite(panel.raw(name)[:, 0]).tolist() == [True, False, True]
    assert panel.trading().suspended[:, 0].tolist() == [False, True, False]
    assert np.isnan(panel.field("returns")[:, 0]).all()
    assert any("suspended" in rule for rule in data.rules)


def test_a_day_without_a_row_is_not_a_suspension(tmp_path: Path) -> None:
    path = write(tmp_path, "t.csv", HEADER, *[row for row in ROWS if not row.startswith("2020-01-03,A")])
    taken = import_table(path)
    assert not Panel(taken.data).trading().suspended.any()
    assert [finding.check for finding in taken.findings if finding.severity == "note"] == ["no_record"]


def test_a_partial_amount_is_set_aside(tmp_path: Path) -> None:
    lines = [f"{row},{'' if ',A,' in row else '1000'}" for row in ROWS]
    data = import_table(write(tmp_path, "t.csv", HEADER + ",amount", *lines)).data
    assert "amount" not in data.fields
    assert data.infos["amount_reported"].exponent == 0
    assert Panel(data).manifest.fields["amount"].derived == "vwap x volume"
    whole = import_table(write(tmp_path, "u.csv", HEADER + ",amount", *[f"{row},1000" for row in ROWS])).data
    assert "amount" in whole.fields


def test_delisted_names_stay_with_missing_values_after_the_end(tmp_path: Path) -> None:
    path = write(tmp_path, "t.csv", HEADER, *[row for row in ROWS if not row.startswith("2020-01-06,B")])
    panel = Panel(import_table(path).data)
    assert panel.trading().delisted_row.tolist() == [-1, 2]
    assert panel.universe("all").tolist() == [[True, True], [True, True], [True, False]]


def test_start_and_end_are_recorded(tmp_path: Path) -> None:
    data = import_table(bars(tmp_path), TableOptions(start="2020-01-03", end="2020-01-05")).data
    assert data.dates.astype(str).tolist() == ["2020-01-03"]
    assert data.filters == ("dates from 2020-01-03", "dates to 2020-01-05")


def test_bounds_that_are_no_dates(tmp_path: Path) -> None:
    assert "'soon' is not a date" in problems(bars(tmp_path), TableOptions(start="soon"))


def test_infinities_become_missing(tmp_path: Path) -> None:
    data = import_table(
        write(tmp_path, "t.csv", "date,symbol,close", "2020-01-02,A,1", "2020-01-03,A,inf")
    ).data
    assert np.isfinite(data.fields["close"][:, 0]).tolist() == [True, False]


def test_short_mainland_codes_keep_their_zeros(tmp_path: Path) -> None:
    path = write(tmp_path, "t.csv", "date,symbol,close", "2020-01-02,1,1")
    assert import_table(path, TableOptions(market="CN")).data.instruments == ("000001",)


def test_bars_that_cannot_be_true_are_quarantined_and_listed(tmp_path: Path) -> None:
    path = bars(tmp_path, "2020-01-07,A,6,6,6,-6,200,2", "2020-01-07,B,20,20.5,19.9,30,70,1")
    taken = import_table(path)
    assert {(item.symbol, item.reason) for item in taken.data.quarantined} == {
        ("A", "non_positive_price"),
        ("B", "outside_range"),
    }
    assert np.isnan(taken.data.fields["close"][3]).all()
    assert {finding.check for finding in taken.findings if finding.severity == "serious"} >= {
        "non_positive_price",
        "outside_range",
    }
    kept = import_table(path, TableOptions(quarantine=False))
    assert kept.data.fields["close"][3, 0] == -6


# --- what is refused, with words that name the place ---


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"", "empty"),
        (b"\n \n", "empty"),
        (b"date,symbol,close\n", "no rows"),
        (b"date,symbol,close\n2020-01-02,A,\xff\xfe\n", "not utf-8: byte 0xff"),
        (b"when,who,what\n1,2,3\n", "no column looks like date"),
        (b"date,symbol,close\n2020-13-45,A,1\n", "no date in 1 value, e.g. '2020-13-45' (line 2)"),
        (b"date,symbol,close\n2020-01-02,A,dear\n", "not a number in 1 value, e.g. 'dear' (line 2)"),
        (b"date,symbol,close\n2020-01-02,A,\n2020-01-03,A,nan\n", "no value at all"),
        (
            b"date,symbol,close\n2020-01-02,A,1\n2020-01-02,A,2\n",
            "1 row repeats a date and symbol, e.g. 2020-01-02 A",
        ),
        (b"date,symbol,close\n2020-01-02,,1\n", "is empty in 1 row"),
        (b"date,symbol,close,paused\n2020-01-02,A,1,perhaps\n", "neither true nor false"),
        (b"date,symbol,close\n2020-01-02,A,1,2,3\n", "not a readable table"),
        (b"date,symbol,close,close\n2020-01-02,A,1,2\n", "'close' occurs twice"),
        (b"date,symbol,vol,volume,close\n2020-01-02,A,1,2,3\n", None),
        (b"date,symbol,vol,v,close\n2020-01-02,A,1,2,3\n", "volume could be any of the columns vol, v"),
    ],
)
def test_unusable_csv(tmp_path: Path, content: bytes, words: str | None) -> None:
    path = tmp_path / "t.csv"
    path.write_bytes(content)
    if words is None:
        assert import_table(path).columns["volume"] == "volume"
        return
    assert words in problems(path)


def test_missing_wrong_and_foreign_files(tmp_path: Path) -> None:
    assert "does not exist" in problems(tmp_path / "nothing.csv")
    assert "is a folder" in problems(tmp_path)
    assert "'.xlsx' is not known" in problems(write(tmp_path, "t.xlsx", "x"))
    assert "not a readable Parquet file" in problems(write(tmp_path, "t.parquet", "x"))


def test_a_told_column_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(DataProblems) as caught:
        import_table(bars(tmp_path), TableOptions(columns={"close": "clsoe"}))
    assert caught.value.problems[0].fix == f"did you mean close? it has: {HEADER.replace(',', ', ')}"


def test_encodings(tmp_path: Path) -> None:
    path = write(tmp_path, "t.csv", "日期,股票代码,收盘", "2020-01-02,平安,1", encoding="gbk")
    assert "not utf-8" in problems(path)
    assert import_table(path, TableOptions(encoding="gbk")).data.instruments == ("平安",)
    assert "no encoding is called" in problems(path, TableOptions(encoding="klingon"))
    marked = write(tmp_path, "u.csv", "date,symbol,close", "2020-01-02,A,1", encoding="utf-8-sig")
    assert import_table(marked).data.instruments == ("A",)


def test_all_problems_are_told_at_once(tmp_path: Path) -> None:
    path = bars(
        tmp_path, "2020-01-06,B,20,20.5,19.9,dear,70,1", "tomorrow,A,1,1,1,1,1,1", "2020-01-06,A,x,6,6,6,2,2"
    )
    members = write(tmp_path, "m.csv", "symbol,in,out", "A,2020-01-01,2020-02-01", "A,2020-01-15,")
    calendar = write(tmp_path, "c.txt", "2020-01-02", "2020-01-03")
    options = TableOptions(sides=Sides(membership={"index": MembershipSource(members)}), calendar=calendar)
    with pytest.raises(DataProblems) as caught:
        import_table(path, options)
    text = str(caught.value.message)
    for words in ("'tomorrow' (line 9)", "'dear' (line 8)", "'x' (line 10)", "repeat", "calendar", "overlap"):
        assert words in text
    listed = caught.value.as_dict()["problems"]
    assert len(listed) == 6


def test_impossible_values_are_told_beside_unreadable_ones_and_repeats(tmp_path: Path) -> None:
    path = bars(
        tmp_path,
        "2020-01-07,A,-1,0.8,0.9,-1,-5,-5",
        "2020-01-07,A,1,1,1,1,many,1",
        "2020-01-08,A,1,0.5,0.9,1,10,1",
    )
    with pytest.raises(DataProblems) as caught:
        import_table(path)
    found = [(item.where.removeprefix(f"{path}"), item.message) for item in caught.value.problems]
    assert (", line 8", "a price is zero or negative in 1 row") in found
    assert (", lines 8, 10", "close or open lies outside low to high in 2 rows") in found
    assert (", line 8", "volume, amount or turnover is negative in 1 row") in found
    assert len(found) == 5


def test_a_bad_side_table_is_told_with_a_bad_table(tmp_path: Path) -> None:
    options = TableOptions(sides=Sides(events={"news": tmp_path / "none.csv"}))
    text = problems(tmp_path / "nothing.csv", options)
    assert text.count("does not exist") >= 2


def test_a_calendar_fills_in_days_without_rows(tmp_path: Path) -> None:
    calendar = write(
        tmp_path, "c.txt", "2020-01-01", "2020-01-02", "2020-01-03", "2020-01-05", "2020-01-06", "2020-01-07"
    )
    taken: Imported = import_table(bars(tmp_path), TableOptions(calendar=calendar))
    assert taken.data.dates.astype(str).tolist() == ["2020-01-02", "2020-01-03", "2020-01-05", "2020-01-06"]
    assert "thin_day" in {finding.check for finding in taken.findings}


@pytest.mark.parametrize("encoding", ["base64", "rot13", "undefined", "zip", "nope", "", "\0"])
def test_words_that_name_no_encoding_of_text(tmp_path: Path, encoding: str) -> None:
    assert "no encoding is called" in problems(bars(tmp_path), TableOptions(encoding=encoding))


@pytest.mark.parametrize("symbol", ["A\0B", "A\u200bB", "\u202eA", "\x1b[31mA", "A" * 129])
def test_names_that_nobody_can_see_or_store(tmp_path: Path, symbol: str) -> None:
    told = problems(bars(tmp_path, f"2020-01-07,{symbol},1,1,1,1,1,1"))
    assert "no usable name in 1 row" in told
    assert "line 8" in told


def test_an_option_that_names_nothing_is_told(tmp_path: Path) -> None:
    told = problems(bars(tmp_path), TableOptions(skip=("hihg",), columns={"high": "low", "low": "low"}))
    assert "no column 'hihg' to leave out" in told
    assert "'low' is to be high and low" in told


@pytest.mark.parametrize(
    ("dates", "proposal"),
    [
        (("31/01/2020", "01/02/2020"), "these look like --date-format %d/%m/%Y)"),
        (("01/31/2020", "02/01/2020"), "these look like --date-format %m/%d/%Y)"),
        (("01/02/2020", "03/02/2020"), "--date-format %d/%m/%Y or --date-format %m/%d/%Y)"),
        (("31.01.20", "01.02.20"), "--date-format %d.%m.%y)"),
        (("31 Jan 2020", "01 Feb 2020"), "--date-format '%d %b %Y')"),
        (("2020年1月31日", "2020年2月1日"), "--date-format %Y年%m月%d日)"),
        (("first", "second"), "tell another form with --date-format"),
    ],
)
def test_dates_in_another_form_are_one_problem_that_names_the_option(
    tmp_path: Path, dates: tuple[str, ...], proposal: str
) -> None:
    rows = [f'"{day}",A,{number + 1}' for number, day in enumerate(dates)]
    path = write(tmp_path, "t.csv", "date,symbol,close", *rows)
    with pytest.raises(DataProblems) as caught:
        import_table(path)
    assert len(caught.value.problems) == 1
    assert proposal in f"{caught.value.problems[0].fix})"


def test_a_proposed_form_of_dates_is_one_that_works(tmp_path: Path) -> None:
    path = write(tmp_path, "t.csv", "date,symbol,close", "31/01/2020,A,1", "03/02/2020,A,2")
    assert import_table(path, TableOptions(date_format="%d/%m/%Y")).data.dates.astype(str).tolist() == [
        "2020-01-31",
        "2020-02-03",
    ]
    with pytest.raises(DataProblems) as caught:
        import_table(path, TableOptions(date_format="%m/%d/%Y"))
    assert "expected %m/%d/%Y; these look like --date-format %d/%m/%Y" in str(caught.value.problems[0].fix)


def test_one_word_among_dates_proposes_no_form(tmp_path: Path) -> None:
    path = write(tmp_path, "t.csv", "date,symbol,close", "2020-01-02,A,1", "tomorrow,A,2")
    with pytest.raises(DataProblems) as caught:
        import_table(path)
    assert "--date-format" not in str(caught.value.problems[0].fix)


def test_a_table_without_a_market_is_warned_of(tmp_path: Path) -> None:
    found = {finding.check: finding for finding in import_table(bars(tmp_path)).findings}
    assert found["no_market"].severity == "warning"
    assert "--market CN" in found["no_market"].message
    told = import_table(bars(tmp_path), TableOptions(market="US")).findings
    assert "no_market" not in {finding.check for finding in told}
