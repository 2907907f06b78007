"""Two short reports and their gold, for tests of the verifier, the gate and the negatives."""

from __future__ import annotations

from typing import Any

from assay.reports import Document
from assay.reports._case import FactorCase, Language, Refused, ReportSource
from assay.reports._extraction import Extraction
from assay.reports._reasons import NO_FACTOR
from assay.reports.documents import find_quote, read_document
from assay.spec import Direction, EvidenceSpan, FactorSpec, SpecField

ZH = (
    "某某证券 2024年3月5日 目标价 37.5 元\n\n"
    "我们在沪深300成分股中每日计算因子。因子定义为最近二十个交易日日收益率的标准差，再除以最近60日日收益率的标准差。"
    "因子做行业中性处理，每周调仓一次。因子值越高，未来收益越低。"
    "组合持有 50 只股票，每 20 个交易日检查一次行业权重。自 2013 年以来多空年化收益 12.4%。\n"
)
EN = (
    "# Weekly letter, 5 March 2024\n\n"
    "We work inside the CSI 500. Every trading day we take the average volume of the last 10 days divided "
    "by the average volume of the last 60 days. "
    "No neutralization is applied and the book is rebalanced monthly. "
    "A high ratio predicts low returns. Volatility over 20 days was 18% in 2023, and 37 names were held.\n"
)


def document_of(text: str, name: str) -> Document:
    return read_document(text.encode(), name=name)


def span(document: Document, field: SpecField, quote: str) -> EvidenceSpan:
    for chunk in document.chunks:
        if find_quote(document, quote, chunk_id=chunk.chunk_id):
            return EvidenceSpan(field=field, chunk_id=chunk.chunk_id, quote=quote)
    raise AssertionError(f"{quote!r} is not in the report")


def spec_of(document: Document, quotes: dict[SpecField, tuple[str, ...]], **fields: Any) -> FactorSpec:
    evidence = tuple(span(document, field, quote) for field, some in quotes.items() for quote in some)
    return FactorSpec(evidence=evidence, **fields)


def case_of(
    text: str, name: str, gold: FactorSpec | Refused, direction: Direction, language: Language
) -> FactorCase:
    source = ReportSource(name, text=text)
    return FactorCase(
        name.partition(".")[0], "g", "some house", "notes", language, "train", source, gold, direction
    )


def zh() -> tuple[FactorCase, Document]:
    document = document_of(ZH, "zh.md")
    gold = spec_of(
        document,
        {
            "universe": ("沪深300成分股",),
            "frequency": ("每日计算因子",),
            "neutralization": ("因子做行业中性处理",),
            "rebalance": ("每周调仓一次",),
            "expr": ("最近二十个交易日日收益率的标准差，再除以最近60日日收益率的标准差",),
            "windows": ("最近二十个交易日", "最近60日"),
            "direction": ("因子值越高，未来收益越低",),
        },
        name="波动比",
        universe="CSI300",
        frequency="daily",
        neutralization="industry",
        rebalance="weekly",
        expr="TS_STD($return,20)/TS_STD($return,60)",
        windows=(20, 60),
    )
    return case_of(ZH, "zh.md", gold, "negative", "zh"), document


def en() -> tuple[FactorCase, Document]:
    document = document_of(EN, "en.md")
    definition = "the average volume of the last 10 days divided by the average volume of the last 60 days"
    gold = spec_of(
        document,
        {
            "universe": ("We work inside the CSI 500",),
            "frequency": ("Every trading day",),
            "neutralization": ("No neutralization is applied",),
            "rebalance": ("the book is rebalanced monthly",),
            "expr": (definition,),
            "windows": (definition,),
            "direction": ("A high ratio predicts low returns",),
        },
        name="volume ratio",
        universe="CSI500",
        frequency="daily",
        neutralization="none",
        rebalance="monthly",
        expr="TS_MEAN($volume,10)/TS_MEAN($volume,60)",
        windows=(10, 60),
    )
    return case_of(EN, "en.md", gold, "negative", "en"), document


def refusal() -> tuple[FactorCase, Document]:
    text = "Markets fell 2% last week. We expect rates to stay at 3.5% through June.\n"
    return case_of(text, "macro.txt", Refused(NO_FACTOR), "undeclared", "en"), document_of(text, "macro.txt")


def answer(case: FactorCase, **changes: Any) -> Extraction:
    """Gold as an extractor would answer it, with some fields changed."""
    assert isinstance(case.gold, FactorSpec)
    direction = changes.pop("direction", case.direction)
    return Extraction.found(case.gold.model_copy(update=changes), direction)
