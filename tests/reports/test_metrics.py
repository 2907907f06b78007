"""Metrics of predictions, held against counts made by hand."""

from __future__ import annotations

import json
from typing import Any

import pytest
from scipy.stats import binomtest

from assay.errors import DataError
from assay.reports._case import FactorCase, Refused
from assay.reports._extraction import Extraction
from assay.reports.dry_run import Shown, dry_run, excerpt
from assay.reports.gold import gold_cases
from assay.reports.metrics import (
    Metrics,
    PredictionRow,
    Rate,
    compare,
    read_predictions,
    score_rows,
)
from assay.reports.rules import RulesExtractor
from assay.spec import FactorSpec

CASES = {case.case_id: case for case in gold_cases()}
SHOWN = Shown()


def _right(case: FactorCase) -> Extraction:
    if isinstance(case.gold, Refused):
        return getattr(Extraction, case.gold.status)(case.gold.reason)
    return Extraction.found(case.gold, case.direction)


def _row(case: FactorCase, found: Extraction, **more: Any) -> PredictionRow:
    return PredictionRow(case.case_id, "whole", more.pop("rollout", "r0"), found.as_dict(), more.get("audit"))


def _some() -> tuple[list[FactorCase], list[FactorCase]]:
    specs = [case for case in CASES.values() if isinstance(case.gold, FactorSpec)]
    refusals = [case for case in CASES.values() if isinstance(case.gold, Refused)]
    return specs[:4], refusals[:3]


@pytest.mark.parametrize(("hits", "total"), [(0, 5), (5, 5), (3, 40), (39, 40), (1, 1)])
def test_the_interval_is_wilsons(hits: int, total: int) -> None:
    expected = binomtest(hits, total).proportion_ci(method="wilson")
    assert Rate(hits, total).interval == pytest.approx((expected.low, expected.high), abs=1e-12)


def test_a_rate_of_nothing_is_undefined() -> None:
    assert Rate(0, 0).as_dict() == {"hits": 0, "total": 0, "value": None, "low": None, "high": None}


def test_gold_itself_is_perfect() -> None:
    found = score_rows([_row(c, _right(c)) for c in CASES.values()], list(CASES.values()), SHOWN)["whole"]
    overall = found.overall
    assert overall.cases == len(CASES)
    for name in ("task_success", "spec_success", "evidence_grounded", "refusal_precision", "refusal_recall"):
        assert getattr(overall, name).value == 1.0, name
    assert overall.false_refusals.hits == 0
    assert overall.reward == 1.0
    assert set(found.by_language) == {"zh", "en"}
    assert set(found.by_split) == {"train", "holdout"}
    assert found.group_medians["task_success"] == 1.0
    assert found.group_medians["illegal_calls"] is None


def test_refusals_are_counted_both_ways() -> None:
    from assay.reports._reasons import MINUTE_DATA, NO_FACTOR, UNREAD

    specs, refusals = _some()
    wrong = next(r for r in (NO_FACTOR, MINUTE_DATA) if r is not refusals[0].gold.reason)  # type: ignore[union-attr]
    rows = [
        _row(specs[0], _right(specs[0]), audit={"tool_calls": 4, "illegal_tool_calls": 1}),
        _row(specs[1], Extraction.refused(UNREAD)),
        _row(specs[2], _right(specs[2]), audit={"tool_calls": 3, "environment_failures": 2}),
        _row(refusals[0], Extraction.refused(wrong)),
        _row(refusals[1], _right(refusals[1])),
        _row(refusals[2], _right(specs[0])),
    ]
    figures = score_rows(rows, [*specs, *refusals], SHOWN)["whole"].overall
    assert figures.cases == 7
    assert figures.task_success == Rate(3, 7)
    assert figures.spec_success == Rate(2, 4)
    assert figures.evidence_grounded == Rate(2, 2)
    assert figures.refusal_precision == Rate(2, 3)
    assert figures.refusal_recall == Rate(2, 3)
    assert figures.right_reason == Rate(1, 2)
    assert figures.false_refusals == Rate(1, 4)
    assert figures.illegal_calls == Rate(1, 5)


def test_a_case_without_a_prediction_counts_as_failed() -> None:
    specs, _ = _some()
    found = score_rows([_row(specs[0], _right(specs[0]))], specs, SHOWN)["whole"]
    assert found.overall.task_success == Rate(1, 4)
    assert [outcome.row is None for outcome in found.outcomes] == [False, True, True, True]


def test_groups_count_once_in_the_medians() -> None:
    by_group: dict[str, list[FactorCase]] = {}
    for case in CASES.values():
        by_group.setdefault(case.group_id, []).append(case)
    large = max(by_group.values(), key=len)
    small = [cases[0] for name, cases in by_group.items() if name != large[0].group_id][:2]
    rows = [_row(case, _right(case)) for case in large]
    found = score_rows(rows, [*large, *small], SHOWN)["whole"]
    assert found.overall.task_success.hits == len(large)
    assert found.group_medians["task_success"] == 0.0


