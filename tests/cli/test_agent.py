"""``assay agent`` through the real boundary: recorded, killed, resumed and replayed."""

from __future__ import annotations

import errno
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

from assay.ledger import Ledger

from ..llm.server import OPENAI_CASES, Answer, completion
from .agents import CANARY, KEY, KINDS, OUTCOMES, TOKENS, TURNS, Model, copied, cut_back, left, nameless
from .recorded import damage

Run = Callable[..., Any]
RECORDED = len(TURNS) + 1

_KILLED = """
import os, signal, sys
left = int(sys.argv[1])
fsync = os.fsync
def counted(handle):
    global left
    fsync(handle)
    left -= 1
    if left == 0:
        os.kill(os.getpid(), signal.SIGKILL)
from assay.ledger import Run
begin = Run.start
def begun(self, *args, **kwargs):
    begin(self, *args, **kwargs)
    os.fsync = counted
Run.start = begun
from assay.cli import main
sys.exit(main(sys.argv[2:]))
"""

_OFFLINE = """
import socket, sys
def refuse(*args, **kwargs):
    raise AssertionError("a socket was opened")
socket.socket.connect = socket.socket.connect_ex = socket.getaddrinfo = socket.create_connection = refuse
from assay.cli import main
sys.exit(main(sys.argv[1:]))
"""


def child(
    workspace: Path, program: str, *arguments: str, before: tuple[str, ...] = (), **environ: str
) -> Any:
    env = {name: value for name, value in os.environ.items() if name != KEY}
    command = [*before, sys.executable, "-c", program, *arguments]
    return subprocess.run(command, cwd=workspace, capture_output=True, text=True, env={**env, **environ})


def without_network() -> tuple[str, ...]:
    unshare = shutil.which("unshare")
    if unshare and subprocess.run([unshare, "-rn", "true"], capture_output=True).returncode == 0:
        return (unshare, "-rn")
    return ()


