from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from assay.reports._extraction import Extraction
from assay.reports._reasons import FUNDAMENTAL_DATA, NO_FACTOR
from assay.reports.verifier import (
    CAPS,
    GATE,
    WEIGHTS,
    Scored,
    read_prediction,
    score,
    verifier_markdown,
    why_not_executable,
)
from assay.spec import EvidenceSpan, FactorSpec, read_expr

from .notes import answer, en, refusal, span, zh

CASES = {"zh": zh, "en": en}


def scored(language: str, **changes: Any) -> Scored:
    case, document = CASES[language]()
    return score(case, answer(case, **changes), document=document)


@pytest.mark.parametrize("language", CASES)
def test_gold_scores_one(language: str) -> None:
    result = scored(language)
    assert result.reward == 1.0
    assert set(result.subscores.values()) == {1.0}
    assert (result.passed, result.task_success, result.evidence_grounded) == (True, True, True)
    assert not result.caps
    assert not result.mismatches


def test_the_report_is_read_where_no_document_is_given() -> None:
    case, document = zh()
    assert score(case, answer(case)) == score(case, answer(case), document=document)


@pytest.mark.parametrize(
    ("changes", "mismatches"),
    [
        ({"universe": "CSI500"}, ("universe",)),
        ({"universe": "undeclared"}, ("universe",)),
        ({"frequency": "weekly"}, ("frequency",)),
        ({"neutralization": "none"}, ("neutralization",)),
        ({"neutralization": "undeclared"}, ("neutralization",)),
        ({"rebalance": "monthly"}, ("rebalance",)),
        ({"direction": "positive"}, ("direction",)),
        ({"direction": "undeclared"}, ("direction",)),
        ({"windows": (60, 20)}, ("windows",)),
        ({"expr": "TS_STD($return,60)/TS_STD($return,20)", "windows": (60, 20)}, ("expr", "windows")),
        ({"expr": "TS_MEAN($return,20)/TS_MEAN($return,60)"}, ("expr",)),
    ],
)
def test_one_field_that_differs_is_enough(changes: dict[str, Any], mismatches: tuple[str, ...]) -> None:
    result = scored("zh", **changes)
    assert result.mismatches == mismatches
    assert result.caps["field_mismatch"] == ", ".join(mismatches)
    assert result.reward <= CAPS["field_mismatch"][0] < GATE
    assert not result.passed


def test_the_formula_counts_by_its_canonical_form() -> None:
    for text in (
        "1*TS_STD( $return , 20 ) / TS_STD($return,60)",
        "-(-(TS_STD($return,20)/TS_STD($return,60)))",
        "INDUSTRY_NEUTRALIZE(TS_STD($return,20)/TS_STD($return,60),$industry)",
    ):
        assert "expr" not in scored("zh", expr=text).mismatches


@pytest.mark.parametrize(
    ("text", "cap"),
    [
        ("foo($return)", "illegal_expr"),
        ("RANK(", "illegal_expr"),
        ("TS_MEAN($close)", "illegal_expr"),
        ("close close", "illegal_expr"),
        ("RANK($pe)", "illegal_expr"),
        ("import os; os.system('x')", "illegal_expr"),
    ],
)
def test_formulas_that_cannot_be_typed(text: str, cap: str) -> None:
    result = scored("zh", expr=text)
    assert cap in result.caps
    assert result.subscores["executable"] == 0.0
    assert result.reward <= 0.15


@pytest.mark.parametrize("text", ["COUNT($return,20)", "TS_SUM($net_mf_amount,20)"])
def test_listed_names_without_engine_do_not_run_and_are_not_off_the_list(text: str) -> None:
    result = scored("zh", expr=text)
    assert result.subscores["executable"] == 0.0
    assert "illegal_expr" not in result.caps
    assert not result.passed


def test_no_evidence_is_a_bad_citation() -> None:
    result = scored("zh", evidence=())
    assert result.caps["bad_citation"] == "nothing is cited"
    assert result.subscores["grounding"] == 0.0
    assert result.reward <= 0.20


@pytest.mark.parametrize(
    ("chunk_id", "quote"),
    [("p9-c0099", "最近60日"), ("p1-c0000", "最近61日"), ("p1-c0000", "最近六十日")],
)
def test_a_citation_that_does_not_resolve(chunk_id: str, quote: str) -> None:
    case, document = zh()
    assert isinstance(case.gold, FactorSpec)
    wrong = EvidenceSpan(field="windows", chunk_id=chunk_id, quote=quote)
    result = score(case, answer(case, evidence=(*case.gold.evidence, wrong)), document=document)
    assert "bad_citation" in result.caps
    assert result.reward <= 0.20


