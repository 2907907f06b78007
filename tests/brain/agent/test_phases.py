from __future__ import annotations

import re
from pathlib import Path

import pytest
from tests.brain.agent.desk import Desk, ScriptedPolicy, by_text, improves, opens, proposal, stats
from tests.brain.scripted import Scripted

from assay.brain import SimulationRequest, Stats
from assay.brain.agent import Briefing, Creative, Improvement, NewDirection, Task

SHAPES = ("rank", "zscore", "sign", "abs", "log", "normalize", "quantile", "winsorize", "scale", "inverse")


def by_window(request: SimulationRequest) -> Stats:
    """The longer the window, the better."""
    found = re.search(r"\d+", request.regular)
    return stats(int(found.group()) / 100 if found else 0.01)


def growing(briefing: Briefing) -> Improvement | Creative:
    """An expression that is better, and of another shape, each round."""
    text = f"{SHAPES[briefing.round % len(SHAPES)]}(ts_mean(close, {briefing.round + 1}))"
    return opens(text) if briefing.phase == "creative" else improves(text)


def phases(desk: Desk, task: Task | None = None) -> list[str]:
    return [line.phase for line in desk.start(task).rounds]


def test_creative_success_leads_to_improvement_at_once(tmp_path: Path) -> None:
    policy = ScriptedPolicy([opens("rank(close)"), improves("rank(open)"), improves("rank(high)")])
    report = Desk(tmp_path, policy, Scripted(figures=by_text(close=0.5, open=0.6, high=0.7))).start()
    assert [line.phase for line in report.rounds[:3]] == ["creative", "improvement", "improvement"]
    assert [briefing.phase for briefing in policy.heard[:4]] == [
        "research", "creative", "improvement", "improvement",
    ]  # fmt: skip
    assert [line.best_sharpe for line in report.rounds[:3]] == [0.5, 0.6, 0.7]
    assert report.stop == "forced"


def test_a_policy_that_opens_nothing_is_not_asked_for_ever(tmp_path: Path) -> None:
    policy = ScriptedPolicy([Creative((), "no usable answer: no JSON"), *[opens("rank(closse)")] * 9])
    report = Desk(tmp_path, policy).start()
    assert (report.stop, len(report.rounds), report.simulations) == ("forced", 3, 0)
    assert report.unmet == ("simulation",)
    assert "3 rounds on end had nothing to run" in report.message


def test_what_a_policy_said_last_is_told_when_it_cannot_go_on(tmp_path: Path) -> None:
    policy = ScriptedPolicy([opens("rank(close)"), *[Creative((), "no usable answer: no JSON")] * 9])
    desk = Desk(tmp_path, policy, Scripted(figures=by_text())).with_settings(empty_rounds=2)
    report = desk.start()
    assert report.stop == "forced"
    assert report.message == "2 rounds on end had nothing to run: no usable answer: no JSON"


def test_who_cannot_go_on_has_converged_if_the_criteria_are_met(tmp_path: Path) -> None:
    policy = ScriptedPolicy([opens("rank(close)")])
    report = Desk(tmp_path, policy, Scripted(figures=by_text(close=2.0))).start()
    assert (report.stop, report.unmet) == ("converged", ())
    assert "the policy proposed nothing" in report.message


def test_without_an_idea_the_policy_finds_one(tmp_path: Path) -> None:
    policy = ScriptedPolicy([opens("rank(close)")], idea="low turnover pays")
    report = Desk(tmp_path, policy).with_settings(stall_rounds=1).start(Task())
    assert report.idea == "low turnover pays"
    assert policy.heard[0].idea == "low turnover pays"


def test_a_creative_round_that_ran_nothing_is_followed_by_another(tmp_path: Path) -> None:
    policy = ScriptedPolicy([Creative(()), opens("rank(closse)"), opens("rank(close)")])
    desk = Desk(tmp_path, policy).with_settings(rounds=4)
    assert phases(desk) == ["creative", "creative", "creative", "improvement"]


