"""A campaign on a simulated market: sampler, gate, training judge, ledger, replay, check."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from assay.base import Operator
from assay.campaign import CampaignConfig, QuotaSettings, RoleBackends
from assay.campaign._campaign import Campaign, CampaignSetup
from assay.campaign._check import check
from assay.campaign._prepare import Problems, prepare
from assay.campaign._replay import replay
from assay.campaign._settings import (
    ContextSettings,
    FileSettings,
    PoolSettings,
    RoundSettings,
    StopSettings,
)
from assay.campaign._stop import Stop
from assay.config import BackendSettings, LlmSettings, RoleSettings, Workspace, load_workspace
from assay.errors import Problem
from assay.judge.training import AdmissionRule
from assay.ledger import Ledger, Scope
from assay.market import Span, simulate, universe_from_spans, write_dataset

RUN = "r-1"
TOML = """
[defaults]
data = "toy"

[data.toy.periods]
search = ["{first}", "{last}"]
score = ["{score}", "{end}"]
embargo_bars = 21
"""


@pytest.fixture(scope="module")
def workspace(tmp_path_factory: pytest.TempPathFactory) -> Workspace:
    root = tmp_path_factory.mktemp("desk")
    panel = simulate(5, instruments=80, days=520, name="toy")
    days = [str(day) for day in panel.dates]
    text = TOML.format(first=days[0], last=days[399], score=days[440], end=days[519])
    (root / "assay.toml").write_text(text)
    (root / "data").mkdir()
    write_dataset(panel.data, root / "data" / "toy")
    Ledger.create(root / "ledger")
    return load_workspace(root)


def config(**changes: Any) -> CampaignConfig:
    made = CampaignConfig(
        horizon=5,
        quota=QuotaSettings(slots=8, min_per_type=1),
        round=RoundSettings(groups=2, picked_parents=True, max_children=3),
        context=ContextSettings(
            theme_correlation=0.7, lineage=True, send_back_repeats=True, memory_every=2, recent_rounds=1
        ),
        pools=PoolSettings(reference=("classics",)),
        # so that a short market admits some
        admission=AdmissionRule(
            min_t=1.0,
            min_payoff_t=None,
            min_break_even_bp=None,
            max_turnover=None,
            max_adjusted_p=None,
            max_ic_corr=0.95,
            max_value_corr=0.9,
            min_residual_ic=0.001,
        ),
        stop=StopSettings(max_rounds=3),
    )
    return replace(made, **changes)


def prepared(chosen: CampaignConfig, workspace: Workspace) -> CampaignSetup:
    problems = Problems()
    setup = prepare(chosen, workspace, problems)
    assert setup is not None, problems.all
    return replace(setup, commits=("assay test",))


@pytest.fixture(scope="module")
def done(workspace: Workspace) -> Any:
    setup = prepared(config(), workspace)
    ledger = Ledger.open(workspace.ledger_dir)
    return Campaign(setup, ledger, workspace.runs_dir, RUN).run()


def test_the_sampler_runs_a_campaign_with_everything_on(done: Any, workspace: Workspace) -> None:
    assert done.stop.by == "max_rounds"
    assert len(done.records) == 24
    assert done.admitted
    assert done.admitted[0].round < 3, "a resume has something to restore"
    evaluated = [trial for trial in done.records if trial.evaluated]
    assert len(evaluated) >= 12
    for trial in evaluated:
        assert trial.figures["coverage"] is not None
        assert trial.checks
        assert trial.admitted or trial.reason.startswith("admission.")
    trials = Ledger.open(workspace.ledger_dir).trials(Scope(runs=(RUN,)))
    assert trials.n == len({trial.fingerprint for trial in evaluated})


def test_nothing_is_known_of_later_dates(done: Any, workspace: Workspace) -> None:
    """The training segment ends a fifth of search before its end; no record names a later day."""
    plan = workspace.settings("toy").periods
    assert plan is not None
    assert plan.score is not None
    text = Ledger.open(workspace.ledger_dir).run(RUN).export().decode()
    for path in sorted((workspace.runs_dir / RUN).rglob("*")):
        text += path.read_text() if path.is_file() else ""
    for day in (plan.search.end, plan.score.start, plan.score.end):
        assert day.isoformat() not in text
    (entry, *_) = Ledger.open(workspace.ledger_dir).run(RUN).entries(kind="trial")
    assert entry.body["bars"] <= 320


def test_a_replay_of_the_sampler_gives_the_same(done: Any, workspace: Workspace, tmp_path: Path) -> None:
    before = Ledger.open(workspace.ledger_dir).verify()
    found = replay(workspace, RUN, tmp_path / "again")
    assert found.equal, found.difference
    assert found.whole
    assert Ledger.open(workspace.ledger_dir).verify() == before


def test_an_interrupted_run_is_resumed_to_the_same(done: Any, workspace: Workspace, tmp_path: Path) -> None:
    """N is the ledger's, so the other run is in a ledger of its own."""
    ledger = Ledger.create(tmp_path / "ledger")

    def dying(number: int) -> Callable[[str, Any], None]:
        def watch(event: str, data: Any) -> None:
            if event == "evaluation" and data["round"] == number:
                raise KeyboardInterrupt

        return watch

    setup = prepared(config(), workspace)
    for number in (2, 3):
        campaign = Campaign(setup, ledger, tmp_path / "runs", RUN, watch=dying(number))
        with pytest.raises(KeyboardInterrupt):
            campaign.resume() if number == 3 else campaign.run()
    assert Campaign(setup, ledger, tmp_path / "runs", RUN).resume().stop.by == "max_rounds"
    assert ledger.run(RUN).export() == Ledger.open(workspace.ledger_dir).run(RUN).export()
    for name in ("state.json", "memory.md", "trial_graph/round_03.json"):
        one, other = ((folder / RUN / name) for folder in (tmp_path / "runs", workspace.runs_dir))
        assert one.read_bytes() == other.read_bytes()


