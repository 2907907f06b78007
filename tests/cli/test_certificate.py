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
def certificate(market: Path) -> dict[str, Any]:
    return judged(market, REVERSAL)


@pytest.fixture
def file(certificate: dict[str, Any], tmp_path: Path) -> Path:
    path = tmp_path / "reversal.json"
    path.write_text(json.dumps(certificate), encoding="utf-8")
    return path


def outcomes(data: dict[str, Any]) -> dict[str, str]:
    return {check["check"]: check["outcome"] for check in data["checks"]}


def test_a_file_outside_a_workspace(run: Run, file: Path, certificate: dict[str, Any]) -> None:
    done = run("certificate", "verify", str(file))
    assert done.code == 0
    assert "passed       content hash" in done.out
    assert f"{certificate['content_hash']}: verified" in done.out
    shown = run("certificate", "show", "reversal.json")
    assert shown.code == 0
    for words in (REVERSAL, "passed", "simulated", "not in the rule", certificate["content_hash"]):
        assert words in shown.out
    assert run("certificate", "show", str(file), "--json").data == certificate


def test_one_of_the_ledger_by_its_first_digits(
    run: Run, desk: Path, certificate: dict[str, Any], file: Path
) -> None:
    name = record(desk, certificate)
    digits = name.removeprefix("sha256:")[:8]
    for target in (digits, name, f"sha256:{digits}", str(file)):
        done = run("certificate", "verify", target, "--json")
        assert done.code == 0, done.out
        assert outcomes(done.data) == {
            "form": "passed",
            "content hash": "passed",
            "record": "passed",
            "data": "passed",
        }
        assert done.data["verified"] is True
    assert run("certificate", "show", digits, "--json").data == certificate


def test_without_a_ledger_or_the_data_they_are_not_checked(run: Run, desk: Path, file: Path) -> None:
    (desk / "data" / "small").unlink()
    done = run("certificate", "verify", str(file), "--json")
    assert done.code == 0
    assert outcomes(done.data)["record"] == outcomes(done.data)["data"] == "not_checked"


def test_one_that_the_ledger_does_not_know(run: Run, desk: Path, file: Path, market: Path) -> None:
    record(desk, judged(market, VOLUME))
    done = run("certificate", "verify", str(file))
    assert done.code == 1
    assert "failed       record: the ledger of this workspace has no record" in done.out
    assert "not confirmed" in done.out


def test_data_that_has_changed_since(run: Run, desk: Path, file: Path, certificate: dict[str, Any]) -> None:
    from assay.market import simulate, write_dataset

    record(desk, certificate)
    (desk / "data" / "small").unlink()
    write_dataset(simulate(4, instruments=60, days=400, name="small").data, desk / "data" / "small")
    done = run("certificate", "verify", str(file), "--json")
    assert done.code == 1
    assert outcomes(done.data) == {
        "form": "passed",
        "content hash": "passed",
        "record": "passed",
        "data": "failed",
    }
    (desk / "data" / "small" / "dates.npy").write_bytes(b"nothing")
    done = run("certificate", "verify", str(file))
    assert done.code == 1
    assert "dates.npy" in done.out


def altered(certificate: dict[str, Any], change: Callable[[dict[str, Any]], None]) -> str:
    copy = json.loads(json.dumps(certificate))
    change(copy)
    return json.dumps(copy)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda c: c["body"]["metrics"].update(extra=1), "not a certificate"),
        (lambda c: c["body"]["decision"].update(sentence="all is well"), "does not have the hash"),
        (lambda c: c.update(content_hash="sha256:" + "0" * 64), "does not have the hash"),
        (lambda c: c.pop("body"), "not a certificate"),
        (lambda c: c.update(version=2), "not a certificate"),
        (lambda c: c["body"]["settings"].update(horizon=float("nan")), "not a certificate"),
    ],
)
def test_damage_is_an_error(
    run: Run,
    tmp_path: Path,
    certificate: dict[str, Any],
    change: Callable[[dict[str, Any]], None],
    words: str,
) -> None:
    (tmp_path / "bad.json").write_text(altered(certificate, change), encoding="utf-8")
    done = run("certificate", "verify", "bad.json")
    assert done.code == 2
    assert words in done.err
    assert "failed" in done.out
    told = run("certificate", "verify", "bad.json", "--json")
    assert told.code == 2
    assert words in told.data["message"]
    assert told.data["fix"]


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"", "not JSON"),
        (b"{", "not JSON"),
        (b"\xff\xfe", "not UTF-8"),
        (b"[" * 100_000, "nested too deeply"),
        (b"5", "holds no certificate"),
        (b"[]", "holds no certificate"),
        (b"[1]", "holds no certificate"),
        (b'{"body": {}}', "not a certificate"),
        (b'{"content_hash": "\\ud800", "body": {}}', "not a certificate"),
    ],
)
def test_files_that_are_no_certificate(run: Run, tmp_path: Path, content: bytes, words: str) -> None:
    (tmp_path / "bad.json").write_bytes(content)
    for command in ("show", "verify"):
        done = run("certificate", command, "bad.json")
        assert done.code == 2, (command, done.err)
        assert words in done.err


@pytest.mark.parametrize(
    ("target", "words"),
    [
        ("nowhere.json", "cannot read nowhere.json"),
        ("../nowhere", "cannot read ../nowhere"),
        ("/", "cannot read"),
        ("", "neither a file nor the hash"),
        ("abc", "neither a file nor the hash"),
        ("x" * 5000, "neither a file nor the hash"),
        ("a\0b", "neither a file nor the hash"),
        ("0" * 64, "none begins with"),
    ],
)
def test_targets_that_name_nothing(
    run: Run, desk: Path, certificate: dict[str, Any], target: str, words: str
) -> None:
    record(desk, certificate)
    for command in ("show", "verify"):
        done = run("certificate", command, target)
        assert done.code == 2
        assert words in done.err


def test_a_hash_needs_a_workspace_with_a_ledger(run: Run, tmp_path: Path) -> None:
    done = run("certificate", "show", "abcdef")
    assert done.code == 2
    assert "no workspace" in done.err
    init_workspace(tmp_path)
    done = run("certificate", "show", "abcdef")
    assert done.code == 2
    assert "nothing is recorded" in done.err


def test_a_damaged_ledger_is_named_with_its_line(
    run: Run, desk: Path, file: Path, certificate: dict[str, Any]
) -> None:
    name = record(desk, certificate)
    line = ledger_of(desk).end().lines
    damage(desk, 2)
    assert line == 3
    for target in (str(file), name):
        done = run("certificate", "verify", target, "--json")
        assert done.code == 2
        assert done.data["error"] == "ledger_damaged"
        assert done.data["where"] == "line 2"


def test_a_batch_in_one_file(run: Run, tmp_path: Path, market: Path, certificate: dict[str, Any]) -> None:
    both = [certificate, judged(market, VOLUME)]
    (tmp_path / "both.json").write_text(json.dumps(both), encoding="utf-8")
    assert [item["verified"] for item in run("certificate", "verify", "both.json", "--json").data] == [
        True
    ] * 2
    assert run("certificate", "show", "both.json", "--json").data == both
    shown = run("certificate", "show", "both.json").out
    assert REVERSAL in shown
    assert VOLUME in shown
