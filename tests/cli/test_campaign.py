"""``assay campaign`` and ``assay verify``: from a config to a page, killed in between, replayed, verified."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from assay.base import Operator
from assay.campaign import CampaignConfig
from assay.cli import main
from assay.cli._campaign_live import Progress, live_table
from assay.config import BackendSettings, LlmSettings, init_workspace, load_workspace, propose_plan
from assay.ledger import Ledger
from assay.llm import Backends, Client, Message
from assay.market import open_panel
from assay.tools import ledger_sink

Run = Callable[..., Any]
SMALL = '[campaign]\ndata = "small"\n[quota]\nslots = 6\n[stop]\nmax_rounds = 2\n'


def _workspace(root: Path, market: Path, config: str = SMALL) -> Path:
    init_workspace(root, plans={"small": propose_plan(open_panel(market).dates, (20,))})
    (root / "data" / "small").symlink_to(market, target_is_directory=True)
    (root / "campaign.toml").write_text(config, encoding="utf-8")
    return root


@pytest.fixture(scope="session")
def finished(market: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A workspace in which a small campaign came to its end."""
    root = _workspace(tmp_path_factory.mktemp("finished") / "w", market)
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(root)
        assert main(["campaign", "run", "--run", "first"]) == 0
    return root


@pytest.fixture
def done(finished: Path, run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A copy of it, as the current folder."""
    root = tmp_path / "copy"
    shutil.copytree(finished, root, symlinks=True)
    monkeypatch.chdir(root)
    return root


def _export(root: Path, run_id: str) -> bytes:
    return Ledger.open(load_workspace(root).ledger_dir).export(run_id)


def test_init_writes_a_config_that_a_check_passes(run: Run, desk: Path) -> None:
    made = run("campaign", "init", "--data", "small", "--rounds", "3", "--seed", "5")
    assert made.code == 0
    assert "without a model" in made.out
    config = CampaignConfig.load(desk / "campaign.toml")
    assert (config.data, config.stop.max_rounds, config.seed) == ("small", 3, 5)
    assert config.roles.models == ()
    text = (desk / "campaign.toml").read_text(encoding="utf-8")
    assert "# max_trials = 2000" in text
    again = run("campaign", "init")
    assert (again.code, "exists already" in again.err) == (2, True)
    checked = run("campaign", "check")
    assert checked.code == 0
    words = [line.split() for line in checked.out.splitlines()]
    assert [line[0] for line in words if line[1:] == ["ok"]] == [
        "config", "data", "files", "vocabulary", "templates", "pools", "backends", "ledger",
    ]  # fmt: skip


def test_init_takes_a_data_set_of_the_workspace_alone(run: Run, desk: Path, market: Path) -> None:
    done = run("campaign", "init", "--data", str(market))
    assert done.code == 2
    assert "not a data set of this workspace" in done.err
    assert not (desk / "campaign.toml").exists()


BAD = """
[campaign]
data = "smal"
horzon = 3
seed = -1
[roles]
planner = "gpt"
proposer = "llm"
[quota]
slots = 3
min_per_type = 2
[files]
templates = "prompts"
fields = "missing.toml"
[pools]
reference = ["clasics"]
[round]
picked_parents = true
[bogus]
x = 1
"""
FAULTS = (
    "campaign.horzon", "did you mean 'horizon'", "campaign.seed", "roles.planner", "quota.min_per_type",
    "round.picked_parents", "bogus", "campaign.data", "files.fields", "files.templates", "clasics",
    "roles.proposer",
)  # fmt: skip


@pytest.mark.parametrize("command", ["run", "check"])
def test_a_bad_config_is_told_whole_and_nothing_is_written(run: Run, desk: Path, command: str) -> None:
    (desk / "bad.toml").write_text(BAD, encoding="utf-8")
    before = sorted(path.relative_to(desk) for path in desk.rglob("*"))
    done = run("campaign", command, "bad.toml")
    assert done.code == 2
    said = done.out + done.err
    assert [fault for fault in FAULTS if fault not in said] == []
    assert sorted(path.relative_to(desk) for path in desk.rglob("*")) == before


def test_a_bad_config_as_json(run: Run, desk: Path) -> None:
    (desk / "bad.toml").write_text(BAD, encoding="utf-8")
    data = run("campaign", "check", "bad.toml", "--json").data
    assert data["ok"] is False
    assert {item["where"] for item in data["parts"]["config"]} >= {"campaign.horzon", "bogus"}
    assert "vocabulary" not in data["parts"]
    refused = run("campaign", "run", "bad.toml", "--json")
    assert (refused.code, refused.data["error"]) == (2, "config")
    assert len(refused.data["problems"]) >= 10


def test_what_needs_more_than_the_config(run: Run, desk: Path) -> None:
    (desk / "campaign.toml").write_text('[campaign]\ndata = "small"\nhorizon = 252\nuniverse = "none"\n')
    done = run("campaign", "run")
    assert done.code == 2
    assert "campaign.universe" in done.err
    assert "campaign.horizon" in done.err
    assert not list((desk / "runs").iterdir())


def test_a_role_on_the_log_of_a_run_needs_a_run_that_was_started(run: Run, desk: Path) -> None:
    with (desk / "assay.toml").open("a", encoding="utf-8") as file:
        file.write('\n[llm.backends.log]\nkind = "replay"\nrun = "past"\n')
        file.write('[llm.roles.proposer]\nbackend = "log"\n')
    (desk / "campaign.toml").write_text('[campaign]\ndata = "small"\n[roles]\nproposer = "llm"\n')
    ledger = Ledger.create(desk / "ledger")
    done = run("campaign", "check")
    assert done.code == 2
    assert "llm.backends.log.run: no run 'past' was started" in done.out
    past = ledger.run("past")
    past.start("campaign", Operator.human(), "c", {})
    assert "recorded no calls" in run("campaign", "check").out
    backends = Backends(
        LlmSettings({"file": BackendSettings("file", "scripted", script="replies.json")}), root=desk
    )
    (desk / "replies.json").write_text('["hello"]', encoding="utf-8")
    client = Client(role="proposer", provider=backends.provider("file"), sink=ledger_sink(past))
    client.complete([Message("user", "say hello")])
    assert run("campaign", "check").code == 0


@pytest.mark.parametrize("command", ["status", "resume", "report", "verify"])
def test_an_unknown_run(run: Run, done: Path, command: str) -> None:
    refused = run("campaign", command, "nope")
    assert refused.code == 2
    assert "no run" in refused.err


def test_a_run_of_another_desk_is_none(run: Run, done: Path) -> None:
    agent = ("agent", "run", "x", "--explorer", "--data", "small", "--turns", "1", "--run", "other")
    assert run(*agent).code == 0
    again = ("replay", "other", "--to", "again")
    for words in (("status", "other"), ("resume", "other"), ("verify", "other"), again):
        refused = run("campaign", *words)
        assert refused.code == 2
        assert "is one of the desk 'agent'" in refused.err
    assert not Path("again").exists()
    assert [item["run"] for item in run("campaign", "status", "--json").data] == ["first"]


def test_a_run_tells_each_round_in_a_line(run: Run, desk: Path) -> None:
    (desk / "campaign.toml").write_text(SMALL, encoding="utf-8")
    done = run("campaign", "run")
    assert done.code == 0
    lines = done.out.splitlines()
    assert lines[0] == "run campaign-1: data small, simulated, without a model"
    assert [line.split("  ")[0] for line in lines if line.startswith("round ")] == ["round 1/2", "round 2/2"]
    assert "picked from all that were tried" in done.out
    assert "\x1b" not in done.out


def test_status_as_json_and_the_list(run: Run, done: Path) -> None:
    data = run("campaign", "status", "first", "--json").data
    assert (data["state"], data["rounds"], data["stop"]["by"]) == ("finished", 2, "max_rounds")
    funnel = data["funnel"]
    assert funnel["slots"] == 12
    assert funnel["slots"] >= funnel["candidates"] >= funnel["gated"] >= funnel["evaluated"] > 0
    assert data["n"] == funnel["evaluated"]
    assert len(data["zoo"]) == funnel["admitted"]
    assert (data["simulated"], data["costs"], data["tokens"]) == (True, [], 0)
    assert "finished" in run("campaign", "status").out


def test_check_says_whether_a_run_would_go_on(run: Run, done: Path) -> None:
    over = run("campaign", "check", "--run", "first")
    assert over.code == 2
    assert "'first' has finished" in over.out
    (done / "campaign.toml").write_text(SMALL.replace("slots = 6", "slots = 7"), encoding="utf-8")
    changed = run("campaign", "check", "--run", "first", "--json").data
    assert "config:quota.slots" in {item["where"] for item in changed["parts"]["run"]}


def test_status_before_anything_ran(run: Run, desk: Path) -> None:
    assert "assay campaign init" in run("campaign", "status").out
    assert run("campaign", "status", "--json").data == []


def test_replay_and_verify_say_equal_and_add_nothing(run: Run, done: Path) -> None:
    before = Ledger.open(done / "ledger").verify().head
    played = run("campaign", "replay", "first", "--to", "again")
    assert played.code == 0
    assert played.out.startswith("equal: ")
    assert _export(done, "first") == Ledger.open(done / "again" / "ledger").export("first")
    verified = run("verify", "first", "--json").data
    assert verified["equal"] is True
    assert any(name == "data:small" for name in verified["inputs"])
    assert run("campaign", "verify", "first").out.splitlines()[-1] == "equal"
    assert Ledger.open(done / "ledger").verify().head == before


def test_verify_names_what_changed_first(run: Run, done: Path) -> None:
    settings = done / "assay.toml"
    settings.write_text(settings.read_text().replace("[costs]", "[costs]\nbuy_bp = 50.0\nsell_bp = 50.0"))
    changed = run("verify", "first")
    assert changed.code == 1
    assert "different: input scoring" in changed.out


def test_replay_names_the_first_difference(run: Run, done: Path) -> None:
    state = done / "runs" / "first" / "state.json"
    state.write_text(state.read_text().replace('"rounds": 2', '"rounds": 3', 1))
    changed = run("campaign", "replay", "first", "--to", "again", "--json")
    assert changed.code == 1
    assert changed.data["difference"]["where"] == "state.json"


def test_verify_refuses_altered_data(run: Run, done: Path, market: Path) -> None:
    (done / "data" / "small").unlink()
    shutil.copytree(market, done / "data" / "small")
    file = max((done / "data" / "small").rglob("*.npy"), key=lambda path: path.stat().st_size)
    content = bytearray(file.read_bytes())
    content[-1] ^= 1
    file.write_bytes(content)
    refused = run("verify", "first")
    assert refused.code == 2
    assert file.name in refused.err


def test_a_killed_run_goes_on_as_if_it_had_not_been(
    run: Run, finished: Path, market: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    root = _workspace(tmp_path / "w", market)
    monkeypatch.chdir(root)
    program = "import sys; from assay.cli import main; sys.exit(main())"
    words = [sys.executable, "-u", "-c", program, "campaign", "run", "--run", "first"]
    with subprocess.Popen(words, stdout=subprocess.PIPE, text=True, cwd=root) as process:
        assert process.stdout is not None
        for line in process.stdout:
            if line.startswith("round 1"):
                os.kill(process.pid, signal.SIGKILL)
                break
    assert process.returncode == -signal.SIGKILL
    told = run("campaign", "status", "first")
    assert "going on, or killed" in told.out
    assert "assay campaign resume first" in told.out
    resumed = run("campaign", "resume", "first")
    assert resumed.code == 0
    assert _export(root, "first") == _export(finished, "first")
    over = run("campaign", "resume", "first")
    assert over.code == 2
    assert "finished" in over.err


def test_an_interrupted_run_says_how_it_goes_on(
    run: Run, desk: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (desk / "campaign.toml").write_text(SMALL, encoding="utf-8")
    tell = Progress.tell

    def interrupting(self: Progress, event: str, data: Any) -> None:
        tell(self, event, data)
        if event == "round":
            raise KeyboardInterrupt

    monkeypatch.setattr(Progress, "tell", interrupting)
    done = run("campaign", "run", "--run", "mine")
    assert done.code == 130
    assert "to go on: assay campaign resume mine" in done.err
    monkeypatch.setattr(Progress, "tell", tell)
    data = run("campaign", "resume", "mine", "--json").data
    assert (data["state"], data["rounds"]) == ("finished", 2)


def test_a_changed_config_stops_the_resume_by_name(run: Run, desk: Path) -> None:
    past = '[campaign]\ndata = "small"\n[quota]\nslots = 6\n[stop]\ndeadline = 2001-01-01T00:00:00Z\n'
    (desk / "campaign.toml").write_text(past, encoding="utf-8")
    stopped = run("campaign", "run", "--run", "mine", "--json")
    assert (stopped.code, stopped.data["stop"]["by"], stopped.data["state"]) == (0, "deadline", "stopped")
    (desk / "campaign.toml").write_text(SMALL.replace('"small"', '"small"\nseed = 9'), encoding="utf-8")
    refused = run("campaign", "resume", "mine")
    assert refused.code == 2
    assert "seed" in refused.err
    (desk / "moved.toml").write_text(SMALL, encoding="utf-8")
    assert run("campaign", "resume", "mine", "--config", "moved.toml").code == 0


def test_changed_pools_are_accepted_by_word_and_recorded(run: Run, desk: Path) -> None:
    text = SMALL + '[pools]\nknown_file = "known.toml"\n'
    (desk / "known.toml").write_text('[a]\nexpression = "rank(close)"\n', encoding="utf-8")
    past = text.replace("max_rounds = 2", "deadline = 2001-01-01T00:00:00Z")
    (desk / "campaign.toml").write_text(past, encoding="utf-8")
    assert run("campaign", "run", "--run", "mine").code == 0
    (desk / "campaign.toml").write_text(text, encoding="utf-8")
    (desk / "known.toml").write_text('[b]\nexpression = "rank(open)"\n', encoding="utf-8")
    refused = run("campaign", "resume", "mine")
    assert refused.code == 2
    assert "known" in refused.err
    assert "--accept-changed-pools" in refused.err
    assert run("campaign", "resume", "mine", "--accept-changed-pools").code == 0
    entries = Ledger.open(desk / "ledger").run("mine").entries(kind="run_resume")
    assert [entry.body["accepted"] for entry in entries] == [["pool:known"]]


def test_the_page_is_written_where_asked(run: Run, done: Path) -> None:
    assert run("campaign", "report", "first").code == 0
    page = (done / "runs" / "first" / "report.html").read_text(encoding="utf-8")
    assert page.startswith("<!doctype html>")
    data = run("campaign", "report", "first", "--html", "page.html", "--json").data
    assert data["html"] == "page.html"
    assert (done / "page.html").read_text(encoding="utf-8") == page
    assert run("campaign", "report", "first", "--html", "no/such/page.html").code == 2


class _Clock:
    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


def test_progress_counts_rounds_and_foretells_the_end() -> None:
    clock = _Clock()
    progress = Progress(10, 100, clock)
    assert progress.left is None
    for number in (1, 2):
        progress.tell("quota", {"quota": {"a": 2, "b": 1}, "round": number})
        progress.tell("gate", {"slot": 0, "passed": False})
        progress.tell("gate", {"slot": 0, "passed": True})
        progress.tell("gate", {"slot": 1, "passed": True})
        progress.tell("gate", {"slot": 1, "passed": False})
        figures = {"t": -2.5 * number, "rank_ic": -0.03}
        progress.tell("evaluation", {"trial": f"r0{number}-s00", "figures": figures})
        progress.tell("admission", {"admitted": number == 2})
        progress.tell("llm_call", {"input": 100, "output": 20, "cost": None, "ok": True})
        clock.now += 5.0
        progress.tell("round", {"n": 40 + number})
    assert (progress.total.slots, progress.total.gated, progress.total.scored) == (6, 2, 2)
    assert (progress.total.admitted, progress.n, progress.tokens) == (1, 42, 240)
    assert progress.left == pytest.approx(40.0)
    line = progress.line()
    assert "round 2/10" in line
    assert "best r02-s00 |t| 5.00 RankIC -0.0300" in line
    assert "2 calls without a price" in line
    assert "left about 0:40" in line


def test_the_live_view_shows_round_funnel_best_n_cost_and_time() -> None:
    from rich.console import Console

    clock = _Clock()
    progress = Progress(4, None, clock)
    progress.tell("quota", {"quota": {"a": 3}, "round": 1})
    progress.tell("gate", {"slot": 2, "passed": True})
    progress.tell("evaluation", {"trial": "r01-s02", "figures": {"t": 3.0, "rank_ic": 0.02}})
    progress.tell("admission", {"admitted": True})
    clock.now = 30.0
    progress.tell("round", {"n": 7})
    terminal = Console(width=100, record=True, file=open(os.devnull, "w"))  # noqa: SIM115
    terminal.print(live_table(progress, "run mine [b]"))
    shown = terminal.export_text()
    terminal.file.close()
    for word in ("run mine [b]", "1 of 4", "0:30, about 1:30 left", "r01-s02 |t| 3.00", "no calls"):
        assert word in shown
    assert [line.split() for line in shown.splitlines() if line.startswith("all rounds")] == [
        ["all", "rounds", "3", "1", "1", "1"]
    ]


def test_a_terminal_gets_the_live_view(done: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from assay.cli._campaign_live import LiveView, RoundLines, view_of

    monkeypatch.setenv("TTY_COMPATIBLE", "1")
    monkeypatch.setenv("TERM", "xterm")
    progress = Progress(1, None)
    assert isinstance(view_of(progress, "t", as_json=True), RoundLines)
    view = view_of(progress, "t", as_json=False)
    assert isinstance(view, LiveView)
    with view:
        view.tell("quota", {"quota": {"a": 1}, "round": 1})


def test_json_is_all_that_a_run_writes_to_standard_output(run: Run, desk: Path) -> None:
    (desk / "campaign.toml").write_text(SMALL.replace("= 2", "= 1"), encoding="utf-8")
    done = run("campaign", "run", "--json")
    assert json.loads(done.out)["rounds"] == 1
    assert "round 1/1" in done.err
