"""``assay brain agent``, ``chat`` and ``report``: on a fresh machine, killed in between, with a person."""

from __future__ import annotations

import io
import json
import os
import re
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from assay.brain import JobResult, Proposal, Quota, SimulationRequest, Stats
from assay.brain.agent import Direction, SlotView, Status
from assay.brain.search import RESULTS_NAME, ResultStore
from assay.cli import _brain_place as place
from assay.cli import main
from assay.cli._brain_live import Lines, LiveView, live_table, view_of
from assay.config import BrainAgentSettings, init_workspace, load_workspace
from assay.ledger import Ledger
from assay.market import simulate, write_dataset

Run = Callable[..., Any]
SEARCH = (
    "brain",
    "agent",
    "--local",
    "--policy",
    "sampler",
    "--idea",
    "reversal of volume",
    "--run",
    "first",
)
SMALL = ("--simulations", "9")


@pytest.fixture(scope="module")
def quiet(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A market in which there is nothing to find, so that a session goes on to its budget."""
    folder = tmp_path_factory.mktemp("quiet") / "small"
    write_dataset(simulate(3, instruments=40, days=800, signal=False, name="small").data, folder)
    return folder


def workspace(root: Path, market: Path) -> Path:
    init_workspace(root)
    (root / "data" / "small").symlink_to(market, target_is_directory=True)
    return root


@pytest.fixture(scope="module")
def finished(quiet: Path, tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, int]:
    """A workspace in which a session came to its end, and how often it had the disk confirm a write."""
    root = workspace(tmp_path_factory.mktemp("finished") / "w", quiet)
    count, real = [0], os.fsync

    def counting(handle: int) -> None:
        count[0] += 1
        real(handle)

    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(root)
        patch.setattr(os, "fsync", counting)
        assert main([*SEARCH, *SMALL]) == 0
    return root, count[0]


@pytest.fixture
def done(finished: tuple[Path, int], run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A copy of it, as the current folder."""
    root = tmp_path / "copy"
    shutil.copytree(finished[0], root, symlinks=True)
    monkeypatch.chdir(root)
    return root


def export(root: Path, run_id: str = "first") -> bytes:
    found = Ledger.open(load_workspace(root).ledger_dir).export(run_id)
    return re.sub(rb'"alpha":"[^"]*"', b'"alpha":""', found)


def test_a_fresh_machine_needs_no_workspace_and_no_key(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(place, "INSTRUMENTS", 60)
    idea = "Momentum combined with low volatility"
    first = run("brain", "agent", "--idea", idea, "--local", "--simulations", "6")
    assert first.code == 0, first.err
    assert "making a workspace with a simulated market in ./assay-brain" in first.err
    assert "brain-1: sampler on local:sim, a simulated market" in first.out
    assert idea in first.out
    root = Path("assay-brain")
    assert load_workspace(root).default_data == "sim"
    assert (root / "runs" / "brain-1" / "report.json").is_file()
    page = (root / "runs" / "brain-1" / "report.html").read_text(encoding="utf-8")
    assert idea in page
    assert re.search(r"simulated", page)
    again = run("brain", "report", "brain-1")
    assert again.code == 0
    assert "working in ./assay-brain" in again.err
    listed = run("brain", "results", "list", "--json")
    assert listed.code == 0, listed.err
    assert listed.data["count"] == 6


def test_a_session_ends_at_its_budget_and_says_what_is_unmet(done: Path, run: Run) -> None:
    shown = run("brain", "report", "first", "--json")
    assert shown.code == 0, shown.err
    data = shown.data
    assert (data["stop"], data["level"], data["simulations"], data["trials"]) == ("budget", "none", 9, 9)
    assert "sharpe" in data["unmet"]
    assert len(data["rounds"]) >= 2
    assert set(data["held"]) == {data["best"]["job"]}
    ledger = Ledger.open(done / "ledger")
    assert ledger.run("first").state().stopped == "finished"
    trials = [entry.body for entry in ledger.entries(kind="trial", run="first")]
    assert {body["data"] for body in trials} == {"small"}
    assert {body["desk"] for body in trials} == {"brain"}
    assert all(body["series"] and body["bars"] > 200 for body in trials)


def test_the_results_lie_beside_those_of_other_sessions(done: Path) -> None:
    with ResultStore(done / "brain" / RESULTS_NAME) as store:
        kept = store.rows(run="first")
    assert len(kept) == 9
    assert {item.platform for item in kept} == {"local:small"}


def test_a_report_is_made_again_from_the_record_byte_for_byte(done: Path, run: Run) -> None:
    folder = done / "runs" / "first"
    before = {name: (folder / name).read_bytes() for name in ("report.json", "report.html")}
    for name in before:
        (folder / name).unlink()
    assert run("brain", "report", "first").code == 0
    assert {name: (folder / name).read_bytes() for name in before} == before
    assert json.loads(before["report.json"])["run"] == "first"


def test_a_replay_has_learned_what_was_learned_then(
    quiet: Path, run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    root = workspace(tmp_path / "w", quiet)
    monkeypatch.chdir(root)
    first = run(*SEARCH, "--simulations", "40", "--json")
    assert first.data["knowledge"], "a session that learned nothing shows nothing here"
    file = root / "brain" / "knowledge_base.json"
    known = file.read_bytes()
    again = run("brain", "agent", "--replay", "first", "--local", "--run", "again", "--json")
    assert again.code == 0, again.err
    assert again.data["knowledge"] == first.data["knowledge"]
    assert file.read_bytes() == known


def test_a_replay_comes_to_the_same_and_adds_no_trial_to_n(done: Path, run: Run) -> None:
    from assay.ledger import Scope

    ledger = Ledger.open(done / "ledger")
    n = ledger.trials(Scope(desk="brain")).n
    again = run("brain", "agent", "--replay", "first", "--local", "--run", "again")
    assert again.code == 0, again.err
    assert "replay     the same as first" in again.out
    assert Ledger.open(done / "ledger").trials(Scope(desk="brain")).n == n == 9


KILLED = """
import os, signal, sys
left, real = [int(sys.argv.pop(1))], os.fsync
def dying(handle):
    left[0] -= 1
    if left[0] < 0:
        os.kill(os.getpid(), signal.SIGKILL)
    real(handle)
os.fsync = dying
from assay.brain.search import RESULTS_NAME, ResultStore
from assay.cli import main
sys.exit(main())
"""


@pytest.mark.parametrize("share", [0.2, 0.5, 0.7, 0.9])
def test_a_killed_session_goes_on_as_if_it_had_not_been(
    run: Run,
    finished: tuple[Path, int],
    quiet: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    share: float,
) -> None:
    root = workspace(tmp_path / "w", quiet)
    monkeypatch.chdir(root)
    writes = str(int(finished[1] * share))
    words = [sys.executable, "-c", KILLED, writes, *SEARCH, *SMALL]
    killed = subprocess.run(words, capture_output=True, text=True, cwd=root, check=False)
    assert killed.returncode == -signal.SIGKILL, killed.stderr
    resumed = run("brain", "agent", "--resume", "first", "--local")
    assert resumed.code == 0, resumed.err
    assert export(root) == export(finished[0])
    posted = list((root / "brain" / "account").rglob("*"))
    assert posted
    assert (root / "runs/first/report.json").exists()
    assert kept(root) == kept(finished[0])


def kept(root: Path) -> list[tuple[str, float | None]]:
    """What the results of the workspace hold."""
    with ResultStore(root / "brain" / RESULTS_NAME) as store:
        return [(row.request.regular, row.result.sharpe) for row in store.rows()]


def test_a_recorded_session_is_gone_on_with_on_its_own_data_set(
    done: Path, run: Run, quiet: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "stdin", io.StringIO("stop\n"))
    assert run("brain", "chat", "--local", "--idea", "reversal", "--run", "talk", *SMALL).code == 0
    write_dataset(simulate(5, instruments=20, days=400, name="other").data, done / "data" / "other")
    named = run("brain", "agent", "--local", "--idea", "x")
    assert (named.code, "there are: other, small" in named.err) == (2, True), named.err
    ended = run("brain", "agent", "--resume", "talk", "--local")
    assert ended.code == 0, ended.err
    config = (done / "assay.toml").read_text()
    (done / "assay.toml").write_text(config.replace("\n[defaults]\n", '\n[defaults]\ndata = "other"\n', 1))
    assert load_workspace(done).default_data == "other"
    again = run("brain", "agent", "--replay", "first", "--local")
    assert "the same as first" in again.out, again.err


def test_damaged_results_are_named_before_anything_is_paid_for(done: Path, run: Run) -> None:
    (done / "brain" / RESULTS_NAME).write_bytes(b"garbage " * 99)
    before = (done / "ledger" / "ledger.jsonl").read_bytes()
    refused = run("brain", "agent", "--local", "--idea", "x", "--run", "second")
    assert (refused.code, "set-aside" in refused.err) == (2, True), refused.err
    assert (done / "ledger" / "ledger.jsonl").read_bytes() == before


def test_what_is_over_or_unknown_is_not_gone_on_with(done: Path, run: Run) -> None:
    over = run("brain", "agent", "--resume", "first", "--local")
    assert over.code == 2
    assert over.err.startswith("error: the run 'first' has finished"), "refused before a session is announced"
    assert "assay brain report first;" in over.err
    unknown = run("brain", "agent", "--resume", "nothing", "--local")
    assert unknown.code == 2
    assert "nothing" in unknown.err
    for more in (
        ("--idea", "x"),
        ("--simulations", "20"),
        ("--policy", "llm"),
        ("--run", "y"),
        ("--delay", "0"),
    ):
        both = run("brain", "agent", "--resume", "first", "--local", *more)
        assert both.code == 2
        assert "where: --resume" in both.err


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (("--region", "MARS"), '"MARS" is not a valid choice'),
        (("--dataset-id", "nothing9"), "nothing9"),
        (("--critique", "too much turnover"), "give --expression with it"),
        (("--expression", "rank(clse)"), 'unknown variable "clse"'),
        (("--data", "nothing"), "there is no data set 'nothing'"),
        (("--run", "Not An Id"), "Not An Id"),
        (("--idea", "size \udcff"), "no valid UTF-8"),
        (("--idea", ""), "the idea is empty"),
        (("--idea", " \t"), "where: --idea"),
        (("--run", "first"), "a run 'first' was started before"),
        (("--critique", "\udcff", "--expression", "close"), "where: --critique"),
        (("--policy", "llm"), "DEEPSEEK_API_KEY"),
    ],
)
def test_bad_input_is_named_and_nothing_is_recorded(
    done: Path, run: Run, options: tuple[str, ...], said: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("DEEPSEEK_API_KEY", raising=False)
    before = (done / "ledger" / "ledger.jsonl").read_bytes()
    refused = run("brain", "agent", "--local", "--idea", "x", "--run", "second", *options)
    assert refused.code == 2
    assert said in refused.err
    assert "session first" not in refused.err, "an id that is taken is refused before a session is announced"
    assert (done / "ledger" / "ledger.jsonl").read_bytes() == before


def test_without_local_credentials_are_needed(done: Path, run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("BRAIN_USERNAME", "BRAIN_PASSWORD"):
        monkeypatch.delenv(name, raising=False)
    refused = run("brain", "agent", "--idea", "x")
    assert refused.code == 3
    assert "BRAIN_USERNAME" in refused.err


def test_chat_hears_a_critique_goes_on_and_stops(
    done: Path, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "stdin", io.StringIO("lower turnover\n\nstop\n"))
    talked = run(
        "brain", "chat", "--local", "--idea", "reversal of volume", "--run", "talk", "--simulations", "40"
    )
    assert talked.code == 0, talked.err
    assert "interrupted: the user stopped it" in talked.out
    assert talked.err.count("a critique steers the next") == 3
    assert "to go on: assay brain agent --resume talk --local" in talked.err
    bodies = [entry.body for entry in Ledger.open(done / "ledger").entries(kind="round", run="talk")]
    assert [body["text"] for body in bodies if body["outcome"] == "critique"] == ["lower turnover"]
    assert max(body["number"] for body in bodies) == 3


def test_where_no_days_are_held_a_session_ends_without_their_figures(done: Path, run: Run) -> None:
    with (done / "assay.toml").open("a") as file:
        file.write("[brain.simulator]\nheld_days = 0\n")
    ended = run("brain", "agent", "--local", "--idea", "size", "--run", "all", "--simulations", "2", "--json")
    assert ended.code == 0, ended.err
    assert (ended.data["stop"], ended.data["held"]) == ("budget", {})


def test_a_workspace_elsewhere_is_named_in_the_command_to_go_on(
    done: Path, run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "stdin", io.StringIO("stop\n"))
    monkeypatch.chdir(tmp_path)
    said = run("brain", "chat", "--local", "--idea", "reversal", "--run", "talk", "--workspace", "copy")
    assert said.code == 0, said.err
    assert f"--resume talk --local --workspace {done}" in said.err


def test_chat_asks_again_for_what_is_no_text(done: Path, run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"lower \xff turnover\n"), "utf-8"))
    talked = run("brain", "chat", "--local", "--idea", "reversal", "--run", "talk", "--simulations", "40")
    assert talked.code == 0, talked.err
    assert "that was no valid UTF-8" in talked.err
    assert "interrupted: the user stopped it" in talked.out


def test_an_expression_with_a_critique_is_the_start(done: Path, run: Run) -> None:
    words = (
        "--expression",
        "group_rank(ts_mean(returns, 21), industry)",
        "--critique",
        "High turnover, try longer",
    )
    shown = run("brain", "agent", "--local", *words, "--simulations", "4", "--json")
    assert shown.code == 0, shown.err
    assert shown.data["results"][0]["proposal"]["request"]["regular"] == words[1]
    assert len(shown.data["results"]) == 4


def test_a_data_set_without_an_idea_is_the_idea(done: Path, run: Run) -> None:
    shown = run("brain", "agent", "--local", "--dataset-id", "fundamental1", "--simulations", "2", "--json")
    assert shown.code == 0, shown.err
    assert shown.data["idea"] == "what fundamental1 holds"
    assert all("equity" in row["proposal"]["request"]["regular"] for row in shown.data["results"])


def status(**changes: Any) -> Status:
    request = SimulationRequest(regular="rank(close) + [b]")
    stats = Stats(sharpe=1.31, fitness=0.87, turnover=0.251)
    best = JobResult("j0004", Proposal(request), "completed", stats=stats)
    made: dict[str, Any] = {
        "phase": "improvement",
        "round": 3,
        "slots": (SlotView("j0007", "rank(close) + [b]", 0.4), SlotView(), SlotView()),
        "queue": 2,
        "background": 1,
        "directions": (
            Direction("d1", "prices come back", rounds=3, improvement_count=4, best_sharpe=1.31),
            Direction("d2", "volume tells", abandoned=True),
        ),
        "best": best,
        "simulations": 8,
        "budget": 200,
        "quota": Quota(limit=5000, remaining=4992),
        "tokens": 12345,
    }
    return Status(**{**made, **changes})


def test_the_live_view_shows_phase_slots_queue_directions_best_limits_quota_and_tokens() -> None:
    from rich.console import Console

    with open(os.devnull, "w", encoding="utf-8") as nowhere:
        terminal = Console(width=120, record=True, file=nowhere)
        terminal.print(live_table("session s1", "sampler", BrainAgentSettings(), status()))
        shown = terminal.export_text()
    for words in (
        "improvement, round 3, decided by sampler",
        "8 of 200; the platform leaves 4992 of 5000 today",
        "2 waiting, 1 in the background",
        "j0004  Sharpe 1.31  fitness 0.87  turnover 25.1%",
        "Sharpe 1.25  fitness 1  turnover 1% to 70%",
        "12,345",
        "j0007",
        "40%",
        "rank(close) + [b]",
        "idle",
        "prices come back",
        "d2 (left)",
    ):
        assert words in shown


def test_a_wide_hypothesis_leaves_the_headings_whole() -> None:
    from rich.console import Console

    wide = status(directions=(Direction("d1", "成交量：异常放量吸引追价者，之后收益偏低；" * 3),))
    with open(os.devnull, "w", encoding="utf-8") as nowhere:
        terminal = Console(width=80, record=True, file=nowhere)
        terminal.print(live_table("session s1", "sampler", BrainAgentSettings(), wide))
        shown = terminal.export_text()
    assert "direction  rounds  improved  best Sharpe  hypothesis" in shown


def test_lines_where_there_is_no_terminal(capsys: pytest.CaptureFixture[str]) -> None:
    with view_of("session s1", "sampler", BrainAgentSettings(), plain=True) as view:
        assert isinstance(view, Lines)
        view.tell(status())
        view.tell(status(message="round 3 is done"))
    lines = capsys.readouterr().err.splitlines()
    assert lines[0] == "session s1, decided by sampler"
    assert lines[1].startswith("round 3 is done  improvement  simulations 8/200  directions 1  best j0004")
    assert len(lines) == 2


def test_a_terminal_gets_the_live_view(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TTY_COMPATIBLE", "1")
    monkeypatch.setenv("TERM", "xterm")
    with view_of("session s1", "sampler", BrainAgentSettings(), plain=False) as view:
        assert isinstance(view, LiveView)
        view.tell(status(message="round 3 is done"))
