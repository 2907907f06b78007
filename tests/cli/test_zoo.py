from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from assay.config import init_workspace

from .recorded import REVERSAL, VOLUME, damage, judged, ledger_of, record

Run = Callable[..., Any]


@pytest.fixture(scope="module")
def certificates(market: Path) -> dict[str, Any]:
    return {
        "reversal": judged(market, REVERSAL),
        "volume": judged(market, VOLUME),
        "weak": judged(market, "rank(open)", min_t=50.0),
    }


@pytest.fixture
def hashes(desk: Path, certificates: dict[str, Any]) -> dict[str, str]:
    return {name: record(desk, made) for name, made in certificates.items()}


@pytest.fixture
def zoo(run: Run, desk: Path, hashes: dict[str, str]) -> Path:
    """A workspace with two admitted factors."""
    for name in ("reversal", "volume"):
        done = run("zoo", "admit", hashes[name][:20], "--name", name, "--by", "ada")
        assert done.code == 0, done.err
        assert done.out == f"admitted {name}: {REVERSAL if name == 'reversal' else VOLUME}\n"
    return desk


def test_the_life_of_a_factor(run: Run, zoo: Path, certificates: dict[str, Any]) -> None:
    listed = run("zoo", "list")
    assert listed.code == 0
    assert [line.split()[0] for line in listed.out.splitlines()] == ["reversal", "volume"]
    shown = run("zoo", "show", "reversal")
    assert shown.code == 0
    for words in ("admitted by ada", REVERSAL, certificates["reversal"]["content_hash"]):
        assert words in shown.out
    assert run("zoo", "show", "reversal", "--json").data["document"] == certificates["reversal"]

    gone = run("zoo", "retire", "volume", "--reason", "too crowded", "--json")
    assert gone.code == 0
    assert gone.data["retired"]["reason"] == "too crowded"
    assert [item["name"] for item in run("zoo", "list", "--json").data] == ["reversal"]
    assert "(retired: too crowded)" in run("zoo", "list", "--retired").out
    assert "retired by user" in run("zoo", "show", "volume").out
    kinds = [entry.kind for entry in ledger_of(zoo).entries()]
    assert kinds[-3:] == ["admission", "admission", "retirement"]


def test_an_empty_zoo(run: Run, desk: Path, hashes: dict[str, str]) -> None:
    assert "the zoo is empty" in run("zoo", "list").out
    assert run("zoo", "list", "--json").data == []


def test_a_certificate_as_a_file_is_admitted_too(
    run: Run, desk: Path, hashes: dict[str, str], certificates: dict[str, Any]
) -> None:
    (desk / "one.json").write_text(json.dumps(certificates["reversal"]), encoding="utf-8")
    assert run("zoo", "admit", "one.json", "--name", "reversal").code == 0
    (desk / "two.json").write_text(json.dumps(list(certificates.values())), encoding="utf-8")
    done = run("zoo", "admit", "two.json", "--name", "another")
    assert done.code == 2
    assert "3 certificates" in done.err


def test_comparison(run: Run, zoo: Path) -> None:
    done = run("zoo", "compare", "--json")
    assert done.code == 0, done.err
    (found,) = done.data
    assert (found["a"], found["b"], found["match"]) == ("reversal", "volume", "distance")
    assert 150 < found["values"]["days"] < 240  # those of search, of 400
    assert -1 <= found["values"]["correlation"] <= 1
    from assay.config import find_workspace

    workspace = find_workspace(zoo)
    assert workspace is not None
    plan = workspace.settings("small").periods
    assert plan is not None
    assert found["series"]["days"] == (plan.search.end - plan.search.start).days + 1
    table = run("zoo", "compare", "volume", "reversal", "--data", "small")
    assert table.code == 0
    assert "volume  reversal" in table.out
    inside = run("zoo", "compare", "--universe", "index_a", "--json").data
    assert inside[0]["values"] != found["values"]