def test_another_start_of_the_loop_stops_before_a_stage(workspace: Workspace, tmp_path: Path) -> None:
    setup = prepared(config(), workspace)
    ledger = Ledger.create(tmp_path / "ledger")
    stop = Stop("deadline", "now")
    campaign = Campaign(
        setup, ledger, tmp_path / "runs", RUN, halt=lambda _, stage: stop if stage == "score" else None
    )
    assert campaign.run().stop == stop
    assert not list(ledger.run(RUN).entries(kind="trial"))


def test_without_feedback_the_sampler_goes_on_finding_new_formulas(
    workspace: Workspace, tmp_path: Path
) -> None:
    """It is told nothing of the past, and does not begin with the same simple ones in each round."""
    made = config()
    chosen = replace(
        made,
        round=replace(made.round, picked_parents=False),
        context=replace(made.context, feedback=False),
        stop=StopSettings(max_rounds=4),
    )
    ledger = Ledger.create(tmp_path / "ledger")
    result = Campaign(prepared(chosen, workspace), ledger, tmp_path / "runs", RUN).run()
    assert {trial.direction.kind for trial in result.records} == {"new"}
    for number in (1, 4):
        assert sum(trial.evaluated for trial in result.records if trial.round == number) >= 5
    assert not (tmp_path / "runs" / RUN / "memory.md").exists()


# check


def told(found: Sequence[Problem]) -> str:
    return " ".join(f"{item.where} {item.message} {item.fix}" for item in found)


def lacking(**changes: Any) -> CampaignConfig:
    return replace(config(), **changes)


def test_a_check_finds_nothing_wrong_and_writes_nothing(done: Any, workspace: Workspace) -> None:
    before = {path: path.stat().st_mtime_ns for path in workspace.root.rglob("*") if path.is_file()}
    report = check(config(), workspace)
    assert report.ok, report.problems
    assert list(report.parts) == ["data", "files", "vocabulary", "templates", "pools", "backends", "ledger"]
    after = {path: path.stat().st_mtime_ns for path in workspace.root.rglob("*") if path.is_file()}
    assert after == before


def test_a_check_of_a_run_writes_nothing_but_the_index(done: Any, workspace: Workspace) -> None:
    def files() -> dict[Path, int]:
        """The index of the ledger aside, which any reading of runs may bring up to date."""
        return {
            path: path.stat().st_mtime_ns
            for path in workspace.root.rglob("*")
            if path.is_file() and not path.name.startswith("index.sqlite")
        }

    before = files()
    assert not check(config(), workspace, run_id=RUN).ok, "it has finished"
    assert files() == before


def test_a_check_reports_every_part_at_once(workspace: Workspace, tmp_path: Path) -> None:
    (tmp_path / "fields.toml").write_text("[clos]\n[volume]\ndescripton = 'x'\n")
    (tmp_path / "ops.toml").write_text("[ts_men]\n")
    (tmp_path / "t").mkdir()
    (tmp_path / "t" / "planner.user.md").write_text("{{ nonsense }}")
    (tmp_path / "known.toml").write_text("[a]\nexpression = 'rank('\n[b]\n")
    report = check(
        lacking(
            files=FileSettings(Path("fields.toml"), Path("ops.toml"), Path("t")),
            pools=PoolSettings(("clasics",), Path("none.toml"), Path("known.toml")),
            roles=RoleBackends(planner="llm"),
            folder=tmp_path,
        ),
        workspace,
    )
    assert not report.ok
    words = {part: told(found) for part, found in report.parts.items()}
    assert "did you mean 'close'" in words["vocabulary"]
    assert "did you mean 'description'" in words["vocabulary"]
    assert "did you mean 'ts_mean'" in words["vocabulary"]
    assert "nonsense" in words["templates"]
    assert "did you mean 'classics'" in words["pools"]
    assert "none.toml" in words["pools"]
    assert "has no expression" in words["pools"]
    assert "roles.planner" in words["backends"]


