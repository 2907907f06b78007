"""Stops in mid-round, resumes, and what a resume is held to."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from assay.base import Operator
from assay.campaign._campaign import CampaignSetup
from assay.campaign._pools import Pools
from assay.campaign._settings import CampaignConfig, FileSettings, QuotaSettings, StopSettings
from assay.campaign._types import PoolFactor
from assay.config import BackendSettings, LlmLimits, LlmSettings, RoleSettings
from assay.errors import ProviderAuth, ProviderQuotaExhausted, ProviderTransient, Refusal
from assay.expr import parse
from assay.ledger import Scope
from assay.llm import Request

from . import crash, desk

CONFIG = desk.config(roles=desk.ALL_MODELS)


@pytest.fixture
def place(tmp_path: Path) -> desk.Place:
    made = desk.Place(tmp_path / "w")
    made.root.mkdir()
    made.ledger()
    return made


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> crash.Left:
    return crash.uninterrupted(tmp_path_factory.mktemp("whole"))[0]


def failing(when: Callable[[Request], bool], error: Exception) -> Callable[[Request], Any]:
    return lambda request: error if when(request) else desk.reply(request)


def review_of_2(request: Request) -> bool:
    """The first review of round 2's first group: proposals are made, nothing is evaluated."""
    return "Candidates" in request.messages[1].content and request.messages[1].content.startswith("## ")


def rounds(place: desk.Place) -> list[tuple[int, str]]:
    entries = place.ledger().run(desk.RUN).entries(kind="round")
    return [(entry.body["number"], entry.body["outcome"]) for entry in entries]


# provider_quota


def test_an_exhausted_quota_drops_the_round_and_a_resume_runs_it_again(
    place: desk.Place, whole: crash.Left
) -> None:
    error = ProviderQuotaExhausted("insufficient balance")
    calls = 0

    def poor(request: Request) -> Any:
        nonlocal calls
        calls += 1
        return error if calls == 9 else desk.reply(request)

    first = place.campaign(place.setup(CONFIG, backends=desk.models(say=poor))).run()
    assert (first.stop.by, first.stop.message) == ("provider_quota", "insufficient balance")
    assert rounds(place)[-1][1] == "dropped"
    assert json.loads(place.leavings()["state.json"])["stop"]["by"] == "provider_quota"
    state = place.ledger().run(desk.RUN).state()
    assert (state.open, state.stopped) == (False, "stopped")
    answered = sum(e.body["error"] is None for e in place.ledger().run(desk.RUN).entries(kind="llm_call"))

    asked: list[Request] = []

    def rich(request: Request) -> Any:
        asked.append(request)
        return desk.reply(request)

    second = place.campaign(place.setup(CONFIG, backends=desk.models(say=rich))).resume()
    assert second.stop.by == "max_rounds"
    assert crash.Left.of(place) == whole
    total = sum(e.body["error"] is None for e in place.ledger().run(desk.RUN).entries(kind="llm_call"))
    assert len(asked) == total - answered, "what was answered before is not paid again"


def test_all_groups_make_their_call_before_a_round_is_dropped(place: desk.Place) -> None:
    """Which calls are made must not depend on which group is told first that the money is gone."""

    def poor(request: Request) -> Any:
        user = request.messages[1].content
        if "## Directions" in user and "slot 0 |" in user:
            return ProviderQuotaExhausted("empty")
        return desk.reply(request)

    place.campaign(place.setup(CONFIG, backends=desk.models(say=poor))).run()
    calls = [e.body for e in place.ledger().run(desk.RUN).entries(kind="llm_call")]
    assert Counter(body["role"] for body in calls) == {"planner": 1, "proposer": 2}


# budget, deadline


def test_an_exhausted_budget_drops_the_round(place: desk.Place, whole: crash.Left) -> None:
    llm = LlmSettings(
        backends={"scripted": BackendSettings(name="scripted", kind="scripted")},
        roles={name: RoleSettings("scripted", "m") for name in desk.MODEL_ROLES},  # type: ignore[misc]
        limits=LlmLimits(calls=8),
    )
    stop = place.campaign(place.setup(CONFIG, backends=desk.models(settings=llm))).run().stop
    assert stop.by == "budget"
    assert "8 calls" in stop.message
    assert place.campaign(place.setup(CONFIG)).resume().stop.by == "max_rounds"
    assert crash.Left.of(place) == whole


class Watch:
    """A clock that moves on by an hour whenever it is asked."""

    def __init__(self) -> None:
        self.hours = 0

    def now(self) -> datetime:
        self.hours += 1
        return datetime.fromtimestamp(3600 * self.hours, UTC)


