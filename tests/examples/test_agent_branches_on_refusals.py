"""The transcript beside the example is what the example prints, to the byte."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

EXAMPLE = Path(__file__).parents[2] / "examples" / "agent_branches_on_refusals.py"


def test_it_prints_its_transcript() -> None:
    done = subprocess.run([sys.executable, str(EXAMPLE)], capture_output=True, check=True, timeout=300)
    kept = EXAMPLE.with_suffix(".txt").read_bytes()
    assert done.stdout == kept, f"refresh it: python {EXAMPLE.name} > {EXAMPLE.stem}.txt"
    reasons = (b"bad_horizon", b"bad_expression", b"as_of_in_future", b"no_ledger", b"unknown_tool")
    assert all(b"reason = " + reason in kept for reason in reasons)