def _metrics(successes: list[bool], cases: list[FactorCase]) -> Metrics:
    from assay.reports._reasons import BAD_REPLY

    rows = [
        _row(case, _right(case) if good else Extraction.refused(BAD_REPLY))
        for case, good in zip(cases, successes, strict=True)
    ]
    return score_rows(rows, cases, SHOWN)["whole"]


def test_a_comparison_is_in_points_on_the_common_cases() -> None:
    specs = [case for case in CASES.values() if isinstance(case.gold, FactorSpec)][:5]
    found = compare(
        _metrics([True, False, False, False, True], specs), _metrics([True, True, True, True], specs[:4])
    )
    assert found.cases == 4
    change = next(change for change in found.changes if change.name == "task_success")
    assert (change.before, change.after, change.points) == (Rate(1, 4), Rate(4, 4), 75.0)
    assert (len(found.gained), found.lost) == (3, ())
    assert found.p_value == pytest.approx(binomtest(3, 3).pvalue)
    same = compare(_metrics([True], specs[:1]), _metrics([True], specs[:1]))
    assert same.p_value is None
    with pytest.raises(DataError):
        compare(_metrics([True], specs[:1]), _metrics([True], specs[1:2]))


BAD_LINES = {
    "not json": "{",
    "no object": "[]",
    "no prediction": '{"case_id": "zh-01"}',
    "unknown case": '{"case_id": "zh-1", "prediction": {}}',
    "unknown mode": '{"case_id": "zh-01", "prediction": {}, "mode": "half"}',
    "unknown key": '{"case_id": "zh-01", "prediction": {}, "spec": {}}',
    "audit": '{"case_id": "zh-01", "prediction": {}, "audit": 3}',
    "a key twice": '{"case_id": "zh-01", "case_id": "en-01", "prediction": {}}',
    "a key of the answer twice": '{"case_id": "zh-01", "prediction": {"spec": {}, "spec": {}}}',
    "more illegal calls than calls": '{"case_id": "zh-01", "prediction": {}, "audit": '
    '{"tool_calls": 1, "illegal_tool_calls": 5}}',
    "fewer calls than none": '{"case_id": "zh-01", "prediction": {}, "audit": {"tool_calls": -1}}',
    "twice": '{"case_id": "zh-01", "prediction": {}}\n{"case_id": "zh-01", "prediction": {}}',
    "empty": "\n",
}


@pytest.mark.parametrize("text", BAD_LINES.values(), ids=BAD_LINES)
def test_bad_predictions_say_where(text: str) -> None:
    with pytest.raises(DataError) as error:
        read_predictions(text, list(CASES.values()), "p.jsonl")
    assert "p.jsonl" in str(error.value.where)


def test_a_line_ends_where_json_lines_end() -> None:
    quote = "a\u2028b\x85c"
    row = {"case_id": "zh-01", "prediction": {"target": quote}}
    text = json.dumps(row, ensure_ascii=False) + "\n"
    (read,) = read_predictions(text, list(CASES.values()), "p.jsonl")
    assert read.prediction == row["prediction"]


def test_what_is_no_answer_scores_nothing_and_is_no_refusal() -> None:
    lines = [
        {"case_id": "zh-01", "prediction": "I think it is momentum"},
        {"case_id": "en-01", "prediction": {}},
    ]
    text = "\n".join(json.dumps(line) for line in lines)
    rows = read_predictions(text, list(CASES.values()), "p.jsonl")
    figures = score_rows(rows, [CASES["zh-01"], CASES["en-01"]], SHOWN)["whole"].overall
    assert figures.reward == 0.0
    assert figures.refusal_precision == Rate(0, 0)
    assert figures.false_refusals == Rate(0, 2)


def test_an_excerpt_holds_what_gold_cites_and_leaves_the_rest() -> None:
    long = max(
        (case for case in CASES.values() if isinstance(case.gold, FactorSpec)),
        key=lambda case: len(SHOWN(case, "whole").text),
    )
    assert isinstance(long.gold, FactorSpec)
    text = excerpt(SHOWN(long, "whole"), long.gold)
    assert len(text) < len(SHOWN(long, "whole").text) / 2
    from assay.reports.documents import find_quote

    document = SHOWN(long, "excerpt")
    assert all(find_quote(document, span.quote) for span in long.gold.evidence)


def test_a_dry_run_answers_each_case_in_each_mode() -> None:
    cases = [CASES["zh-01"], CASES["en-01"]]
    told: list[str] = []
    rows = dry_run(
        cases, lambda case, mode: RulesExtractor(), ("whole", "excerpt"), SHOWN,
        watch=lambda row: told.append(f"{row.case_id} {row.mode}"),
    )  # fmt: skip
    assert told == ["zh-01 whole", "en-01 whole", "zh-01 excerpt", "en-01 excerpt"]
    assert [f"{row.case_id} {row.mode}" for row in rows] == told
    assert score_rows(rows, cases, SHOWN).keys() == {"whole", "excerpt"}