def test_a_deadline_drops_the_round_and_a_later_one_resumes_it(place: desk.Place, whole: crash.Left) -> None:
    soon = replace(CONFIG.stop, deadline=datetime.fromtimestamp(3600 * 60, UTC))
    stop = place.campaign(place.setup(replace(CONFIG, stop=soon)), clock=Watch()).run().stop
    assert stop.by == "deadline"
    assert rounds(place)[-1][1] == "dropped"
    place.campaign(place.setup(CONFIG)).resume()
    left = crash.Left.of(place)
    assert left.export == whole.export
    # the config that it began with has the first deadline
    assert {name for name, _ in set(left.files) ^ set(whole.files)} == {"snapshot/campaign.json"}


@pytest.mark.parametrize("error", [ProviderTransient("503"), ProviderAuth("401")])
def test_another_failure_of_a_service_is_raised_and_can_be_resumed(
    place: desk.Place, whole: crash.Left, error: Exception
) -> None:
    llm = LlmSettings(
        backends={"scripted": BackendSettings(name="scripted", kind="scripted", retries=0)},
        roles={name: RoleSettings("scripted", "m") for name in desk.MODEL_ROLES},  # type: ignore[misc]
    )
    backends = desk.models(say=failing(review_of_2, error), settings=llm)
    with pytest.raises(type(error)):
        place.campaign(place.setup(CONFIG, backends=backends)).run()
    assert place.ledger().run(desk.RUN).state().stopped == "stopped"
    place.campaign(place.setup(CONFIG)).resume()
    assert crash.Left.of(place) == whole


# a dropped round's trials


def test_trials_of_a_dropped_round_count_once(place: desk.Place, whole: crash.Left) -> None:
    _, operations = crash.uninterrupted(place.root / "other")
    at = next(n for n, name in enumerate(operations) if name == "write state.json" and n > 60)
    struck = None
    for point in range(at, len(operations)):
        other = desk.Place(place.root / f"at-{point}")
        other.root.mkdir()
        other.ledger()
        with pytest.raises(crash.Killed):
            crash.begin(other, crash.Deadline(point))
        kinds = [e.kind for e in other.ledger().run(desk.RUN).entries()]
        if kinds[-1] == "trial":
            struck = other
            break
    assert struck is not None, "no point leaves trials without their round"
    before = struck.ledger().trials(Scope(runs=(desk.RUN,)), within=desk.RUN).n
    crash.begin(struck, crash.Deadline())
    trials = [e.body["fingerprint"] for e in struck.ledger().run(desk.RUN).entries(kind="trial")]
    assert len(trials) == len(set(trials))
    assert struck.ledger().trials(Scope(runs=(desk.RUN,))).n == len(trials) > before > 0
    assert crash.Left.of(struck) == whole


# what a resume is held to


def stopped(place: desk.Place, setup: CampaignSetup) -> None:
    """The run, stopped in its second round."""
    from assay.campaign._stop import Stop

    place.campaign(setup, halt=lambda n, _: Stop("deadline", "x") if n == 2 else None).run()


@pytest.mark.parametrize("name", ["fields.toml", "ops.toml", "templates/reviewer.system.md"])
def test_a_changed_file_fails_the_resume_and_is_named(place: desk.Place, tmp_path: Path, name: str) -> None:
    (tmp_path / "templates").mkdir()
    for file in ("fields.toml", "ops.toml", "templates/reviewer.system.md"):
        (tmp_path / file).write_text("# as it was\n")
    files = FileSettings(tmp_path / "fields.toml", tmp_path / "ops.toml", tmp_path / "templates")
    config = replace(CONFIG, files=files)
    stopped(place, place.setup(config))
    (tmp_path / name).write_text("# changed\n")
    before = place.ledger().verify().head
    with pytest.raises(Refusal, match="other values") as caught:
        place.campaign(place.setup(config)).resume()
    assert caught.value.reason.code == "inputs_changed"
    assert list(caught.value.details["changed"]) == [f"inputs.file:{name}"]
    assert place.ledger().verify().head == before, "nothing was recorded"
    (tmp_path / name).write_text("# as it was\n")
    assert place.campaign(place.setup(config)).resume().stop.by == "max_rounds"


