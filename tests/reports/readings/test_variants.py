"""Which readings the text allows."""

from __future__ import annotations

import pytest

from assay.reports.documents import find_quote, read_document
from assay.reports.readings import MOST_READINGS, Variant, variants_of
from assay.spec import EvidenceSpan, FactorSpec


def _spec(expr: str, windows: tuple[int, ...], quote: str, text: str, **fields: str) -> FactorSpec:
    document = read_document(text.encode(), name="note.md")
    (place, *_) = find_quote(document, quote)
    chunk = next(c for c in document.chunks if c.start <= place.start and place.end <= c.end)
    values = {"universe": "CSI300", "frequency": "daily", "neutralization": "none", "rebalance": "weekly"}
    evidence = (EvidenceSpan(field="expr", chunk_id=chunk.chunk_id, quote=quote),)
    return FactorSpec(name="f", expr=expr, windows=windows, evidence=evidence, **{**values, **fields})


def _variants(text: str, spec: FactorSpec, **more: int) -> tuple[Variant, ...]:
    return variants_of(read_document(text.encode(), name="note.md"), spec, **more).chosen


MONTH = "因子为过去一个月的累计涨跌幅，价格均为后复权价。"


def test_a_month_is_read_as_20_21_or_22_days() -> None:
    spec = _spec("TS_PCTCHANGE($close, 20)", (20,), "过去一个月的累计涨跌幅", MONTH)
    found = _variants(MONTH, spec)
    assert [v.expr for v in found] == [f"TS_PCTCHANGE($close, {days})" for days in (20, 21, 22)]
    assert found[0].name == "as written"
    assert found[1].name == "month: 20 bars as 21"


@pytest.mark.parametrize(
    ("days", "more"),
    [("二十个交易日", ""), ("20日", "文中日数均指交易日。"), ("7个自然日", ""), ("1日", "")],
)
def test_days_that_can_be_counted_in_one_way_are_no_matter_of_reading(days: str, more: str) -> None:
    text = f"因子为过去{days}的累计涨跌幅，价格均为后复权价。{more}"
    window = {"7个自然日": 5, "1日": 1}.get(days, 20)
    spec = _spec(f"TS_PCTCHANGE($close, {window})", (window,), f"过去{days}的累计涨跌幅", text)
    assert [v.name for v in _variants(text, spec)] == ["as written"]


def test_days_of_neither_kind_are_read_as_trading_or_as_calendar_days() -> None:
    text = "The factor is the 20-day mean of the adjusted close over its 60-day mean."
    spec = _spec(
        "TS_MEAN($close, 20) / TS_MEAN($close, 60)",
        (20, 60),
        "the 20-day mean of the adjusted close over its 60-day mean",
        text,
    )
    assert [(v.name, v.expr) for v in _variants(text, spec)] == [
        ("as written", "TS_MEAN($close, 20) / TS_MEAN($close, 60)"),
        ("calendar days: 20 bars as 14, 60 bars as 43", "TS_MEAN($close, 14) / TS_MEAN($close, 43)"),
    ]


def test_a_number_of_calendar_days_is_read_by_each_way_to_convert_it() -> None:
    text = "因子为过去30个自然日的累计涨跌幅，价格均为后复权价。"
    spec = _spec("TS_PCTCHANGE($close, 21)", (21,), "过去30个自然日的累计涨跌幅", text)
    assert [v.expr for v in _variants(text, spec)] == [
        f"TS_PCTCHANGE($close, {days})" for days in (21, 20, 22)
    ]


@pytest.mark.parametrize(
    ("said", "exprs"),
    [
        ("the adjusted price change over the last 60 trading days", ["DELTA", "TS_PCTCHANGE"]),
        ("the adjusted close minus its value 60 trading days ago", ["DELTA"]),
    ],
)
def test_the_change_of_a_price_is_read_as_an_amount_or_as_a_share(said: str, exprs: list[str]) -> None:
    text = f"The factor is {said}."
    found = _variants(text, _spec("DELTA($close, 60)", (60,), said, text))
    assert [variant.expr for variant in found] == [f"{op}($close, 60)" for op in exprs]


def test_the_change_of_a_volume_is_an_amount() -> None:
    said = "the change in volume over the last 60 trading days"
    text = f"The factor is {said}; prices are adjusted."
    found = _variants(text, _spec("DELTA($volume, 60)", (60,), said, text))
    assert {variant.expr for variant in found} == {"DELTA($volume, 60)"}


def test_one_convention_holds_for_all_numbers_of_a_unit() -> None:
    text = "因子为过去一个月均价与过去三个月均价之比，价格均为后复权价。"
    spec = _spec(
        "TS_MEAN($close, 20) / TS_MEAN($close, 60)", (20, 60), "过去一个月均价与过去三个月均价之比", text
    )
    pairs = {v.expr for v in _variants(text, spec)}
    assert pairs == {
        f"TS_MEAN($close, {a}) / TS_MEAN($close, {b})" for a, b in ((20, 60), (21, 63), (22, 66))
    }


