from __future__ import annotations

from typing import Any

import pytest

from assay.errors import Refusal
from assay.reports._extraction import Extraction
from assay.reports._reasons import MINUTE_DATA, REASONS
from assay.reports.verifier import gate
from assay.spec import GATE_CHECKS, FactorSpec, GatedSpec, GateVerdict, Reading

from .notes import answer, document_of, en, span, spec_of, zh


def verdict(language: str = "zh", **changes: Any) -> GateVerdict:
    case, document = {"zh": zh, "en": en}[language]()
    return gate(document, answer(case, **changes))


@pytest.mark.parametrize("language", ["zh", "en"])
def test_a_spec_that_the_text_states_is_admitted(language: str) -> None:
    found = verdict(language)
    assert found.admitted
    assert tuple(check.name for check in found.checks) == GATE_CHECKS
    gated = GatedSpec.of(found)
    assert GatedSpec.from_json(gated.to_json()) == gated


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"evidence": ()}, "extract.no_evidence"),
        ({"expr": "RANK("}, "extract.not_executable"),
        ({"expr": "TS_CORR($close,$volume,20)"}, "extract.off_whitelist"),
        ({"expr": "COUNT($return,20)", "windows": (20,)}, "extract.unsupported_op"),
        ({"expr": "$net_mf_amount", "windows": ()}, "extract.unsupported_field"),
        ({"windows": (20,)}, "extract.bad_declaration"),
        ({"frequency": "monthly"}, "extract.bad_declaration"),
        ({"universe": "CSI500"}, "extract.uncited_field"),
        ({"neutralization": "none"}, "extract.uncited_field"),
        ({"rebalance": "monthly"}, "extract.uncited_field"),
        ({"expr": "TS_STD($return,21)/TS_STD($return,60)", "windows": (21, 60)}, "extract.ungrounded_number"),
        ({"expr": "TS_MAX($return,20)/TS_STD($return,60)"}, "extract.unsupported_words"),
        ({"expr": "TS_STD($volume,20)/TS_STD($volume,60)"}, "extract.unsupported_words"),
        ({"expr": "RANK($close)", "windows": ()}, "extract.unsupported_words"),
        ({"direction": "positive"}, "extract.ungrounded_direction"),
        ({"neutralization": "undeclared"}, "extract.contradicted"),
    ],
)
def test_each_reason(changes: dict[str, Any], reason: str) -> None:
    found = verdict(**changes)
    assert reason in found.reasons
    assert not found.admitted
    with pytest.raises(Refusal):
        GatedSpec.of(found)


def test_every_reason_is_of_the_table() -> None:
    known = {item.code for item in REASONS}
    found = verdict(expr="TS_MAX($volume,21)", windows=(5,), direction="positive", universe="CSI500")
    assert set(found.reasons) <= known


def test_a_citation_that_does_not_resolve() -> None:
    case, document = zh()
    assert isinstance(case.gold, FactorSpec)
    broken = case.gold.evidence[0].model_copy(update={"chunk_id": "p7-c0007"})
    found = gate(document, answer(case, evidence=(*case.gold.evidence, broken)))
    assert found.reasons == ("extract.bad_citation",)


def test_a_refusal_has_nothing_to_admit() -> None:
    _, document = zh()
    found = gate(document, Extraction.refused(MINUTE_DATA))
    assert found.reasons == ("extract.no_spec", "extract.minute_data")
    assert not found.admitted


def test_spans_that_contradict_each_other() -> None:
    text = (
        "The factor is the standard deviation of daily returns over 20 days on the CSI 300, computed daily. "
        "Stocks with a high value underperform.\n\nIn the appendix the lookback is 60 days. "
        "The factor is positively related to future returns.\n"
    )
    document = document_of(text, "note.md")
    quotes: Any = {
        "expr": ("the standard deviation of daily returns over 20 days",),
        "windows": ("over 20 days",),
        "universe": ("on the CSI 300",),
        "frequency": ("computed daily",),
        "direction": ("Stocks with a high value underperform",),
    }
    fields = {
        "name": "volatility",
        "universe": "CSI300",
        "frequency": "daily",
        "neutralization": "undeclared",
        "rebalance": "undeclared",
        "expr": "TS_STD($return,20)",
        "windows": (20,),
    }
    spec = spec_of(document, quotes, **fields)
    assert gate(document, Extraction.found(spec, "negative")).admitted
    for name, quote in (
        ("windows", "the lookback is 60 days"),
        ("direction", "The factor is positively related to future returns"),
    ):
        more = spec.model_copy(update={"evidence": (*spec.evidence, span(document, name, quote))})  # type: ignore[arg-type]
        assert gate(document, Extraction.found(more, "negative")).reasons == ("extract.contradicted",)


def test_words_that_commit_the_formula() -> None:
    """The text divides; a formula that multiplies leaves that out, whatever else supports it."""
    found = verdict("en", expr="TS_MEAN($volume,10)*TS_MEAN($volume,60)")
    assert "extract.contradicted" in found.reasons
    assert "divided by" in " ".join(finding.message for finding in found.findings)


def readings(*t_stats: float | None) -> list[Reading]:
    return [
        Reading(f"reading {number}", "TS_STD($return,20)", None if t is None else t / 100, t)
        for number, t in enumerate(t_stats)
    ]


def test_a_spec_that_one_flattering_reading_supports_fails() -> None:
    case, document = zh()  # its direction is negative
    assert gate(document, answer(case), readings=readings(-4.0, -3.5, -2.5)).admitted
    found = gate(document, answer(case), readings=readings(-4.0, 0.5, 0.3))
    assert found.reasons == ("extract.single_reading",)
    assert found.spread == pytest.approx(0.045)


def test_without_readings_that_check_does_not_apply() -> None:
    assert {check.name: check.passed for check in verdict().checks}["readings"] is None