@pytest.mark.parametrize(
    ("change", "name"),
    [
        ({"seed": 1}, "inputs.config:seed"),
        ({"quota": QuotaSettings(5)}, "inputs.config:quota.slots"),
        ({"context": replace(CONFIG.context, recent_rounds=9)}, "inputs.config:context.recent_rounds"),
    ],
)
def test_a_changed_setting_fails_the_resume_and_is_named(
    place: desk.Place, change: dict[str, Any], name: str
) -> None:
    stopped(place, place.setup(CONFIG))
    with pytest.raises(Refusal) as caught:
        place.campaign(place.setup(replace(CONFIG, **change))).resume()
    assert name in caught.value.details["changed"]


def test_changed_data_fail_the_resume(place: desk.Place) -> None:
    stopped(place, place.setup(CONFIG))
    with pytest.raises(Refusal) as caught:
        place.campaign(place.setup(CONFIG, inputs={"data:fake": "1" * 64})).resume()
    assert list(caught.value.details["changed"]) == ["inputs.data:fake"]


def test_the_stop_limits_may_change(place: desk.Place) -> None:
    stopped(place, place.setup(CONFIG))
    chosen = replace(CONFIG, stop=StopSettings(max_rounds=2))
    assert place.campaign(place.setup(chosen)).resume().stop.by == "max_rounds"


def factor(text: str) -> PoolFactor:
    return PoolFactor("mine", "known", parse(text), known=True)


def test_changed_pools_stop_a_resume_unless_they_are_accepted(place: desk.Place) -> None:
    stopped(place, place.setup(CONFIG))
    changed = place.setup(CONFIG, pools=Pools(known=(factor("rank(close)"),)))
    with pytest.raises(Refusal) as caught:
        place.campaign(changed).resume()
    assert caught.value.reason.code == "pools_changed"
    assert "known" in caught.value.message
    assert place.campaign(changed).resume(accept_changed_pools=True).stop.by == "max_rounds"
    resumed = [e.body for e in place.ledger().run(desk.RUN).entries(kind="run_resume")]
    assert [body["accepted"] for body in resumed] == [["pool:known"]]
    pools = [e.body["pools"] for e in place.ledger().run(desk.RUN).entries(kind="round") if "pools" in e.body]
    assert pools[0]["reference"] == pools[-1]["reference"]
    assert pools[0]["known"] != pools[-1]["known"]


def test_accepted_pools_are_those_that_the_next_resume_is_held_to(place: desk.Place) -> None:
    from assay.campaign._stop import Stop

    stopped(place, place.setup(CONFIG))
    changed = place.setup(CONFIG, pools=Pools(known=(factor("rank(close)"),)))
    place.campaign(changed, halt=lambda n, _: Stop("deadline", "x") if n == 3 else None).resume(
        accept_changed_pools=True
    )
    with pytest.raises(Refusal, match="known"):
        place.campaign(place.setup(CONFIG)).resume()
    assert place.campaign(changed).resume().stop.by == "max_rounds"


def test_another_commit_warns_and_is_listed(place: desk.Place) -> None:
    stopped(place, place.setup(CONFIG))
    result = place.campaign(place.setup(CONFIG, commits=("assay test", "commit 42"))).resume()
    assert len(result.warnings) == 1
    assert "commit 42" in result.warnings[0]
    assert json.loads(place.leavings()["state.json"])["commits"] == ["assay test", "commit 42"]


def test_a_finished_run_is_not_resumed_and_no_run_begins_twice(place: desk.Place) -> None:
    place.campaign(place.setup(CONFIG)).run()
    with pytest.raises(Refusal) as caught:
        place.campaign(place.setup(CONFIG)).resume()
    assert caught.value.reason.code == "run_ended"
    files = place.leavings()
    with pytest.raises(Refusal) as caught:
        place.campaign(place.setup(replace(CONFIG, seed=5))).run()
    assert (caught.value.reason.code, caught.value.fix) == ("run_exists", "choose another id")
    assert place.leavings() == files


def test_a_start_of_a_run_that_was_stopped_names_the_command_that_goes_on(place: desk.Place) -> None:
    stopped(place, place.setup(CONFIG))
    campaign = place.campaign(place.setup(CONFIG))
    with pytest.raises(Refusal) as caught:
        campaign.run()
    assert caught.value.reason.code == "run_exists"
    assert str(caught.value.fix).startswith("go on with it: assay campaign resume ")


def test_a_run_of_another_desk_is_left_alone(place: desk.Place) -> None:
    place.ledger().run(desk.RUN).start("evolve", Operator.system("x"), "h", {})
    with pytest.raises(Refusal) as caught:
        place.campaign(place.setup(CONFIG)).resume()
    assert caught.value.reason.code == "not_a_campaign"


