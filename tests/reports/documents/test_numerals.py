from __future__ import annotations

from decimal import Decimal

import cn2an
import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.reports import Numeral
from assay.reports.documents import read_numerals
from assay.reports.documents._chinese import chinese_value


def only(text: str) -> Numeral:
    (numeral,) = read_numerals(text)
    return numeral


@pytest.mark.parametrize(
    ("text", "value", "unit", "days"),
    [
        ("过去20日", "20", "day", (20,)),
        ("过去二十个交易日", "20", "day", (20,)),
        ("过去廿日", "20", "day", (20,)),
        ("卅个交易日", "30", "day", (30,)),
        ("过去两百五十日", "250", "day", (250,)),
        ("过去两百五日", "250", "day", (250,)),
        ("一百二十个交易日", "120", "day", (120,)),
        ("过去１２０日", "120", "day", (120,)),
        ("窗口为20天", "20", "day", (20,)),
        ("30个自然日", "30", "day", (20, 21, 22)),
        ("7个自然日", "7", "day", (5,)),
        ("过去一周", "1", "week", (5,)),
        ("两周", "2", "week", (10,)),
        ("过去一个月", "1", "month", (20, 21, 22)),
        ("过去3个月", "3", "month", (60, 63, 66)),
        ("过去3月", "3", "month", (60, 63, 66)),
        ("一个季度", "1", "quarter", (60, 63, 66)),
        ("过去半年", "0.5", "year", (120, 121, 126)),
        ("过去一年", "1", "year", (240, 242, 250, 252)),
        ("过去一年半", "1.5", "year", (360, 363, 375, 378)),
        ("近10年", "10", "year", (2400, 2420, 2500, 2520)),
        ("半个月", "0.5", "month", (10, 11)),
        ("the past 20 trading days", "20", "day", (20,)),
        ("a 20-day window", "20", "day", (20,)),
        ("a twenty-day window", "20", "day", (20,)),
        ("over one hundred and twenty trading days", "120", "day", (120,)),
        ("over one month", "1", "month", (20, 21, 22)),
        ("the trailing month", "1", "month", (20, 21, 22)),
        ("in the past quarter", "1", "quarter", (60, 63, 66)),
        ("over the most recent trading week", "1", "week", (5,)),
        ("averaged over a quarter", "1", "quarter", (60, 63, 66)),
        ("过去一季", "1", "quarter", (60, 63, 66)),
        ("half a year", "0.5", "year", (120, 121, 126)),
        ("12M momentum", "12", "month", (240, 242, 250, 252, 264)),
        ("a 20d mean", "20", "day", (20,)),
        ("5分钟", "5", "intraday", ()),
        ("30-minute bars", "30", "intraday", ()),
        ("百分之五", "0.05", "percent", ()),
        ("百分之二点五", "0.025", "percent", ()),
        ("2.5%", "0.025", "percent", ()),
        ("2.5 percent", "0.025", "percent", ()),
        ("10bp", "0.001", "percent", ()),
        ("三分之一", "0.3333333333", "ratio", ()),
        ("1/3", "0.3333333333", "ratio", ()),
        ("1/4", "0.25", "ratio", ()),
        ("千分之三", "0.003", "ratio", ()),
        ("三点五倍", "3.5", "ratio", ()),
        ("N=20", "20", "none", ()),
        ("TS_MEAN($close, 20)", "20", "none", ()),
        ("为1,000", "1000", "none", ()),
        ("为5万", "50000", "none", ()),
        ("为一点二亿", "120000000", "none", ()),
        ("0.5", "0.5", "none", ()),
        ("1e-6", "0.000001", "none", ()),
        ("2个标准差", "2", "none", ()),
        ("T-20", "20", "none", ()),
        ("MA20", "20", "none", ()),
    ],
)
def test_parameters(text: str, value: str, unit: str, days: tuple[int, ...]) -> None:
    numeral = only(text)
    assert (numeral.value, numeral.unit, numeral.label, numeral.days) == (value, unit, "parameter", days)


