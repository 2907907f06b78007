"""The commands of the tutorial are run as they stand."""

from __future__ import annotations

import re
import shlex
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

PAGE = Path(__file__).parents[2] / "docs" / "tutorials" / "judge.md"
BLOCK = re.compile(r"^```(bash|python)\n(.*?)^```", re.MULTILINE | re.DOTALL)


def test_the_commands_of_the_page(
    run: Callable[..., Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    here, commands = tmp_path, 0
    for language, block in BLOCK.findall(PAGE.read_text(encoding="utf-8")):
        if language == "python":
            exec(compile(block, str(PAGE), "exec"), {"__name__": "judge_tutorial"})
            continue
        for line in block.splitlines():
            words = shlex.split(line)
            if words[0] == "cd":
                here = here / words[1]
                monkeypatch.chdir(here)
            elif words[0] == "printf":
                (here / words[-1]).write_text("\n".join(words[2:-2]) + "\n", encoding="utf-8")
            else:
                done = run(*words[1:])
                assert done.code == 0, (line, done.err)
                assert done.out
                commands += 1
    assert commands == 11
    for name in ("reversal.html", "reversal.json", "three.html"):
        assert (here / name).stat().st_size > 1000
