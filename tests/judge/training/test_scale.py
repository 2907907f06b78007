"""A whole campaign's number of trials on CSI 300: memory, and each part of the benchmark there."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[3]


def benchmark(*arguments: str) -> str:
    command = [sys.executable, str(ROOT / "benchmarks" / "training.py"), *arguments]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr[-2000:]
    return done.stdout


def test_the_benchmark_shows_each_part() -> None:
    shown = benchmark("--simulated", "--formulas", "8", "--batch", "4", "--threads", "1")
    for part in ("gate", "score", "admission", "ledger: record", "evaluation", "book"):
        assert re.search(rf"^{part} .*\d+\.\d\d", shown, re.MULTILINE), part


@pytest.mark.slow
def test_two_thousand_trials_take_less_than_two_gibibytes(shared: Path) -> None:
    shown = benchmark("--formulas", "2000", "--whole")
    found = re.search(r"(\d+) formulas, (\d+) scored, .* most memory (\d+) MiB", shown)
    assert found is not None
    assert int(found[1]) == 2000
    assert int(found[2]) > 1500
    assert int(found[3]) < 2048
