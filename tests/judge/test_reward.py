"""What the hidden periods tell: one rounded number of score, and nothing of eval without a person's token."""

from __future__ import annotations

import hashlib
import math
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import assay.expr._table as table
from assay.base import Operator
from assay.config import DateRange, LookBudgets, PeriodPlan, as_date
from assay.errors import AssayError, Refusal
from assay.expr import Arg, Call, Expression, Field, Op, parse
from assay.judge import (
    JudgeSettings,
    Recording,
    eval_report,
    issue_eval_token,
    judge,
    reference_expressions,
    score_reward,
)
from assay.judge._permit import spend_eval_token
from assay.judge._reward import rounded
from assay.ledger import Ledger, Scope
from assay.market import Panel, simulate

SETTINGS = JudgeSettings(universe="index_a", quantiles=5, min_names=20)
SEED = "ts_corr(open, volume, 10)"
PLANTED = "-ts_skew(returns, 20)"
"""One of the signals that the simulated market holds."""


@pytest.fixture(scope="module")
def market() -> Panel:
    return simulate(5, instruments=200, days=620)


@pytest.fixture(scope="module")
def plan(market: Panel) -> PeriodPlan:
    days = [as_date(day) for day in market.dates]
    spans = [DateRange(days[a], days[b]) for a, b in ((0, 299), (330, 469), (500, 619))]
    return PeriodPlan(search=spans[0], score=spans[1], eval=spans[2], embargo_bars=21)


@pytest.fixture
def recording(tmp_path: Path) -> Recording:
    ledger = Ledger.create(tmp_path / "ledger")
    return Recording(ledger, Operator.system("test"), LookBudgets(score=3, eval=2), desk="evolve")


@pytest.fixture
def reward(market, plan, recording):
    def act(formula, *, seed=SEED, panel=market, settings=SETTINGS):
        expression = formula if isinstance(formula, Expression) else parse(formula)
        return score_reward(
            expression,
            panel,
            baseline=(parse(seed), *reference_expressions(panel)),
            settings=settings,
            recording=recording,
            plan=plan,
        )

    return act


def kinds(recording: Recording) -> list[str]:
    return [entry.kind for entry in recording.ledger.entries()]


def test_the_reward_is_the_difference_of_after_cost_irs(market, plan, recording, reward):
    found = reward(PLANTED)
    hidden = replace(
        SETTINGS, period="score", allow_hidden=True, neutral=False, leak_checks="off", bootstrap=0
    )
    formulas = [PLANTED, SEED, "-ts_return(close, 20)"]
    irs = [verdict.summary["ir"] for verdict in judge(formulas, market, hidden, plan=plan)]
    assert found.floor_reason is None
    assert found.value == rounded(irs[0] - max(irs[1], irs[2], 0.0))


def test_a_call_is_one_look_and_one_trial_without_a_figure(reward, recording):
    reward(PLANTED)
    assert kinds(recording) == ["ledger", "run_start", "look", "trial", "run_stop"]
    trial = next(recording.ledger.entries(kind="trial")).body
    assert (trial["sharpe"], trial["rank_ic"], trial["p_value"], trial["series"]) == (None,) * 4
    assert trial["desk"] == "evolve"
    assert recording.ledger.trials(Scope(data="sim")).n == 1
    reward(PLANTED)
    assert kinds(recording).count("look") == 2
    assert recording.ledger.trials(Scope(data="sim")).n == 1


@pytest.mark.parametrize("change", ["-({})", "3 * ({})", "({}) / -7", "0 - ({})"])
def test_the_seed_with_another_sign_or_scale_is_the_seed_and_reads_nothing(reward, recording, change):
    assert reward(change.format(SEED)).value == 0.0
    assert kinds(recording) == ["ledger"]


