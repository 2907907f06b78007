from __future__ import annotations

import pytest

from assay.reports._extraction import Extraction
from assay.reports.verifier import ground, score
from assay.reports.verifier._citations import sentence_of
from assay.reports.verifier._needs import NumberNeed, fields_used, numbers_of, ops_of
from assay.spec import EvidenceSpan, FactorSpec, read_expr

from .notes import answer, document_of, zh


def node_of(text: str):  # type: ignore[no-untyped-def]
    expression = read_expr(text).expression
    assert expression is not None
    return expression.node


def numbers(text: str) -> set[str]:
    return {str(need) for need in numbers_of(node_of(text))}


@pytest.mark.parametrize(
    ("text", "needed"),
    [
        ("TS_STD($return,20)", {"window 20 of TS_STD"}),
        ("DELAY($close,1)", {"lag 1 of DELAY"}),
        ("0.6*RANK($close)+0.4*RANK($volume)", {"weight 0.6 of *", "weight 0.4 of *"}),
        ("SIGN($return-0.025)", {"threshold 0.025 of -"}),
        ("$close/DELAY($close,5)-1", {"lag 5 of DELAY"}),
        ("-1*RANK($close)", set()),
        ("$amount/($volume+0.000001)", set()),
        ("($high+$low)/2", set()),
        ("($high+$low+$close)/3", set()),
        ("($high+$low)/3", {"weight 3 of /"}),
        ("COUNT($return,20)", {"window 20 of COUNT"}),
    ],
)
def test_numbers_and_their_roles(text: str, needed: set[str]) -> None:
    assert numbers(text) == needed


def test_half_is_one_number() -> None:
    """0.5 is not a 0 and a 5."""
    assert numbers_of(node_of("0.5*$close")) == (NumberNeed("weight", 0.5, "*", ("*", "close")),)


def test_ops_and_fields() -> None:
    assert set(ops_of(node_of("-1*TS_MEAN($return,5)/$amount"))) == {"-", "TS_MEAN", "/"}
    assert set(fields_used(node_of("INDUSTRY_NEUTRALIZE($return,$industry)"))) == {"return", "industry"}


def unmet(text: str, expr: str, name: str = "note.md") -> set[str]:
    """What a quote of the whole text does not support of a formula."""
    document = document_of(text, name)
    evidence = tuple(
        EvidenceSpan(field=field, chunk_id=document.chunks[0].chunk_id, quote=text.strip())
        for field in ("expr", "windows")
    )
    spec = FactorSpec(
        name="x",
        universe="undeclared",
        frequency="undeclared",
        neutralization="undeclared",
        rebalance="undeclared",
        expr=expr,
        windows=read_expr(expr).windows,
        evidence=evidence,
    )
    grounding = ground(document, spec, "undeclared", node_of(expr))
    assert not grounding.citations.problems
    return {need.what for need in grounding.unmet()}


@pytest.mark.parametrize(
    ("text", "expr"),
    [
        ("最近二十个交易日收盘价的均值", "TS_MEAN($close,20)"),
        ("最近廿个交易日收盘价的均值", "TS_MEAN($close,20)"),
        ("最近２０个交易日收盘价的均值", "TS_MEAN($close,20)"),
        ("过去一个月收盘价的均值", "TS_MEAN($close,21)"),
        ("the average close of the past twenty trading days", "TS_MEAN($close,20)"),
        ("开盘价除以前一日收盘价", "$open/DELAY($close,1)"),
        ("the open divided by the previous close", "$open/DELAY($close,1)"),
        ("volatility of returns: TS_STD($return, 20)", "TS_STD($return,20)"),
        ("日收益率减去 2.5% 的门槛，取符号", "SIGN($return-0.025)"),
    ],
)
def test_words_that_support_a_formula(text: str, expr: str) -> None:
    assert unmet(text, expr) == set()


@pytest.mark.parametrize(
    ("text", "expr", "missing"),
    [
        ("CSI500 成分股收盘价的均值", "TS_MEAN($close,500)", "window 500 of TS_MEAN"),
        ("2013 年以来收盘价的均值", "TS_MEAN($close,201)", "window 201 of TS_MEAN"),
        ("收盘价的均值，一致预期", "TS_MEAN($close,1)", "window 1 of TS_MEAN"),
        ("持有 20 只股票，收盘价取均值", "TS_MEAN($close,20)", "window 20 of TS_MEAN"),
        ("收盘价取均值，权重为 20%", "TS_MEAN($close,20)", "window 20 of TS_MEAN"),
        ("组合每 20 个交易日调仓。收盘价取均值", "TS_MEAN($close,20)", "window 20 of TS_MEAN"),
        ("收盘价的 20 日均值", "DELAY(TS_MEAN($close,20),20)", "lag 20 of DELAY"),
        ("the 20-day average close", "20*TS_MEAN($close,20)", "weight 20 of *"),
        ("the 20-day average close", "TS_STD($close,20)", "TS_STD"),
        ("the 20-day average close", "TS_MEAN($volume,20)", "$volume"),
        ("the close of the day", "DELAY($close,1)", "lag 1 of DELAY"),
    ],
)
def test_words_that_do_not(text: str, expr: str, missing: str) -> None:
    assert missing in unmet(text, expr)


def test_a_faithful_quote_of_the_original_is_valid() -> None:
    """Full width, line breaks and blanks are those of the file, not of the normalised text."""
    case, document = zh()
    assert isinstance(case.gold, FactorSpec)
    chunk_id = document.chunks[0].chunk_id
    quotes = ("最近二十个交易日 日收益率的标准差", "最近６０日日收益率的标准差", "最近二十个\n交易日")
    more = tuple(EvidenceSpan(field="expr", chunk_id=chunk_id, quote=quote) for quote in quotes)
    extraction: Extraction = answer(case, evidence=(*case.gold.evidence, *more))
    assert score(case, extraction, document=document).reward == 1.0


def test_sentences_end_at_stops_and_not_at_decimal_points() -> None:
    text = "First one. The weight is 0.5 of it. Last; 中文一。二"
    at = text.index("0.5")
    assert sentence_of(text, at, at + 3) == "The weight is 0.5 of it."
    at = text.index("中文")
    assert sentence_of(text, at, at + 2) == "中文一。"
