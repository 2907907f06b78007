"""All families x all gold: gold scores 1.0 and is admitted; no negative passes."""

from __future__ import annotations

from functools import lru_cache

import pytest

from assay.reports import Document
from assay.reports._case import FactorCase
from assay.reports._extraction import Extraction
from assay.reports._signs import operands
from assay.reports.documents import read_document
from assay.reports.gold import gold_cases
from assay.reports.negatives import FAMILIES, NegativeResult, negatives, table
from assay.reports.verifier import GATE, gate, score
from assay.spec import FactorSpec, read_expr, same_formula


@lru_cache(maxsize=1)
def cases() -> tuple[tuple[FactorCase, Document], ...]:
    return tuple(
        (case, read_document(case.document.content(), name=case.document.name)) for case in gold_cases()
    )


@lru_cache(maxsize=1)
def results() -> tuple[NegativeResult, ...]:
    return table(cases())


def test_there_are_specs_and_refusals_enough() -> None:
    assert sum(isinstance(case.gold, FactorSpec) for case, _ in cases()) >= 25
    assert sum(not isinstance(case.gold, FactorSpec) for case, _ in cases()) >= 15


def test_gold_scores_one() -> None:
    for case, document in cases():
        answer = (
            Extraction.found(case.gold, case.direction)
            if isinstance(case.gold, FactorSpec)
            else getattr(Extraction, case.gold.status)(case.gold.reason)
        )
        result = score(case, answer, document=document)
        assert result.reward == 1.0, (case.case_id, result.caps)
        assert result.task_success


def test_gold_is_admitted_without_gold() -> None:
    for case, document in cases():
        if isinstance(case.gold, FactorSpec):
            verdict = gate(document, Extraction.found(case.gold, case.direction))
            assert verdict.admitted, (case.case_id, verdict.findings)


@pytest.mark.parametrize("family", FAMILIES)
def test_every_family_scores_under_the_gate_on_every_case(family: str) -> None:
    rows = [item for item in results() if item.negative.family == family]
    assert len(rows) >= (12 if family == "ingredient" else 20)
    for item in rows:
        assert item.scored.reward < GATE, (item.negative, item.scored)
        assert not item.scored.passed


@pytest.mark.parametrize("family", FAMILIES)
def test_the_gate_without_gold_admits_none(family: str) -> None:
    admitted = [item.negative for item in results() if item.negative.family == family and item.admitted]
    assert admitted == []


def test_where_a_family_changes_nothing() -> None:
    specs = [(case, document) for case, document in cases() if isinstance(case.gold, FactorSpec)]
    for case, document in specs:
        assert isinstance(case.gold, FactorSpec)
        missing = set(FAMILIES) - {item.family for item in negatives(case, document)}
        nothing_to_drop = case.gold.neutralization in ("none", "undeclared")
        expected = {"drop_neutralization"} if nothing_to_drop else set()
        assert missing - {"ingredient"} == expected, case.case_id
        expression = read_expr(case.gold).expression
        assert expression is not None
        assert ("ingredient" in missing) == (not operands(expression.node)), case.case_id


def borrowed(step: int) -> list[tuple[str, str, bool, bool]]:
    """Each case answered with the formula of others: does it pass against gold, does the gate admit it."""
    specs = [(case, document) for case, document in cases() if isinstance(case.gold, FactorSpec)]
    rows: list[tuple[str, str, bool, bool]] = []
    for number, (case, document) in enumerate(specs):
        for other, _ in specs[number % step :: step]:
            assert isinstance(case.gold, FactorSpec)
            assert isinstance(other.gold, FactorSpec)
            if same_formula(case.gold.expr, other.gold.expr):
                continue
            change = {"expr": other.gold.expr, "windows": other.gold.windows}
            answer = Extraction.found(case.gold.model_copy(update=change), case.direction)
            passed = score(case, answer, document=document).passed
            rows.append((case.case_id, other.gold.expr, passed, gate(document, answer).admitted))
    return rows


def test_a_formula_of_another_report_passes_nowhere() -> None:
    rows = borrowed(step=7)
    assert len(rows) > 100
    assert not [row for row in rows if row[2]]
    # the rules of the gate read words, not sentences: a formula of the same words may come through
    assert sum(row[3] for row in rows) <= len(rows) // 100


@pytest.mark.slow
def test_no_formula_of_any_other_report_passes() -> None:
    rows = borrowed(step=1)
    assert not [row for row in rows if row[2]]
    assert sum(row[3] for row in rows) <= len(rows) // 200
