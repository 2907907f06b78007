"""``assay report evolve`` and ``assay report eval-window-report`` through the real boundary."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from assay.base import Operator
from assay.cli import main
from assay.cli._report_evolve import _summary
from assay.config import PeriodPlan, init_workspace
from assay.evolve import EvolutionRecord
from assay.judge import issue_eval_token
from assay.ledger import Ledger
from assay.market import Panel, write_dataset
from assay.service import new_token, write_token
from assay.tools import TrajectoryStore

from ..cli.agents import copied, cut_back, left
from ..service.conftest import Server, end, start
from .desk import EVALUATE, VALIDATE, gated_spec, tried
from .test_market import hidden_needles

Run = Callable[..., Any]
SCRIPT = """
[llm.backends.file]
kind = "scripted"
script = "replies.json"
[llm.roles.evolver]
backend = "file"
"""


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Run:
    """Runs ``assay ARGUMENTS``: exit code, standard output, standard error."""
    monkeypatch.setenv("COLUMNS", "200")

    def act(*arguments: str) -> tuple[int, str, str]:
        capsys.readouterr()
        code = main(list(arguments))
        return (code, *capsys.readouterr())

    return act


def make_desk(root: Path, market: Panel, plan: PeriodPlan) -> Path:
    """A workspace with the market and a gated spec in ``spec.json``."""
    init_workspace(root, plans={"toy": plan})
    write_dataset(market.data, root / "data" / "toy")
    (root / "spec.json").write_text(gated_spec().to_json(), "utf-8")
    return root


@pytest.fixture
def desk(tmp_path: Path, market: Panel, plan: PeriodPlan, monkeypatch: pytest.MonkeyPatch) -> Path:
    root = make_desk(tmp_path / "desk", market, plan)
    monkeypatch.chdir(root)
    return root


def test_the_sampler_evolves_a_gated_spec(run: Run, desk: Path) -> None:
    code, out, err = run("report", "evolve", "spec.json", "--seed", "2", "--run", "r")
    assert code == 0, err
    lines = out.splitlines()
    spec_id = gated_spec().spec_id
    assert lines[0] == f"run r: {spec_id}, the sampler (no model), data toy, simulated"
    assert [line.split()[2:4] for line in lines[1:9]] == [[VALIDATE, "ok"], [EVALUATE, "ok"]] * 4
    assert "best       TS_PCTCHANGE($close, 5)" in lines
    assert any(line.startswith("delta      +0.") for line in lines)
    store = TrajectoryStore(desk / "runs", "r")
    failed = replace(
        EvolutionRecord.load(store, spec_id), delta=-1.0, caps={"hidden_gate_cap": "fails a hidden control"}
    )
    told = next(line for line in _summary(failed) if line.startswith("delta"))
    assert "-1.00, the minimum, given as a hidden check on score failed" in told
    assert "IR minus" not in told
    ledger = Ledger.open(desk / "ledger")
    start = next(ledger.run("r").entries(kind="run_start")).body
    assert start["desk"] == "evolve"
    assert start["inputs"]["gate_verdict"] == gated_spec().verdict_hash
    assert start["inputs"]["gated_spec"] == gated_spec().hash
    assert ledger.run("r").state().stopped == "finished"
    assert sorted(path.name for path in (desk / "runs" / "r" / spec_id / "r0").iterdir()) == [
        "metadata.json", "score.json", "trajectory.json",
    ]  # fmt: skip
    assert ledger.verify(objects=True).torn is None


def test_json_and_files_name_no_hidden_date(run: Run, desk: Path, market: Panel, plan: PeriodPlan) -> None:
    code, out, err = run("report", "evolve", "spec.json", "--json")
    assert code == 0, err
    found = json.loads(out)
    assert found["run"] == "evolve-1"
    assert found["simulated"] is True
    assert found["pair"] == {
        "spec_id": gated_spec().spec_id,
        "seed": "TS_PCTCHANGE($close, 30)",
        "evolved": found["best"]["expr"],
    }
    assert len(found["candidates"]) == 4
    texts = [out, err, *(path.read_text() for path in (desk / "runs").rglob("*.json"))]
    for text in texts:
        assert [needle for needle in hidden_needles(market, plan) if needle in text] == []


def test_a_model_of_a_role_evolves(run: Run, desk: Path) -> None:
    calls = [call for turn in tried("TS_PCTCHANGE($close, 5)") for call in turn]
    replies = [json.dumps({"tool": name, "arguments": sent}) for name, sent in calls]
    (desk / "replies.json").write_text(json.dumps([*replies, '{"answer": "a week is enough"}']))
    with (desk / "assay.toml").open("a") as config:
        config.write(SCRIPT)
    code, out, err = run("report", "evolve", "spec.json", "--run", "r")
    assert code == 0, err
    assert "evolver on file" in out
    assert out.endswith("\nanswer     a week is enough\n")
    kinds = [entry.kind for entry in Ledger.open(desk / "ledger").run("r").entries()]
    assert kinds.count("llm_call") == 3
    assert kinds.count("look") == 1
    (desk / "replies.json").write_text("[]")  # the replay asks nobody
    code, out, err = run("report", "evolve", "spec.json", "--run", "r", "--replay", "again")
    assert (code, out[:6]) == (0, "equal:"), (out, err)
    # the sampler may still be asked for by name
    assert run("report", "evolve", "spec.json", "--policy", "sampler")[0] == 0


def test_what_was_never_gated_is_refused(run: Run, desk: Path) -> None:
    """A spec as it is extracted, one that was injected, and a gated one that was edited."""
    gated = json.loads(gated_spec().to_json())
    edited = json.loads(gated_spec().to_json())
    edited["verdict"]["spec"]["expr"] = "TS_PCTCHANGE($close, 31)"
    for content in (gated["verdict"]["spec"], gated["verdict"], edited, {}):
        (desk / "other.json").write_text(json.dumps(content))
        code, out, _ = run("report", "evolve", "other.json", "--json")
        assert code == 2
        assert json.loads(out)["reason"] == "spec_altered"
    assert not (desk / "ledger").exists() or not list(Ledger.open(desk / "ledger").entries(kind="run_start"))


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("nothing.json",), "cannot read nothing.json"),
        (("spec.json", "--policy", "evolvre"), "did you mean 'evolver'?"),
        (("spec.json", "--policy", "evolver"), "no backend is set"),
        (("spec.json", "--data", "tox"), "there is no data set 'tox'"),
        (("spec.json", "--run", "No Id"), "No Id"),
    ],
)
def test_bad_input_says_what_to_do(run: Run, desk: Path, arguments: tuple[str, ...], said: str) -> None:
    code, _, err = run("report", "evolve", *arguments)
    assert code == 2
    assert said in err


def test_without_a_plan_there_is_no_evolution(run: Run, desk: Path) -> None:
    config = (desk / "assay.toml").read_text()
    (desk / "assay.toml").write_text(config[: config.index("[data.toy.periods]")])
    code, _, err = run("report", "evolve", "spec.json")
    assert code == 2
    assert "no period plan" in err
    assert "[data.toy.periods]" in err


# ---------------------------------------------------------------- broken off


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory, market: Panel, plan: PeriodPlan) -> Path:
    """A workspace in which a run came to its end."""
    root = make_desk(tmp_path_factory.mktemp("whole") / "desk", market, plan)
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(root)
        assert main(["report", "evolve", "spec.json", "--seed", "2", "--run", "r"]) == 0
    return root


def resumed(whole: Path, to: Path, lines: int, monkeypatch: pytest.MonkeyPatch) -> Path:
    desk = copied(whole, to)
    cut_back(desk, lines)
    monkeypatch.chdir(desk)
    assert main(["report", "evolve", "spec.json", "--seed", "2", "--run", "r", "--resume"]) == 0
    return desk


def last_line(whole: Path) -> int:
    return len((whole / "ledger" / "ledger.jsonl").read_bytes().splitlines())


def cuts(whole: Path) -> list[int]:
    """Lines after which a run may be cut off: from its start to the last record before its stop."""
    return list(range(2, last_line(whole)))


def held(whole: Path, tmp_path: Path, lines: int, monkeypatch: pytest.MonkeyPatch) -> None:
    desk = resumed(whole, tmp_path / f"cut-{lines}", lines, monkeypatch)
    first, again = left(whole), left(desk)
    look = next(entry.line for entry in Ledger.open(whole / "ledger").entries(kind="look"))
    if lines in (look, look + 1):  # killed between the look and what it said: read, and charged, again
        assert again.pop("export").count(b'"kind":"look"') == 2
        first.pop("export")
    assert again == first


def test_a_run_that_was_killed_goes_on_as_if_it_had_not_been(
    whole: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    listed = cuts(whole)
    for lines in (listed[0], listed[2], listed[len(listed) // 2], listed[-1]):
        held(whole, tmp_path, lines, monkeypatch)


@pytest.mark.slow
def test_killed_after_any_record(whole: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for lines in cuts(whole):
        held(whole, tmp_path, lines, monkeypatch)


def test_a_replay_is_the_run_and_adds_nothing(
    whole: Path, tmp_path: Path, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    desk = copied(whole, tmp_path / "desk")
    monkeypatch.chdir(desk)
    before = (desk / "ledger" / "ledger.jsonl").read_bytes()
    asked = ("report", "evolve", "spec.json", "--seed", "2", "--run", "r", "--json", "--replay")
    code, out, err = run(*asked, "again")
    assert (code, json.loads(out)["equal"], json.loads(out)["files"]) == (0, True, 3), err
    assert (desk / "ledger" / "ledger.jsonl").read_bytes() == before
    score = desk / "runs" / "r" / gated_spec().spec_id / "r0" / "score.json"
    score.write_text(score.read_text().replace('"delta":0.', '"delta":0.9'))
    code, out, _ = run(*asked, "once-more")
    assert (code, json.loads(out)["equal"]) == (1, False)
    assert "score.json" in json.loads(out)["difference"]


def test_resume_and_replay_name_their_run(run: Run, desk: Path) -> None:
    for more in (("--resume",), ("--replay", "again")):
        code, _, err = run("report", "evolve", "spec.json", *more)
        assert code == 2
        assert "no run is named" in err


def test_a_resume_with_another_spec_or_seed_is_refused(
    whole: Path, tmp_path: Path, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    desk = copied(whole, tmp_path / "desk")
    cut_back(desk, last_line(whole) // 2)
    monkeypatch.chdir(desk)
    (desk / "other.json").write_text(gated_spec(rebalance="monthly").to_json())
    for arguments in (("other.json", "--seed", "2"), ("spec.json", "--seed", "3")):
        code, out, _ = run("report", "evolve", *arguments, "--run", "r", "--resume", "--json")
        assert code == 2
        assert json.loads(out)["reason"] == "inputs_changed"


def test_an_id_is_used_once(whole: Path, tmp_path: Path, run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    desk = copied(whole, tmp_path / "desk")
    monkeypatch.chdir(desk)
    code, out, err = run("report", "evolve", "spec.json", "--run", "r")
    assert (code, out) == (2, ""), "refused before a run is announced"
    assert "a run 'r' was started before" in err
    code, out, err = run("report", "evolve", "spec.json", "--seed", "2", "--run", "r", "--resume")
    assert (code, out) == (2, "")
    assert "the run 'r' has finished" in err


# ---------------------------------------------------------------- the sealed window


@pytest.fixture(scope="module")
def server(
    tmp_path_factory: pytest.TempPathFactory, market: Panel, plan: PeriodPlan
) -> Iterator[tuple[Server, Path]]:
    pytest.importorskip("fastapi", reason="the extra server is not installed")
    folder = tmp_path_factory.mktemp("windows")
    root = make_desk(folder / "desk", market, plan)
    running = start(root / "data" / "toy", folder)
    yield running, folder
    end(running)


def pairs_file(folder: Path, server: Server) -> Path:
    spec_id = server.register(
        **{name: getattr(gated_spec().spec, name) for name in ("name", "expr", "windows")},
        evidence=gated_spec().spec.evidence,
    )
    rows = [
        {"spec_id": spec_id, "seed": "TS_PCTCHANGE($close, 30)", "evolved": formula}
        for formula in ("TS_PCTCHANGE($close, 5)", "TS_PCTCHANGE($close, 10)", "foo($close)")
    ]
    path = folder / "pairs.jsonl"
    path.write_text("\n".join(json.dumps(row) for row in rows) + "\n")
    return path


def test_the_sealed_window_needs_the_second_token(
    run: Run, server: tuple[Server, Path], tmp_path: Path
) -> None:
    running, folder = server
    looks = running.count("look")
    code, out, _ = run(
        "report", "eval-window-report", "--input", str(pairs_file(tmp_path, running)),
        "--endpoint", running.url, "--token-file", str(folder / "search.token"),
        "--out", str(tmp_path / "report.json"), "--json",
    )  # fmt: skip
    assert code == 2
    assert json.loads(out)["reason"] == "eval_sealed"
    assert not (tmp_path / "report.json").exists()
    assert running.count("look") == looks


def test_the_window_report(run: Run, server: tuple[Server, Path], tmp_path: Path) -> None:
    from assay.evolve import METRICS

    running, folder = server
    token = issue_eval_token(running.ledger, data="toy", uses=3, operator=Operator.human("owner"))
    write_token(tmp_path / "eval.token", token)
    asked = (
        "report", "eval-window-report", "--input", str(pairs_file(tmp_path, running)),
        "--endpoint", running.url, "--token-file", str(folder / "search.token"),
        "--eval-token-file", str(tmp_path / "eval.token"),
    )  # fmt: skip
    code, out, err = run(*asked, "--out", str(tmp_path / "report.json"), "--json")
    assert code == 0, err
    found = json.loads((tmp_path / "report.json").read_text())
    assert found == json.loads(out)
    for window in ("search", "eval"):
        rows = {row["metric"]: row for row in found[window]["metrics"]}
        assert tuple(rows) == METRICS
        assert found[window]["n"] == 3
        assert {row["n_scored"] for row in rows.values()} == {2}  # the third formula is none
        pairs = found[window]["pairs"]
        assert pairs[2]["why"]
        before = [pair["seed_figures"]["ir"] for pair in pairs[:2]]
        after = [pair["evolved_figures"]["ir"] for pair in pairs[:2]]
        assert before[0] == before[1] == rows["ir"]["median_seed"]
        assert rows["ir"]["median_evolved"] == pytest.approx(sum(after) / 2)
        assert rows["ir"]["improved_share"] == sum(a > b for a, b in zip(after, before, strict=True)) / 2
        turned = [p["evolved_figures"]["turnover"] < p["seed_figures"]["turnover"] for p in pairs[:2]]
        assert rows["turnover"]["improved_share"] == sum(turned) / 2
    # each opening was a charged look: two formulas and their seed, on eval alone
    looks = [entry.body["period"] for entry in running.ledger.entries(kind="look")]
    assert looks == ["eval"] * 3


def test_bad_addresses_tokens_and_pairs(run: Run, tmp_path: Path) -> None:
    token = tmp_path / "token"
    write_token(token, new_token())
    good = tmp_path / "pairs.jsonl"
    row = {"spec_id": "spec-0123456789abcdef", "seed": "$close", "evolved": "$open"}
    good.write_text(json.dumps(row))
    bad = tmp_path / "bad.jsonl"

    def asked(*, pairs: Path = good, url: str = "http://127.0.0.1:9", file: Path = token) -> tuple[int, str]:
        code, _, err = run(
            "report", "eval-window-report", "--input", str(pairs), "--endpoint", url,
            "--out", str(tmp_path / "out.md"), "--token-file", str(file),
        )  # fmt: skip
        return code, err

    code, err = asked()
    assert code == 3
    assert "the service does not answer" in err
    for url in ("ftp://127.0.0.1", "127.0.0.1:8001", "http://example.com"):
        code, err = asked(url=url)
        assert code == 2, url
        assert "--endpoint" in err
    for text in ("", "x", "[]", "{}", json.dumps({**row, "more": 1}), json.dumps({**row, "seed": 5})):
        bad.write_text(text)
        code, err = asked(pairs=bad)
        assert code == 2, text
        assert "--input" in err
    assert asked(file=tmp_path / "none")[0] == 2
    assert not (tmp_path / "out.md").exists()