@pytest.fixture
def keyed(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("openai", reason="the extra llm is not installed")
    monkeypatch.setenv(KEY, CANARY)


def price(of_input: float) -> float:
    """Of one reply of the model, with 2.0 for a million tokens of output."""
    return (TOKENS[0] * of_input + TOKENS[1] * 2.0) / 1e6


@pytest.fixture
def modelled(run: Run, desk: Path, keyed: None) -> Any:
    with Model() as model:
        model.configure(desk)
        yield model


# ---------------------------------------------------------------- without a model


def test_the_explorer_needs_no_key(run: Run, desk: Path) -> None:
    done = run("agent", "run", "momentum", "--turns", "6", "--run", "r")
    assert done.code == 0, done.err
    lines = done.out.splitlines()
    assert lines[0] == "run r: the explorer (no model), data small, simulated, at most 6 turns"
    assert [line.split()[2:4] for line in lines[1:6]] == [
        ["data.describe", "ok"],
        *[["factor.evaluate", "ok"]] * 4,
    ]
    assert "trials     4 added; N on this data is 4" in lines
    found = Ledger.open(desk / "ledger").trials()
    assert found.n == 4
    assert run("ledger", "verify", "--objects").code == 0


def test_the_explorer_is_the_same_for_a_seed_and_its_best_is_the_best(run: Run, desk: Path) -> None:
    first = run("agent", "run", "x", "--turns", "8", "--json").data
    again = run("agent", "run", "x", "--turns", "8", "--json").data
    other = run("agent", "run", "x", "--turns", "8", "--seed", "1", "--json").data
    assert (first["run"], again["run"], other["run"]) == ("agent-1", "agent-2", "agent-3")
    assert first["best"] == again["best"] != other["best"]
    assert (first["trials_added"], again["trials_added"], again["n"]) == (6, 0, 6)
    trials = [entry.body for entry in Ledger.open(desk / "ledger").run("agent-1").entries(kind="trial")]
    assert len({body["fingerprint"] for body in trials}) == 6
    assert abs(first["best"]["rank_ic"]) == max(abs(body["rank_ic"] or 0) for body in trials)
    assert first["best"]["expression"] in {body["expression"] for body in trials}
    assert first["illegal_rate"] == 0
    assert {body["period"] for body in trials} == {"search"}


def test_show_tells_what_happened(run: Run, desk: Path, modelled: Model) -> None:
    made = run("agent", "run", "momentum", "--run", "r")
    shown = run("agent", "show", "r")
    assert shown.code == 0, shown.err
    turns = [line for line in shown.out.splitlines() if line.startswith("turn")]
    assert turns == [line for line in made.out.splitlines() if line.startswith("turn")]
    assert [line.split()[3] for line in turns] == OUTCOMES
    assert "run r: local/toy-1, data small, finished" in shown.out
    assert "reason     multi_tool_per_step, 2 times" in shown.out
    assert "reward     none: nobody scored it" in shown.out
    found = run("agent", "show", "r", "--json").data
    assert [call["outcome"] for call in found["calls"]] == OUTCOMES
    assert [call["turn"] for call in found["calls"]][:2] == [1, 2]
    assert found["calls"][1]["answer"]["result"]["rank_ic"] is not None
    assert json.loads(found["calls"][1]["arguments"]) == {"expression": "rank(volume)"}
    assert found["summary"]["reward"] is None
    assert CANARY not in shown.out
    assert run("agent", "show", "nobody").code == 2


@pytest.mark.parametrize("fsyncs", [9])
def test_show_of_a_killed_run_and_the_marks_of_its_resume(run: Run, desk: Path, fsyncs: int) -> None:
    killed = child(desk, _KILLED, str(fsyncs), "agent", "run", "momentum", "--turns", "5", "--run", "r")
    assert killed.returncode == -signal.SIGKILL, killed.stderr
    shown = run("agent", "show", "r")
    assert "going on, or killed" in shown.out
    assert "assay agent resume r" in shown.out
    before = [line for line in shown.out.splitlines() if line.startswith("turn")]
    assert before
    resumed = run("agent", "resume", "r")
    told = [line for line in resumed.out.splitlines() if line.startswith("turn")]
    marked = [line.endswith("(from the record)") for line in told]
    assert marked == [True] * len(before) + [False] * (len(told) - len(before))
    assert len(told) > len(before)


def test_limits_on_calls_and_time_end_it(run: Run, desk: Path) -> None:
    found = run("agent", "run", "x", "--calls", "3", "--json").data
    assert (found["calls"], found["stop"], found["trials_added"]) == (3, "answered", 2)
    found = run("agent", "run", "x", "--calls", "14", "--json").data
    assert (found["calls"], found["turns"]) == (14, 15)
    found = run("agent", "run", "x", "--seconds", "0", "--json").data
    assert (found["calls"], found["stop"], found["best"]) == (0, "seconds", None)


def test_a_run_that_time_ended_is_replayed_to_the_same_turn(
    run: Run, desk: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from datetime import UTC, datetime, timedelta

    from assay.tools import _loop

    class Fast:
        seconds = 0

        def now(self) -> datetime:
            Fast.seconds += 1
            return datetime(2022, 2, 22, tzinfo=UTC) + timedelta(seconds=Fast.seconds)

    with monkeypatch.context() as patched:
        patched.setattr(_loop, "SystemClock", Fast)
        found = run("agent", "run", "x", "--seconds", "4", "--run", "r", "--json").data
    assert found["stop"] == "seconds"
    assert found["turns"] > 1
    done = run("agent", "replay", "r", "--to", "again")
    assert done.code == 0, done.out


@pytest.mark.parametrize("fsyncs", [2, 5, 9, 14])
def test_an_explorer_that_is_killed_goes_on_as_if_it_was_not(run: Run, desk: Path, fsyncs: int) -> None:
    arguments = ("agent", "run", "momentum", "--turns", "5", "--run", "r")
    killed = child(desk, _KILLED, str(fsyncs), *arguments)
    assert killed.returncode == -signal.SIGKILL, killed.stderr
    assert run("agent", "list", "--json").data[0]["state"] == "open"
    resumed = run("agent", "resume", "r", "--json")
    assert resumed.code == 0, resumed.out
    stopped = left(desk)
    cut_back(desk, 1)
    whole = run(*arguments, "--json")
    assert whole.code == 0
    assert left(desk) == stopped
    assert {name: whole.data[name] for name in ("calls", "best", "n", "trials_added")} == {
        name: resumed.data[name] for name in ("calls", "best", "n", "trials_added")
    }


# ---------------------------------------------------------------- with a model


def test_a_recorded_run_is_replayed_without_a_network_to_equal_bytes(
    run: Run, desk: Path, modelled: Model
) -> None:
    done = run("agent", "run", "momentum", "--run", "r")
    assert done.code == 0, done.err
    assert [line.split()[3] for line in done.out.splitlines() if line.startswith("turn")] == OUTCOMES
    assert len(modelled.seen) == RECORDED
    stored = {path.stem: json.loads(path.read_text()) for path in (desk / "runs").rglob("*.json")}
    assert [v["outcome"] for v in stored["trajectory"]["verdicts"]] == OUTCOMES
    kinds = [seen["illegal_kind"] for seen in stored["trajectory"]["observations"] if seen["illegal"]]
    assert kinds == KINDS
    assert stored["metadata"]["illegal_tool_call_rate"] == 5 / 11
    assert stored["metadata"]["operator"]["model_artifact"] == "local/toy-1"
    assert stored["trajectory"]["spent"]["money"] == pytest.approx(
        RECORDED * (TOKENS[0] * 1.0 + TOKENS[1] * 2.0) / 1e6
    )
    before = (desk / "ledger" / "ledger.jsonl").read_bytes()
    again = child(desk, _OFFLINE, "agent", "replay", "r", "--to", "again", "--json", before=without_network())
    assert again.returncode == 0, again.stdout + again.stderr
    told = json.loads(again.stdout)
    assert (told["equal"], told["difference"], told["files"]) == (True, None, 3)
    assert (desk / "ledger" / "ledger.jsonl").read_bytes() == before
    assert len(modelled.seen) == RECORDED
    first = left(desk)
    assert (desk / "again" / "export.jsonl").read_bytes() == first["export"]
    assert left(desk / "again") == first
    assert told["records"] == first["export"].count(b"\n")


def test_a_replay_sees_what_others_recorded_meanwhile(run: Run, desk: Path, modelled: Model) -> None:
    assert run("agent", "run", "before", "--explorer", "--turns", "4").code == 0

    class Other(Model):
        def next_answer(self, seen: Any) -> Answer:
            if len(self.seen) == 8:
                from assay.judge import judge
                from assay.market import open_panel

                judge("ts_mean(volume, 20)", open_panel(desk / "data" / "small"), _quick())
            return super().next_answer(seen)

    with Other() as model:
        model.configure(desk)
        # the judge records where the data lies in a workspace: a copy, not the link
        link = desk / "data" / "small"
        target = link.resolve()
        link.unlink()
        shutil.copytree(target, link)
        assert run("agent", "run", "momentum", "--run", "r").code == 0
    lines = [json.loads(line) for line in left(desk)["export"].splitlines()]
    (counts,) = (line["body"] for line in lines if line["body"].get("tool") == "ledger.counts")
    assert json.loads(counts["answer"])["result"]["trials"] == 2 + 1 + 2
    assert run("agent", "replay", "r", "--to", "again").code == 0


def _quick() -> Any:
    from assay.judge import JudgeSettings

    return JudgeSettings(
        robustness="off", leak_checks="off", bootstrap=0, shuffles=1, neutral=False, period="search"
    )


@pytest.mark.parametrize("step", [4, pytest.param(1, marks=pytest.mark.slow)])
def test_a_run_cut_off_after_any_record_goes_on_to_equal_bytes(
    run: Run,
    desk: Path,
    modelled: Model,
    tmp_path_factory: pytest.TempPathFactory,
    monkeypatch: Any,
    step: int,
) -> None:
    assert run("agent", "run", "momentum", "--run", "r").code == 0
    whole, paid = left(desk), len(modelled.seen)
    lines = (desk / "ledger" / "ledger.jsonl").read_bytes().splitlines()
    bodies = [json.loads(line) for line in lines]
    begun = next(number for number, line in enumerate(bodies, 1) if line["kind"] == "run_start")
    # a kill leaves whole batches: a refusal comes with its call
    ends = [n for n in range(begun, len(lines)) if bodies[n]["batch"][0] == 0]
    assert len(ends) > 25
    for number in ends[::step]:
        workspace = copied(desk, tmp_path_factory.mktemp("cut") / "ws")
        cut_back(workspace, number)
        kept = sum(line["kind"] == "llm_call" for line in bodies[:number])
        modelled.seen.clear()
        monkeypatch.chdir(workspace)
        done = run("agent", "resume", "r", "--json")
        assert done.code == 0, (number, done.out)
        assert left(workspace) == whole, number
        assert len(modelled.seen) == paid - kept, number
        assert Ledger.open(workspace / "ledger").trials().n == 2


@pytest.mark.parametrize("fsyncs", [5, 15, 27])
def test_a_model_that_is_killed_is_not_paid_twice(
    run: Run, desk: Path, modelled: Model, tmp_path_factory: pytest.TempPathFactory, fsyncs: int
) -> None:
    fresh = copied(desk, tmp_path_factory.mktemp("fresh") / "ws")
    arguments = ("agent", "run", "momentum", "--run", "r")
    killed = child(desk, _KILLED, str(fsyncs), *arguments, **{KEY: CANARY})
    assert killed.returncode == -signal.SIGKILL, killed.stderr
    known = len(list(Ledger.open(desk / "ledger").run("r").entries(kind="llm_call")))
    asked = len(modelled.seen)
    assert asked - known in (0, 1)
    assert run("agent", "resume", "r").code == 0
    assert len(modelled.seen) - asked == RECORDED - known
    whole = child(fresh, _KILLED, "0", *arguments, **{KEY: CANARY})
    assert whole.returncode == 0, whole.stderr
    assert nameless(left(fresh)) == nameless(left(desk))
    assert run("agent", "replay", "r", "--to", "again").code == 0


@pytest.mark.parametrize("case", ["insufficient_quota", "402"])
def test_an_exhausted_quota_stops_the_run_and_it_goes_on_later(
    run: Run, desk: Path, keyed: None, case: str
) -> None:
    with Model(failing={3: OPENAI_CASES[case]}) as model:
        model.configure(desk)
        stopped = run("agent", "run", "momentum", "--run", "r", "--json")
        assert stopped.code == 3
        told = json.loads(stopped.out)
        assert told["error"] == "provider_quota"
        assert "assay agent resume r" in told["fix"]
        assert run("agent", "list", "--json").data[0]["state"] == "stopped"
        assert not list((desk / "runs").rglob("*.json"))
        done = run("agent", "resume", "r")
        assert done.code == 0, done.err
        assert len(model.seen) == RECORDED + 1
        first = left(desk)
        # the failed call stays in the record, and the export is as if it had not failed
        calls = [entry.body["reply"] for entry in Ledger.open(desk / "ledger").entries(kind="llm_call")]
        assert calls.count(None) == 1
        assert run("agent", "replay", "r", "--to", "again").code == 0
        cut_back(desk, 1)
        assert run("agent", "run", "momentum", "--run", "r").code == 0
    second = left(desk)
    assert nameless({"": first["export"]}) == nameless({"": second["export"]})
    assert first["idea/r0/trajectory.json"] == second["idea/r0/trajectory.json"]


@pytest.mark.parametrize("place", ["environment", ".env", "idea"])
def test_a_key_is_nowhere_in_the_workspace(
    run: Run, desk: Path, modelled: Model, monkeypatch: pytest.MonkeyPatch, place: str
) -> None:
    if place == ".env":
        monkeypatch.delenv(KEY)
        (desk / ".env").write_text(f"{KEY}={CANARY}\n")
    idea = f"use {CANARY}" if place == "idea" else "momentum"
    modelled.failing[2] = OPENAI_CASES["401"]
    outputs = [run("agent", "run", idea, "--run", "r")]
    assert outputs[0].code == 3
    outputs.append(run("agent", "resume", "r"))
    outputs += [run("agent", "replay", "r", "--to", "again"), run("agent", "list"), run("ledger", "show")]
    assert modelled.seen[0].headers["authorization"] == f"Bearer {CANARY}"
    assert [done.code for done in outputs[1:]] == [0, 0, 0, 0]
    assert "canary" not in "".join(done.out + done.err for done in outputs)
    written = [path for path in desk.rglob("*") if path.is_file() and path.name != ".env"]
    assert len(written) > 15
    assert not [path for path in written if b"canary" in path.read_bytes()]


def test_plain_json_calls_come_to_the_same(run: Run, desk: Path, keyed: None) -> None:
    with Model(structured="json") as model:
        model.configure(desk)
        done = run("agent", "run", "momentum", "--run", "r", "--json")
        assert done.code == 0, done.out
    assert "tools" not in model.seen[0].body
    assert done.data["answer"].startswith("Done.")
    trajectory = json.loads((desk / "runs/r/idea/r0/trajectory.json").read_text())
    assert [verdict["outcome"] for verdict in trajectory["verdicts"]] == OUTCOMES
    kinds = [seen["illegal_kind"] for seen in trajectory["observations"] if seen["illegal"]]
    assert kinds == KINDS
    assert run("agent", "replay", "r", "--to", "again").code == 0


def test_replies_that_need_repairs_are_counted(run: Run, desk: Path, keyed: None) -> None:
    said = {
        0: Answer(completion("Let me see.\n```json\n{'tool': 'data.describe', 'arguments': {},}\n```")),
        1: Answer(completion("I would rather not.")),
    }
    with Model(structured="json", failing=said) as model:
        model.configure(desk)
        assert run("agent", "run", "momentum", "--run", "r").code == 0
    metadata = json.loads((desk / "runs/r/idea/r0/metadata.json").read_text())
    assert metadata["repairs"] == {
        "code_fence": 1,
        "single_quotes": 3,
        "text_around": 2,
        "trailing_comma": 1,
        "unusable_reply": 1,
    }
    assert run("agent", "replay", "r", "--to", "again").code == 0


def test_a_budget_of_the_settings_stops_a_run_and_may_be_raised(
    run: Run, desk: Path, modelled: Model
) -> None:
    path = desk / "assay.toml"
    text = path.read_text()
    path.write_text(f"{text}[llm.budget]\ncalls = 4\n")
    done = run("agent", "run", "momentum", "--run", "r", "--json")
    assert (done.code, done.data["reason"]) == (2, "call_budget_exhausted")
    assert "assay agent resume r" in done.data["fix"]
    assert run("agent", "resume", "r").code == 2
    # prices are no part of the run either: what was paid stays paid
    path.write_text(text.replace("input = 1.0", "input = 9.0"))
    assert run("agent", "resume", "r").code == 0
    money = json.loads((desk / "runs/r/idea/r0/trajectory.json").read_text())["spent"]["money"]
    assert money == pytest.approx(
        (4 * (1 * TOKENS[0] + 2 * TOKENS[1]) + 7 * (9 * TOKENS[0] + 2 * TOKENS[1])) / 1e6, rel=0.1
    )
    path.write_text(text)
    assert run("agent", "replay", "r", "--to", "again").code == 0


def test_what_has_no_price_cost_an_unknown_sum(run: Run, desk: Path, modelled: Model) -> None:
    path = desk / "assay.toml"
    path.write_text(path.read_text("utf-8").replace('[llm.prices."toy-1"]', "[llm.prices.other]"), "utf-8")
    done = run("agent", "run", "momentum", "--turns", "2", "--run", "r")
    assert "money unknown: no price in assay.toml" in done.out
    assert run("agent", "show", "r", "--json").data["summary"]["money"] is None


def test_a_limit_that_comes_before_an_answer_leaves_none(run: Run, desk: Path, modelled: Model) -> None:
    done = run("agent", "run", "momentum", "--turns", "2", "--run", "r")
    assert "answer     none" in done.out
    summary = run("agent", "show", "r", "--json").data["summary"]
    assert (summary["stop"], summary["answer"]) == ("turns", "")
    assert summary["money"] == pytest.approx(2 * price(1.0))


def test_a_huge_answer_does_not_fill_the_terminal(run: Run, desk: Path, keyed: None) -> None:
    with Model(failing={0: OPENAI_CASES["big"]}) as model:
        model.configure(desk)
        done = run("agent", "run", "momentum", "--run", "r")
    assert "10,485,760 characters" in done.out
    assert len(done.out) < 5_000
    stored = json.loads((desk / "runs/r/idea/r0/trajectory.json").read_text())
    assert len(stored["final_text"]) == 10 * 2**20
    assert len(run("agent", "show", "r").out) < 5_000


def test_an_estimate_comes_before_and_writes_nothing(run: Run, desk: Path, modelled: Model) -> None:
    found = run("agent", "run", "momentum", "--estimate", "--turns", "3", "--json").data
    assert (found["role"], found["calls"], found["output_tokens"]) == ("researcher", 3, 1500)
    assert found["money"] == pytest.approx((found["input_tokens"] + 2 * 1500) / 1e6)
    assert "about 1,500 tokens" in run("agent", "run", "momentum", "--estimate", "--turns", "3").out
    assert "no model" in run("agent", "run", "momentum", "--estimate", "--explorer").out
    assert modelled.seen == []
    assert not (desk / "ledger" / "ledger.jsonl").exists()


def test_a_script_goes_on_where_it_was(run: Run, desk: Path) -> None:
    formulas = ("rank(close)", "rank(open)", "rank(volume)")
    replies = [json.dumps({"tool": "factor.evaluate", "arguments": {"expression": f}}) for f in formulas]
    (desk / "replies.json").write_text(json.dumps([*replies, '{"answer": "done"}']))
    with open(desk / "assay.toml", "a") as file:
        file.write('[llm.backends.file]\nkind = "scripted"\nscript = "replies.json"\n')
        file.write('[llm.roles.planner]\nbackend = "file"\n')
    estimated = run("agent", "run", "x", "--role", "planner", "--estimate").out
    assert "no price for the model of file" in estimated
    assert run("agent", "run", "x", "--role", "planner", "--run", "r").code == 0
    whole = left(desk)
    lines = (desk / "ledger" / "ledger.jsonl").read_bytes().splitlines()
    second = [n for n, line in enumerate(lines, 1) if b'"kind":"llm_call"' in line][1]
    cut_back(desk, second)
    assert run("agent", "resume", "r").code == 0
    assert left(desk) == whole


def test_a_role_may_be_served_from_the_log_of_a_run(run: Run, desk: Path) -> None:
    """Kind ``replay``: the calls of the first run answer the second one, and nothing else does."""
    call = '{"tool": "factor.evaluate", "arguments": {"expression": "rank(close)"}}'
    replies = [call, '{"answer": "done"}']
    (desk / "replies.json").write_text(json.dumps(replies))
    settings = (desk / "assay.toml").read_text("utf-8")
    tables = '[llm.backends.file]\nkind = "scripted"\nscript = "replies.json"\n'
    tables += '[llm.backends.log]\nkind = "replay"\nrun = "first"\n[llm.roles.planner]\nbackend = "{}"\n'
    (desk / "assay.toml").write_text(settings + tables.format("file"), "utf-8")
    assert run("agent", "run", "x", "--role", "planner", "--run", "first").code == 0
    (desk / "replies.json").unlink()
    (desk / "assay.toml").write_text(settings + tables.format("log"), "utf-8")
    assert run("agent", "run", "x", "--role", "planner", "--run", "second").code == 0
    ledger = Ledger.open(desk / "ledger")
    first, second = (
        [entry.body for entry in ledger.entries(kind="llm_call", run=name)] for name in ("first", "second")
    )
    assert second == first
    told = run("agent", "run", "y", "--role", "planner", "--run", "other", "--json")
    assert (told.code, told.data["error"]) == (2, "replay_miss")
    assert "-x" in told.data["message"]
    assert "+y" in told.data["message"]
    unknown = tables.format("log").replace('"first"', '"never"')
    (desk / "assay.toml").write_text(settings + unknown, "utf-8")
    told = run("agent", "run", "x", "--role", "planner", "--run", "third", "--json")
    assert (told.data["reason"], told.data["where"]) == ("unknown_run", "llm.backends.log.run")


@pytest.mark.parametrize(("left", "goes_on"), [(0, False), (12, True)])
def test_a_full_disk_says_how_the_run_goes_on_if_it_was_begun(
    run: Run, desk: Path, monkeypatch: pytest.MonkeyPatch, left: int, goes_on: bool
) -> None:
    assert run("agent", "run", "x", "--calls", "3", "--run", "other").code == 0
    sync, done = os.fsync, []

    def full(handle: int) -> None:
        if len(done) >= left:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        done.append(handle)
        sync(handle)

    with monkeypatch.context() as patched:
        patched.setattr(os, "fsync", full)
        told = run("agent", "run", "y", "--calls", "6", "--run", "r", "--json")
    assert told.code == 2
    assert "disk has space" in told.data["fix"]
    assert ("assay agent resume r" in told.data["fix"]) is goes_on
    again = run("agent", "resume" if goes_on else "run", "r", *(() if goes_on else ("--run", "r")))
    assert again.code == 0


# ---------------------------------------------------------------- what has changed


def test_a_replay_says_what_differs(run: Run, desk: Path, modelled: Model) -> None:
    assert run("agent", "run", "momentum", "--run", "r").code == 0
    path = desk / "runs/r/idea/r0/trajectory.json"
    content = path.read_text()
    path.write_text(content.replace('"text":"x"', '"text":"y"').replace("turn 3", "turn 4"))
    done = run("agent", "replay", "r", "--to", "again")
    assert done.code == 1
    assert done.out.startswith("different: idea/r0/trajectory.json: from character")
    assert (desk / "again" / "export.jsonl").exists()
    path.write_text(content)
    done = run("agent", "replay", "r", "--to", "again", "--json")
    assert (done.code, done.data["error"]) == (2, "error")
    assert run("agent", "replay", "r", "--to", "further").code == 0


@pytest.mark.parametrize(
    ("old", "new", "named"),
    [
        ("max_tokens = 500", "max_tokens = 501", "inputs.policy"),
        ('structured = "tool"', 'structured = "json"', "inputs.policy"),
        ('# fill = "close"', 'fill = "open"', "inputs.settings"),
    ],
)
def test_changed_settings_refuse_a_resume_and_a_replay(
    run: Run, desk: Path, modelled: Model, old: str, new: str, named: str
) -> None:
    modelled.failing[4] = OPENAI_CASES["insufficient_quota"]
    assert run("agent", "run", "momentum", "--run", "r").code == 3
    path = desk / "assay.toml"
    text = path.read_text()
    path.write_text(text.replace(old, new))
    assert path.read_text() != text
    done = run("agent", "resume", "r", "--json")
    assert (done.code, done.data["reason"]) == (2, "inputs_changed")
    assert named in done.data["details"]["changed"]
    assert done.data["fix"].startswith(
        "set back who acts" if named == "inputs.policy" else "set back how formulas"
    )
    changed = path.read_text()
    path.write_text(text)
    assert run("agent", "resume", "r").code == 0
    path.write_text(changed)
    done = run("agent", "replay", "r", "--to", "again", "--json")
    assert done.data["reason"] == "inputs_changed"
    assert not (desk / "again").exists()


def test_changed_data_refuses_a_resume(run: Run, desk: Path, modelled: Model) -> None:
    from assay.market import simulate, write_dataset

    modelled.failing[4] = OPENAI_CASES["insufficient_quota"]
    assert run("agent", "run", "momentum", "--run", "r").code == 3
    (desk / "data" / "small").unlink()
    write_dataset(simulate(4, instruments=60, days=400, name="small").data, desk / "data" / "small")
    done = run("agent", "resume", "r", "--json")
    assert done.data["reason"] == "inputs_changed"
    assert list(done.data["details"]["changed"]) == ["inputs.data:small"]
    assert done.data["fix"] == "set back data:small; or start a new run"


def test_a_run_that_would_call_something_else_is_told(run: Run, desk: Path, tmp_path: Path) -> None:
    assert run("agent", "run", "x", "--turns", "5", "--run", "r").code == 0
    log = desk / "ledger" / "ledger.jsonl"
    number = next(n for n, line in enumerate(log.read_bytes().splitlines(), 1) if b'"kind":"trial"' in line)
    cut_back(desk, number - 1)
    ledger = Ledger.open(desk / "ledger")
    call = next(entry.body for entry in ledger.run("r").entries(kind="tool_call"))
    ledger.run("r").append("tool_call", {**call, "tool": "zoo.list", "step": 2})
    done = run("agent", "resume", "r", "--json")
    assert (done.code, done.data["error"]) == (2, "diverged")
    assert run("agent", "list", "--json").data[0]["state"] == "failed"


# ---------------------------------------------------------------- bad input


def test_without_a_workspace(run: Run) -> None:
    for arguments in (("run", "x"), ("resume", "r"), ("replay", "r", "--to", "d"), ("list",)):
        done = run("agent", *arguments, "--json")
        assert done.code == 2
        assert "no workspace" in done.data["message"]


@pytest.mark.parametrize(
    ("arguments", "where"),
    [
        (("x", "--data", "nothing"), "--data"),
        (("x", "--role", "reasearcher"), "--role"),
        (("x", "--role", "planner"), "llm.roles.planner"),
        (("x", "--role", "planner", "--explorer"), "--explorer"),
        (("x", "--run", "../up"), "run"),
        (("x", "--run", "A B"), "run"),
        (("x", "--run", ""), "run"),
        ((" ",), "idea"),
        (("y" * 5000,), "idea"),
        (("a\udcffb",), "idea"),
    ],
)
def test_bad_input_is_refused_before_anything_is_written(
    run: Run, desk: Path, arguments: tuple[str, ...], where: str
) -> None:
    done = run("agent", "run", *arguments, "--json")
    assert done.code == 2
    assert done.data["where"] == where
    assert done.data["fix"]
    assert not (desk / "ledger" / "ledger.jsonl").exists()
    assert list((desk / "runs").iterdir()) == []


def test_without_data_and_without_a_plan(run: Run, desk: Path) -> None:
    path = desk / "assay.toml"
    path.write_text(path.read_text().partition("[data.small.periods]")[0])
    done = run("agent", "run", "x", "--json")
    assert (done.code, done.data["where"]) == (2, "data")
    assert "[data.small.periods]" in done.data["fix"]
    (desk / "data" / "small").unlink()
    assert run("agent", "run", "x", "--json").data["where"] == "--data"


def test_a_limit_on_money_wants_a_price(run: Run, desk: Path, modelled: Model) -> None:
    path = desk / "assay.toml"
    path.write_text(path.read_text().partition('\n[llm.prices."toy-1"]')[0])
    done = run("agent", "run", "x", "--money", "1", "--json")
    assert (done.code, done.data["where"]) == (2, "money")
    assert modelled.seen == []


def test_a_missing_key_is_told(
    run: Run, desk: Path, modelled: Model, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv(KEY)
    done = run("agent", "run", "x", "--run", "r", "--json")
    assert done.code == 3
    assert KEY in done.data["message"]


def test_runs_that_exist_end_or_are_others(run: Run, desk: Path) -> None:
    assert run("agent", "run", "x", "--turns", "2", "--run", "r").code == 0
    done = run("agent", "run", "x", "--run", "r", "--json")
    assert done.code == 2
    assert (done.data["where"], done.data["reason"]) == ("run", "run_exists")
    ended = run("agent", "resume", "r", "--json").data
    assert ended["reason"] == "run_ended"
    assert "new" in ended["fix"]
    assert run("agent", "resume", "never", "--json").data["reason"] == "unknown_run"
    assert run("agent", "replay", "never", "--to", "d", "--json").data["reason"] == "unknown_run"
    shutil.rmtree(desk / "runs" / "r")
    assert run("agent", "run", "x", "--run", "r", "--json").data["reason"] == "run_exists"
    from assay.base import Operator

    Ledger.open(desk / "ledger").run("other").start("evolve", Operator.human(), "c", {})
    for arguments in (("resume", "other"), ("replay", "other", "--to", "d")):
        assert run("agent", *arguments, "--json").data["reason"] == "not_an_agent_run"
    assert [item["run"] for item in run("agent", "list", "--json").data] == ["r"]


def test_two_processes_are_not_at_one_run(run: Run, desk: Path) -> None:
    import fcntl

    killed = child(desk, _KILLED, "9", "agent", "run", "x", "--run", "r")
    assert killed.returncode == -signal.SIGKILL
    with open(desk / "runs" / "r" / ".lock") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        done = run("agent", "resume", "r", "--json")
    assert (done.code, done.data["message"]) == (2, "another process is at the run 'r'")
    done = run("agent", "replay", "r", "--to", "d", "--json")
    assert "has not finished" in done.data["message"]
    assert run("agent", "resume", "r").code == 0


def test_a_damaged_ledger_is_told_by_line(run: Run, desk: Path) -> None:
    assert run("agent", "run", "x", "--turns", "3", "--run", "r").code == 0
    damage(desk, 3)
    (desk / "ledger" / "head").unlink()
    (desk / "ledger" / "index.sqlite").unlink()
    for arguments in (("run", "x"), ("resume", "r"), ("replay", "r", "--to", "d"), ("list",)):
        done = run("agent", *arguments, "--json")
        assert (done.code, done.data["error"], done.data["where"]) == (2, "ledger_damaged", "line 3")
    assert not (desk / "d").exists()


def test_a_list_of_none_and_of_some(run: Run, desk: Path) -> None:
    assert run("agent", "list", "--json").data == []
    assert "no agent has run here" in run("agent", "list").out
    assert run("agent", "run", "look \x1b[31m here" + "z" * 60, "--turns", "3").code == 0
    head, row = run("agent", "list").out.splitlines()
    assert head.split() == ["run", "state", "policy", "data", "trials", "idea"]
    assert row.split()[:5] == ["agent-1", "finished", "explorer", "small", "1"]
    assert "\x1b" not in row
