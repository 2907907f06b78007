from __future__ import annotations

from pathlib import Path

from tests.brain.agent.desk import Desk, ScriptedPolicy, by_text, improves, opens, proposal
from tests.brain.scripted import Scripted

from assay.brain import Stats
from assay.brain.agent import Improvement

BAD = ("rank(closse)", "rank(close", "nothing(close)")


def test_what_cannot_work_is_marked_at_once_with_message_and_place_and_costs_nothing(tmp_path: Path) -> None:
    policy = ScriptedPolicy([opens(*BAD, "rank(close)")])
    platform = Scripted()
    report = Desk(tmp_path, policy, platform).with_settings(rounds=2).start()
    assert [request.regular for request in platform.posted] == ["rank(close)"]
    told = policy.heard[2].latest
    assert [result.job for result in told] == ["j0001", "j0002", "j0003", "j0004"]
    assert [result.status for result in told] == ["failed"] * 3 + ["completed"]
    first = told[0].failure
    assert first is not None
    assert first.place is not None
    assert first.message.startswith('Attempted to use unknown variable "closse"')
    assert (first.place.start, first.place.end) == (5, 11)
    assert (report.funnel.proposed, report.funnel.invalid, report.funnel.simulated) == (4, 3, 1)
    assert (report.simulations, report.trials) == (1, 1)


def test_settings_that_the_platform_lacks_cost_nothing(tmp_path: Path) -> None:
    answer = Improvement((proposal("rank(open)", "d1", region="MARS", neutralization="NONE"),))
    policy = ScriptedPolicy([opens("rank(close)"), answer])
    platform = Scripted()
    Desk(tmp_path, policy, platform).with_settings(rounds=3).start()
    assert len(platform.posted) == 1
    failure = policy.heard[3].latest[0].failure
    assert failure is not None
    assert failure.message == 'region: "MARS" is not a valid choice; use one of USA'


def test_the_same_formula_with_the_same_settings_is_not_paid_twice(tmp_path: Path) -> None:
    again = Improvement(
        (
            proposal("rank( close )", "d1"),
            proposal("rank(close)", "d1", decay=9),
            proposal("x = close; rank(x)", "d1", decay=9),
        )
    )
    policy = ScriptedPolicy([opens("rank(close)"), again])
    platform = Scripted()
    report = Desk(tmp_path, policy, platform).with_settings(rounds=3).start()
    assert [request.settings.decay for request in platform.posted] == [5, 9]
    assert report.funnel.duplicate == 2
    assert policy.heard[3].remarks[:2] == (
        "'rank( close )' was not run: it is the same as j0001",
        "'x = close; rank(x)' was not run: it is the same as j0002",
    )


def test_a_strong_negative_signal_is_turned_round_once(tmp_path: Path) -> None:
    policy = ScriptedPolicy([opens("rank(close)", "rank(open)")])
    platform = Scripted(figures=by_text(close=-1.6, open=-1.0))
    report = Desk(tmp_path, policy, platform).with_settings(rounds=2).start()
    assert [request.regular for request in platform.posted] == ["rank(close)", "rank(open)", "-rank(close)"]
    flip = policy.heard[2].latest[-1]
    assert (flip.job, flip.proposal.origin, flip.proposal.replaces) == ("j0003", "flip", "j0001")
    assert (flip.sharpe, flip.proposal.direction) == (1.6, "d1")
    assert report.best == flip


def test_a_flip_that_is_negative_too_is_left_alone(tmp_path: Path) -> None:
    def figures(_: object) -> Stats:
        return Stats(sharpe=-2.0, fitness=-1.0, turnover=0.2)

    platform = Scripted(figures=figures)
    Desk(tmp_path, ScriptedPolicy([opens("rank(close)")]), platform).with_settings(rounds=2).start()
    assert len(platform.posted) == 2


def test_a_flip_fits_the_budget_and_is_no_repeat(tmp_path: Path) -> None:
    platform = Scripted(figures=by_text(close=-1.6))
    policy = ScriptedPolicy([opens("rank(close)")])
    assert Desk(tmp_path, policy, platform).with_settings(simulations=1).start().stop == "budget"
    assert len(platform.posted) == 1
    both = Scripted(figures=by_text(close=-1.6))
    policy = ScriptedPolicy([opens("rank(close)", "-rank(close)"), improves("rank(open)")])
    Desk(tmp_path / "both", policy, both).with_settings(rounds=2).start()
    assert [request.regular for request in both.posted] == ["rank(close)", "-rank(close)", "rank(open)"]
