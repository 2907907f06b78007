"""Whole notes to specs: formula, settings and direction, Chinese and English."""

from typing import NamedTuple

import pytest

from assay.reports.documents import find_quote
from assay.reports.rules import RulesExtractor
from assay.spec import read_expr, same_formula

from .reading import document, extract


class Note(NamedTuple):
    """A text and what it states: formula, universe, frequency, neutralisation, rebalancing, direction."""

    text: str
    expr: str
    settings: tuple[str, str, str, str]
    direction: str


NO = "undeclared"
NOTES = [
    Note(
        "动量因子研究\n\n本文将动量因子定义为过去二十个交易日的累计收益率，股票池为沪深300成分股。"
        "因子每日计算，"
        "每周调仓。因子值经行业中性化处理。因子值越高，未来收益越高。",
        "TS_PCTCHANGE($close, 20)",
        ("CSI300", "daily", "industry", "weekly"),
        "positive",
    ),
    Note(
        "We define the reversal factor as the cumulative return over the past 5 trading days. The "
        "universe is "
        "CSI 500 constituents. The factor is computed daily and rebalanced weekly. Scores are neutralized by "
        "industry and size. Stocks with lower values earn higher subsequent returns.",
        "TS_PCTCHANGE($close, 5)",
        ("CSI500", "daily", "industry_size", "weekly"),
        "negative",
    ),
    Note(
        "波动率因子以过去20个交易日日收益率的标准差衡量，数值越小未来表现越好。样本为中证500成分股"
        "，按月调仓，"
        "不做中性化。",
        "TS_STD($return, 20)",
        ("CSI500", NO, "none", "monthly"),
        "negative",
    ),
    Note(
        "VOL20 = TS_STD($return, 20). The factor is rebalanced monthly. Low values outperform.",
        "TS_STD($return, 20)",
        (NO, NO, NO, "monthly"),
        "negative",
    ),
    Note(
        "本文构建Amihud非流动性因子，计算方法为：日收益率绝对值与日成交额之比在过去20个交易日的平均值。\n"
        "为剔除行业与市值的影响，我们对因子进行行业、市值双中性化。选股范围为全部A股，剔除ST股票。"
        "调仓频率：月度。\n"
        "该因子与未来收益正相关，IC均值为4.5%。",
        "TS_MEAN(ABS($return) / $amount, 20)",
        ("ALL_A", NO, "industry_size", "monthly"),
        "positive",
    ),
    Note(
        "# Volume surge\n\nThe volume surge factor is today's volume divided by its 20-day average "
        "volume. Large "
        "values are followed by lower returns.\n\n| Setting | Value |\n|---|---|\n| Universe | CSI 1000 |\n"
        "| Rebalance | Weekly |\n| Neutralization | Industry |\n",
        "$volume / TS_MEAN($volume, 20)",
        ("CSI1000", NO, "industry", "weekly"),
        "negative",
    ),
    Note(
        "高低位置因子 = (收盘价 - 过去60日最低价) / (过去60日最高价 - 过去60日最低价)\n\n"
        "股票池：创业板。日频计算，周频调仓。",
        "($close - TS_MIN($low, 60)) / (TS_MAX($high, 60) - TS_MIN($low, 60))",
        ("CHINEXT", "daily", NO, "weekly"),
        NO,
    ),
    Note(
        "量能因子的定义为：过去5个交易日日均成交量除以过去60个交易日日均成交量。每月最后一个交易日"
        "计算因子值并调仓。"
        "因子方向为负。",
        "TS_MEAN($volume, 5) / TS_MEAN($volume, 60)",
        (NO, "monthly", NO, "monthly"),
        "negative",
    ),
    Note(
        "隔夜跳空因子：当日开盘价除以前一交易日收盘价减1，再取过去10日均值。买入因子值最低的一组。",
        "TS_MEAN($open / DELAY($close, 1) - 1, 10)",
        (NO, NO, NO, NO),
        "negative",
    ),
    Note(
        "In this note the gap factor is defined as the open divided by the previous close minus "
        "one, averaged "
        "over 20 days. Long the bottom decile, short the top decile.",
        "TS_MEAN($open / DELAY($close, 1) - 1, 20)",
        (NO, NO, NO, NO),
        "negative",
    ),
    Note(
        "成交额波动因子的构造方式如下：首先计算过去20个交易日成交额的标准差，再除以同期成交额的均值。"
        "该因子越高，股票未来表现越差。",
        "TS_STD($amount, 20) / TS_MEAN($amount, 20)",
        (NO, NO, NO, NO),
        "negative",
    ),
    Note(
        "We rank stocks each week by the ratio of 10-day to 60-day average volume and buy the "
        "lowest quintile "
        "in the CSI 500, industry neutral.",
        "TS_MEAN($volume, 10) / TS_MEAN($volume, 60)",
        ("CSI500", NO, "industry", NO),
        "negative",
    ),
    Note(
        "We test a composite. Composite = 0.6 * RANK(TS_PCTCHANGE($close, 20)) - 0.4 * RANK(TS_STD($return, "
        "20)). Universe: 000905.SH. Holdings are refreshed weekly and scores are computed daily.",
        "0.6 * RANK(TS_PCTCHANGE($close, 20)) - 0.4 * RANK(TS_STD($return, 20))",
        ("CSI500", "daily", NO, "weekly"),
        NO,
    ),
    Note(
        "换手因子定义为过去N日成交额均值与过去M日成交额均值之比，其中N取5，M取20。",
        "TS_MEAN($amount, 5) / TS_MEAN($amount, 20)",
        (NO, NO, NO, NO),
        NO,
    ),
    Note(
        "Let A be the traded value of a stock. The crowding factor is A divided by the mean of A "
        "over the past "
        "30 days.",
        "$amount / TS_MEAN($amount, 30)",
        (NO, NO, NO, NO),
        NO,
    ),
    Note(
        "The low-volatility score is computed as the negative of the standard deviation of daily "
        "returns over "
        "the trailing 60 trading days. Higher scores predict higher returns.",
        "-TS_STD($return, 60)",
        (NO, NO, NO, NO),
        "positive",
    ),
]