def test_export(run: Run, zoo: Path) -> None:
    done = run("zoo", "export", "out", "--json")
    assert done.code == 0
    assert done.data["factors"] == ["reversal", "volume"]
    for name in ("reversal", "volume"):
        verified = run("certificate", "verify", f"out/certificates/{name}.json", "--json")
        assert verified.code == 0
    again = run("zoo", "export", "out")
    assert again.code == 2
    assert "exists already" in again.err


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("show", "reversl"), "did you mean 'reversal'"),
        (("show", "../reversal"), "no factor"),
        (("show", ""), "no factor"),
        (("compare", "reversal", "volum"), "did you mean 'volume'"),
        (("compare", "reversal"), "two factors or more are compared, and there are 1"),
        (("compare", "--data", "smal"), "did you mean small"),
        (("compare", "--universe", "index_z"), "index_z"),
        (("retire", "reversl", "--reason", "x"), "did you mean 'reversal'"),
        (("retire", "reversal", "--reason", " "), "no reason"),
        (("retire", "reversal"), "--reason"),
        (("retire", "reversal", "--reason", "x", "--by", ""), "operator"),
        (("admit", "0" * 64, "--name", "x"), "none begins with"),
        (("admit", "nowhere.json", "--name", "x"), "nowhere.json"),
        (("export", "missing/\0"), ""),
    ],
)
def test_bad_input(run: Run, zoo: Path, arguments: tuple[str, ...], words: str) -> None:
    before = ledger_of(zoo).end()
    done = run("zoo", *arguments)
    assert done.code == 2, done.out
    assert words in done.err
    assert "what to do" in done.err
    assert ledger_of(zoo).end() == before


@pytest.mark.parametrize("name", ["a/b", "..", "", "Upper", "x" * 65, "a b"])
def test_names_that_cannot_be(run: Run, desk: Path, hashes: dict[str, str], name: str) -> None:
    done = run("zoo", "admit", hashes["reversal"], "--name", name)
    assert done.code == 2
    assert "name of a factor" in done.err


def test_refusals_have_reasons(run: Run, zoo: Path, hashes: dict[str, str], market: Path) -> None:
    def reason(*arguments: str) -> str:
        done = run("zoo", *arguments, "--json")
        assert done.code == 2
        return str(done.data["reason"])

    assert reason("admit", hashes["weak"], "--name", "weak") == "not_passed"
    assert reason("admit", hashes["reversal"], "--name", "volume") == "name_taken"
    assert reason("admit", hashes["reversal"], "--name", "second") == "already_admitted"
    (zoo / "new.json").write_text(json.dumps(judged(market, "rank(low)")), encoding="utf-8")
    assert reason("admit", "new.json", "--name", "new") == "certificate_unrecorded"
    assert run("zoo", "retire", "volume", "--reason", "old").code == 0
    assert reason("retire", "volume", "--reason", "old") == "already_retired"


COMMANDS = (
    ("list",),
    ("show", "reversal"),
    ("compare",),
    ("export", "out"),
    ("retire", "reversal", "--reason", "x"),
    ("admit", "0" * 64, "--name", "x"),
)


@pytest.mark.parametrize("arguments", COMMANDS)
def test_without_a_workspace_or_a_ledger(run: Run, tmp_path: Path, arguments: tuple[str, ...]) -> None:
    done = run("zoo", *arguments)
    assert done.code == 2
    assert "no workspace" in done.err
    init_workspace(tmp_path)
    done = run("zoo", *arguments)
    assert done.code == 2
    assert "nothing is recorded" in done.err


@pytest.mark.parametrize("arguments", COMMANDS)
def test_a_damaged_ledger(run: Run, zoo: Path, arguments: tuple[str, ...]) -> None:
    damage(zoo, 3)
    done = run("zoo", *arguments, "--json")
    assert done.code == 2
    assert done.data["error"] == "ledger_damaged"
    assert done.data["where"] == "line 3"
    assert not (zoo / "out").exists()
