"""The tutorial on own ops is run as it stands: its Python blocks, what they print, the installation."""

from __future__ import annotations

import contextlib
import io
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

PAGE = Path(__file__).parents[2] / "docs" / "tutorials" / "own-ops.md"
BLOCK = re.compile(r"^```(python|text)\n(.*?)^```", re.MULTILINE | re.DOTALL)


def blocks() -> list[tuple[str, str]]:
    return BLOCK.findall(PAGE.read_text(encoding="utf-8"))


def test_the_page_runs_and_prints_what_it_says() -> None:
    space: dict[str, object] = {"__name__": "own_ops"}
    printed = ""
    compared = 0
    for language, body in blocks():
        if language == "text":
            assert printed.strip() == body.strip()
            compared += 1
            continue
        out = io.StringIO()
        with contextlib.redirect_stdout(out):
            exec(compile(body, str(PAGE), "exec"), space)
        printed = out.getvalue()
    assert compared == 4
    test = space["test_weighted_rise_keeps_the_contract"]
    assert callable(test)
    test()


CHECK = """
import numpy as np
from assay.engine import evaluate, reference
from assay.expr import parse
node = parse("rank(weighted_rise(close, volume, 2))", adjustment="refuse").node
class Data:
    shape = (4, 2)
    def field(self, name):
        close = np.array([[1, 1], [2, 1], [3, 2], [2, 3]], dtype=np.float32)
        return close if name == "close" else np.ones((4, 2), dtype=np.float32)
fast = evaluate({"f": node}, Data())["f"]
slow = reference.evaluate(node, Data())
np.testing.assert_array_equal(fast, slow)
print(fast[2:].tolist())
"""


@pytest.fixture
def installed(tmp_path: Path) -> Path:
    """The op of the page as an installed package: its code beside the metadata that an installer writes."""
    declare, _, evaluated = [body for language, body in blocks() if language == "python"][:3]
    code = declare + evaluated.split("report =")[0]
    (tmp_path / "own_ops.py").write_text(code, encoding="utf-8")
    metadata = tmp_path / "own_ops-1.0.dist-info"
    metadata.mkdir()
    (metadata / "METADATA").write_text(
        "Metadata-Version: 2.1\nName: own-ops\nVersion: 1.0\n", encoding="utf-8"
    )
    (metadata / "entry_points.txt").write_text("[assay.ops]\nown = own_ops:OP\n", encoding="utf-8")
    return tmp_path


def test_an_installed_op_is_parsed_checked_and_evaluated(installed: Path) -> None:
    environment = {**os.environ, "PYTHONPATH": str(installed)}
    done = subprocess.run(
        [sys.executable, "-c", CHECK], env=environment, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    # shares of rising bars: 1 and 1/2, then 1/2 and 1
    assert done.stdout.strip() == "[[1.0, 0.5], [0.5, 1.0]]"