@pytest.mark.parametrize("note", NOTES, ids=[note.expr for note in NOTES])
def test_a_note_is_read(note: Note) -> None:
    found = extract(note.text)
    assert found.status == "spec", found.note
    spec = found.spec
    assert spec is not None
    assert same_formula(spec.expr, note.expr), spec.expr
    assert (spec.universe, spec.frequency, spec.neutralization, spec.rebalance) == note.settings
    assert found.direction == note.direction


@pytest.mark.parametrize("note", NOTES, ids=[note.expr for note in NOTES])
def test_every_stated_field_cites_a_quote_that_resolves(note: Note) -> None:
    read = document(note.text)
    found = RulesExtractor().extract(read)
    assert found.spec is not None
    cited = {span.field for span in found.evidence}
    stated = {"universe", "frequency", "neutralization", "rebalance"} - set(found.undeclared)
    assert {"expr"} | stated <= cited
    assert ("direction" in cited) == (found.direction != NO)
    for span in found.evidence:
        assert find_quote(read, span.quote, span.chunk_id), span
        assert span.located


@pytest.mark.parametrize("note", NOTES, ids=[note.expr for note in NOTES])
def test_the_formula_runs_and_the_windows_are_its_own(note: Note) -> None:
    spec = extract(note.text).spec
    assert spec is not None
    assert read_expr(spec).runnable
    assert spec.windows == read_expr(spec).windows


def test_the_same_document_gives_the_same_answer() -> None:
    read = document(NOTES[4].text)
    assert RulesExtractor().extract(read) == RulesExtractor().extract(read)


def test_a_month_takes_the_convention_and_tells_the_other_readings() -> None:
    found = extract("反转因子定义为过去一个月的累计收益率。")
    assert found.spec is not None
    assert found.spec.windows == (20,)
    assert "21, 22" in found.note


def test_the_formula_stays_as_the_text_writes_it() -> None:
    found = extract("反转因子定义为过去10个交易日收益率的相反数，因子值越大，预期收益越高。")
    assert found.spec is not None
    assert found.spec.expr == "-TS_PCTCHANGE($close, 10)"
    assert found.direction == "positive"


def test_words_about_the_quantity_turn_with_the_sign_of_the_formula() -> None:
    found = extract(
        "The factor is defined as the negative of the 5-day return. Losers outperform: low past "
        "returns are followed by higher returns."
    )
    assert found.direction == "positive"
