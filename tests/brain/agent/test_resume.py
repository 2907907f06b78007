"""Killed anywhere and gone on with: the record of a session that nobody stopped, and nothing paid twice."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from tests.brain.agent.desk import Desk, ScriptedPolicy, by_text, improves, opens
from tests.brain.agent.test_rounds import FIGURES, eager, without_ids
from tests.brain.scripted import Scripted, passing

from assay.brain import BiometricRequired, SimulationRequest, SlotsFull
from assay.brain.agent import KnowledgeBase, KnowledgeEntry, SessionKnowledge, Task, session_report
from assay.config import BrainClientSettings
from assay.errors import (
    AssayError,
    ProviderAuth,
    ProviderBadReply,
    ProviderQuotaExhausted,
    ProviderTransient,
    Refusal,
)
from assay.ledger import Run


class Killed(BaseException):
    """The process is gone."""


@dataclass
class Mortal(Scripted):
    """Is killed at a call of the platform, before it or after it."""

    kill_at: int = -1
    after: bool = False
    calls: int = 0

    def _fault(self, method: str) -> None:
        super()._fault(method)
        if method == "started":
            return
        if self.calls == self.kill_at and not self.after:
            self.kill_at = -1
            raise Killed
        self.calls += 1

    def start(self, requests: Sequence[SimulationRequest]) -> str:
        location = super().start(requests)
        if self.after and self.calls > self.kill_at >= 0:
            self.kill_at = -1
            raise Killed
        return location


def policy() -> ScriptedPolicy:
    return ScriptedPolicy([opens("rank(close)", "rank(open)", "rank(high)", "rank(low)"), eager])


def desk(root: Path, platform: Scripted, **more: Any) -> Desk:
    return Desk(root, policy(), platform, more=more).with_settings(rounds=2)


def uninterrupted(root: Path) -> tuple[bytes, int, int]:
    platform = Mortal(figures=FIGURES)
    made = desk(root, platform)
    made.start()
    return made.export(), len(platform.posted), platform.calls


def until_done(made: Desk, kill_at: int) -> None:
    platform = made.platform
    assert isinstance(platform, Mortal)
    platform.kill_at = kill_at
    try:
        made.start()
    except Killed:
        made.resume()


@pytest.mark.parametrize("after", [False, True])
def test_killed_at_any_call_of_the_platform(tmp_path: Path, after: bool) -> None:
    export, posted, calls = uninterrupted(tmp_path / "plain")
    assert calls > 40
    for kill_at in range(0, calls, 14):
        platform = Mortal(figures=FIGURES, after=after)
        made = desk(tmp_path / f"killed-{kill_at}", platform)
        until_done(made, kill_at)
        assert without_ids(made.export()) == without_ids(export), kill_at
        # a request that went out and left no trace is looked for, and sent once more
        assert posted <= len(platform.posted) <= posted + after, kill_at


def dying(patch: pytest.MonkeyPatch, kill_at: int) -> None:
    """Let the process be killed before its record of that number."""
    left = [kill_at]

    def wrapped(real: Any) -> Any:
        def append(self: Run, *given: Any, **more: Any) -> Any:
            left[0] -= 1
            if left[0] < 0:
                raise Killed
            return real(self, *given, **more)

        return append

    patch.setattr(Run, "append", wrapped(Run.append))
    patch.setattr(Run, "append_many", wrapped(Run.append_many))


def test_killed_between_any_two_records(tmp_path: Path) -> None:
    export, posted, _ = uninterrupted(tmp_path / "plain")
    batches = export.count(b"\n") - export.count(b'"kind":"trial"')
    assert batches > 15
    # run_start is the first record, begun the second, and run_stop the last
    for kill_at in (*range(2, batches, 3), batches + 1):
        platform = Mortal(figures=FIGURES)
        made = desk(tmp_path / f"killed-{kill_at}", platform)
        with pytest.MonkeyPatch.context() as patch:
            dying(patch, kill_at)
            with pytest.raises(Killed):
                made.start()
        made.resume()
        assert made.export() == export, kill_at
        assert len(platform.posted) == posted, kill_at


def test_what_was_killed_before_it_had_begun_is_named(tmp_path: Path) -> None:
    made = desk(tmp_path, Mortal(figures=FIGURES))
    with pytest.MonkeyPatch.context() as patch:
        dying(patch, 1)
        with pytest.raises(Killed):
            made.start()
    with pytest.raises(Refusal) as caught:
        made.resume()
    assert caught.value.reason.code == "nothing_begun"


def test_a_session_that_has_ended_is_not_gone_on_with(tmp_path: Path) -> None:
    made = desk(tmp_path, Mortal(figures=FIGURES))
    made.start()
    with pytest.raises(Refusal, match="finished"):
        made.resume()


def test_changed_settings_stop_a_resume_and_are_named(tmp_path: Path) -> None:
    platform = Mortal(figures=FIGURES, kill_at=9)
    made = desk(tmp_path, platform)
    with pytest.raises(Killed):
        made.start()
    with pytest.raises(Refusal) as caught:
        made.with_settings(min_sharpe=0.5).resume()
    assert caught.value.reason.code == "inputs_changed"
    assert "inputs.settings" in str(caught.value)


def test_two_processes_are_not_at_one_run(tmp_path: Path) -> None:
    made = desk(tmp_path, Mortal(figures=FIGURES))

    def again(_: object) -> None:
        with pytest.raises(Refusal) as caught:
            desk(tmp_path, Mortal(figures=FIGURES)).resume()
        assert caught.value.reason.code == "run_busy"

    made.more = {"observer": again}
    made.start()


STOPS = [
    BiometricRequired("a person has to sign in", url="https://api.worldquantbrain.com/persona"),
    ProviderAuth("INVALID_CREDENTIALS", status=401),
    ProviderQuotaExhausted("Daily simulation limit reached. Please try tomorrow (EST time zone)."),
]


@pytest.mark.parametrize("method", ["start", "poll", "alpha", "recordset"])
@pytest.mark.parametrize("error", STOPS)
def test_credentials_and_quota_pause_a_session(tmp_path: Path, method: str, error: AssayError) -> None:
    export, posted, _ = uninterrupted(tmp_path / "plain")
    platform = Mortal(figures=FIGURES)
    platform.faults[method].extend([error])
    made = desk(tmp_path / "paused", platform)
    report = made.start()
    assert (report.stop, error.message in report.message) == ("paused", True)
    assert (error.fix or "") in report.message
    assert made.ledger.run("s1").state().stopped == "stopped"
    assert made.resume().stop == "rounds"
    assert without_ids(made.export()) == without_ids(export)
    assert len(platform.posted) == posted


@pytest.mark.parametrize("method", ["poll", "alpha", "start"])
def test_an_outage_that_lasts_pauses_and_no_verdict_is_passed(tmp_path: Path, method: str) -> None:
    platform = Mortal(figures=FIGURES)
    platform.faults[method].extend(passing() for _ in range(40))
    platform.faults["user_alphas"].extend(passing() for _ in range(40 if method == "start" else 0))
    made = desk(tmp_path / "paused", platform).with_settings(background_polls=4)
    report = made.start()
    assert (report.stop, report.message) == ("paused", "HTTP 503")
    assert report.funnel.failed == 0
    platform.faults.clear()
    assert made.resume().stop == "rounds"
    other = Mortal(figures=FIGURES)
    plain = desk(tmp_path / "plain", other).with_settings(background_polls=4)
    plain.start()
    assert without_ids(made.export()) == without_ids(plain.export())
    assert len(platform.posted) == len(other.posted)


def test_slots_that_others_hold_for_good_pause_a_session(tmp_path: Path) -> None:
    platform = Mortal(figures=FIGURES, taken_by_others=3)
    made = desk(tmp_path, platform)
    made.client = BrainClientSettings(simulation_timeout=60)
    report = made.start()
    assert report.stop == "paused"
    assert "others have held every slot" in report.message
    platform.taken_by_others = 1
    assert made.resume().stop == "rounds"
    assert SlotsFull.kind == "slots_full"


def test_an_outage_of_the_model_pauses_and_its_answer_is_asked_for_again(tmp_path: Path) -> None:
    first = opens("rank(close)")
    made = Desk(tmp_path, ScriptedPolicy([first, ProviderTransient("the model is down")])).with_settings(
        rounds=3
    )
    report = made.start()
    assert (report.stop, report.message, len(report.rounds)) == ("paused", "the model is down", 1)
    made.policy = ScriptedPolicy([first, improves("rank(open)")])
    report = made.resume()
    assert (report.stop, report.simulations) == ("rounds", 2)


def test_a_simulation_that_never_ends_is_given_up_without_a_verdict(tmp_path: Path) -> None:
    @dataclass
    class Endless(Scripted):
        def start(self, requests: Sequence[SimulationRequest]) -> str:
            self.never_ends = "open" in requests[0].regular
            return super().start(requests)

    made = Desk(
        tmp_path,
        ScriptedPolicy([opens("rank(open)", "rank(close)"), improves("rank(high)")]),
        Endless(figures=by_text()),
        client=BrainClientSettings(simulation_timeout=60),
    ).with_settings(rounds=2, background_polls=2)
    report = made.start()
    assert [result.job for result in report.results] == ["j0002", "j0003"]
    assert report.funnel.failed == 0
    (remark,) = made.policy.heard[2].remarks
    assert remark.startswith("j0001 was given up, which says nothing about the expression")
    assert report.trials == 2


def test_a_location_that_the_platform_has_lost_is_started_once_more(tmp_path: Path) -> None:
    from assay.brain import UNKNOWN_ALPHA

    platform = Mortal(figures=FIGURES)
    platform.faults["poll"].append(Refusal(UNKNOWN_ALPHA, "Not found."))
    made = desk(tmp_path, platform)
    report = made.start()
    assert report.stop == "rounds"
    assert report.funnel.failed == 0
    export, posted, _ = uninterrupted(tmp_path / "plain")
    assert without_ids(made.export()) == without_ids(export)
    assert len(platform.posted) == posted + 1


def test_garbage_for_an_alpha_is_no_figure_of_nought(tmp_path: Path) -> None:
    platform = Mortal(figures=FIGURES)
    platform.faults["alpha"].extend([ProviderBadReply("HTML instead of JSON")] * 5)
    made = desk(tmp_path, platform)
    made.start()
    assert made.export() == uninterrupted(tmp_path / "plain")[0]


def test_a_field_that_is_taken_away_fails_its_factors_and_not_the_session(tmp_path: Path) -> None:
    @dataclass
    class Shrinking(Scripted):
        gone: list[str] = field(default_factory=list)

        def start(self, requests: Sequence[SimulationRequest]) -> str:
            if len(self.posted) == 1:
                self.fields = tuple(info for info in self.fields if info.id != "equity")
                self.figures = lambda request: (
                    'Attempted to use unknown variable "equity"'
                    if "equity" in request.regular
                    else by_text()(request)
                )
            return super().start(requests)

    answers = [opens("rank(equity)"), improves("zscore(equity)", "rank(open)"), improves("sign(equity)")]
    platform = Shrinking(figures=by_text())
    made = Desk(tmp_path, ScriptedPolicy(answers), platform).with_settings(rounds=4)
    report = made.start()
    assert [result.status for result in report.results] == ["completed", "failed", "completed", "failed"]
    posted = [request.regular for request in platform.posted]
    assert posted == ["rank(equity)", "zscore(equity)", "rank(open)"]
    assert (report.funnel.failed, report.funnel.invalid) == (1, 1)
    failures = [result.failure for result in report.results if result.failure is not None]
    assert all("unknown variable" in failure.message for failure in failures)


@pytest.mark.parametrize(
    ("task", "code", "said"),
    [
        ({"region": "MARS"}, "bad_settings", '"MARS" is not a valid choice'),
        ({"data_set": "nothing9"}, "unknown_data", "take one of: pv1"),
    ],
)
def test_what_the_platform_lacks_is_refused_before_anything_is_recorded(
    tmp_path: Path, task: dict[str, str], code: str, said: str
) -> None:
    from assay.brain import SimulationSettings

    settings = SimulationSettings(region=task.get("region", "USA"))
    made = desk(tmp_path, Mortal())
    with pytest.raises(Refusal) as caught:
        made.start(Task("an idea", data_set=task.get("data_set", ""), settings=settings))
    assert caught.value.reason.code == code
    assert said in f"{caught.value.message} {caught.value.fix}"
    assert list(made.ledger.entries(run="s1")) == []


def test_a_data_set_is_its_own_research(tmp_path: Path) -> None:
    made = desk(tmp_path, Mortal(figures=FIGURES))
    made.start(Task("prices come back", data_set="fundamental6"))
    assert made.policy.heard[0].phase == "creative"
    assert made.policy.heard[0].research.fields == ("equity",)
    assert made.policy.heard[0].data_set == "fundamental6"


def test_an_expression_is_the_first_direction_and_its_critique_reaches_the_policy(tmp_path: Path) -> None:
    platform = Mortal(figures=FIGURES)
    made = Desk(tmp_path, ScriptedPolicy([opens("rank(volume)"), improves("rank(open)")]), platform)
    report = made.with_settings(rounds=3).start(Task(expression="rank(close)", critique="too much turnover"))
    assert platform.posted[0].regular == "rank(close)"
    assert report.directions[0].hypothesis == "the given expression"
    heard = [(briefing.phase, briefing.critique) for briefing in made.policy.heard]
    assert heard == [
        ("research", "too much turnover"),
        ("improvement", "too much turnover"),
        ("improvement", ""),
    ]
    assert made.policy.heard[1].expression == "rank(close)"


def test_results_are_handed_on_round_by_round_and_again_after_a_resume(tmp_path: Path) -> None:
    kept: list[list[str]] = []
    policy = ScriptedPolicy([opens("rank(close)", "rank(open)"), improves("rank(high)")])
    made = Desk(
        tmp_path, policy, more={"keep": lambda results: kept.append([r.job for r in results])}
    ).with_settings(rounds=2)
    policy.answers = [policy.answers[0], ProviderTransient("no answer")]
    assert made.start().stop == "paused"
    assert kept == [["j0001", "j0002"]]
    policy.answers = [policy.answers[0], improves("rank(high)")]
    assert made.resume().stop == "rounds"
    assert kept == [["j0001", "j0002"], ["j0001", "j0002"], ["j0003"]]


def test_a_critic_steers_the_next_round_and_may_stop(tmp_path: Path) -> None:
    said = iter(["fewer trades", "", None])
    made = desk(tmp_path, Mortal(figures=FIGURES), critic=lambda status: next(said))
    made.with_settings(rounds=9)
    report = made.start()
    assert (report.stop, len(report.rounds)) == ("interrupted", 3)
    assert [briefing.critique for briefing in made.policy.heard] == ["", "", "fewer trades", ""]
    made.more = {}
    assert made.resume().stop == "rounds"


def entry(topic: str, insight: str = "as found") -> KnowledgeEntry:
    return KnowledgeEntry("", topic, insight, ("operator", "no such tag"))


def test_knowledge_is_kept_two_a_round_ten_a_session_and_reaches_the_next_one(tmp_path: Path) -> None:
    base = KnowledgeBase(tmp_path / "brain" / "knowledge_base.json")
    many = [
        improves(f"ts_mean(close, {n})", knowledge=tuple(entry(f"mean {n} {k}") for k in range(3)))
        for n in range(2, 10)
    ]
    answers = [opens("rank(close)"), *many]
    made = Desk(tmp_path, ScriptedPolicy(answers), Scripted(figures=by_text()))
    made.more = {"knowledge": SessionKnowledge(base, 2, 10)}
    made.with_settings(rounds=9, stagnation_rounds=99, improvement_rounds=99)
    report = made.start()
    assert len(report.knowledge) == len(base.entries()) == 10
    assert [item.topic for item in report.knowledge[:3]] == ["mean 2 0", "mean 2 1", "mean 3 0"]
    assert report.knowledge[0].tags == ("operator",)
    other = Desk(tmp_path, ScriptedPolicy(), Scripted(), run_id="s2")
    other.more = {"knowledge": SessionKnowledge(base, 2, 10)}
    other.with_settings(rounds=1).start(Task("mean 4 of close"))
    assert other.policy.heard[0].knowledge[0].topic.startswith("mean 4")
    found = Desk(tmp_path, ScriptedPolicy(idea="mean 5"), Scripted(), run_id="s3")
    found.more = {"knowledge": SessionKnowledge(base, 2, 10)}
    found.with_settings(rounds=1).start(Task())
    assert found.policy.heard[0].knowledge[0].topic.startswith("mean 5")


def test_held_figures_are_in_the_report_and_in_no_briefing(tmp_path: Path) -> None:
    from assay.brain import Stats

    asked: list[str] = []

    def held(request: SimulationRequest) -> Stats:
        asked.append(request.regular)
        return Stats(sharpe=0.123456, fitness=0.654321)

    made = desk(tmp_path, Mortal(figures=by_text(close=1.9)), held=held)
    report = made.start()
    assert asked == ["rank(close)"]
    assert report.held["j0001"].held.sharpe == 0.123456
    assert report.held["j0001"].in_sample.sharpe == 1.9
    assert "0.123456" not in "".join(map(repr, made.policy.heard))
    assert session_report(made.ledger.run("s1")) == report
