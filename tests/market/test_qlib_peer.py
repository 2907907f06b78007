"""The engine in the qlib dialect against pyqlib itself, on one store in qlib's format.

pyqlib needs an environment of its own: ``benchmarks/qlib_diff.py`` makes one and says how to name it.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

SCRIPT = Path(__file__).parents[2] / "benchmarks" / "qlib_diff.py"
PYTHON = os.environ.get("ASSAY_QLIB_PYTHON")


@pytest.mark.skipif(
    PYTHON is None, reason="ASSAY_QLIB_PYTHON names no environment with pyqlib; see benchmarks/qlib_diff.py"
)
def test_formulas_are_what_pyqlib_computes() -> None:
    ran = subprocess.run(
        [sys.executable, str(SCRIPT), "--json", "--python", str(PYTHON)],
        check=False,
        capture_output=True,
        text=True,
    )
    assert ran.stdout, ran.stderr
    found = json.loads(ran.stdout)
    assert len(found) > 30
    assert [item for item in found if not item["good"]] == []
    assert ran.returncode == 0
