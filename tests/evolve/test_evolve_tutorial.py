"""The commands and programs of the page on evolution are run as they stand."""

from __future__ import annotations

import json
import re
import shlex
from pathlib import Path
from typing import Any

import pytest

from assay.cli import main
from assay.ledger import Ledger

PAGE = Path(__file__).parents[2] / "docs" / "tutorials" / "evolve.md"
BLOCK = re.compile(r"^```(bash|python)\n(.*?)^```", re.MULTILINE | re.DOTALL)
TEXT = re.compile(r"^```text\n(.*?)^```", re.MULTILINE | re.DOTALL)
FILE = re.compile(r"^cat (>>?) (\S+) <<'END'\n(.*?)^END\n", re.MULTILINE | re.DOTALL)


def test_the_page(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("COLUMNS", "200")
    monkeypatch.chdir(tmp_path)
    here, told, printed = tmp_path, {}, []
    names: dict[str, Any] = {"__name__": "evolve_tutorial"}
    for language, block in BLOCK.findall(PAGE.read_text(encoding="utf-8")):
        capsys.readouterr()
        if language == "python":
            exec(compile(block, str(PAGE), "exec"), names)
            printed.append(capsys.readouterr().out)
            continue
        for part in re.split(r"(?=^(?:assay|cd|cat) )", block, flags=re.MULTILINE):
            if written := FILE.fullmatch(part):
                mode, name, text = written.groups()
                with open(here / name, "a" if mode == ">>" else "w", encoding="utf-8") as file:
                    file.write(text)
            elif part.startswith("cd "):
                here = here / part.split()[1]
                monkeypatch.chdir(here)
            elif part.strip():
                code = main(shlex.split(part)[1:])
                out, err = capsys.readouterr()
                assert code == 0, (part, out, err)
                told[part.strip()] = out
    assert len(told) == 5
    first = told["assay report evolve spec.json --seed 2 --run first"]
    assert "best       TS_PCTCHANGE($close, 5)" in first
    assert "delta      +" in first
    second = told["assay report evolve spec.json --run second"]
    assert "fixed in this episode" in second
    shown = [block for block in TEXT.findall(PAGE.read_text(encoding="utf-8")) if "hidden_gate_cap" in block]
    assert [block in second for block in shown] == [True]
    assert "delta      -1.00, the minimum" in second
    record, by_hand = printed
    assert record.startswith("TS_PCTCHANGE($close, 30) -")
    assert record.count("TS_") >= 4
    assert by_hand.splitlines()[1] == "0"
    looks = list(Ledger.open(here / "ledger").entries(kind="look"))
    assert [entry.run for entry in looks] == ["first", "second", "by-hand"]


@pytest.mark.slow
def test_most_seeds_fail_as_the_page_says(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    setting_up = BLOCK.findall(PAGE.read_text(encoding="utf-8"))[0][1]
    for part in re.split(r"(?=^(?:assay|cd|cat) )", setting_up, flags=re.MULTILINE):
        if written := FILE.fullmatch(part):
            mode, name, text = written.groups()
            with open(name, "a" if mode == ">>" else "w", encoding="utf-8") as file:
                file.write(text)
        elif part.startswith("cd "):
            monkeypatch.chdir(part.split()[1])
        elif part.strip():
            assert main(shlex.split(part)[1:]) == 0
    found = {}
    for seed in range(6):
        capsys.readouterr()
        assert main(["report", "evolve", "spec.json", "--seed", str(seed), "--json"]) == 0
        record = json.loads(capsys.readouterr().out)
        found[seed] = (record["delta"], record["reward"])
    assert found.pop(2)[0] > 0
    assert set(found.values()) == {(-1.0, 0.0)}


def test_the_table_of_the_page_is_that_of_the_code() -> None:
    from assay.evolve import CAPS, WEIGHTS

    text = PAGE.read_text(encoding="utf-8")
    rows = dict(re.findall(r"^\| (\w+) \| (0\.\d\d) \|", text, re.MULTILINE))
    assert {name: float(value) for name, value in rows.items()} == dict(WEIGHTS)
    caps = text[text.index("Caps: ") :].partition("Those controls")[0].replace("\n", " ")
    said = [float(value) for value in re.findall(r" (0(?:\.\d\d)?)(?=[;.])", caps)]
    assert sorted(said) == sorted(CAPS.values())
