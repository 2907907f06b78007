"""The commands and the program of the page on features are run as they stand."""

from __future__ import annotations

import re
import shlex
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

PAGE = Path(__file__).parents[2] / "docs" / "tutorials" / "features.md"
BLOCK = re.compile(r"^```(bash|python)\n(.*?)^```", re.MULTILINE | re.DOTALL)
FILE = re.compile(r"^cat > (\S+) <<'END'\n(.*?)^END\n", re.MULTILINE | re.DOTALL)


def test_the_page(
    run: Callable[..., Any],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    here = tmp_path
    told: dict[str, str] = {}
    printed = ""
    for language, block in BLOCK.findall(PAGE.read_text(encoding="utf-8")):
        if language == "python":
            capsys.readouterr()
            exec(compile(block, str(PAGE), "exec"), {"__name__": "features_tutorial"})
            printed = capsys.readouterr().out
            continue
        if written := FILE.fullmatch(block):
            (here / written[1]).write_text(written[2], encoding="utf-8")
            continue
        for line in block.splitlines():
            words = shlex.split(line)
            if words[0] == "cd":
                here = here / words[1]
                monkeypatch.chdir(here)
                continue
            done = run(*words[1:])
            assert done.code == 0, (line, done.out, done.err)
            told[line] = done.out
    assert len(told) == 12
    assert printed.splitlines()[0] == "(100, 40) 2018-05-31 2018-06-01"
    assert "'tomorrow' is broken: its values change when later rows are left out" in printed
    formula, label = (told[line] for line in told if line.startswith("assay features materialize"))
    assert formula.splitlines()[-1].split()[:2] == ["2018-06-28", "2018-06-29"]
    assert label.splitlines()[-1].split()[:2] == ["2018-06-21", "2018-06-29"]
    trials = [text.splitlines()[-1] for line, text in told.items() if "strategy backtest" in line]
    assert trials == [f"trials on the data set: {n}" for n in (1, 2, 3)]
    count = told["assay ledger count"].splitlines()
    assert count[2].split()[:3] == ["sim", "all", "2"]
    assert (here / "strategies" / "calm.toml").is_file()
