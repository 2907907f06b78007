"""The commands and the program of the page on the thermometer are run as they stand."""

from __future__ import annotations

import hashlib
import re
import shlex
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from assay.thermometer import PrintStore

PAGE = Path(__file__).parents[2] / "docs" / "tutorials" / "thermometer.md"
BLOCK = re.compile(r"^```(bash|python)\n(.*?)^```", re.MULTILINE | re.DOTALL)
FILE = re.compile(r"^cat > (\S+) <<'END'\n(.*?)^END\n", re.MULTILINE | re.DOTALL)


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
            exec(compile(block, str(PAGE), "exec"), {"__name__": "thermometer_tutorial"})
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
            told.append(done.out)
    _, many, shown, plotted, june, july, last, again, listed = told
    assert len(many.splitlines()) == 31
    assert "(simulated components)" in shown
    assert (here / "thermometer" / "thermometer.html").is_file()
    assert plotted.startswith("wrote ")
    assert june.startswith("2020-06-30  tightening   heat 100.0  2020-06-30-2-")
    assert july.startswith("2020-07-31  tightening   heat 100.0  2020-07-31-1-")
    assert re.search(r"orders +demand +up +99 +103 +2020-06-30 +2020-07-20 ", last)
    assert again.endswith("unchanged\n")
    assert [line[:10] for line in listed.splitlines()[-3:]] == ["2020-06-30", "2020-06-30", "2020-07-31"]
    first, second, _ = PrintStore(here / "thermometer" / "prints").list()[-3:]
    assert (first.print.simulated, second.print.simulated) == (True, False)
    assert second.print.supersedes == first.name
    (orders,) = (item for item in second.print.components if item.name == "orders")
    assert orders.last is not None
    assert orders.reference is not None
    assert (orders.reference.value, orders.last.value) == (100.0, 104.0)
    file = here / "thermometer" / "prints" / f"{second.name}.json"
    assert hashlib.sha256(file.read_bytes()).hexdigest() == second.content_hash
    assert printed.splitlines()[0].endswith("True")
