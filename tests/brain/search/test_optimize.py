from __future__ import annotations

import importlib.util
import sys
from collections.abc import Callable
from dataclasses import replace

import pytest
from tests.brain.fakes import CHOICES
from tests.brain.search.results import result

from assay.brain import (
    Check,
    JobResult,
    Proposal,
    SettingsChoices,
    SimulationRequest,
    SimulationSettings,
    Stats,
)
from assay.brain.search import OptimizeSettings, Sampler, SettingsOptimizer
from assay.errors import AssayError

Figure = Callable[[SimulationSettings], float | None]
OPTUNA = pytest.param(
    "optuna",
    marks=pytest.mark.skipif(importlib.util.find_spec("optuna") is None, reason="the extra optuna is absent"),
)


def hill(s: SimulationSettings) -> float:
    """Best at SECTOR, decay 10, truncation 0.05, nanHandling ON; the axes help one another."""
    near = {"SECTOR": 0.5, "INDUSTRY": 0.3}.get(s.neutralization, 0.0)
    steady = 0.4 - abs(s.decay - 10) / 40
    both = 0.3 if (s.truncation, s.nan_handling) == (0.05, "ON") else 0.0
    return 0.5 + near + steady + both - 0.3 * (s.delay == 0)


def start(text: str = "rank(close)", **settings: object) -> Proposal:
    request = SimulationRequest(regular=text, settings=SimulationSettings.model_validate(settings))
    return Proposal(request, direction="d1")


def answer(proposal: Proposal, figure: Figure, sign: float = 1.0, turnover: float = 0.2) -> JobResult:
    value = figure(proposal.request.settings)
    if value is None:
        return JobResult("j", proposal, "failed")
    turned = sign * (-1 if proposal.request.regular.startswith("-") else 1)
    stats = Stats(sharpe=turned * value * 1.3, fitness=turned * value, turnover=turnover)
    return JobResult("j", proposal, "completed", alpha="A", stats=stats)


def search(
    settings: OptimizeSettings | None = None,
    *,
    figure: Figure = hill,
    choices: SettingsChoices = CHOICES,
    sign: float = 1.0,
    slots: int = 3,
    first: Proposal | None = None,
) -> tuple[SettingsOptimizer, list[Proposal]]:
    optimizer = SettingsOptimizer(first or start(), choices, settings)
    asked: list[Proposal] = []
    for _ in range(500):
        proposals = optimizer.ask_round(slots)
        if not proposals:
            break
        asked += proposals
        optimizer.tell([answer(proposal, figure, sign) for proposal in reversed(proposals)])
    assert optimizer.done
    return optimizer, asked


def test_no_settings_are_tried_twice_and_none_that_the_platform_does_not_offer() -> None:
    few = CHOICES.model_copy(
        update={"neutralizations": {"USA": ("MARKET", "SECTOR")}, "delays": {"USA": (1,)}}
    )
    optimizer, asked = search(OptimizeSettings(budget=300, patience=300, sampler="local"), choices=few)
    keys = [p.request.settings_hash for p in asked]
    assert len(set(keys)) == len(keys)
    assert all(not few.problems(p.request.settings) for p in asked)
    assert {p.request.settings.neutralization for p in asked} == {"MARKET", "SECTOR"}
    assert optimizer.why == f"all {2 * 7 * 5 * 2} settings are tested"
    assert len(asked) == 2 * 7 * 5 * 2


def test_each_layer_starts_from_the_best_that_was_tested() -> None:
    optimizer, asked = search(OptimizeSettings(joint=False))
    names = ("neutralization", "decay", "truncation", "delay", "nan_handling")
    assert optimizer.why == "all layers are through"
    assert optimizer.best is not None
    tested = [item.request.settings for item in optimizer.tested]
    assert optimizer.best.request.settings in tested
    best = {name: getattr(optimizer.best.request.settings, name) for name in names}
    assert (best["neutralization"], best["decay"]) == ("SECTOR", 10)
    decays = [p.request.settings for p in asked if p.request.settings.decay not in (5, 10)]
    assert {s.neutralization for s in decays} == {"SECTOR"}
    # 1 start, 4 neutralisations, 6 decays, 9 of delay and truncation, 1 of nanHandling
    assert len(asked) == 1 + 4 + 6 + 9 + 1


@pytest.mark.parametrize("sampler", ["local", OPTUNA])
def test_the_joint_search_finds_what_no_layer_shows(sampler: Sampler) -> None:
    layers, _ = search(OptimizeSettings(joint=False))
    joint, asked = search(OptimizeSettings(budget=150, patience=150, sampler=sampler))
    assert layers.best is not None
    assert joint.best is not None
    found = joint.best.request.settings
    assert (found.neutralization, found.decay, found.truncation, found.nan_handling) == (
        "SECTOR",
        10,
        0.05,
        "ON",
    )
    assert (joint.best.score or 0) > (layers.best.score or 0)
    assert joint.sampler
    assert len({p.request.settings_hash for p in asked}) == len(asked)


@pytest.mark.parametrize("sampler", ["local", OPTUNA])
def test_equal_seeds_search_alike(sampler: Sampler) -> None:
    def path(seed: int) -> list[str]:
        _, asked = search(OptimizeSettings(budget=45, seed=seed, sampler=sampler))
        return [p.request.settings_hash for p in asked]

    assert path(1) == path(1)
    assert path(1) != path(2)


