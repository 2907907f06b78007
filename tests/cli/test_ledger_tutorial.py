"""The commands of the page on the record are run as they stand."""

from __future__ import annotations

import re
import shlex
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

PAGE = Path(__file__).parents[2] / "docs" / "tutorials" / "ledger.md"
BLOCK = re.compile(r"^```bash\n(.*?)^```", re.MULTILINE | re.DOTALL)
MORE = re.compile(r"^cat >> (\S+) <<'END'\n(.*?)^END\n", re.MULTILINE | re.DOTALL)


def test_the_commands_of_the_page(
    run: Callable[..., Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    here = tmp_path
    told: dict[str, list[str]] = {}
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
            done = run(*words[1:])
            assert done.code == 0, (line, done.out, done.err)
            told.setdefault(line, []).append(done.out)
    assert len(told) == 23
    assert told["assay ledger count"][0].splitlines()[1].split()[2] == "3"
    before, after = told["assay periods show"]
    assert "looks at eval: 0 of 10 used" in before
    assert "looks at eval: 1 of 10 used" in after
    assert told["assay certificate verify price_volume.json"][0].count("passed  ") == 4
    assert "price_volume  strength" in told["assay zoo compare"][0]
    assert sorted(path.name for path in (tmp_path / "agent" / "data").iterdir()) == ["sim"]
    assert [path.name for path in (here / "zoo" / "factors").iterdir()] == ["price_volume.json"]
