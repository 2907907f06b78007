"""``assay mcp``: what stops it before anything is served."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from assay.cli import main
from assay.config import init_workspace, propose_plan
from assay.market import simulate, write_dataset
from assay.web import new_token, write_token


def serve(capsys: pytest.CaptureFixture[str], *options: str) -> tuple[int, str]:
    code = main(["mcp", "serve", *options])
    said = capsys.readouterr()
    assert said.out == ""
    return code, said.err


@pytest.fixture
def desk(tmp_path: Path, monkeypatch) -> Path:
    market = simulate(instruments=20, days=300, name="sim")
    made = init_workspace(tmp_path / "desk", plans={"sim": propose_plan(market.dates, (5, 20))})
    for name in ("sim", "bare"):
        write_dataset(market.data, made.data_dir / name)
    monkeypatch.chdir(made.root)
    return made.root


def test_a_data_set_without_a_plan_is_not_served(capsys, desk: Path) -> None:
    code, said = serve(capsys, "--data", "bare")
    assert code == 2
    assert "no period plan is set for 'bare'" in said
    assert "assay periods set" in said


def test_an_unknown_data_set_is_not_served(capsys, desk: Path) -> None:
    code, said = serve(capsys, "--data", "nothing")
    assert (code, "there is no data set 'nothing'" in said) == (2, True)


@pytest.mark.parametrize(
    "options",
    [
        ("--allow-record",),
        ("--model", "claude"),
        ("--artifact", "claude-1"),
        ("--allow-record", "--model", "m"),
    ],
)
def test_an_agent_has_a_model_and_an_artifact(capsys, desk: Path, options: tuple[str, ...]) -> None:
    code, said = serve(capsys, *options)
    assert code == 2
    assert "--artifact" in said


def test_a_model_without_a_name_is_refused(capsys, desk: Path) -> None:
    code, said = serve(capsys, "--model", "a b", "--artifact", "x")
    assert (code, "cannot be the model of an agent" in said) == (2, True)


def test_http_wants_a_token_that_nobody_else_can_read(capsys, desk: Path) -> None:
    code, said = serve(capsys, "--http")
    assert (code, "no token is set for --http" in said) == (2, True)
    write_token(desk / "token", new_token())
    (desk / "token").chmod(0o644)
    code, said = serve(capsys, "--http", "--token-file", "token")
    assert (code, "other users may read the token" in said) == (2, True)


def test_a_report_that_is_none_is_refused(capsys, desk: Path) -> None:
    code, said = serve(capsys, "--report", "nothing.pdf")
    assert code == 2
    assert "nothing.pdf" in said


def test_a_damaged_ledger_is_told_before_anything_is_served(capsys, desk: Path) -> None:
    (desk / "ledger").mkdir()
    (desk / "ledger" / "ledger.jsonl").write_text("{}\n")
    code, said = serve(capsys, "--data", "sim")
    assert code == 2
    assert "ledger" in said


def test_errors_are_json_where_that_is_asked_for(capsys, desk: Path) -> None:
    assert main(["mcp", "serve", "--data", "nothing", "--json"]) == 2
    assert "there is no data set" in json.loads(capsys.readouterr().out)["message"]
