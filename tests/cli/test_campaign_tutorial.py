"""The commands and the program of the page on campaigns are run as they stand."""

from __future__ import annotations

import re
import shlex
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

PAGE = Path(__file__).parents[2] / "docs" / "tutorials" / "campaign.md"
BLOCK = re.compile(r"^```(bash|python)\n(.*?)^```", re.MULTILINE | re.DOTALL)
WRITTEN = re.compile(r"^cat > (\S+) <<'END'\n(.*?)^END\n", re.MULTILINE | re.DOTALL)


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
            exec(compile(block, str(PAGE), "exec"), {"__name__": "campaign_tutorial"})
            printed = capsys.readouterr().out
            continue
        for part in re.split(r"(?=^(?:assay|cd|cat) )", block, flags=re.MULTILINE):
            if written := WRITTEN.fullmatch(part):
                (here / written[1]).write_text(written[2], encoding="utf-8")
            elif part.startswith("cd "):
                here = here / part.split()[1]
                monkeypatch.chdir(here)
            elif part.strip():
                done = run(*shlex.split(part)[1:])
                assert done.code == 0, (part, done.out, done.err)
                told[part.strip()] = done.out
    assert len(told) == 12
    assert "it would start" in told["assay campaign check"]
    first = told["assay campaign run --run first"]
    assert [line.split("  ")[0] for line in first.splitlines() if line.startswith("round ")] == [
        "round 1/3", "round 2/3", "round 3/3",
    ]  # fmt: skip
    assert "finished" in told["assay campaign status first"]
    assert (here / "first.html").read_text(encoding="utf-8").startswith("<!doctype html>")
    assert "deadline" in told["assay campaign run short.toml --run second"]
    assert "1 rounds are done" in told["assay campaign resume second"]
    assert told["assay campaign replay first --to again"].startswith("equal: ")
    assert told["assay verify first"].splitlines()[-1] == "equal"
    assert printed.startswith("Funnel(slots=36, ")