@pytest.mark.parametrize(
    ("said", "names"),
    [
        ("价格均为前复权价。", ["as written"]),
        ("价格均不复权。", ["as written"]),
        ("", ["as written", "prices as traded, not adjusted"]),
    ],
)
def test_prices_are_read_both_ways_where_the_text_is_silent(said: str, names: list[str]) -> None:
    text = f"因子为过去20个交易日的累计涨跌幅。{said}"
    spec = _spec("TS_PCTCHANGE($close, 20)", (20,), "过去20个交易日的累计涨跌幅", text)
    found = _variants(text, spec)
    assert [v.name for v in found] == names
    raw = "raw_close" in repr(found[0].node)
    assert raw == ("不复权" in said)


def test_what_has_no_price_in_it_has_no_second_reading_of_prices() -> None:
    text = "The factor is the mean traded value of the past 20 trading days."
    spec = _spec("TS_MEAN($amount, 20)", (20,), "mean traded value of the past 20 trading days", text)
    assert [v.name for v in _variants(text, spec)] == ["as written"]


def test_an_undeclared_neutralisation_and_rebalance_are_read_each_way() -> None:
    text = "The factor is the mean traded value of the past 20 trading days."
    spec = _spec(
        "TS_MEAN($amount, 20)", (20,), "mean traded value of the past 20 trading days", text,
        neutralization="undeclared", rebalance="undeclared",
    )  # fmt: skip
    found = _variants(text, spec)
    assert {(v.neutralize, v.rebalance) for v in found} == {
        (n, r) for n in ("none", "industry", "industry_size") for r in ("daily", "weekly", "monthly")
    }
    assert (found[0].neutralize, found[0].rebalance) == ("none", "weekly")
    assert [v.name.count(";") for v in found] == sorted(v.name.count(";") for v in found)


def test_positions_never_change_more_often_than_the_factor() -> None:
    text = "The factor is the mean traded value of the past 20 trading days."
    spec = _spec(
        "TS_MEAN($amount, 20)", (20,), "mean traded value of the past 20 trading days", text,
        frequency="monthly", rebalance="undeclared",
    )  # fmt: skip
    assert [v.rebalance for v in _variants(text, spec)] == ["monthly"]


def test_a_formula_that_neutralises_is_not_neutralised_again() -> None:
    text = "因子为过去20个交易日成交额均值，行业中性。"
    spec = _spec(
        "INDUSTRY_NEUTRALIZE(TS_MEAN($amount, 20), $industry)", (20,), "过去20个交易日成交额均值", text,
        neutralization="industry",
    )  # fmt: skip
    assert [v.neutralize for v in _variants(text, spec)] == ["none"]
    plain = spec.model_copy(update={"expr": "TS_MEAN($amount, 20)"})
    assert [v.neutralize for v in _variants(text, plain)] == ["industry"]


def test_readings_are_capped_in_a_fixed_order_and_the_rest_is_counted() -> None:
    text = "因子为过去一年的累计涨跌幅。"
    spec = _spec(
        "TS_PCTCHANGE($close, 240)", (240,), "过去一年的累计涨跌幅", text,
        neutralization="undeclared", rebalance="undeclared",
    )  # fmt: skip
    document = read_document(text.encode(), name="note.md")
    found = variants_of(document, spec)
    assert len(found.chosen) == MOST_READINGS
    assert found.left_out == 4 * 2 * 3 * 3 - MOST_READINGS
    assert variants_of(document, spec) == found
    few = variants_of(document, spec, most=3)
    assert few.chosen == found.chosen[:3]


def test_a_formula_that_cannot_run_has_no_readings() -> None:
    text = "The factor counts days on which the price rose in the past 20 trading days."
    spec = _spec("COUNT($close, 20)", (20,), "past 20 trading days", text)
    assert _variants(text, spec) == ()


TRIED = (
    "因子为过去二十个交易日的累计涨跌幅，价格均为后复权价。因子不做中性化，每周调仓。\n\n稳健性检验\n\n"
    "将窗口换成60日后，收益下降。改为每月调仓后，IC略降。行业中性后，信息比率上升。\n"
)


def test_what_the_report_tries_are_readings() -> None:
    spec = _spec("TS_PCTCHANGE($close, 20)", (20,), "过去二十个交易日的累计涨跌幅", TRIED)
    single = [v for v in _variants(TRIED, spec) if ";" not in v.name]
    assert {(v.expr, v.neutralize, v.rebalance) for v in single} == {
        ("TS_PCTCHANGE($close, 20)", "none", "weekly"),
        ("TS_PCTCHANGE($close, 60)", "none", "weekly"),
        ("TS_PCTCHANGE($close, 20)", "industry", "weekly"),
        ("TS_PCTCHANGE($close, 20)", "none", "monthly"),
    }
    settled = TRIED.replace("稳健性检验\n\n", "")
    assert [v.name for v in _variants(settled, spec)] == ["as written"]
