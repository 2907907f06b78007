"""Each reason of the candidate gate, what it tells the proposer, and batches against one by one."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest

from assay.expr import Call, Expression, Field, Limits, parse
from assay.judge._results import LeakCheck
from assay.judge.training import GATE_REASONS, CandidateGate, GatePassed, GateRefused, TrainingJudge
from assay.judge.training._gate_data import _finding, check_on_data

REFUSED = [
    ("rank(", "candidate.parse", "line 1, column 6"),
    ("", "candidate.parse", "empty"),
    ("rank(close", "candidate.parse", ""),
    ("rnak(close)", "candidate.type", "Did you mean rank"),
    ("ts_mean(close)", "candidate.type", ""),
    ("ts_mean(close, 0)", "candidate.type", "at least 1"),
    ("delay(close, -1)", "candidate.type", "reads the future"),
    ("industry", "candidate.type", "gives a group"),
    ("rank(clsoe)", "candidate.unknown_field", "Did you mean close"),
    ("ts_mean(returns, 600)", "candidate.too_large", "at most 504"),
    ("x" * 5000, "candidate.too_large", "4096"),
    ("close", "candidate.adjustment", "what breaks it: close"),
    ("ts_mean(volume, 5)", "candidate.adjustment", "what breaks it: "),
    ("rank(returns) * 0 + 1", "candidate.constant", "0% of the dates"),
    ("1", "candidate.constant", ""),
    ("log(-1 * abs(returns) - 1)", "candidate.constant", "0% of the dates"),
]


@pytest.mark.parametrize(("text", "code", "words"), REFUSED)
def test_a_refusal_has_a_reason_and_tells_what_to_mend(
    trained: TrainingJudge, text: str, code: str, words: str
) -> None:
    verdict = CandidateGate(trained).check(text)
    assert isinstance(verdict, GateRefused)
    assert not verdict.passed
    assert verdict.reason.code == code
    assert words in verdict.feedback
    assert verdict.feedback.startswith(code)
    assert verdict.reason in GATE_REASONS
    body = json.loads(json.dumps(verdict.body()))
    assert (body["gate"], body["passed"], body["reason"]) == ("candidate", False, code)
    assert body["message"]


def test_a_passed_candidate_can_be_recorded(trained: TrainingJudge) -> None:
    verdict = CandidateGate(trained).check("-ts_return(close, 5)")
    assert isinstance(verdict, GatePassed)
    assert verdict.passed
    assert json.loads(json.dumps(verdict.body()))["fingerprint"] == verdict.expression.fingerprint


def test_fields_that_may_be_used_are_listed(trained: TrainingJudge) -> None:
    gate = CandidateGate(trained, fields=["returns", "industry"])
    verdict = gate.check("rank(close)")
    assert isinstance(verdict, GateRefused)
    assert verdict.reason.code == "candidate.unknown_field"
    assert verdict.fix.endswith("Fields: industry, returns.")
    assert gate.check("rank(returns)").passed


def test_limits_are_those_given(trained: TrainingJudge) -> None:
    gate = CandidateGate(trained, limits=Limits(nodes=4))
    assert gate.check("rank(ts_mean(returns, 5))").passed
    verdict = gate.check("rank(ts_mean(returns, 5)) + rank(returns)")
    assert isinstance(verdict, GateRefused)
    assert verdict.details["cause"] == "formula_too_large"


@pytest.mark.parametrize("source", ["reference", "known", "zoo", "run"])
@pytest.mark.parametrize(
    ("text", "match"),
    [
        ("ts_mean(returns, 5) + rank(amount)", "fingerprint"),
        ("rank(amount) + ts_mean(returns, 5)", "fingerprint"),
        ("-3 * (rank(amount) + ts_mean(returns, 5))", "signature"),
    ],
)
def test_duplicates_by_values_and_by_sign_and_scale(
    trained: TrainingJudge, source: Any, text: str, match: str
) -> None:
    gate = CandidateGate(trained, {source: {"old one": parse("ts_mean(returns, 5) + rank(amount)")}})
    verdict = gate.check(text)
    assert isinstance(verdict, GateRefused)
    assert verdict.reason.code == f"candidate.duplicate_{source}"
    assert verdict.details == {"source": source, "name": "old one", "match": match}
    assert "'old one'" in verdict.message
    assert gate.check("ts_mean(returns, 6) + rank(amount)").passed


def test_what_is_added_later_is_known_too(trained: TrainingJudge) -> None:
    gate = CandidateGate(trained)
    assert gate.check("ts_std(returns, 20)").passed
    gate.add("run", "t-7", parse("ts_std(returns, 20)"))
    verdict = gate.check("2 * ts_std(returns, 20)")
    assert isinstance(verdict, GateRefused)
    assert verdict.details["name"] == "t-7"


def test_a_round_holds_each_formula_once(trained: TrainingJudge) -> None:
    gate = CandidateGate(trained)
    earlier = [parse("ts_std(returns, 20)")]
    texts = ["-ts_std(returns, 20)", "ts_skew(returns, 20)", "ts_skew(returns, 20) * 2", "close", "close * 2"]
    codes = [
        verdict.reason.code if isinstance(verdict, GateRefused) else "passed"
        for verdict in gate.check_many(texts, round_so_far=earlier)
    ]
    # a copy of what was refused is refused for the same
    assert codes == [
        "candidate.duplicate_round",
        "passed",
        "candidate.duplicate_round",
        "candidate.adjustment",
        "candidate.adjustment",
    ]


def test_a_batch_is_as_one_by_one(trained: TrainingJudge) -> None:
    texts = [text for text, _, _ in REFUSED] + ["ts_std(returns, 9)", "-ts_std(returns, 9)", "rank(volume)"]
    gate = CandidateGate(trained, {"zoo": {"z": parse("rank(volume)")}})
    together = [verdict.body() for verdict in gate.check_many(texts)]
    so_far: list[Expression] = []
    alone = []
    for text in texts:
        verdict = gate.check(text, round_so_far=so_far)
        alone.append(verdict.body())
        if isinstance(verdict, GatePassed):
            so_far.append(verdict.expression)
    assert together == alone
    assert gate.check_many([]) == ()


def _peek(inputs: Any, params: Any) -> Any:
    (x,) = inputs
    out = np.full(x.shape, np.nan, dtype=np.float32)
    out[:-2] = x[2:]
    return out


def _by_position(inputs: Any, params: Any) -> Any:
    (x,) = inputs
    return np.asarray(x + np.arange(x.shape[1]), dtype=np.float32)


def _own(name: str, field: str = "returns") -> Expression:
    return Expression(f"{name}({field})", "core", Call(name, (Field(field),)))


def test_an_op_that_peeks_is_a_leak(trained: TrainingJudge, own_op: Any) -> None:
    own_op("peek", _peek)
    verdict = CandidateGate(trained).check("peek(returns)")
    assert isinstance(verdict, GateRefused)
    assert verdict.reason.code == "candidate.leak_prefix"
    assert "differ when computed without the rows after it" in verdict.feedback
    assert verdict.details["differing"] > 0


def test_an_op_that_goes_by_position_is_a_leak(trained: TrainingJudge, own_op: Any) -> None:
    own_op("by_position", _by_position)
    verdict = CandidateGate(trained).check("by_position(returns)")
    assert isinstance(verdict, GateRefused)
    assert verdict.reason.code == "candidate.leak_permutation"


def test_an_honest_op_of_ones_own_passes(trained: TrainingJudge, own_op: Any) -> None:
    own_op("twice", lambda inputs, params: np.asarray(inputs[0] * 2 + 1, dtype=np.float32), "zero")
    assert CandidateGate(trained).check("twice(returns)").passed
    assert check_on_data({"a": _own("twice")}, trained)["a"].reason is None


def checks(**outcomes: str) -> tuple[LeakCheck, ...]:
    names: tuple[Any, ...] = ("prefix", "scramble", "permutation", "adjustment")
    return tuple(LeakCheck(name, outcomes.get(name, "passed"), f"{name} detail") for name in names)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("outcomes", "varying", "code"),
    [
        ({"scramble": "failed"}, 1.0, "candidate.leak_scramble"),
        ({"scramble": "failed", "permutation": "failed"}, 1.0, "candidate.leak_scramble"),
        ({"prefix": "failed", "scramble": "failed"}, 1.0, "candidate.leak_prefix"),
        ({"prefix": "failed", "adjustment": "failed"}, 0.0, "candidate.adjustment"),
        ({"prefix": "failed"}, 0.49, "candidate.constant"),
        ({"adjustment": "undefined"}, 0.5, None),
    ],
)
def test_the_first_check_that_fails_is_told(
    outcomes: dict[str, str], varying: float, code: str | None
) -> None:
    finding = _finding(checks(**outcomes), varying)
    assert (None if finding.reason is None else finding.reason.code) == code
    if code is None:
        assert finding.notes == ("adjustment: adjustment detail",)


def test_the_gate_makes_no_trial(market: Any, settings: Any, recording: Any) -> None:
    judge = TrainingJudge(market, settings=settings, recording=recording)
    CandidateGate(judge).check_many(["close", "ts_std(returns, 20)"])
    assert list(recording.ledger.run("r-1").entries(kind="trial")) == []
