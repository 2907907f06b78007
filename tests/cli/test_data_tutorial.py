"""The page on data is run as it stands, but for the downloads."""

from __future__ import annotations

import re
import shlex
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

PAGE = Path(__file__).parents[2] / "docs" / "tutorials" / "data.md"
BLOCK = re.compile(r"^```bash\n(.*?)^```", re.MULTILINE | re.DOTALL)
HERE_FILE = re.compile(r"^cat > (\S+) <<'END'\n(.*?)^END\n", re.MULTILINE | re.DOTALL)


def test_the_commands_of_the_page(run: Callable[..., Any], tmp_path: Path) -> None:
    told: dict[str, str] = {}
    for block in BLOCK.findall(PAGE.read_text(encoding="utf-8")):
        if "baostock" in block:
            continue
        for name, text in HERE_FILE.findall(block):
            (tmp_path / name).write_text(text, encoding="utf-8")
        for line in HERE_FILE.sub("", block).replace("\\\n", " ").splitlines():
            done = run(*shlex.split(line)[1:])
            assert done.code == 0, (line, done.out, done.err)
            told[line] = done.out
    assert len(told) == 7
    shown = run("data", "show", "mine").out
    for words in (
        "universe csi300: 2 spans",
        "group industry: 1 label;",
        "events news: 2",
        "pe ",
        "market: CN",
    ):
        assert words in shown
    assert "filter: columns left out: remark" in shown


def test_the_python_of_the_page(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    blocks = re.findall(r"^```python\n(.*?)^```", PAGE.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL)
    assert len(blocks) == 2
    space: dict[str, Any] = {"__name__": "data_tutorial"}
    for block in blocks:
        exec(compile(block, str(PAGE), "exec"), space)
    assert space["panel"].shape == (3, 1)
    assert space["taken"].columns["close"] == "close"
