from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from assay.config import init_workspace, propose_plan

from .conftest import Run

TEMPLATE = """
[[templates]]
name = "TPL_MINE_V1"
expression = "-{op}(ts_sum(returns, {days}))"
core_slots = ["days"]
[templates.slots.op]
source = "operator"
kind = "section"
operators = ["rank", "zscore"]
[templates.slots.days]
source = "values"
values = [2, 5, 10]
"""


@pytest.fixture(scope="session")
def long_market(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A simulated data set whose search period is long enough for the local simulator."""
    from assay.market import simulate, write_dataset

    folder = tmp_path_factory.mktemp("brain") / "small"
    write_dataset(simulate(3, instruments=40, days=800, name="small").data, folder)
    return folder


@pytest.fixture
def place(run: Run, long_market: Path, tmp_path: Path) -> Path:
    """A workspace in the current folder with that data set, and a file of one template."""
    from assay.market import open_panel

    init_workspace(tmp_path, plans={"small": propose_plan(open_panel(long_market).dates, (20,))})
    (tmp_path / "data" / "small").symlink_to(long_market, target_is_directory=True)
    (tmp_path / "mine.toml").write_text(TEMPLATE)
    return tmp_path


def test_templates_are_listed_by_family(run: Run) -> None:
    done = run("brain", "template", "list", "--family", "size", "--json")
    assert [item["name"] for item in done.data["templates"]] == ["TPL_SIZE_V1"]
    assert "TPL_VALUE_RATIO_V1" in run("brain", "template", "list").out
    unknown = run("brain", "template", "list", "--family", "sizes")
    assert (unknown.code, "use one of" in unknown.err) == (2, True)


def test_a_template_is_shown_with_its_slots(run: Run) -> None:
    done = run("brain", "template", "show", "TPL_SIZE_V1")
    assert "-{group_op}({transform}({size}), {group})" in done.out
    assert "core size" in done.out
    near = run("brain", "template", "show", "TPL_SIZES_V1")
    assert (near.code, "did you mean 'TPL_SIZE_V1'?" in near.err) == (2, True)


def test_a_file_is_checked_without_a_platform(run: Run, tmp_path: Path) -> None:
    (tmp_path / "good.toml").write_text(TEMPLATE)
    assert run("brain", "template", "check", "good.toml").code == 0
    bad = TEMPLATE.replace("TPL_MINE_V1", "mine").replace('"time"', '"magic"').replace("[2, 5, 10]", "[2, 2]")
    (tmp_path / "bad.toml").write_text(bad)
    done = run("brain", "template", "check", "bad.toml", "--json")
    assert (done.code, done.data["ok"]) == (2, False)
    assert [item["where"] for item in done.data["problems"]] == ["templates[1].name"]
    missing = run("brain", "template", "check", "none.toml")
    assert (missing.code, "cannot read none.toml" in missing.err) == (2, True)


def test_a_template_that_gives_nothing_here_is_told(run: Run, place: Path) -> None:
    (place / "none.toml").write_text(TEMPLATE.replace("returns", "nonsense"))
    done = run("brain", "template", "check", "none.toml", "--local", "--json")
    assert done.code == 2
    assert 'unknown variable "nonsense"' in done.data["problems"][0]["message"]
    assert run("brain", "pipeline", "run", "none.toml", "--local").code == 2
    assert not (place / "runs" / "pipeline-1").exists()


def test_settings_that_the_platform_does_not_have_are_told(run: Run, place: Path) -> None:
    with (place / "mine.toml").open("a") as file:
        file.write("[templates.settings]\nneutralization = 'MOON'\n")
    done = run("brain", "template", "check", "mine.toml", "--local", "--json")
    assert (done.code, len(done.data["problems"])) == (2, 1)
    assert done.data["problems"][0]["where"] == "TPL_MINE_V1.settings.neutralization"


def test_expressions_are_counted_and_shown(run: Run, place: Path) -> None:
    done = run("brain", "template", "expand", "mine.toml", "--local", "--json", "--limit", "4")
    assert done.data["templates"] == [{"name": "TPL_MINE_V1", "combinations": 6, "cores": 3}]
    assert [item["expression"] for item in done.data["expressions"]] == [
        "-rank(ts_sum(returns, 2))",
        "-zscore(ts_sum(returns, 2))",
        "-rank(ts_sum(returns, 5))",
        "-zscore(ts_sum(returns, 5))",
    ]
    only = run("brain", "template", "expand", "mine.toml", "--local", "--limit", "0")
    assert (only.out, "6 fillings of 1 templates, in 3 cores" in only.err) == ("", True)


def test_templates_are_made_from_an_idea(run: Run, place: Path) -> None:
    done = run("brain", "template", "new", "--local", "--idea", "动量", "--to", "new.toml", "--json")
    assert done.data["templates"][0]["name"] == "TPL_IDEA_MOMENTUM_V1"
    assert run("brain", "template", "check", "new.toml", "--local").code == 0
    again = run("brain", "template", "new", "--local", "--idea", "动量", "--to", "new.toml")
    assert (again.code, "exists already" in again.err) == (2, True)
    nothing = run("brain", "template", "new", "--local", "--idea", "xyzzy", "--to", "x.toml")
    assert (nothing.code, "momentum" in nothing.err, (place / "x.toml").exists()) == (2, True, False)
    other = run("brain", "template", "new", "--local", "--idea", "动量", "--to", "x.txt")
    assert (other.code, "neither .toml nor .json" in other.err) == (2, True)


def test_a_model_writes_templates(run: Run, place: Path) -> None:
    slots = {"d": {"source": "values", "values": [5, 20]}}
    bad = {"name": "TPL_MODEL_V1", "expression": "ts_mean(nonsense, {d})", "slots": slots}
    good = {**bad, "expression": "-ts_sum(returns, {d})"}
    script = [json.dumps({"templates": [item]}) for item in (bad, good)]
    (place / "script.json").write_text(json.dumps(script))
    with (place / "assay.toml").open("a") as file:
        file.write('[llm.backends.told]\nkind = "scripted"\nscript = "script.json"\n')
        file.write('[llm.roles.researcher]\nbackend = "told"\n')
    words = ("brain", "template", "new", "--local", "--idea", "x", "--policy", "llm", "--to", "m.json")
    done = run(*words, "--json")
    assert done.code == 0, done.err
    assert done.data["templates"][0]["expression"] == "-ts_sum(returns, {d})"
    assert run("brain", "template", "check", "m.json", "--local").code == 0
    assert run("ledger", "show", "--kind", "llm_call", "--json").out.count("request_hash") == 2


def test_without_a_model_it_says_what_is_missing(
    run: Run, place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("DEEPSEEK_API_KEY", raising=False)
    words = ("brain", "template", "new", "--local", "--idea", "x", "--policy", "llm", "--to", "m.json")
    done = run(*words)
    assert (done.code, "DEEPSEEK_API_KEY" in done.err) == (2, True)


def test_a_pipeline_runs_and_reports(run: Run, place: Path) -> None:
    words = ("brain", "pipeline", "run", "mine.toml", "--local", "--budget", "6")
    count = run(*words, "--count", "--json")
    assert (count.data["probes"], count.data["combinations"]) == (3, 6)
    assert not (place / "runs").exists() or not list((place / "runs").iterdir())
    done = run(*words, "--json")
    assert done.code == 0, done.err
    assert done.data["run"] == "pipeline-1"
    assert done.data["summary"]["simulations"] >= 3
    assert len(done.data["decisions"]) == 3
    stored = json.loads((place / "runs" / "pipeline-1" / "pipeline.json").read_text())
    assert stored["decisions"] == done.data["decisions"]
    trials = done.data["summary"]["completed"]
    assert run("ledger", "show", "--kind", "trial", "--json").out.count('"fingerprint"') == trials
    again = run(*words)
    assert "pipeline-2" in again.out
    ended = run("brain", "pipeline", "run", "--resume", "pipeline-1", "--local")
    assert (ended.code, "run" in ended.err) == (2, True)


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("pipeline", "run", "--local"), "no templates are named"),
        (("pipeline", "run", "TPL_SIZE_V1", "--resume", "x", "--local"), "has its templates"),
        (("pipeline", "run", "--resume", "x", "--local"), "there is no pipeline run 'x' here"),
        (("pipeline", "run", "TPL_SIZE_V1", "--run", "A B", "--local"), "A B"),
        (("multi", "--resume", "x", "--local"), "there is no multi run 'x' here"),
        (("multi", "--idea", " ", "--local"), "the idea is empty"),
        (("template", "new", "--local", "--idea", "", "--to", "x.toml"), "the idea is empty"),
        (("multi", "--resume", "x", "--idea", "y", "--local"), "has its task already"),
        (("multi", "--dataset-id", "nothing", "--local"), "nothing"),
        (("multi", "--idea", "size \udcff", "--local"), "no valid UTF-8"),
        (("template", "new", "--idea", "\udcff", "--to", "new.toml"), "where: --idea"),
        (("scout", "--dataset-id", "nothing", "--local"), "nothing"),
    ],
)
def test_what_cannot_be_is_told(run: Run, place: Path, words: tuple[str, ...], said: str) -> None:
    done = run("brain", *words)
    assert (done.code, said in done.err) == (2, True), done.err
    assert "Traceback" not in done.err


def test_a_run_that_is_broken_off_goes_on(run: Run, place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A fault is put in where the second round would be recorded."""
    from assay.brain import _rounds

    with (place / "assay.toml").open("a") as file:
        file.write("[brain.multi]\ntarget_sharpe = 9.0\n")
    asked = ("brain", "multi", "--local", "--idea", "momentum", "--budget", "14", "--run")
    whole = run(*asked, "whole", "--json")
    assert whole.code == 0, whole.err
    kept: Any = _rounds._body

    def broken(number: int, *rest: Any) -> Any:
        if number == 2:
            raise KeyboardInterrupt
        return kept(number, *rest)

    monkeypatch.setattr(_rounds, "_body", broken)
    (place / "brain" / "results.sqlite").unlink()
    done = run(*asked, "broken")
    assert done.code == 130
    assert "assay brain multi --resume broken --local" in done.err
    monkeypatch.setattr(_rounds, "_body", kept)
    resumed = run("brain", "multi", "--local", "--resume", "broken", "--json")
    assert resumed.code == 0, resumed.err
    for name in ("results", "agents", "rounds", "best", "stop"):
        figures = [_without_alpha(data.data[name]) for data in (whole, resumed)]
        assert figures[0] == figures[1], name


def test_a_model_explores_and_is_not_asked_again_when_the_run_goes_on(
    run: Run, place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from assay.brain import _rounds

    research = {"summary": "close moves", "hypotheses": ["moves turn back"], "fields": ["close"]}
    expressions = [{"expression": "rank(-ts_delta(close, 5))", "settings": {"decay": 10}}]
    direction = {
        "hypothesis": "reversal", "target_check": "LOW_SHARPE", "approach": "five days",
        "expressions": expressions,
    }  # fmt: skip
    replies = [research, {"type": "submit", "directions": [direction]}]
    script = place / "script.json"
    script.write_text(json.dumps([json.dumps(item) for item in replies]))
    with (place / "assay.toml").open("a") as file:
        file.write(
            "[brain.multi]\ntarget_sharpe = 9.0\nmax_explorer_rounds = 1\nexplorers = 1\noptimizers = 0\n"
        )
        file.write('[llm.backends.told]\nkind = "scripted"\nscript = "script.json"\n')
        file.write('[llm.roles.researcher]\nbackend = "told"\nstructured = "tool"\n')
    kept: Any = _rounds._body

    def broken(*given: Any) -> Any:
        raise KeyboardInterrupt

    monkeypatch.setattr(_rounds, "_body", broken)
    done = run("brain", "multi", "--local", "--idea", "moves turn back", "--policy", "llm")
    assert done.code == 130, done.err
    monkeypatch.setattr(_rounds, "_body", kept)
    script.write_text("[]")
    resumed = run("brain", "multi", "--local", "--resume", "multi-1", "--json")
    assert resumed.code == 0, resumed.err
    (found,) = resumed.data["results"]
    assert (found["expression"], found["settings"]["decay"]) == ("rank(-ts_delta(close, 5))", 10)
    assert resumed.data["stop"] == "finished"
    assert resumed.data["agents"][0]["note"] == "1 round is over"


def test_a_model_may_choose_the_settings(run: Run, place: Path) -> None:
    replies = [{"settings": [{"decay": 10}, {"neutralization": "SECTOR"}]}] + [{"settings": []}] * 40
    (place / "script.json").write_text(json.dumps([json.dumps(item) for item in replies]))
    with (place / "assay.toml").open("a") as file:
        file.write("[brain.multi]\ntarget_sharpe = 9.0\nmin_sharpe_for_optimization = 0.1\n")
        file.write('optimizer_mode = "llm"\n')
        file.write('[llm.backends.told]\nkind = "scripted"\nscript = "script.json"\n')
        file.write('[llm.roles.researcher]\nbackend = "told"\n')
    words = ("brain", "multi", "--local", "--idea", "momentum", "--budget", "14", "--json")
    done = run(*words)
    assert done.code == 0, done.err
    chosen = [item["settings"] for item in done.data["results"] if item["origin"] == "settings"]
    assert [(item["decay"], item["neutralization"]) for item in chosen] == [(10, "MARKET"), (5, "SECTOR")]
    assert run("ledger", "show", "--kind", "llm_call", "--json").out.count("request_hash") == 1


def _without_alpha(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _without_alpha(item) for key, item in value.items() if key != "alpha"}
    return [_without_alpha(item) for item in value] if isinstance(value, list) else value


def test_the_scout_knows_what_was_tried(run: Run, place: Path) -> None:
    before = run("brain", "scout", "--local", "--json").data
    run("brain", "pipeline", "run", "mine.toml", "--local", "--budget", "4", "--json")
    after = run("brain", "scout", "--local", "--json").data
    tried = [{row["id"]: row["tried"] for row in data["fields"]}["returns"] for data in (before, after)]
    assert tried[0] == 0
    assert tried[1] >= 2
    shown = run("brain", "scout", "--local", "--limit", "2", "--language", "zh")
    assert shown.code == 0
    assert "，" in shown.out


@pytest.mark.parametrize("words", [("pipeline", "run", "TPL_LOTTERY_V1"), ("multi", "--idea", "momentum")])
def test_damaged_results_are_named_before_a_run_is_begun(
    run: Run, place: Path, words: tuple[str, ...]
) -> None:
    (place / "brain").mkdir()
    (place / "brain" / "results.sqlite").write_bytes(b"garbage " * 99)
    refused = run("brain", *words, "--local")
    assert (refused.code, "set-aside" in refused.err) == (2, True), refused.err
    assert not list((place / "runs").glob("*"))


def test_a_folder_in_which_no_run_began_is_in_nobodys_way(run: Run, place: Path) -> None:
    (place / "runs" / "mine").mkdir(parents=True)
    done = run("brain", "multi", "--local", "--idea", "momentum", "--budget", "2", "--run", "mine")
    assert done.code == 0, done.err
    again = run("brain", "multi", "--local", "--idea", "momentum", "--budget", "2", "--run", "mine")
    assert (again.code, "there is a run 'mine' already" in again.err) == (2, True)
