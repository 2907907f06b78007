"""The commands of the tutorial are run as they stand."""

from __future__ import annotations

import re
import shlex
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

PAGE = Path(__file__).parents[2] / "docs" / "tutorials" / "judge.md"
BLOCK = re.compile(r"^```bash\n(.*?)^```", re.MULTILINE | re.DOTALL)


def _predictions(folder: Path) -> None:
    """The table of values that the page takes for granted."""
    import polars as pl

    from assay.market import open_panel

    panel = open_panel(folder / "data" / "sim")
    columns = {name: panel.field("close")[:, index] for index, name in enumerate(panel.instruments)}
    pl.DataFrame({"date": panel.dates.astype("datetime64[ms]"), **columns}).write_parquet(
        folder / "predictions.parquet"
    )


def test_the_commands_of_the_page(
    run: Callable[..., Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    here, commands = tmp_path, 0
    for block in BLOCK.findall(PAGE.read_text(encoding="utf-8")):
        for line in block.splitlines():
            words = shlex.split(line)
            if words[0] == "cd":
                here = here / words[1]
                monkeypatch.chdir(here)
            elif words[0] == "printf":
                (here / words[-1]).write_text("\n".join(words[2:-2]) + "\n", encoding="utf-8")
            else:
                if "predictions.parquet" in words:
                    _predictions(here)
                done = run(*words[1:])
                assert done.code == 0, (line, done.err)
                assert done.out
                commands += 1
    assert commands == 11
    for name in ("reversal.html", "reversal.json", "three.html"):
        assert (here / name).stat().st_size > 1000