def test_a_weak_seed_pays_nothing_because_the_references_stand_beside_it(market, plan, recording):
    weak, strong = parse("ts_mean(volume, 3) / volume"), parse("-ts_return(close, 20)")
    values = [
        score_reward(
            parse(PLANTED), market, baseline=baseline, settings=SETTINGS, recording=recording, plan=plan
        ).value
        for baseline in ((weak, strong), (strong, weak))
    ]
    assert values[0] == values[1]


@pytest.mark.parametrize(
    ("difference", "value"),
    [(0.024, 0.0), (0.026, 0.05), (-0.026, -0.05), (7.0, 1.0), (-7.0, -1.0), (0.974, 0.95), (-0.01, 0.0)],
)
def test_rewards_are_clipped_and_rounded(difference, value):
    assert rounded(difference) == value
    assert math.copysign(1, rounded(difference)) == math.copysign(1, value)


def _oracle(inputs, params):
    """The label itself: perfect knowledge of what comes."""
    (x,) = inputs
    out = np.full(x.shape, np.nan, dtype=np.float32)
    out[:-7] = x[7:] / x[2:-5] - 1
    return out


class _Point:
    def load(self):
        return Op(
            name="oracle",
            category="test",
            args=(Arg("x"),),
            scope="time",
            exponent="scale_free",
            definition="the label itself",
            source="a planted fault",
            evaluate=_oracle,
        )


@pytest.fixture
def oracle(monkeypatch):
    monkeypatch.setattr(table, "entry_points", lambda group: [_Point()])
    table.op_table.cache_clear()
    yield Expression("oracle(close)", "core", Call("oracle", (Field("close"),)))
    table.op_table.cache_clear()


def test_perfect_knowledge_of_the_score_window_fails_the_prefix_test(reward, recording, oracle):
    found = reward(oracle)
    assert (found.value, found.floor_reason) == (-1.0, "leak")
    assert kinds(recording).count("look") == 1


@pytest.mark.parametrize(
    ("formula", "reason"),
    [
        ("where(gt(rank(volume), 0.5), close / delay(close, 3), 0 / 0)", "low_coverage"),
        ("where(gt(abs(returns), 99), 1, 0 / 0)", "low_coverage"),
        ("sign(close)", "undefined"),
    ],
)
def test_unscorable_candidates_earn_the_minimum(reward, formula, reason):
    found = reward(formula)
    assert (found.value, found.floor_reason) == (-1.0, reason)


def test_a_day_needs_thirty_names(reward):
    found = reward("-ts_return(close, 6)", settings=replace(SETTINGS, universe="few"), panel=_few())
    assert (found.value, found.floor_reason) == (-1.0, "low_coverage")


def _few() -> Panel:
    """The same market with a universe of 25 names."""
    from assay.market import universe_from_mask

    data = simulate(5, instruments=200, days=620).data
    members = np.zeros(data.shape, dtype=bool)
    members[:, :25] = True
    universes = {**data.universes, "few": universe_from_mask(members, known_until=data.dates[-1])}
    return Panel(replace(data, universes=universes))


def test_a_price_level_earns_the_minimum_where_the_settings_refuse_it(reward):
    found = reward("-close", settings=replace(SETTINGS, adjustment="refuse"))
    assert (found.value, found.floor_reason) == (-1.0, "adjustment")


def test_noise_is_no_better_than_a_shuffled_cross_section(plan, recording):
    twin = simulate(5, instruments=200, days=620, signal=False)
    found = score_reward(
        parse("ts_corr(open, volume, 7)"),
        twin,
        baseline=(parse(SEED),),
        settings=SETTINGS,
        recording=recording,
        plan=plan,
    )
    assert (found.value, found.floor_reason) == (-1.0, "shuffle")


def test_what_is_gone_one_bar_later_earns_the_minimum(reward):
    strict = replace(SETTINGS.thresholds, min_late_share=1.0)
    found = reward(PLANTED, settings=replace(SETTINGS, thresholds=strict))
    assert (found.value, found.floor_reason) == (-1.0, "late")


