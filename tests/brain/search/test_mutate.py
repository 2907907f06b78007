from __future__ import annotations

import pytest
from tests.brain.fakes import CHOICES, FIELDS

from assay.brain import (
    Check,
    JobResult,
    Proposal,
    SimulationRequest,
    SimulationSettings,
    Stats,
)
from assay.brain.fastexpr import check_program, operators
from assay.brain.search import RULE_NAMES, RULES, MutationSpace, TrialId, diagnose, mutate
from assay.errors import ExpressionError
from assay.expr import STANDARD_FIELDS, FieldInfo, parse

SPACE = MutationSpace(choices=CHOICES, partners=("rank(cap)",))
EXPRESSIONS = (
    "close",
    "-rank(ts_delta(close, 5))",
    "rank(-ts_delta(close, 5)) * ts_mean(volume, 21)",
    "group_neutralize(ts_zscore(ts_mean(returns, 21), 63), industry)",
    "a = ts_mean(close, 5); b = ts_std_dev(returns, 21); a > 1 ? a / b : -b",
    "trade_when(volume > ts_mean(volume, 20), rank(-returns), -1)",
)


def proposal(text: str, **settings: object) -> Proposal:
    made = SimulationSettings.model_validate(settings)
    return Proposal(SimulationRequest(regular=text, settings=made), direction="d1")


def result(text: str, checks: tuple[Check, ...] = (), **figures: float) -> JobResult:
    filled = {"fitness": 1.2, "turnover": 0.2, "long_count": 300, "short_count": 300, **figures}
    stats = Stats.model_validate(filled)
    return JobResult("j0007", proposal(text), "completed", alpha="A1", stats=stats, checks=checks)


def texts(text: str, rule: str, space: MutationSpace = SPACE) -> list[str]:
    made = mutate(proposal(text), space=space, most=500)
    return [p.request.regular for p in made if p.origin == rule]


@pytest.mark.parametrize("text", EXPRESSIONS)
def test_every_mutation_is_valid_and_none_is_a_repeat(text: str) -> None:
    made = mutate(proposal(text), space=SPACE, most=500)
    assert len(made) > 20
    keys = [TrialId.of(p.request) for p in made]
    assert len(set(keys)) == len(keys)
    assert TrialId.of(proposal(text).request) not in keys
    for p in made:
        assert parse(p.request.regular, "fastexpr", fields=SPACE.fields).kind in ("number", "any")
        assert not CHOICES.problems(p.request.settings)
        assert p.origin in RULE_NAMES
        assert p.direction == "d1"


@pytest.mark.parametrize("text", [*EXPRESSIONS, "vec_avg(event_score) / close"])
def test_every_mutation_is_what_the_platform_takes_of_every_user(text: str) -> None:
    space = MutationSpace.of(FIELDS, CHOICES, ("rank(cap)",))
    fields = {info.id: info for info in FIELDS}
    for seed in range(5):
        for p in mutate(proposal(text), space=space, most=500, seed=seed):
            assert check_program(p.request.regular, fields, operators("user")) is None, p.request.regular


def test_all_rules_of_all_findings_exist_and_all_rules_can_fire() -> None:
    named = {rule for rules in RULES.values() for rule in rules}
    assert named <= set(RULE_NAMES)
    space = MutationSpace(
        {**SPACE.fields, "sales": FieldInfo("sales")}, choices=CHOICES, partners=("rank(cap)",)
    )
    made = mutate(proposal("rank(ts_mean(sales, 21)) * ts_mean(volume, 21)"), space=space, most=500)
    assert {p.origin for p in made} == set(RULE_NAMES)


def test_a_sign_is_flipped_by_negation_and_flipped_back() -> None:
    assert texts("close / open", "flip") == ["-(close / open)"]
    assert texts("-rank(close)", "flip") == ["rank(close)"]


def test_a_logarithm_is_taken_only_of_what_is_positive_and_where_more_than_order_counts() -> None:
    assert texts("rank(close)", "log") == []
    assert texts("ts_delta(returns, 5)", "log") == []
    assert texts("ts_delta(close, 5)", "log") == ["ts_delta(log(close), 5)"]
    assert texts("ts_delta(log(close), 5)", "log") == []
    assert texts("returns * ts_mean(volume, 21)", "log") == ["returns * log(ts_mean(volume, 21))"]


def test_an_op_is_not_put_around_itself() -> None:
    assert texts("-rank(close)", "rank") == []
    assert texts("group_neutralize(close, sector)", "group_neutralize") == []