def test_a_locator_must_be_that_of_the_quote() -> None:
    case, document = zh()
    assert isinstance(case.gold, FactorSpec)
    plain = span(document, "windows", "最近60日")
    at = document.text.index("最近60日")
    place = document.locate(at, at + 5)
    pages = {"page_start": place.page_start, "page_end": place.page_end}
    right = plain.model_copy(update={**pages, "char_start": place.char_start, "char_end": place.char_end})
    wrong = plain.model_copy(update={**pages, "char_start": 0, "char_end": 5})
    evidence = case.gold.evidence
    assert score(case, answer(case, evidence=(*evidence, right)), document=document).reward == 1.0
    assert score(case, answer(case, evidence=(*evidence, wrong)), document=document).reward <= 0.20


def without(spec: FactorSpec, *fields: str) -> tuple[EvidenceSpan, ...]:
    return tuple(item for item in spec.evidence if item.field not in fields)


@pytest.mark.parametrize(
    "quote",
    [
        "每 20 个交易日检查一次行业权重",  # the right number, of something else
        "组合持有 50 只股票",
        "沪深300成分股中每日计算因子",  # a number inside a name
        "某某证券 2024年3月5日 目标价 37.5 元",
    ],
)
def test_numbers_from_another_sentence_ground_nothing(quote: str) -> None:
    case, document = zh()
    assert isinstance(case.gold, FactorSpec)
    moved = (span(document, "expr", quote), span(document, "windows", quote))
    evidence = (*without(case.gold, "expr", "windows"), *moved)
    result = score(case, answer(case, evidence=evidence), document=document)
    assert "bad_citation" in result.caps
    assert "window 20 of TS_STD" in result.caps["bad_citation"]
    assert result.reward <= 0.20


def test_a_number_grounds_only_the_role_it_has() -> None:
    """20 is a window here and no weight; 12.4% is a result and no weight either."""
    for weight in ("20", "0.124"):
        result = scored("zh", expr=f"{weight}*TS_STD($return,20)/TS_STD($return,60)")
        assert f"weight {weight} of *" in result.caps["hallucinated_expr"]


def test_an_invention_without_numbers_is_caught() -> None:
    for text in ("RANK($close)", "RANK($volume)", "$open/$close"):
        result = scored("zh", expr=text, windows=())
        assert "hallucinated_expr" in result.caps
        assert result.reward <= 0.35


def test_a_wrong_formula_never_passes_for_its_other_fields() -> None:
    """The public implementation gives this one 0.92."""
    result = scored("en", expr="TS_MEAN($volume,10)-TS_MEAN($volume,60)")
    assert result.mismatches == ("expr",)
    assert not result.passed


@pytest.mark.parametrize(
    "text",
    ["", "{", "[]", '{"status": "spec"}', '{"status": "done"}', '{"status": "refused", "reason": "x"}'],
)
def test_what_is_no_answer_scores_nothing(text: str) -> None:
    case, document = zh()
    result = score(case, text, document=document)
    assert (result.reward, list(result.caps)) == (0.0, ["invalid_json"])


def test_json_scores_as_the_extraction_it_is_of() -> None:
    case, document = zh()
    extraction = answer(case)
    text = json.dumps(extraction.as_dict())
    assert score(case, text, document=document) == score(case, extraction, document=document)
    assert read_prediction(text).spec == case.gold


def test_a_spec_that_breaks_the_schema_scores_nothing() -> None:
    case, document = zh()
    data = answer(case).as_dict()
    data["spec"]["frequency"] = "hourly"
    assert score(case, data, document=document).reward == 0.0


def test_refusals_are_scored_too() -> None:
    spec_case, document = zh()
    no_case, other = refusal()
    refused = Extraction.refused(NO_FACTOR)
    assert score(no_case, refused, document=other).task_success
    wrong = score(no_case, Extraction.refused(FUNDAMENTAL_DATA), document=other)
    assert (wrong.reward, list(wrong.caps)) == (0.60, ["wrong_reason"])
    assert list(score(no_case, answer(spec_case), document=other).caps) == ["false_admission"]
    assert score(no_case, answer(spec_case), document=other).reward == 0.0
    assert list(score(spec_case, refused, document=document).caps) == ["false_refusal"]
    assert score(spec_case, refused, document=document).reward == 0.0


def test_executable_means_that_it_ran() -> None:
    assert why_not_executable(read_expr("TS_MEAN($close,504)")) == ""
    assert why_not_executable(read_expr("INDUSTRY_NEUTRALIZE(RANK($return),$industry)")) == ""
    # parses, types, and has no value anywhere
    assert why_not_executable(read_expr("LOG(-ABS($close))")) == "the formula has no value on the tape"
    assert why_not_executable(read_expr("$close/($close-$close)")) == "the formula has no value on the tape"
    assert why_not_executable(read_expr("COUNT($return,20)")).startswith("unsupported_op")


def test_weights_add_up_and_caps_stay_under_the_gate() -> None:
    assert sum(WEIGHTS.values()) == pytest.approx(1.0)
    assert all(value < GATE for value, _ in CAPS.values())


def test_the_published_page_is_fresh() -> None:
    page = Path(__file__).parents[2] / "docs" / "reference" / "verifier.md"
    assert page.read_text(encoding="utf-8") == verifier_markdown()
