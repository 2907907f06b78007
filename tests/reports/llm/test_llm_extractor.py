"""Extraction by a model that follows a script."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from assay.errors import ProviderAuth, Refusal
from assay.llm import Budget as LlmBudget
from assay.reports.documents import read_document
from assay.reports.llm import SINGLE_SHOT, LlmExtractor
from assay.reports.tools import NOT_IN_TEXT
from assay.reports.verifier import gate
from assay.tools import Budget, Score, TrajectoryStore

from ..notes_llm import ANSWER, CLEAN, LIST, NAME, SPEC, call, native, scripted

NOTE = read_document(CLEAN.encode(), name="note.txt")


def _filler(page: int) -> str:
    """Text of a page that says nothing and stands on no other page."""
    return "。".join(
        "".join(chr(0x6000 + page * 160 + (k * step) % 160) for k in range(90)) for step in range(1, 20)
    )


LONG = read_document("\f".join([CLEAN, *(_filler(n) for n in range(2, 12))]).encode(), name="long.txt")


def _with(**changes: Any) -> dict[str, Any]:
    return {**ANSWER, "spec": {**SPEC, **changes}}


def test_a_short_report_is_read_in_two_calls() -> None:
    client, provider = scripted([LIST, ANSWER])
    found = LlmExtractor(client).extract(NOTE)
    assert (found.status, found.target, found.direction) == ("spec", NAME, "negative")
    assert found.spec is not None
    assert found.spec.expr == SPEC["expr"]
    assert found.undeclared == ("neutralization",)
    assert all(span.located for span in found.evidence if span.field != "windows")
    assert gate(NOTE, found).admitted
    assert len(provider.requests) == 2
    assert all(request.tools == () for request in provider.requests)
    assert [c.name for c in found.candidates] == [NAME]
    assert found.trajectory is not None
    assert found.trajectory.stage == "extract"


@pytest.mark.parametrize("calls", ["json", "native"])
def test_a_long_report_is_searched_read_and_checked(calls: str) -> None:
    assert len(LONG.text) > SINGLE_SHOT
    turns: list[Any] = [
        call("search", {"query": "涨跌幅"}),
        call("read_pages", {"page_start": 1, "page_end": 1}),
        call("validate_spec", {"spec": SPEC, "direction": "negative"}),
        {"answer": ANSWER},
    ]
    more: dict[str, Any] = {}
    if calls == "native":
        turns = [native(turn["tool"].removeprefix("report."), turn["arguments"]) for turn in turns[:3]]
        turns.append(ANSWER)
        more["structured_by"] = "tool"
    lists = [LIST, {"factors": []}]
    client, provider = scripted([*lists, *turns], **more)
    found = LlmExtractor(client).extract(LONG, NAME)
    assert found.status == "spec", found.note
    trajectory = found.trajectory
    assert trajectory is not None
    assert [item.name for item in trajectory.observations] == [
        "report.search", "report.read_pages", "report.validate_spec",
    ]  # fmt: skip
    assert json.loads(trajectory.observations[2].content)["result"]["ok"] is True
    assert trajectory.audit.illegal_tool_calls == 0
    assert _filler(2)[:40] not in "".join(m.content for m in trajectory.messages[: trajectory.prompt])
    shown = "".join(m.content for request in provider.requests[:2] for m in request.messages)
    assert all(f"[page {number}]" in shown for number in range(1, 12))


def test_every_illegal_kind_that_a_model_can_make_is_counted() -> None:
    two = {"calls": [call("search", {"query": "a"}), call("search", {"query": "b"})]}
    turns = [
        {"tool": "report.delete", "arguments": {}},
        {"tool": "report.search", "arguments": "no json"},
        call("search", {"query": ""}),
        two,
        call("search", {"query": "涨跌幅"}),
        {"answer": ANSWER},
    ]
    client, _ = scripted([LIST, {"factors": []}, *turns])
    found = LlmExtractor(client, budget=Budget(turns=16, calls=5)).extract(LONG)
    assert found.trajectory is not None
    assert found.trajectory.audit.illegal_by_kind == {
        "unknown_tool": 1, "unparsable_arguments": 1, "schema_invalid": 1, "multi_tool_per_step": 2,
        "budget_exceeded": 1,
    }  # fmt: skip
    assert found.status == "spec"


def test_a_quote_that_is_not_in_the_text_supports_nothing_and_is_not_mended() -> None:
    evidence = [dict(item) for item in SPEC["evidence"]]
    evidence[5]["quote"] = "每周五调仓"
    client, _ = scripted([LIST, _with(evidence=evidence)])
    found = LlmExtractor(client).extract(NOTE)
    assert found.spec is not None
    assert found.spec.rebalance == "weekly"
    assert found.evidence[5].chunk_id == NOT_IN_TEXT
    assert "rebalance: '每周五调仓'" in found.note
    verdict = gate(NOTE, found)
    assert not verdict.admitted
    assert {"extract.bad_citation", "extract.uncited_field"} <= set(verdict.reasons)


def test_an_answer_without_the_form_is_asked_for_again_then_refused() -> None:
    client, provider = scripted([LIST, "I would say twenty days.", ANSWER])
    found = LlmExtractor(client).extract(NOTE)
    assert found.status == "spec"
    assert found.trajectory is not None
    assert found.trajectory.repairs == {"unusable_answer": 1}
    assert "cannot be used" in provider.requests[2].messages[-1].content
    client, _ = scripted([LIST, "no", "still no"])
    refused = LlmExtractor(client).extract(NOTE)
    assert (refused.status, refused.reason and refused.reason.code) == ("refused", "extract.bad_reply")
    assert refused.note
    client, _ = scripted(["no", "still no"])
    assert LlmExtractor(client).extract(NOTE).as_dict()["reason"] == "extract.bad_reply"
    client, _ = scripted(["no", "still no"])
    with pytest.raises(Refusal) as error:
        LlmExtractor(client).candidates(NOTE)
    assert error.value.reason.code == "extract.bad_reply"


@pytest.mark.parametrize(
    ("answer", "status", "reason"),
    [
        ({"status": "refused", "reason": "extract.minute_data"}, "refused", "extract.minute_data"),
        ({"status": "refused", "reason": "extract.single_reading"}, "refused", "extract.bad_reply"),
        ({"status": "refused"}, "refused", "extract.bad_reply"),
        ({"status": "spec"}, "refused", "extract.bad_reply"),
        ({"status": "conflict", "reason": "extract.conflicting_window"}, "refused", "extract.bad_reply"),
        ({"status": "refused", "reason": "extract.conflicting_window"}, "refused", "extract.bad_reply"),
        (
            {
                "status": "conflict",
                "reason": "extract.conflicting_window",
                "evidence": [
                    {"field": "windows", "quote": "过去二十个交易日"},
                    {"field": "windows", "quote": "每周调仓"},
                ],
            },
            "conflict",
            "extract.conflicting_window",
        ),
    ],
)
def test_refusals_and_conflicts(answer: dict[str, Any], status: str, reason: str) -> None:
    client, _ = scripted([LIST, answer, answer])
    found = LlmExtractor(client).extract(NOTE)
    assert (found.status, found.as_dict()["reason"]) == (status, reason)
    assert not gate(NOTE, found).admitted


def _factor(name: str, quote: str, **more: Any) -> dict[str, Any]:
    return {"name": name, "quote": quote, "computable": True, **more}


A, B = "过去二十个交易日的累计涨跌幅", "每周调仓"


@pytest.mark.parametrize(
    ("factors", "target", "reason", "chosen"),
    [
        ([], None, "extract.no_factor", None),
        ([_factor("x", "not in the text")], None, "extract.no_factor", None),
        ([_factor("a", A), _factor("b", B)], None, "extract.several_targets", None),
        ([_factor("a", A), _factor("b", B)], "c", "extract.unknown_target", "c"),
        (
            [_factor("a", A, computable=False, why_not="extract.minute_data"), _factor("b", B)],
            "A",
            "extract.minute_data",
            "a",
        ),
        (
            [_factor("a", A, computable=False, why_not="extract.minute_data")],
            None,
            "extract.minute_data",
            "a",
        ),
        ([_factor("a", A, computable=False)], None, "extract.unread", "a"),
    ],
)
def test_the_target_is_chosen_among_the_candidates(
    factors: list[dict[str, Any]], target: str | None, reason: str, chosen: str | None
) -> None:
    client, provider = scripted([{"factors": factors}])
    found = LlmExtractor(client).extract(NOTE, target)
    assert (found.as_dict()["reason"], found.target) == (reason, chosen)
    assert len(provider.requests) == 1


def test_candidates_are_those_of_the_text_with_its_pages() -> None:
    client, _ = scripted([{"factors": [_factor("second", B), _factor("a\n\x1bb", A), _factor("SECOND", A)]}])
    listed = LlmExtractor(client).candidates(NOTE)
    assert [(c.name, c.pages, c.definition) for c in listed] == [("a b", (1,), A), ("second", (1,), B)]


def test_episodes_are_stored_with_their_score(tmp_path: Path) -> None:
    client, _ = scripted([LIST, ANSWER])
    store = TrajectoryStore(tmp_path, "run-1")
    extractor = LlmExtractor(
        client, store=store, case="zh-01", score=lambda found: Score(1.0 if found.spec else 0.0)
    )
    found = extractor.extract(NOTE)
    assert [(r.case, r.rollout) for r in store.rollouts()] == [("zh-01", "r0"), ("zh-01", "r0-list0")]
    stored = store.load("zh-01", "r0")
    assert stored.metadata["reward"] == 1.0
    assert stored.metadata["stage"] == "extract"
    assert found.trajectory is not None
    assert stored.metadata["prompt_hash"] == found.trajectory.prompt_hash
    assert stored.metadata["illegal_tool_calls"] == 0


def test_a_service_that_fails_and_a_spent_budget_are_no_extractions() -> None:
    client, _ = scripted([ProviderAuth("no key")])  # type: ignore[list-item]
    with pytest.raises(ProviderAuth):
        LlmExtractor(client).extract(NOTE)
    from assay.config import LlmLimits

    client, _ = scripted([LIST, ANSWER], budget=LlmBudget(LlmLimits(calls=1)))
    with pytest.raises(Refusal) as error:
        LlmExtractor(client).extract(NOTE)
    assert error.value.reason.code == "call_budget_exhausted"


def test_an_episode_without_an_answer_is_a_bad_reply() -> None:
    turns = [call("search", {"query": "涨跌幅"})] * 3
    client, _ = scripted([LIST, {"factors": []}, *turns])
    found = LlmExtractor(client, budget=Budget(turns=3)).extract(LONG)
    assert found.as_dict()["reason"] == "extract.bad_reply"
    assert "turns" in found.note


def test_the_prompt_hangs_on_document_and_task_alone() -> None:
    client, first = scripted([LIST, ANSWER])
    LlmExtractor(client).extract(NOTE)
    client, second = scripted([LIST, ANSWER])
    LlmExtractor(client).extract(NOTE)
    assert [r.hash for r in first.requests] == [r.hash for r in second.requests]