def test_a_mean_gives_way_to_a_rank_and_a_zscore_of_the_same_window() -> None:
    assert texts("ts_mean(close, 17)", "ts_rank_for_mean") == ["ts_rank(close, 17)"]
    assert texts("ts_mean(close, 17)", "ts_zscore_for_mean") == ["ts_zscore(close, 17)"]


def test_each_group_that_there_is_is_tried() -> None:
    space = MutationSpace({"close": STANDARD_FIELDS["close"], "own": FieldInfo("own", "group")})
    assert texts("close", "group_neutralize", space) == ["group_neutralize(close, own)"]
    assert texts("close", "group_neutralize", MutationSpace({"close": STANDARD_FIELDS["close"]})) == []


def test_windows_grow_and_shrink_together_and_one_by_one() -> None:
    text = "ts_delta(close, 5) / ts_std_dev(returns, 21)"
    assert texts(text, "longer") == ["ts_delta(close, 10) / ts_std_dev(returns, 42)"]
    assert texts(text, "shorter") == ["ts_delta(close, 3) / ts_std_dev(returns, 10)"]
    assert len(texts(text, "window")) == 4


def test_values_that_may_be_missing_are_carried_on_and_market_data_is_not() -> None:
    space = MutationSpace({**SPACE.fields, "sales": FieldInfo("sales")})
    assert texts("sales / close", "backfill", space) == ["ts_backfill(sales, 63) / close"]


def test_settings_change_only_to_what_the_platform_offers() -> None:
    few = CHOICES.model_copy(update={"neutralizations": {"USA": ("MARKET", "SECTOR")}})
    made = mutate(proposal("close"), space=MutationSpace(choices=few), most=500)
    changed = [p.request.settings.neutralization for p in made if p.origin == "neutralization"]
    assert changed == ["SECTOR"]
    without = mutate(proposal("close"), space=MutationSpace(), most=500)
    assert not {p.origin for p in without} & {"neutralization", "universe"}


def test_the_first_mutations_answer_the_findings_in_turn() -> None:
    tired = result("ts_mean(close, 21)", sharpe=1.5, turnover=0.9)
    findings = diagnose(tired).findings
    made = mutate(tired, findings, space=SPACE, most=3)
    assert [p.origin for p in made] == ["decay_up", "ts_decay_linear", "longer"]
    assert all("turnover 90.0% is above 70%" in p.rationale for p in made)
    assert {p.replaces for p in made} == {"j0007"}


def test_what_is_good_but_for_its_sign_is_flipped_first_and_the_rest_starts_there() -> None:
    wrong = result("ts_delta(close, 5)", sharpe=-1.8, fitness=-1.4, turnover=0.9)
    made = mutate(wrong, diagnose(wrong).findings, space=SPACE, most=3)
    assert made[0].request.regular == "-ts_delta(close, 5)"
    assert made[1].request.regular == "-ts_delta(close, 5)"
    assert made[1].request.settings.decay == 10
    assert made[2].request.regular == "ts_decay_linear(-ts_delta(close, 5), 5)"


def test_the_negative_of_what_earns_is_not_proposed() -> None:
    text = "rank(-ts_delta(close, 5))"
    known = {made.origin for made in mutate(result(text, sharpe=1.5), space=SPACE, most=500)}
    assert known == {made.origin for made in mutate(proposal(text), space=SPACE, most=500)} - {"flip"}


def test_what_was_seen_is_not_proposed_again() -> None:
    first = mutate(proposal("close"), space=SPACE, most=5)
    again = mutate(proposal("close"), space=SPACE, most=5, seen={TrialId.of(p.request) for p in first})
    assert not {p.request for p in first} & {p.request for p in again}


def test_equal_seeds_give_equal_mutations_and_others_differ() -> None:
    def draws(seed: int) -> list[str]:
        made = mutate(proposal("rank(close) * returns"), space=SPACE, most=500, seed=seed)
        return [p.request.regular for p in made]

    assert draws(1) == draws(1)
    assert draws(1) != draws(2)


def test_a_models_expressions_come_first_and_bad_ones_are_told() -> None:
    told: list[tuple[str, str]] = []
    made = mutate(
        proposal("rank(close)"),
        space=SPACE,
        most=2,
        suggest=lambda parent, findings: ["rank(open)", "rank(closee)", "rank("],
        rejected=lambda text, why: told.append((text, why)),
    )
    assert (made[0].origin, made[0].request.regular) == ("model", "rank(open)")
    assert [text for text, _ in told] == ["rank(closee)", "rank("]
    assert all(why for _, why in told)


def test_a_parent_that_cannot_be_read_is_refused() -> None:
    with pytest.raises(ExpressionError, match="closee"):
        mutate(proposal("rank(closee)"), space=SPACE)