@pytest.mark.parametrize(
    ("change", "part", "words"),
    [
        ({"data": "moon"}, "data", "no data set 'moon'"),
        ({"universe": "moon"}, "data", "moon"),
        ({"horizon": 252, "validate_share": 0.5}, "data", "the 200 of the training segment leave no label"),
        ({"horizon": 79}, "data", "the 80 of the validate tail leave no label"),
        ({"files": FileSettings(fields=Path("gone.toml"))}, "files", "gone.toml"),
        ({"files": FileSettings(templates=Path("gone"))}, "files", "gone"),
    ],
)
def test_what_a_check_finds(workspace: Workspace, change: dict[str, Any], part: Any, words: str) -> None:
    found = check(lacking(**change), workspace).parts[part]
    assert words in " ".join(problem.message for problem in found)


def test_a_horizon_is_held_to_every_period_and_a_universe_to_its_members(tmp_path: Path) -> None:
    panel = simulate(5, instruments=40, days=300, name="toy")
    days = [str(day) for day in panel.dates]
    spans = [Span(panel.instruments[0], panel.dates[260], None)]
    late = universe_from_spans(spans, panel.dates, panel.instruments, known_until=panel.dates[-1])
    data = replace(panel.data, universes={**panel.data.universes, "late": late})
    (tmp_path / "assay.toml").write_text(
        f"""
        [data.toy.periods]
        search = ["{days[0]}", "{days[199]}"]
        eval = ["{days[270]}", "{days[299]}"]
        embargo_bars = 60
        """
    )
    write_dataset(data, tmp_path / "data" / "toy")
    here = load_workspace(tmp_path)
    found = check(config(data="toy", horizon=38, universe="late"), here).parts["data"]
    assert {(problem.where, problem.message) for problem in found} == {
        ("campaign.universe", "'late' has no member in search"),
        ("campaign.horizon", "38 bars and the 30 of eval leave no label"),
    }
    assert check(config(data="toy", horizon=28), here).ok
    assert not check(config(data="toy", horizon=29), here).ok


def test_a_check_tells_of_a_damaged_ledger(workspace: Workspace, tmp_path: Path) -> None:
    for name in ("assay.toml", "data"):
        (tmp_path / name).symlink_to(workspace.root / name)
    here = load_workspace(tmp_path)
    assert check(config(), here).ok, "before anything is recorded there is none"
    ledger = Ledger.create(here.ledger_dir)
    for name in ("one", "two"):
        ledger.run(name).start("judge", Operator.human("ada"), "0" * 64, {"data:toy": "0"})
    assert check(config(), here).ok
    (file,) = here.ledger_dir.glob("*.jsonl")
    file.write_text(file.read_text().replace('"one"', '"six"', 1))
    report = check(config(data="moon"), here)
    assert "line" in told(report.parts["ledger"])
    assert report.parts["data"], "and of all else"


def test_data_without_periods_and_a_workspace_without_data(tmp_path: Path) -> None:
    (tmp_path / "assay.toml").write_text("")
    (tmp_path / "data").mkdir()
    report = check(config(), load_workspace(tmp_path))
    assert "no data set is named" in report.parts["data"][0].message
    panel = simulate(1, instruments=40, days=120, name="bare")
    write_dataset(panel.data, tmp_path / "data" / "bare")
    report = check(config(data="bare"), load_workspace(tmp_path))
    assert "no periods" in report.parts["data"][0].message


def test_a_check_of_a_resume_names_what_changed(done: Any, workspace: Workspace) -> None:
    report = check(config(seed=3, pools=PoolSettings()), workspace, run_id=RUN)
    named = {problem.where: problem.fix for problem in report.parts["run"]}
    assert set(named) == {"run", "config:seed", "pool:reference"}
    assert named["run"] == "start a new run", "it has finished"
    assert "--accept-changed-pools" in named["pool:reference"]


def test_the_vocabulary_holds_candidates_to_its_fields_and_ops(workspace: Workspace, tmp_path: Path) -> None:
    (tmp_path / "fields.toml").write_text("[close]\ndescription = 'the last price'\n[returns]\n")
    (tmp_path / "ops.toml").write_text("[rank]\n[ts_mean]\nnote = 'smooth'\n[neg]\n[div]\n")
    chosen = config(files=FileSettings(Path("fields.toml"), Path("ops.toml")), folder=tmp_path)
    setup = prepared(chosen, workspace)
    assert list(setup.brief.fields) == ["close", "returns"]
    assert any("smooth" in line for line in setup.brief.ops)
    ledger = Ledger.create(tmp_path / "ledger")
    result = Campaign(setup, ledger, tmp_path / "runs", RUN).run()
    verdicts = [e.body for e in ledger.run(RUN).entries(kind="gate_verdict")]
    assert verdicts
    assert all(set(json.loads(json.dumps(body))) >= {"slot", "attempt", "expression"} for body in verdicts)
    for trial in result.records:
        if trial.evaluated and trial.candidate is not None:
            assert "volume" not in trial.candidate.expression
            assert "ts_std" not in trial.candidate.expression


