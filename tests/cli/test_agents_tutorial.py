"""The commands and programs of the page on agents are run as they stand."""

from __future__ import annotations

import re
import shlex
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

PAGE = Path(__file__).parents[2] / "docs" / "tutorials" / "agents.md"
BLOCK = re.compile(r"^```(bash|python)\n(.*?)^```", re.MULTILINE | re.DOTALL)
MORE = re.compile(r"^cat (>>?) (\S+) <<'END'\n(.*?)^END\n", re.MULTILINE | re.DOTALL)


def test_the_page(
    run: Callable[..., Any],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    here = tmp_path
    told: dict[str, Any] = {}
    printed: list[str] = []
    names: dict[str, Any] = {"__name__": "agents_tutorial"}
    for language, block in BLOCK.findall(PAGE.read_text(encoding="utf-8")):
        if language == "python":
            capsys.readouterr()
            exec(compile(block, str(PAGE), "exec"), names)
            printed.append(capsys.readouterr().out)
            continue
        for part in re.split(r"(?=^(?:assay|cd|cat) )", block, flags=re.MULTILINE):
            if written := MORE.fullmatch(part):
                mode, name, text = written.groups()
                with open(here / name, "a" if mode == ">>" else "w", encoding="utf-8") as file:
                    file.write(text)
            elif part.startswith("cd "):
                here = here / part.split()[1]
                monkeypatch.chdir(here)
            elif part.strip():
                done = run(*shlex.split(part)[1:])
                assert done.code == 0, (part, done.out, done.err)
                told[part.strip()] = done.out
    assert len(told) == 11
    assert "refused  " in told["assay agent show second"]
    assert "trials     6 added" in told[next(line for line in told if "fades" in line)]
    second = told['assay agent run "short-term reversal" --run second']
    assert "calls      4, of them refused 1" in second
    assert "answer     Short-term reversal" in second
    assert told["assay agent replay second --to again"].startswith("equal: ")
    files, mask, own, bench, by_hand, by_model = printed
    assert files.splitlines()[:2] == ["['ok', 'ok', 'refused', 'illegal']", "0.25"]
    assert "'schema_invalid': 1" in files
    assert [line.split()[1] for line in mask.splitlines()[:4]] == ["0", "0", "1", "0"]
    ok, refused, illegal = own.splitlines()
    assert ok.startswith("Ok(")
    assert refused.startswith("Refused(reason='no_note'")
    assert "kind='schema_invalid', reason='bad_topic'" in illegal
    assert "'notes.find'" in bench
    assert "'factor.evaluate'" in bench
    assert by_hand.startswith("answered 0.0\n")
    assert by_model.splitlines()[-1] == "5"
    assert told["assay ledger count"].splitlines()[2].split() == ["sim", "all", "7", "0", "6"]
    assert (here / "again" / "export.jsonl").is_file()
