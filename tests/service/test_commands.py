"""``assay backtest run`` through a running service."""

from __future__ import annotations

import json

import pytest

from assay.cli import main

from .conftest import end, gated_spec, make_workspace, start

FORMULA = "TS_PCTCHANGE($close, 20)"


@pytest.fixture(scope="module")
def server(tmp_path_factory, source):
    folder = tmp_path_factory.mktemp("commands")
    running = start(make_workspace(folder / "desk", source), folder)
    yield running
    end(running)


@pytest.fixture
def run(server, tmp_path, capsys):
    spec = tmp_path / "spec.json"
    spec.write_text(gated_spec().to_json())
    folder = server.data.parent.parent.parent

    def act(*arguments: str, role: str = "search", endpoint: str | None = None):
        capsys.readouterr()
        given = ["--spec", str(spec), "--endpoint", endpoint or server.url]
        token = ["--token-file", str(folder / f"{role}.token")]
        code = main(["backtest", "run", *arguments, *given, *token])
        return code, capsys.readouterr()

    return act


def test_a_formula_and_that_of_the_spec(run):
    code, told = run(FORMULA, "--json")
    assert (code, json.loads(told.out)["period"]) == (0, "search")
    code, told = run()
    assert code == 0
    assert "SIMULATED" in told.out


def test_rewards_are_for_the_token_that_may(run, server):
    code, told = run(FORMULA, "--period", "score", role="score")
    assert code == 0
    assert told.out.startswith("reward ")
    code, told = run(FORMULA, "--period", "score")
    assert code == 2
    assert "may not ask" in told.err
    assert server.count("look") == 1


def test_errors_of_the_model_are_bad_input(run):
    code, told = run("RANK(")
    assert code == 2
    assert "what to do" in told.err
    code, told = run("TS_MEAN($clsoe, 5)")
    assert code == 2
    assert "where: line 1, column 9" in told.err
    assert "did you mean: $close" in told.err
    code, told = run(FORMULA, endpoint="ftp://x")
    assert code == 2