def test_the_order_in_which_results_arrive_changes_nothing() -> None:
    def path(turned: bool) -> list[str]:
        optimizer, asked = SettingsOptimizer(start(), CHOICES, OptimizeSettings(sampler="local")), []
        while proposals := optimizer.ask_round(3):
            asked += [p.request.settings_hash for p in proposals]
            results = [answer(p, lambda s: round(hill(s), 1)) for p in proposals]
            optimizer.tell(reversed(results) if turned else results)
        return asked

    assert path(True) == path(False)


def test_the_budget_is_kept_with_several_slots() -> None:
    optimizer, asked = search(OptimizeSettings(budget=13), slots=8)
    assert len(asked) == optimizer.spent == 13
    assert optimizer.why == "the budget of 13 simulations is spent"


def test_it_stops_at_a_target() -> None:
    optimizer, asked = search(OptimizeSettings(target=1.2))
    assert optimizer.why == "the target of 1.2 is reached"
    assert optimizer.best is not None
    assert (optimizer.best.score or 0) >= 1.2
    assert len(asked) < 15


def test_it_stops_when_nothing_is_gained() -> None:
    optimizer, asked = search(OptimizeSettings(budget=300, patience=6), figure=lambda s: 1.0)
    assert optimizer.why.startswith("no gain of 0.02 in ")
    assert len(asked) < 40


def test_a_negative_start_is_tried_with_the_other_sign() -> None:
    optimizer, asked = search(OptimizeSettings(joint=False), sign=-1.0)
    assert [p.request.regular for p in asked[:3]] == ["rank(close)", "-rank(close)", "-rank(close)"]
    assert optimizer.best is not None
    assert optimizer.best.request.regular == "-rank(close)"
    assert (optimizer.best.result.sharpe or 0) > 0


def test_an_expression_that_fails_is_not_tried_again() -> None:
    optimizer, asked = search(figure=lambda s: None)
    assert len(asked) == 1
    assert optimizer.why.startswith("the expression gave no figures")
    assert optimizer.best is None


def test_failed_settings_are_never_the_best() -> None:
    optimizer, _ = search(
        OptimizeSettings(joint=False), figure=lambda s: None if s.neutralization == "SECTOR" else hill(s)
    )
    assert optimizer.best is not None
    assert optimizer.best.request.settings.neutralization == "INDUSTRY"


def test_turnover_beyond_its_limit_is_worse_than_any_within() -> None:
    optimizer = SettingsOptimizer(start(), CHOICES)
    (first,) = optimizer.ask(1)
    optimizer.tell([answer(first, lambda s: 3.0, turnover=0.9)])
    (second,) = optimizer.ask(1)
    optimizer.tell([answer(second, lambda s: 0.5, turnover=0.3)])
    assert optimizer.best is not None
    assert optimizer.best.request == second.request


def test_a_failed_check_outweighs_a_better_figure() -> None:
    optimizer = SettingsOptimizer(start(), CHOICES)
    (first,) = optimizer.ask(1)
    good = answer(first, lambda s: 1.5)
    failed = (Check(name="CONCENTRATED_WEIGHT", result="FAIL"), Check(name="LOW_SHARPE", result="FAIL"))
    optimizer.tell([replace(good, checks=failed)])
    (second,) = optimizer.ask(1)
    optimizer.tell([replace(answer(second, lambda s: 0.9), checks=failed[1:])])
    assert [item.score for item in optimizer.tested] == [pytest.approx(0.5), pytest.approx(0.9)]
    assert optimizer.best is optimizer.tested[1]


def test_a_delay_is_measured_by_its_own_limit() -> None:
    optimizer, _ = search(OptimizeSettings(joint=False), figure=lambda s: 1.2 if s.delay == 0 else 1.1)
    assert optimizer.best is not None
    assert optimizer.best.request.settings.delay == 1


def test_what_is_known_already_costs_nothing() -> None:
    known = [answer(start(neutralization="SECTOR"), hill)]
    optimizer = SettingsOptimizer(start(), CHOICES, OptimizeSettings(joint=False))
    optimizer.tell(known)
    asked: list[Proposal] = []
    while proposals := optimizer.ask_round(3):
        asked += proposals
        optimizer.tell([answer(p, hill) for p in proposals])
    assert known[0].proposal.request not in [p.request for p in asked]
    assert optimizer.best is not None
    assert optimizer.best.request.settings.neutralization == "SECTOR"


def test_a_job_without_an_answer_is_not_waited_for() -> None:
    optimizer = SettingsOptimizer(start(), CHOICES, OptimizeSettings(budget=2, joint=False))
    first = optimizer.ask(1)
    assert optimizer.ask(1) == ()
    optimizer.forget(first)
    assert optimizer.ask(1) == ()
    assert optimizer.done
    assert optimizer.why == "the expression gave no figures: no answer came"


def test_results_of_other_expressions_teach_nothing() -> None:
    optimizer = SettingsOptimizer(start(), CHOICES)
    optimizer.tell([result("rank(open)", sharpe=9.0, fitness=9.0)])
    assert optimizer.tested == []


def test_optuna_that_is_asked_for_and_absent_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "optuna", None)
    with pytest.raises(AssayError, match="optuna"):
        search(OptimizeSettings(sampler="optuna"))