@pytest.mark.parametrize(
    ("text", "label", "values"),
    [
        ("CSI500", "name", ["500"]),
        ("CSI 300", "name", ["300"]),
        ("沪深300", "name", ["300"]),
        ("沪深三百", "name", ["300"]),
        ("中证1000指数", "name", ["1000"]),
        ("S&P 500", "name", ["500"]),
        ("Alpha101", "name", ["101"]),
        ("000300.SH", "code", ["300"]),
        ("股票600519的", "code", ["600519"]),
        ("COVID-19", "code", ["19"]),
        ("CNE5", "name", ["5"]),
        ("2024年", "date", ["2024"]),
        ("24年", "date", ["24"]),
        ("二〇二四年", "date", ["2024"]),
        ("2018-01-01", "date", ["2018", "1", "1"]),
        ("2018/1/31", "date", ["2018", "1", "31"]),
        ("20180131", "date", ["20180131"]),
        ("2018年7月", "date", ["2018", "7"]),
        ("2018-2021", "date", ["2018", "2021"]),
        ("2018年至2021年", "date", ["2018", "2021"]),
        ("1月20日", "date", ["1", "20"]),
        ("十一月二十日", "date", ["11", "20"]),
        ("3月", "date", ["3"]),
        ("每月20日", "date", ["20"]),
        ("since 2015,", "date", ["2015"]),
        ("Jan 20, 2018", "date", ["20", "2018"]),
        ("2023Q1", "date", ["2023", "1"]),
        ("14:30", "date", ["14", "30"]),
        ("10点30分", "date", ["10", "30"]),
        ("12.5元", "price", ["12.5"]),
        ("目标价为20", "price", ["20"]),
        ("$20", "price", ["20"]),
        ("成交额低于1000万元", "price", ["10000000"]),
        ("图3", "furniture", ["3"]),
        ("图表 12", "furniture", ["12"]),
        ("Table 2", "furniture", ["2"]),
        ("Figure 20", "furniture", ["20"]),
        ("见公式（20）", "furniture", ["20"]),
        ("第20页", "furniture", ["20"]),
        ("（第 17 期）", "furniture", ["17"]),
        ("如文献[20]所述", "furniture", ["20"]),
        ("3. 因子定义", "furniture", ["3"]),
        ("3.2 因子定义", "furniture", ["3.2"]),
        ("第一", "ordinal", ["1"]),
        ("第二十", "ordinal", ["20"]),
        ("the 20th", "ordinal", ["20"]),
        ("20只股票", "count", ["20"]),
        ("分成十组", "count", ["10"]),
        ("十分位", "count", ["10"]),
        ("20 stocks", "count", ["20"]),
        ("RankIC 均值为 0.05", "result", ["0.05"]),
        ("最大回撤 20%", "result", ["0.2"]),
        ("年化收益 12.5%", "result", ["0.125"]),
        ("a Sharpe ratio of 1.8", "result", ["1.8"]),
        ("the spread earns 7.9% a year", "result", ["0.079"]),
        ("t = -3.3", "result", ["3.3"]),
        ("上涨0.43%", "result", ["0.0043"]),
        ("22 May", "date", ["22"]),
        ("08/2016", "date", ["8", "2016"]),
        ("词条0112", "code", ["112"]),
        ("因子[^1]。", "furniture", ["1"]),
        ("引言...... 3", "furniture", ["3"]),
        ("交易成本双边0.3%", "price", ["0.003"]),
    ],
)
def test_what_grounds_nothing(text: str, label: str, values: list[str]) -> None:
    numerals = read_numerals(text)
    assert [numeral.value for numeral in numerals] == values
    assert {numeral.label for numeral in numerals} == {label}
    assert all(numeral.days == () for numeral in numerals)


@pytest.mark.parametrize(
    "text",
    [
        "一致",
        "万科",
        "十分",
        "一般",
        "统一",
        "三一重工",
        "一方面",
        "万一",
        "一定",
        "一些",
        "唯一",
        "从零开始",
        "半导体",
        "半衰期",
        "千万不要",
        "一律",
        "统一日期",
        "五粮液",
        "三七互娱",
        "两点",
        "千方百计",
        "十足",
        "一体",
        "同一天",
        "某一日",
        "每一年",
        "半年报",
        "双十一",
        "数十日",
        "几十个交易日",
        "二三十只",
        "三五日",
        "十三五规划",
        "一流",
        "一旦",
        "进一步",
        "the_one",
        "a quarter of the names",
        "last month's report",
        "the last months",
        "one-sided",
        "everyone",
    ],
)
def test_words_stay_words(text: str) -> None:
    assert read_numerals(text) == ()


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("5、10、20日", ["5", "10", "20"]),
        ("5/10/20日", ["5", "10", "20"]),
        ("20/60日", ["20", "60"]),
        ("5,20,120日", ["5", "20", "120"]),
        ("20,120日", ["20", "120"]),
        ("5日、10日和20日", ["5", "10", "20"]),
        ("20至60日", ["20", "60"]),
        ("20~60日", ["20", "60"]),
        ("20 and 60 days", ["20", "60"]),
        ("5-, 10- and 20-day", ["5", "10", "20"]),
        ("五日和二十日", ["5", "20"]),
    ],
)
def test_numbers_of_a_list_share_its_unit(text: str, values: list[str]) -> None:
    numerals = read_numerals(text)
    assert [numeral.value for numeral in numerals] == values
    assert [numeral.days for numeral in numerals] == [(int(value),) for value in values]
    assert {numeral.unit for numeral in numerals} == {"day"}


