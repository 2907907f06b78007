"""The commands and the program of the page on templates and several agents are run as they stand."""

from __future__ import annotations

import re
import shlex
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

PAGE = Path(__file__).parents[2] / "docs" / "tutorials" / "brain-templates.md"
BLOCK = re.compile(r"^```(bash|python)\n(.*?)^```", re.MULTILINE | re.DOTALL)


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
            exec(compile(block, str(PAGE), "exec"), {"__name__": "templates_tutorial"})
            printed = capsys.readouterr().out
            continue
        for line in block.splitlines():
            words = shlex.split(line)
            if words[0] == "cd":
                here = here / words[1]
                monkeypatch.chdir(here)
                continue
            done = run(*words[1:])
            assert done.code == 0, (line, done.out, done.err)
            told[" ".join(words[2:5])] = done.out
    assert "TPL_LOWVOL_RETURNS_V1" in told["template list"]
    assert told["template expand TPL_LOWVOL_RETURNS_V1"].splitlines()[0] == (
        "-group_rank(ts_std_dev(returns, 60), industry)"
    )
    assert " of 24 simulations" in told["pipeline run mine.toml"]
    assert "EXPAND" in told["pipeline run mine.toml"]
    assert "fundamental1.equity" in told["scout --local"]
    assert "30 of 30 simulations" in told["multi --local --idea"]
    assert "optimizer-1" in told["multi --local --idea"]
    assert re.match(r"[1-9][0-9]* [1-9] \S", printed)
