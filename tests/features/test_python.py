"""Features of installed packages, through the entry point group."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

_PACKAGE = """
import numpy as np
from assay.features import feature

@feature("gap", deps=("open", "close"))
def gap(open_, close):
    "Opening gap."
    before = np.vstack([np.full_like(close[:1], np.nan), close[:-1]])
    return open_ / before - 1

@feature("moon", deps=("moonlight",))
def moon(values):
    return values

FEATURES = [gap, moon]
NOTHING = 3
"""
_USE = """
from assay.features import FeatureStore, standard_graph
from assay.market import simulate
panel = simulate(instruments=20, days=60)
graph = standard_graph(panel, formulas={"ranked": "rank(close)"})
print("moon" in graph, FeatureStore(panel, graph).materialize("gap").values.shape)
"""


def ran(tmp_path: Path, entry: str) -> subprocess.CompletedProcess[str]:
    (tmp_path / "moonpack.py").write_text(_PACKAGE, encoding="utf-8")
    info = tmp_path / "moonpack-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: moonpack\nVersion: 1.0\n", encoding="utf-8")
    (info / "entry_points.txt").write_text(f"[assay.features]\nall = {entry}\n", encoding="utf-8")
    command = [sys.executable, "-c", f"import sys; sys.path.insert(0, {str(tmp_path)!r})\n{_USE}"]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def test_what_a_package_adds_stands_beside_the_others(tmp_path: Path) -> None:
    done = ran(tmp_path, "moonpack:FEATURES")
    assert done.returncode == 0, done.stderr
    assert done.stdout.split(" ", 1) == ["False", "(59, 20)\n"]


@pytest.mark.parametrize("entry", ["moonpack:NOTHING", "moonpack:ABSENT"])
def test_a_package_that_cannot_be_used_is_named(tmp_path: Path, entry: str) -> None:
    done = ran(tmp_path, entry)
    assert done.returncode == 1
    assert "the features of package moonpack could not be loaded" in done.stderr
