from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import assay.market
from assay.market import simulate, write_dataset

_OPEN = """
import json, sys
from pathlib import Path
from assay.market import open_panel
open_panel(Path(sys.argv[1]))
print(json.dumps(sorted(sys.modules)))
"""
_NOT_NEEDED = (
    "_append",
    "_attach",
    "_doctor",
    "_import",
    "_qlib",
    "_side_tables",
    "_simulate",
    "_fetch",
    "_fetch_client",
    "_yahoo",
    "_baostock",
)


def test_opening_a_stored_panel_loads_nothing_that_makes_imports_or_examines_one(tmp_path: Path) -> None:
    folder = tmp_path / "small"
    write_dataset(simulate(instruments=20, days=60).data, folder)
    ran = subprocess.run(
        [sys.executable, "-c", _OPEN, str(folder)], capture_output=True, text=True, check=True
    )
    loaded = set(json.loads(ran.stdout.splitlines()[-1]))
    assert "assay.market._store" in loaded
    assert not [name for name in _NOT_NEEDED if f"assay.market.{name}" in loaded]
    assert not loaded & {"numba", "scipy", "pandas", "polars", "pyarrow"}


def test_every_public_name_of_the_package_resolves() -> None:
    assert not [name for name in assay.market.__all__ if getattr(assay.market, name, None) is None]
    assert dir(assay.market) == sorted(assay.market.__all__)
