"""A command loads what it needs and no more: slow libraries and Assay's own modules alike."""

from __future__ import annotations

import gc
import json
import subprocess
import sys
from pathlib import Path

import pytest

from assay.cli import main
from assay.market import simulate, write_dataset

_RUN = """
import json, sys
from assay.cli import main
code = main(sys.argv[1:])
print(json.dumps(sorted(sys.modules)), file=sys.stderr)
sys.exit(code)
"""
_MAKES_OR_EXAMINES_DATA = ("_append", "_attach", "_doctor", "_import", "_qlib", "_simulate", "_sources")
_SLOW = ("matplotlib", "jinja2", "pandas", "polars", "pyarrow", "jsonschema", "scipy.stats", "openai", "arch")


@pytest.fixture(scope="module")
def dataset(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("market") / "small"
    write_dataset(simulate(instruments=40, days=200).data, folder)
    return folder


def _loaded(*arguments: str) -> set[str]:
    ran = subprocess.run([sys.executable, "-c", _RUN, *arguments], capture_output=True, text=True, check=True)
    return set(json.loads(ran.stderr.splitlines()[-1]))


def test_judge_without_a_page_loads_no_chart_and_nothing_that_makes_data(dataset: Path) -> None:
    loaded = _loaded("judge", "-ts_return(close, 5)", "--data", str(dataset))
    assert "assay.judge._judge" in loaded
    assert not [name for name in _SLOW if name in loaded]
    assert not [name for name in _MAKES_OR_EXAMINES_DATA if f"assay.market.{name}" in loaded]


def test_judge_with_a_page_loads_the_charts(dataset: Path, tmp_path: Path) -> None:
    page = tmp_path / "page.html"
    loaded = _loaded("judge", "-ts_return(close, 5)", "--data", str(dataset), "--html", str(page))
    assert {"matplotlib", "jinja2"} <= loaded
    assert "matplotlib.pyplot" not in loaded
    assert page.is_file()


def test_help_loads_no_library_for_numbers() -> None:
    loaded = _loaded("--help")
    assert not loaded & {"numpy", "numba", "scipy", "pydantic", "matplotlib", "assay.judge", "assay.market"}


def test_the_collector_is_as_before_after_a_command(capsys: pytest.CaptureFixture[str]) -> None:
    before = gc.get_threshold()
    assert main(["--help"]) == 0
    assert main(["judge", "(", "--data", "nowhere"]) == 2
    assert gc.get_threshold() == before
    assert "Usage" in capsys.readouterr().out