def test_rows_of_digits_without_end_are_no_numbers() -> None:
    assert read_numerals("1" * 6000) == ()
    assert read_numerals("一" * 6000) == ()
    assert only("为" + "9" * 40).value == "9" * 40


def test_columns_of_a_table() -> None:
    text = (
        "| 平均长度（日） | RankIC | 换手 | 权重 |\n|---|---|---|---|\n| 20 | 0.038 | 27% | 0.5 |\n\n"
        "项目 | 设置\n最大回撤 | 12.5%\n阈值 | 2.5%\n双边成本 | 0.3%"
    )
    read = [(n.value, n.unit, n.label, n.days) for n in read_numerals(text)]
    assert read == [
        ("20", "day", "parameter", (20,)),
        ("0.038", "none", "result", ()),
        ("0.27", "percent", "result", ()),
        ("0.5", "none", "parameter", ()),
        ("0.125", "percent", "result", ()),
        ("0.025", "percent", "parameter", ()),
        ("0.003", "percent", "price", ()),
    ]


@pytest.mark.parametrize(
    "text",
    [
        "涨幅超过9.5%的日子",
        "收益率大于2.5%",
        "returns above 2.5%",
        "权重为0.4",
        "a weight of 0.6",
        "收益率减去2.5%",
        "0.6 * rank",
        "the return plus 40% of the rank of volume",
        "the gain plus 0.4 times the volume",
        "60% momentum, the rest volume",
    ],
)
def test_thresholds_and_weights_are_parameters(text: str) -> None:
    assert only(text).label == "parameter"


def test_ranges_of_characters() -> None:
    text = "过去二十个交易日，阈值2.5%，权重百分之五"
    numerals = read_numerals(text)
    assert [text[n.start : n.end] for n in numerals] == ["二十", "2.5%", "百分之五"]


def test_a_sentence_with_decoys() -> None:
    text = (
        "2018年至2021年，我们在沪深300成分股（000300.SH）内计算过去二十个交易日收益率，见图3；"
        "目标价12.5元，RankIC均值0.033，第一组20只股票。"
    )
    grounding = [numeral for numeral in read_numerals(text) if numeral.label == "parameter"]
    assert [(numeral.value, numeral.days) for numeral in grounding] == [("20", (20,))]


@given(st.integers(min_value=1, max_value=10**12 - 1))
def test_whole_numbers_as_cn2an_writes_them(number: int) -> None:
    assert chinese_value(cn2an.an2cn(number)) == number


@given(st.integers(min_value=11, max_value=99_999))
def test_windows_as_cn2an_writes_them(number: int) -> None:
    numeral = only(f"过去{cn2an.an2cn(number)}个交易日")
    assert (numeral.value, numeral.days) == (str(number), (number,))


@given(st.integers(min_value=0, max_value=99), st.integers(min_value=1, max_value=999))
def test_decimals_as_cn2an_writes_them(whole: int, decimals: int) -> None:
    number = Decimal(f"{whole}.{decimals:03d}").normalize()
    assert chinese_value(cn2an.an2cn(format(number, "f"))) == number


@given(st.text(alphabet="零一二两三四五六七八九十百千万亿", min_size=1, max_size=7))
def test_what_both_read_they_read_alike(word: str) -> None:
    ours = chinese_value(word)
    try:
        theirs = cn2an.cn2an(word, "strict")
    except ValueError:
        return
    if ours is not None:
        assert ours == theirs


@given(st.text(alphabet="0123456789一二十百半%.,/-日月年个天周第图表沪深 过去", max_size=30))
def test_any_text_is_read_in_order_within_its_bounds(text: str) -> None:
    end = 0
    for numeral in read_numerals(text):
        assert end <= numeral.start < numeral.end <= len(text)
        assert Decimal(numeral.value) >= 0
        assert numeral.label == "parameter" or not numeral.days
        end = numeral.end


@pytest.mark.parametrize(
    "text", ["the book lost 40% of its value", "the spread earned 3 times", "returns of 12%"]
)
def test_what_was_earned_is_no_weight(text: str) -> None:
    assert only(text).label in ("result", "count")