def test_improvement_ends_after_eight_rounds_though_each_was_better(tmp_path: Path) -> None:
    policy = ScriptedPolicy([growing] * 20)
    desk = Desk(tmp_path, policy, Scripted(figures=by_window)).with_settings(rounds=20)
    assert phases(desk) == (["creative"] + ["improvement"] * 8) * 2 + ["creative", "improvement"]
    assert any("8 rounds of improvement" in remark for remark in policy.heard[10].remarks)


def test_improvement_ends_after_five_rounds_without_a_better_sharpe_ratio(tmp_path: Path) -> None:
    policy = ScriptedPolicy([opens("rank(close)")])
    desk = Desk(tmp_path, policy).with_settings(rounds=7)
    assert phases(desk) == ["creative", *["improvement"] * 5, "creative"]


def test_the_best_sharpe_ratio_is_no_floor_of_nought(tmp_path: Path) -> None:
    # -0.9, then -0.8 in the fifth round of improvement: strictly better, so the phase goes on
    idle = [Improvement()] * 4
    answers = [opens("rank(close)"), *idle, improves("rank(open)"), *idle, Improvement()]
    platform = Scripted(figures=by_text(close=-0.9, open=-0.8))
    desk = Desk(tmp_path, ScriptedPolicy(answers), platform).with_settings(rounds=10, improvement_rounds=20)
    report = desk.start()
    assert [line.phase for line in report.rounds] == ["creative", *["improvement"] * 9]
    assert report.rounds[0].best_sharpe == -0.9
    assert report.rounds[-1].best_sharpe == -0.8
    assert desk.state().best_sharpe == -0.8


def test_an_equal_sharpe_ratio_is_no_better_one(tmp_path: Path) -> None:
    shapes = [improves(f"{shape}(volume)") for shape in SHAPES[:5]]
    desk = Desk(tmp_path, ScriptedPolicy([opens("rank(close)"), *shapes]), Scripted(figures=by_text()))
    assert phases(desk.with_settings(rounds=7)) == ["creative", *["improvement"] * 5, "creative"]


def test_counters_begin_anew_at_each_switch(tmp_path: Path) -> None:
    desk = Desk(tmp_path, ScriptedPolicy([opens("rank(close)")])).with_settings(rounds=3)
    desk.start()
    assert (desk.state().counters.rounds, desk.state().counters.stagnation) == (2, 2)
    other = Desk(tmp_path / "other", ScriptedPolicy([opens("rank(close)")])).with_settings(rounds=6)
    other.start()
    assert other.state().phase == "done"
    assert (other.state().counters.rounds, other.state().counters.stagnation) == (0, 0)


def abandon(number: int) -> Improvement:
    return Improvement((proposal(f"ts_mean(close, {number})", "d1"),), abandoned=("d1",))


def test_a_direction_is_abandoned_after_three_rounds_of_its_own_and_not_before(tmp_path: Path) -> None:
    policy = ScriptedPolicy([opens("rank(close)"), abandon(2), abandon(3), Improvement((), ("d1",))])
    report = Desk(tmp_path, policy).with_settings(rounds=5).start()
    assert "d1 was not abandoned: it had 1 of 3 rounds that a direction gets" in policy.heard[3].remarks
    assert "d1 was not abandoned: it had 2 of 3 rounds that a direction gets" in policy.heard[4].remarks
    (direction,) = report.directions
    assert (direction.rounds, direction.improvement_count, direction.abandoned) == (3, 2, True)
    assert [line.phase for line in report.rounds] == ["creative", *["improvement"] * 3, "creative"]
    assert any("all directions are abandoned" in remark for remark in policy.heard[5].remarks)


def test_several_improvements_of_one_round_are_one_round(tmp_path: Path) -> None:
    policy = ScriptedPolicy([opens("rank(close)"), improves(*(f"ts_mean(close, {n})" for n in range(2, 6)))])
    report = Desk(tmp_path, policy).with_settings(rounds=2).start()
    assert (report.directions[0].rounds, report.directions[0].improvement_count) == (2, 4)


