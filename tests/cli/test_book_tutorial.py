"""The commands and programs of the page on notes and the book are run as they stand."""

from __future__ import annotations

import json
import re
import shlex
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "tutorials" / "book.md"
SAMPLE = ROOT / "examples" / "agent_propose_xs_momentum" / "sample_run.json"
BLOCK = re.compile(r"^```(bash|python|text)\n(.*?)^```", re.MULTILINE | re.DOTALL)
FILE = re.compile(r"^cat (>>?) (\S+) <<'?END'?\n(.*?)^END\n", re.MULTILINE | re.DOTALL)


def test_the_page(
    run: Callable[..., Any],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    for name in ("ASSAY_BOOK_STATE_ROOT", "ALPHAKERNEL_BOOK_STATE_ROOT"):
        monkeypatch.delenv(name, raising=False)
    here, decision = tmp_path, ""
    told: dict[str, str] = {}
    printed: list[str] = []
    for language, block in BLOCK.findall(PAGE.read_text(encoding="utf-8")):
        if language == "text":
            assert block.splitlines()[1:] == json.loads(SAMPLE.read_text(encoding="utf-8"))["said"]
            continue
        if language == "python":
            capsys.readouterr()
            exec(compile(block, str(PAGE), "exec"), {"__name__": "book_tutorial"})
            printed += capsys.readouterr().out.splitlines()
            continue
        if written := FILE.fullmatch(block):
            mode = "a" if written[1] == ">>" else "w"
            with open(here / written[2], mode, encoding="utf-8") as file:
                file.write(written[3].replace("$DECISION", decision))
            continue
        for line in block.splitlines():
            if line.startswith("DECISION="):
                continue
            line = line.removeprefix("SAID=$(").removesuffix(")")
            words = shlex.split(line.replace("$DECISION", decision))
            if words[0] == "cd":
                here = here / words[1]
                monkeypatch.chdir(here)
                continue
            done = run(*words[1:])
            assert done.code == 0, (line, done.out, done.err)
            told[line] = done.out
            if line.startswith("assay book record decision"):
                decision = done.out.split()[1]
    assert len(told) == 19
    # 150 sold at 22 of 300 bought for 6120; then 300 shares at 10.9 stand for what cost 3060
    realised = 150 * 22 - 3060 - 4.5
    assert f"realised {realised:g}  unrealised 210" in told["assay book show"]
    assert told["assay book import fills.csv --dry-run"] == "would record 1 order and 1 fill\n"
    whole, later = told["assay book attribution"], told["assay book attribution --since 2024-01-10"]
    assert whole.startswith(f"realised {realised:g} from the beginning")
    assert "realised 238.5 from 2024-01-10T00:00:00Z" in later
    assert printed == [
        "235.5 210",
        "True",
        "note:fallen-calm-names 117.75 3",
        "note:the-promotion-gate 117.75 3",
        "unresolved_citation note:always-works does not exist",
    ]
