"""Quota, claims, and the limits before a round."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.campaign._claim import claim
from assay.campaign._scheduler import quota, slots
from assay.campaign._settings import CampaignConfig, QuotaSettings, StopSettings
from assay.campaign._stop import deadline_passed, stop_before_round, stop_of
from assay.campaign._types import History, SlotPlan
from assay.errors import ProviderAuth, ProviderQuotaExhausted, ProviderTransient, Refusal
from assay.llm import MONEY_BUDGET_EXHAUSTED, ROLE_NOT_CONFIGURED

from .past import history, rounds, trial

TYPES = {"momentum": "a", "reversal": "b", "liquidity": "c"}


def config(slots: int = 12, each: int = 1, seed: int = 0) -> CampaignConfig:
    return CampaignConfig(mechanisms=TYPES, quota=QuotaSettings(slots, each), seed=seed)


@given(slots=st.integers(3, 40), each=st.integers(0, 1), seed=st.integers(0, 9), number=st.integers(1, 9))
def test_every_slot_is_given_and_each_type_gets_its_least(
    slots: int, each: int, seed: int, number: int
) -> None:
    shared = quota(config(slots, each, seed), History(), number)
    assert list(shared) == list(TYPES)
    assert sum(shared.values()) == slots
    assert min(shared.values()) >= each


def test_the_quota_hangs_on_seed_round_and_past_alone() -> None:
    past = history(rounds([trial(1, 0, "admitted"), trial(1, 1)]))
    assert quota(config(), past, 2) == quota(config(), past, 2)
    drawn = {tuple(quota(config(seed=seed), past, 2).values()) for seed in range(8)}
    assert len(drawn) > 1
    assert len({tuple(quota(config(), past, number).values()) for number in range(1, 9)}) > 1


def test_the_rest_goes_where_factors_are_admitted() -> None:
    good = [trial(1, 3 * k, "admitted") for k in range(20)]
    bad = [trial(1, 3 * k + 1) for k in range(20)] + [trial(1, 3 * k + 2, "gate_refused") for k in range(20)]
    shared = quota(config(slots=60, each=2), history(rounds([*good, *bad])), 2)
    assert shared["momentum"] == 56
    assert shared["reversal"] == shared["liquidity"] == 2


def test_a_slot_without_a_candidate_is_no_try() -> None:
    silent = history(rounds([trial(1, k, "no_candidate") for k in range(30)]))
    assert quota(config(), silent, 5) == quota(config(), History(), 5)


def test_slots_of_a_type_are_neighbours() -> None:
    plans = slots({"a": 2, "b": 0, "c": 1}, {1: "r01-s00"})
    assert plans == (SlotPlan(0, "a"), SlotPlan(1, "a", "r01-s00"), SlotPlan(2, "c"))


def test_parents_claim_in_pick_order_while_a_slot_of_their_type_is_free() -> None:
    plans = slots({"momentum": 2, "reversal": 1, "liquidity": 1})
    trials = {t.id: t for t in (trial(1, 0), trial(1, 3), trial(1, 6), trial(1, 1))}
    picks = ("r01-s03", "r01-s01", "r01-s06", "r01-s00")
    assert claim(plans, picks, trials) == {0: "r01-s03", 1: "r01-s06", 2: "r01-s01"}


@pytest.mark.parametrize(
    ("settings", "by"),
    [
        (StopSettings(max_rounds=2), "max_rounds"),
        (StopSettings(max_rounds=3, max_trials=2), "max_trials"),
        (StopSettings(max_rounds=3, patience=1), "patience"),
        (StopSettings(max_rounds=2, max_trials=2, patience=1), "max_rounds"),
        (StopSettings(max_rounds=3, max_trials=3, patience=2), None),
        (StopSettings(max_rounds=None), None),
    ],
)
def test_the_first_limit_that_holds_ends_the_run(settings: StopSettings, by: str | None) -> None:
    past = history(rounds([trial(1, 0, "admitted")], [trial(2, 0), trial(2, 1, "gate_refused")]))
    found = stop_before_round(settings, past)
    assert (None if found is None else found.by) == by


def test_patience_counts_rounds_since_the_last_admission() -> None:
    barren = StopSettings(max_rounds=None, patience=2)
    assert stop_before_round(barren, history(rounds([trial(1, 0)]))) is None
    assert stop_before_round(barren, history(rounds([trial(1, 0)], [trial(2, 0)]))) is not None
    assert stop_before_round(barren, history(rounds([trial(1, 0)], [trial(2, 0, "admitted")]))) is None


def test_the_deadline() -> None:
    day = datetime(2030, 1, 1, tzinfo=UTC)
    settings = StopSettings(deadline=day)
    assert deadline_passed(settings, day.replace(year=2029)) is None
    assert deadline_passed(settings, day) is not None
    assert deadline_passed(replace(settings, deadline=None), day) is None


def test_which_errors_are_stops() -> None:
    quota_gone = stop_of(ProviderQuotaExhausted("top up"))
    assert quota_gone is not None
    assert (quota_gone.by, quota_gone.message) == ("provider_quota", "top up")
    budget = stop_of(Refusal(MONEY_BUDGET_EXHAUSTED))
    assert budget is not None
    assert budget.by == "budget"
    assert stop_of(ProviderTransient("429")) is None
    assert stop_of(ProviderAuth("no")) is None
    assert stop_of(Refusal(ROLE_NOT_CONFIGURED)) is None