def test_an_improvement_names_a_direction_that_exists(tmp_path: Path) -> None:
    policy = ScriptedPolicy(
        [opens("rank(close)"), improves("rank(open)", direction=""), improves("rank(high)", direction="d7")]
    )
    platform = Scripted()
    Desk(tmp_path, policy, platform).with_settings(rounds=4).start()
    assert [request.regular for request in platform.posted] == ["rank(close)"]
    assert "is no direction to improve; name one of d1" in policy.heard[3].remarks[0]
    assert "'d7' is no direction to improve" in policy.heard[4].remarks[0]


def test_a_direction_that_takes_most_is_pointed_out(tmp_path: Path) -> None:
    two = Creative(tuple(NewDirection(name, (proposal(f"rank({name})"),)) for name in ("close", "open")))
    more = improves(*(f"ts_mean(close, {n})" for n in (2, 3)))
    last = Improvement((proposal("ts_rank(close, 9)", "d1"), proposal("ts_rank(open, 9)", "d2")))
    policy = ScriptedPolicy([two, more, last])
    Desk(tmp_path, policy).with_settings(rounds=4).start()
    assert policy.heard[3].remarks == ()
    assert policy.heard[4].remarks == ("d1 took 3 of 4 improvements; look at the other directions too",)


def alike(first: int) -> Improvement:
    """Three settings of one structure."""
    made = (proposal(f"ts_mean(close, {first + n})", "d1") for n in range(3))
    return Improvement(tuple(made))


def test_nine_submissions_that_are_nearly_alike_are_a_plateau(tmp_path: Path) -> None:
    policy = ScriptedPolicy(
        [
            opens("ts_mean(close, 2)"),
            alike(3),
            alike(6),
            alike(9),
            opens("rank(open)"),
            alike(12),
            alike(15),
            alike(18),
        ]
    )
    report = Desk(tmp_path, policy, Scripted(figures=by_text())).start()
    assert [line.phase for line in report.rounds[:5]] == ["creative", *["improvement"] * 3, "creative"]
    assert any("9 submissions were nearly alike" in remark for remark in policy.heard[5].remarks)
    assert report.stop == "plateau"
    assert len(report.rounds) == 8


@pytest.mark.parametrize(
    ("changes", "stop", "rounds"),
    [({"rounds": 3}, "rounds", 3), ({"stall_rounds": 4}, "stalled", 5), ({"simulations": 2}, "budget", 2)],
)
def test_limits_end_a_session(tmp_path: Path, changes: dict[str, int], stop: str, rounds: int) -> None:
    policy = ScriptedPolicy([opens("rank(close)"), improves("rank(open)", "rank(high)")])
    report = Desk(tmp_path, policy, Scripted(figures=by_text())).with_settings(**changes).start()
    assert (report.stop, len(report.rounds)) == (stop, rounds)
    assert report.level == "none"
    assert report.unmet == ("sharpe", "fitness")
    assert report.simulations <= report.budget


def test_what_the_budget_has_no_room_for_is_told(tmp_path: Path) -> None:
    policy = ScriptedPolicy([opens("rank(close)", "rank(open)", "rank(high)")])
    platform = Scripted()
    desk = Desk(tmp_path, policy, platform).with_settings(simulations=2)
    report = desk.start()
    assert len(platform.posted) == report.simulations == 2
    assert desk.state().remarks == ("1 proposals were not taken: budget or queue is full",)


def test_a_session_that_begins_with_an_expression_is_given_more_time(tmp_path: Path) -> None:
    policy = ScriptedPolicy([opens("rank(close)"), improves("rank(open)", "rank(high)")])
    desk = Desk(tmp_path, policy, Scripted(figures=by_text())).with_settings(
        stall_rounds=2, stall_rounds_given=6
    )
    report = desk.start(Task(expression="rank(close)"))
    assert (report.stop, len(report.rounds)) == ("stalled", 7)
