from __future__ import annotations

import pytest

from assay.reports.negatives import FAMILIES, negatives, table
from assay.reports.verifier import GATE
from assay.spec import FactorSpec, same_formula

from .notes import en, refusal, zh

CASES = {"zh": zh, "en": en}


@pytest.mark.parametrize("language", CASES)
def test_every_family_is_under_the_gate(language: str) -> None:
    tested = table([CASES[language]()])
    for item in tested:
        assert item.scored.reward < GATE, item
        assert not item.scored.passed
        assert not item.admitted, item
    assert {item.negative.family for item in tested} >= set(FAMILIES) - {"drop_neutralization"}


@pytest.mark.parametrize("language", CASES)
def test_no_negative_is_gold(language: str) -> None:
    case, document = CASES[language]()
    gold = case.gold
    assert isinstance(gold, FactorSpec)
    for negative in negatives(case, document):
        spec, direction = negative.extraction.spec, negative.extraction.direction
        assert spec is not None
        assert (spec, direction) != (gold, case.direction), negative.family
        if negative.family.startswith("swapped_") and negative.family != "swapped_sign":
            assert not same_formula(spec.expr, gold.expr)


def test_nothing_to_drop_gives_no_negative() -> None:
    case, document = en()  # neutralization none: dropping it is gold itself
    assert "drop_neutralization" not in {item.family for item in negatives(case, document)}


def test_negatives_say_that_they_are_injected() -> None:
    case, document = zh()
    assert {item.origin for item in negatives(case, document)} == {"injected"}


def test_a_refusal_has_none() -> None:
    case, document = refusal()
    assert negatives(case, document) == ()
