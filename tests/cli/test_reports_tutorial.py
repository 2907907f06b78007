"""The commands of the page on reports are run as they stand."""

from __future__ import annotations

import json
import re
import shlex
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

PAGE = Path(__file__).parents[2] / "docs" / "tutorials" / "reports.md"
BLOCK = re.compile(r"^```bash\n(.*?)^```", re.MULTILINE | re.DOTALL)
MORE = re.compile(r"^cat >> (\S+) <<'END'\n(.*?)^END\n", re.MULTILINE | re.DOTALL)


def test_the_commands_of_the_page(
    run: Callable[..., Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    here = tmp_path
    told: dict[str, str] = {}
    for block in BLOCK.findall(PAGE.read_text(encoding="utf-8")):
        for name, text in MORE.findall(block):
            path = here / name
            path.write_text(path.read_text(encoding="utf-8") + text, encoding="utf-8")
        for line in MORE.sub("", block).splitlines():
            words = shlex.split(line)
            if words[0] == "cd":
                here = here / words[1]
                monkeypatch.chdir(here)
                continue
            into = words.pop() if ">" in words else None
            done = run(*[word for word in words[1:] if word != ">"])
            assert done.code == 0, (line, done.out, done.err)
            if into is not None:
                (here / into).write_text(done.out, encoding="utf-8")
            told[line] = done.out
    assert len(told) == 16
    chinese = told["assay report extract samples/zh-01.md"]
    assert "TS_PCTCHANGE($close, 20)" in chinese
    assert "gate: admitted" in chinese
    english = json.loads(told["assay report extract samples/en-01.md --json"])
    assert english["status"] == "spec"
    assert english["spec"]["windows"] == [5]
    readings = next(text for line, text in told.items() if "--out zh-01.json" in line)
    assert "spread: RankIC" in readings
    trials = int(told["assay ledger count"].splitlines()[1].split()[2])
    assert trials >= 2
    assert (here / "zh-01.html").read_text(encoding="utf-8").startswith("<!")
    assert json.loads((here / "zh-01.json").read_text(encoding="utf-8"))["spec_id"].startswith("spec-")
    assert "| task success |" in (here / "holdout.md").read_text(encoding="utf-8")
    assert "0 admitted" in told["assay report inject"]