# models


def planner_script(slots: int, words: str) -> str:
    directions = [{"slot": slot, "kind": "new", "text": f"{words} {slot}"} for slot in range(slots)]
    return json.dumps({"directions": directions})


def with_planner(workspace: Workspace, backend: BackendSettings) -> Workspace:
    roles: dict[Any, RoleSettings] = {"planner": RoleSettings(backend.name, "m")}
    return replace(workspace, llm=LlmSettings(backends={backend.name: backend}, roles=roles))


def test_one_role_on_a_model_and_the_others_without(workspace: Workspace, tmp_path: Path) -> None:
    """The script of the planner goes on where a resumed run was, and the run is replayed without it."""
    script = tmp_path / "script.json"
    script.write_text(json.dumps([planner_script(8, "first"), planner_script(8, "second")]))
    there = with_planner(workspace, BackendSettings(name="file", kind="scripted", script=str(script)))
    chosen = config(roles=RoleBackends(planner="llm"), stop=StopSettings(max_rounds=2))
    chosen = replace(chosen, round=replace(chosen.round, picked_parents=False))
    assert check(chosen, there).ok
    ledger = Ledger.open(workspace.ledger_dir)

    def halt(number: int, _: str) -> Stop | None:
        return Stop("deadline", "x") if number == 2 else None

    setup = prepared(chosen, there)
    Campaign(setup, ledger, workspace.runs_dir, "models", halt=halt).run()
    result = Campaign(setup, ledger, workspace.runs_dir, "models").resume()
    texts = [trial.direction.text for trial in result.records]
    assert texts == [f"{words} {slot}" for words in ("first", "second") for slot in range(8)]
    script.unlink()
    assert replay(there, "models", tmp_path / "again").equal


@pytest.mark.parametrize(
    ("backend", "words"),
    [
        (
            BackendSettings(name="b", kind="openai", base_url="http://127.0.0.1:9/v1", retries=0),
            "does not answer",
        ),
        (BackendSettings(name="b", kind="openai", key="NO_SUCH_KEY"), "NO_SUCH_KEY is not set"),
        (BackendSettings(name="b", kind="scripted", script="gone.json"), "gone.json"),
    ],
)
def test_a_check_asks_whether_backends_answer(
    workspace: Workspace, backend: BackendSettings, words: str
) -> None:
    report = check(config(roles=RoleBackends(planner="llm")), with_planner(workspace, backend))
    assert words in told(report.parts["backends"])


def test_a_role_that_the_workspace_lacks_keeps_a_run_from_starting(workspace: Workspace) -> None:
    problems = Problems()
    assert prepare(config(roles=RoleBackends(reviewer="llm")), workspace, problems) is None
    assert [problem.where for problem in problems.all] == ["roles.reviewer"]


def test_a_key_that_is_not_set_keeps_a_run_from_starting(workspace: Workspace) -> None:
    problems = Problems()
    there = with_planner(workspace, BackendSettings(name="b", kind="openai", key="NO_SUCH_KEY"))
    assert prepare(config(roles=RoleBackends(planner="llm")), there, problems) is None
    assert "NO_SUCH_KEY" in told(problems.all)


def test_the_sampler_is_told_the_worst_fold_of_each_trial(workspace: Workspace) -> None:
    setup = prepare(config(), workspace, Problems())
    assert setup is not None
    ledger = Ledger.open(workspace.ledger_dir)
    result = Campaign(setup, ledger, workspace.runs_dir, "folds").run()
    bodies = {entry.body["fingerprint"]: entry.body["figures"] for entry in ledger.entries(kind="trial")}
    scored = [trial for trial in result.records if trial.evaluated]
    assert scored
    for trial in scored:
        assert trial.fingerprint is not None
        body = bodies[trial.fingerprint]
        folds = body["fold_neutral_rank_ics"]
        folds = body["fold_rank_ics"] if None in folds else folds
        if None in folds:
            assert trial.figures["worst_fold"] is None
        else:
            sign = 1 if sum(folds) > 0 else -1
            assert trial.figures["worst_fold"] == pytest.approx(min(sign * fold for fold in folds))
    assert any((trial.figures["worst_fold"] or 0) > 0 for trial in scored)
