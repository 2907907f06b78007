"""The commands and the program of the page on discovery are run as they stand."""

from __future__ import annotations

import re
import shlex
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

PAGE = Path(__file__).parents[2] / "docs" / "tutorials" / "discovery.md"
BLOCK = re.compile(r"^```(bash|python)\n(.*?)^```", re.MULTILINE | re.DOTALL)


def test_the_page(
    run: Callable[..., Any],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    here = tmp_path
    told: list[str] = []
    printed = ""
    for language, block in BLOCK.findall(PAGE.read_text(encoding="utf-8")):
        if language == "python":
            capsys.readouterr()
            exec(compile(block, str(PAGE), "exec"), {"__name__": "discovery_tutorial"})
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
            if words[1] == "discover":
                told.append(done.out)
    trials = [text.splitlines()[-1].rpartition(" ")[2] for text in told]
    assert trials[:3] == ["300", "300", trials[2]]
    assert int(trials[2]) > 550
    counts = [int(trial) for trial in trials]
    assert counts == sorted(counts)
    assert told[0] == told[1]
    events, minutes = told[-2:]
    assert all("mean_score(event_score" in line for line in events.splitlines()[2:6])
    assert "16 evaluated" in events
    assert "16 evaluated" in minutes
    assert printed.splitlines()[0] == "50 20 factor_mining"
    assert printed.count("mean_score(event_score") == 2
