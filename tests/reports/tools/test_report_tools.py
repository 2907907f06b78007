"""The tools on a report: every reason is reached, and what they give is what the text holds."""

from __future__ import annotations

import json
from typing import Any

import pytest

from assay.base import Operator
from assay.reports.documents import read_document
from assay.reports.tools import NOT_IN_TEXT, Quote, SpecDraft, locate, report_tools
from assay.spec import FactorSpec, spec_schema
from assay.tools import Caller, Illegal, Ok, Refused, Registry

PAGE = "本报告因子为过去20个交易日的累计涨跌幅，股票池为沪深300，每日计算。\n因子值越高，未来收益越低。"
LONG = "\f".join([PAGE, *(f"第{n}页没有新内容。" for n in range(2, 13))])
WIDE = "\f".join(["甲。" * 7_000, "乙。" * 7_000])

GOOD: dict[str, Any] = {
    "name": "二十日涨跌幅",
    "universe": "CSI300",
    "frequency": "daily",
    "neutralization": "undeclared",
    "rebalance": "undeclared",
    "expr": "TS_PCTCHANGE($close, 20)",
    "windows": [20],
    "evidence": [
        {"field": "name", "quote": "过去20个交易日的累计涨跌幅"},
        {"field": "expr", "quote": "过去20个交易日的累计涨跌幅"},
        {"field": "windows", "quote": "过去20个交易日"},
        {"field": "universe", "quote": "股票池为沪深300"},
        {"field": "frequency", "quote": "每日计算"},
        {"field": "direction", "quote": "因子值越高，未来收益越低"},
    ],
}

CALLER = Caller(Operator("agent", "small/017f22e2-79b0-7cc3-98c4-dc0c0c07398f", "small-1"))


def _registry(text: str | None = LONG) -> Registry:
    document = None if text is None else read_document(text.encode(), name="note.txt")
    return Registry(report_tools(document))


def _call(tool: str, arguments: object, text: str | None = LONG) -> Any:
    return _registry(text).call(f"report.{tool}", json.dumps(arguments), CALLER)


def _without(name: str) -> dict[str, Any]:
    return {key: value for key, value in {"spec": GOOD, "direction": "negative"}.items() if key != name}


REASONS: dict[tuple[str, str], tuple[dict[str, Any], str | None]] = {
    ("search", "missing_query"): ({}, LONG),
    ("search", "bad_query"): ({"query": "x" * 201}, LONG),
    ("search", "bad_limit"): ({"query": "因子", "limit": 21}, LONG),
    ("search", "no_report"): ({"query": "因子"}, None),
    ("read_pages", "no_report"): ({"page_start": 1, "page_end": 1}, None),
    ("validate_spec", "no_report"): ({"spec": GOOD, "direction": "negative"}, None),
    ("read_pages", "missing_page_start"): ({"page_end": 1}, LONG),
    ("read_pages", "bad_page_start"): ({"page_start": 0, "page_end": 1}, LONG),
    ("read_pages", "missing_page_end"): ({"page_start": 1}, LONG),
    ("read_pages", "bad_page_end"): ({"page_start": 1, "page_end": "2"}, LONG),
    ("read_pages", "unknown_page"): ({"page_start": 1, "page_end": 13}, LONG),
    ("read_pages", "bad_range"): ({"page_start": 3, "page_end": 2}, LONG),
    ("read_pages", "too_many_pages"): ({"page_start": 1, "page_end": 12}, LONG),
    ("validate_spec", "missing_spec"): (_without("spec"), LONG),
    ("validate_spec", "bad_spec"): ({"spec": {**GOOD, "universe": "全部"}, "direction": "negative"}, LONG),
    ("validate_spec", "missing_direction"): (_without("direction"), LONG),
    ("validate_spec", "bad_direction"): ({"spec": GOOD, "direction": "up"}, LONG),
}


@pytest.mark.parametrize(("tool", "reason"), REASONS, ids=[f"{t}-{r}" for t, r in REASONS])
def test_each_reason_is_reached(tool: str, reason: str) -> None:
    arguments, text = REASONS[tool, reason]
    outcome = _call(tool, arguments, text)
    assert isinstance(outcome, Refused | Illegal)
    assert outcome.reason == reason
    assert outcome.fix