def test_state_and_events_are_never_read(place: desk.Place, whole: crash.Left) -> None:
    with pytest.raises(crash.Killed):
        crash.begin(place, crash.Deadline(200))
    (place.folder / "events.jsonl").write_text("{broken")
    (place.folder / "state.json").write_text('{"commits": ["assay test"], "rounds": 99, "zoo": ["x"]}')
    crash.begin(place, crash.Deadline())
    assert crash.Left.of(place) == whole


def test_events_tell_everything_in_order(place: desk.Place) -> None:
    place.campaign(place.setup(CONFIG)).run()
    events = [json.loads(line)["event"] for line in (place.folder / "events.jsonl").read_text().splitlines()]
    assert events[0] == "start"
    assert events[-1] == "stop"
    assert set(events) == {
        "start", "quota", "plan", "llm_call", "gate", "review", "evaluation", "admission", "round", "memory",
        "unusable", "stop",
    }  # fmt: skip


def test_a_resume_and_a_dropped_round_are_events_too(place: desk.Place) -> None:
    stopped(place, place.setup(CONFIG))
    place.campaign(place.setup(CONFIG)).resume()
    events = [json.loads(line)["event"] for line in (place.folder / "events.jsonl").read_text().splitlines()]
    assert [name for name in events if name in ("start", "resume", "round", "round_dropped", "stop")] == [
        "start", "round", "round_dropped", "stop", "resume", "round", "round", "stop",
    ]  # fmt: skip


# replies of the wrong shape


@pytest.mark.parametrize(
    "text",
    [
        "",
        "[]",
        "null",
        '{"candidates": {}}',
        '{"candidates": 3}',
        "{" * 50_000,
        '{"other": 1}',
        "x" * 2_000_000,
    ],
)
def test_a_reply_of_the_wrong_shape_costs_its_slots_and_no_round(place: desk.Place, text: str) -> None:
    def odd(request: Request) -> Any:
        user = request.messages[1].content
        return text if "## Directions" in user and "slot 0 |" in user else desk.reply(request)

    chosen: CampaignConfig = replace(CONFIG, stop=StopSettings(max_rounds=1))
    result = place.campaign(place.setup(chosen, backends=desk.models(say=odd))).run()
    assert result.stop.by == "max_rounds"
    assert [trial.outcome for trial in result.records[:2]] == ["no_candidate", "no_candidate"]
    assert any(trial.outcome != "no_candidate" for trial in result.records[2:])


@pytest.mark.parametrize("text", ["", "[]", '{"reviews": {"0": true}}', "{" * 50_000, "x" * 2_000_000])
def test_a_reviewer_of_the_wrong_shape_costs_its_group_alone(place: desk.Place, text: str) -> None:
    def odd(request: Request) -> Any:
        user = request.messages[1].content
        first_group = "## Candidates" in user and "slot 0\n" in user
        return text if first_group else desk.reply(request)

    chosen = replace(CONFIG, stop=StopSettings(max_rounds=1))
    result = place.campaign(place.setup(chosen, backends=desk.models(say=odd))).run()
    assert result.stop.by == "max_rounds"
    assert (result.records[0].outcome, result.records[0].reason) == ("review_rejected", "no_review")
    assert any(trial.evaluated for trial in result.records[2:])


@pytest.mark.parametrize("text", ["", "[]", '{"memory": 3}', '{"memory": ["a"]}', "{" * 50_000])
def test_a_distiller_of_the_wrong_shape_keeps_the_old_memory(place: desk.Place, text: str) -> None:
    told: list[str] = []

    def odd(request: Request) -> Any:
        found = desk.reply(request)
        if '"memory"' not in found:
            return found
        told.append(found)
        return found if len(told) == 1 else text

    chosen = replace(CONFIG, context=replace(CONFIG.context, memory_every=1))
    result = place.campaign(place.setup(chosen, backends=desk.models(say=odd))).run()
    assert result.stop.by == "max_rounds"
    assert len(told) > 1
    kept = json.loads(told[0])["memory"]
    assert place.leavings()["memory.md"].decode() == f"{kept}\n"
    assert "memory/round_03.md" not in place.leavings()


def test_a_planner_that_says_nothing_costs_a_round_of_slots(place: desk.Place) -> None:
    def odd(request: Request) -> Any:
        return "sorry" if "## Slots" in request.messages[1].content else desk.reply(request)

    chosen = replace(CONFIG, stop=StopSettings(max_rounds=2))
    result = place.campaign(place.setup(chosen, backends=desk.models(say=odd))).run()
    assert {trial.reason for trial in result.records} == {"no_direction"}
    assert len(rounds(place)) == 3