def test_over_budget_the_period_stays_shut(reward, recording):
    for _ in range(3):
        reward(PLANTED)
    with pytest.raises(Refusal) as caught:
        reward(PLANTED)
    assert caught.value.reason.code == "look_budget_exhausted"
    assert kinds(recording).count("look") == 3


def test_errors_of_the_hidden_period_are_always_the_same_words(market, recording, plan):
    days = [as_date(day) for day in market.dates]
    short = replace(plan, score=DateRange(days[330], days[333]))
    ended = simulate(5, instruments=200, days=332)
    messages = []
    for panel, wrong, universe in (
        (market, short, "index_a"),
        (ended, plan, "index_a"),
        (market, plan, "no"),
    ):
        with pytest.raises(Refusal) as caught:
            score_reward(
                parse(SEED),
                panel,
                baseline=(),
                settings=replace(SETTINGS, universe=universe),
                recording=recording,
                plan=wrong,
            )
        assert caught.value.reason.code == "score_unavailable"
        assert caught.value.__cause__ is None
        messages.append(str(caught.value.as_dict()))
    assert len(set(messages)) == 1
    assert not any(str(day)[:7] in messages[0] for day in days)


def test_without_a_score_period_there_is_no_reward(market, recording, plan):
    with pytest.raises(Refusal) as caught:
        score_reward(
            parse(SEED),
            market,
            baseline=(),
            settings=SETTINGS,
            recording=recording,
            plan=PeriodPlan(search=plan.search),
        )
    assert caught.value.reason.code == "unknown_period"


def test_eval_opens_for_a_token_as_often_as_it_says(market, plan, recording):
    token = issue_eval_token(recording.ledger, data="sim", uses=1, operator=Operator.human("owner"))
    settings = replace(SETTINGS, leak_checks="quick")

    def act(given: str):
        return eval_report(
            parse(PLANTED),
            market,
            token=given,
            seed=parse(SEED),
            settings=settings,
            recording=recording,
            plan=plan,
        )

    with pytest.raises(Refusal) as caught:
        act("assay-eval-guess")
    assert caught.value.reason.code == "eval_sealed"
    assert "look" not in kinds(recording)
    report = act(token)
    assert report.candidate.days > 50
    assert math.isfinite(report.candidate.ir)
    assert report.seed is not None
    assert report.seed != report.candidate
    assert kinds(recording).count("look") == 2
    with pytest.raises(Refusal) as caught:
        act(token)
    assert caught.value.reason.code == "eval_sealed"


def test_an_agent_cannot_write_itself_a_token(recording):
    issue_eval_token(recording.ledger, data="sim", uses=1, operator=Operator.human("owner"))
    subject = next(iter(recording.ledger.entries(kind="provenance"))).body["subject"]
    token = "a token of its own"
    own = f"{subject.partition(':')[0]}:{hashlib.sha256(token.encode()).hexdigest()}"
    for details in ({"event": "issued", "data": "sim", "uses": 9}, {"data": "sim", "uses": 9}, {}):
        body = {
            "operator": Operator.agent("m", "m-1").as_dict(),
            "subject": own,
            "citations": [],
            "details": details,
        }
        recording.ledger.append("provenance", body)
    with pytest.raises(Refusal) as caught:
        spend_eval_token(recording.ledger, token, data="sim")
    assert caught.value.reason.code == "eval_sealed"


def test_the_ledger_knows_a_token_by_its_hash_alone(recording):
    token = issue_eval_token(recording.ledger, data="sim", uses=2, operator=Operator.human("owner"))
    assert token.encode() not in (recording.ledger.folder / "ledger.jsonl").read_bytes()
    for operator in (Operator.system(), Operator.agent("model", "model-1")):
        with pytest.raises(AssayError, match="may not issue"):
            issue_eval_token(recording.ledger, data="sim", uses=2, operator=operator)
