from __future__ import annotations

import pytest

from assay.brain import (
    Check,
    Column,
    Failure,
    JobResult,
    Limits,
    Proposal,
    Recordset,
    SimulationRequest,
    Stats,
)
from assay.brain.search import RULE_NAMES, Diagnosis, diagnose

GOOD = {"sharpe": 1.6, "fitness": 1.2, "turnover": 0.2, "long_count": 300, "short_count": 300}


def of(checks: tuple[Check, ...] = (), yearly: Recordset | None = None, **figures: float | None) -> Diagnosis:
    stats = Stats.model_validate({**GOOD, **figures})
    made = JobResult("j0001", _proposal("rank(close)"), "completed", alpha="A1", stats=stats, checks=checks)
    return diagnose(made, yearly=yearly)


def _proposal(text: str) -> Proposal:
    return Proposal(SimulationRequest(regular=text))


def failed(text: str, message: str = "") -> Diagnosis:
    failure = Failure(message) if message else None
    return diagnose(JobResult("j0001", _proposal(text), "failed", failure=failure))


def found(diagnosis: Diagnosis) -> list[tuple[str, str]]:
    return [(finding.name, finding.severity) for finding in diagnosis.findings]


def test_nothing_is_wrong_with_a_good_alpha() -> None:
    assert found(of()) == []


@pytest.mark.parametrize(
    ("figures", "expected"),
    [
        ({"turnover": 0.71}, ("high_turnover", "fail")),
        ({"turnover": 0.65}, ("high_turnover", "warn")),
        ({"turnover": 0.005}, ("low_turnover", "fail")),
        ({"sharpe": 1.2}, ("low_sharpe", "fail")),
        ({"fitness": 0.9, "turnover": 0.1}, ("low_fitness", "fail")),
        ({"long_count": 3}, ("too_few_names", "warn")),
        ({"sharpe": None}, ("no_figures", "fail")),
    ],
)
def test_a_figure_beyond_its_limit_is_a_finding(figures: dict[str, float], expected: tuple[str, str]) -> None:
    assert found(of(**figures)) == [expected]


def test_a_strong_negative_signal_has_the_wrong_sign_and_nothing_else_wrong() -> None:
    diagnosis = of(sharpe=-1.6, fitness=-1.2)
    assert found(diagnosis) == [("wrong_sign", "fail")]
    assert diagnosis.rules == ("flip",)


def test_checks_of_the_sharpe_ratio_say_nothing_where_only_the_sign_is_wrong() -> None:
    names = ("LOW_SHARPE", "LOW_SUB_UNIVERSE_SHARPE", "CONCENTRATED_WEIGHT")
    checks = tuple(Check(name=name, result="FAIL") for name in names)
    assert found(of(checks, sharpe=-1.6, fitness=-1.2)) == [("wrong_sign", "fail"), ("concentrated", "fail")]


def test_a_weak_negative_signal_may_have_the_wrong_sign_and_is_weak() -> None:
    assert found(of(sharpe=-0.4, fitness=-0.2, turnover=0.1)) == [
        ("low_sharpe", "fail"),
        ("low_fitness", "fail"),
        ("wrong_sign", "warn"),
    ]


def test_turnover_that_costs_fitness_is_pointed_out() -> None:
    assert found(of(fitness=0.8, turnover=0.4)) == [("low_fitness", "fail"), ("high_turnover", "warn")]


@pytest.mark.parametrize(
    ("check", "name"),
    [
        ("CONCENTRATED_WEIGHT", "concentrated"),
        ("LOW_SUB_UNIVERSE_SHARPE", "sub_universe"),
        ("SELF_CORRELATION", "self_correlated"),
        ("IS_LADDER_SHARPE", "unstable"),
    ],
)
def test_a_failed_check_is_a_finding_and_a_passed_or_open_one_is_not(check: str, name: str) -> None:
    assert found(of((Check(name=check, result="FAIL"),))) == [(name, "fail")]
    assert found(of((Check(name=check, result="WARNING"),))) == [(name, "warn")]
    assert found(of((Check(name=check, result="PASS"),))) == []
    assert found(of((Check(name=check, result="PENDING"),))) == []


def test_the_limits_are_those_of_the_delay_and_the_account() -> None:
    assert found(of(sharpe=1.6)) == []
    made = JobResult("j0001", _proposal("rank(close)"), "completed", stats=Stats.model_validate(GOOD))
    assert found(diagnose(made, bounds=Limits(2.0, 1.3))) == [
        ("low_sharpe", "fail"),
        ("low_fitness", "fail"),
    ]


def test_years_of_another_sign_are_unstable() -> None:
    def years(*sharpes: float | None) -> Recordset:
        rows = tuple((2014 + i, value) for i, value in enumerate(sharpes))
        return Recordset(columns=(Column(name="year"), Column(name="sharpe")), records=rows)

    assert found(of(yearly=years(2.0, -1.0, 2.5, -0.5, 3.0))) == [("unstable", "warn")]
    assert found(of(yearly=years(2.0, -1.0, 2.5, 0.5, 3.0))) == []
    assert found(of(yearly=years(2.0, None, -2.5))) == []


def test_a_failure_is_of_the_expression_or_of_the_simulation() -> None:
    wrong = failed("rank(close", "Unexpected end of input")
    assert found(wrong) == [("expression_error", "fail")]
    assert wrong.findings[0].message.startswith("Unexpected end of input")
    heavy = failed("rank(close)", "Your simulation probably took too much resource")
    assert found(heavy) == [("simulation_error", "fail")]
    assert "shorter" in heavy.rules


def test_a_message_is_never_read_for_words() -> None:
    assert found(failed("rank(close)", "Unexpected end of input")) == [("simulation_error", "fail")]


def test_every_rule_is_one_that_mutations_know() -> None:
    everything = of(sharpe=0.4, fitness=0.1, turnover=0.9, long_count=1)
    assert set(everything.rules) <= set(RULE_NAMES)


def test_a_model_is_asked_after_the_findings_are_there() -> None:
    made = JobResult("j0001", _proposal("rank(close)"), "completed", stats=Stats(sharpe=0.1, fitness=0.0))
    diagnosis = diagnose(made, comment=lambda result, findings: f"{result.job}: {len(findings)}")
    assert diagnosis.comment == "j0001: 2"