def test_the_table_of_reasons_is_complete() -> None:
    declared = {
        (tool.id.removeprefix("report."), reason.code)
        for tool in report_tools(read_document(PAGE.encode(), name="note.txt"))
        for reason in tool.reasons
    }
    assert declared == set(REASONS)


def test_a_blank_query_and_pages_too_long_together_are_refused_by_the_tool() -> None:
    assert _call("search", {"query": "  "}).reason == "bad_query"
    assert _call("read_pages", {"page_start": 1, "page_end": 2}, WIDE).reason == "too_many_pages"
    assert isinstance(_call("read_pages", {"page_start": 2, "page_end": 2}, WIDE), Ok)


def test_search_finds_a_number_in_any_script_with_page_and_chunk() -> None:
    outcome = _call("search", {"query": "二十个交易日"})
    assert isinstance(outcome, Ok)
    assert outcome.result["total"] == 1
    (hit,) = outcome.result["hits"]
    assert hit["page"] == 1
    assert hit["chunk_ids"] == ["p1-c0000"]
    assert "过去20个交易日" in hit["text"]
    assert _call("search", {"query": "市盈率"}).result == {"total": 0, "hits": []}


def test_pages_are_read_with_their_chunks() -> None:
    result = _call("read_pages", {"page_start": 1, "page_end": 2}).result
    assert result["count"] == 12
    assert [page["number"] for page in result["pages"]] == [1, 2]
    assert "累计涨跌幅" in result["pages"][0]["text"]
    assert result["pages"][0]["chunk_ids"] == ["p1-c0000"]


def test_a_supported_spec_is_ok_number_by_number() -> None:
    result = _call("validate_spec", {"spec": GOOD, "direction": "negative"}).result
    assert result["problems"] == []
    assert result["ok"] is True
    numbers = [item for item in result["support"] if item["aspect"] == "number"]
    assert numbers == [{"aspect": "number", "what": "window 20 of TS_PCTCHANGE", "supported": True}]


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"expr": "TS_PCTCHANGE($close, 60)", "windows": [60]}, "extract.ungrounded_number"),
        ({"expr": "TS_PCTCHANGE($close, 20", "windows": [20]}, "extract.not_executable"),
        ({"expr": "TS_KURT($close, 20)"}, "extract.off_whitelist"),
        ({"evidence": []}, "extract.no_evidence"),
        ({"rebalance": "weekly"}, "extract.uncited_field"),
        (
            {"evidence": [{**GOOD["evidence"][1], "quote": "过去60个交易日的累计涨跌幅"}]},
            "extract.bad_citation",
        ),
        ({"evidence": [{**GOOD["evidence"][1], "chunk_id": "p9-c0099"}]}, "extract.bad_citation"),
    ],
)
def test_what_the_gate_would_say_is_told_and_is_no_illegal_call(change: dict[str, Any], reason: str) -> None:
    outcome = _call("validate_spec", {"spec": {**GOOD, **change}, "direction": "negative"})
    assert isinstance(outcome, Ok)
    assert outcome.result["ok"] is False
    assert reason in {problem["reason"] for problem in outcome.result["problems"]}


def test_a_draft_has_the_fields_of_a_spec() -> None:
    draft, spec = SpecDraft.model_json_schema(), spec_schema()
    assert list(SpecDraft.model_fields) == list(FactorSpec.model_fields)
    for name in SpecDraft.model_fields:
        if name != "evidence":
            assert draft["properties"][name] == spec["properties"][name]


def test_quotes_are_located_or_said_to_be_missing() -> None:
    document = read_document(LONG.encode(), name="note.txt")
    draft = SpecDraft.model_validate_json(json.dumps(GOOD))
    found = locate(document, draft)
    assert found.missing == ()
    span = found.spec.evidence[3]
    page = document.pages[0].text
    assert (span.chunk_id, page[span.char_start : span.char_end]) == ("p1-c0000", "股票池为沪深300")
    repeated = locate(document, draft.model_copy(update={"evidence": (Quote(field="name", quote="因子"),)}))
    assert not repeated.spec.evidence[0].located
    invented = Quote(field="windows", quote="过去六十个交易日")
    lost = locate(document, draft.model_copy(update={"evidence": (invented,)}))
    assert lost.missing == (invented,)
    assert lost.spec.evidence[0].chunk_id == NOT_IN_TEXT
    assert lost.spec.windows == (20,)
