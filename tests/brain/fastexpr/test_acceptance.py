"""The public collections of programs: what is accepted, what is refused and as what."""

from __future__ import annotations

import importlib.util
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import pytest

BENCHMARK = Path(__file__).resolve().parents[3] / "benchmarks" / "fastexpr.py"


@pytest.fixture(scope="module")
def acceptance() -> Iterator[ModuleType]:
    spec = importlib.util.spec_from_file_location("benchmark_fastexpr", BENCHMARK)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    yield module
    del sys.modules[spec.name]


@pytest.mark.parametrize("row", range(6))
def test_a_collection_gets_the_expected_verdicts(acceptance: ModuleType, shared: Path, row: int) -> None:
    assert len(acceptance.FILES) == 6
    collection = acceptance.FILES[row]
    result, _ = acceptance.measure(collection, shared / "data" / "expressions")
    assert dict(result.verdicts) == dict(collection.expected)
    assert result.broken == []
    assert len(result.listed) == result.verdicts.total() - result.verdicts[acceptance.ACCEPTED]


def test_the_command_prints_the_table(
    acceptance: ModuleType, shared: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "argv", ["fastexpr.py", "--data", str(shared / "data" / "expressions")])
    assert acceptance.main() == 0
    lines = capsys.readouterr().out.splitlines()
    assert [line.split()[0] for line in lines[1:-1]] == [one.file for one in acceptance.FILES]
    assert all(" yes " in line for line in lines[1:-1])


def test_a_count_that_is_another_ends_with_1(acceptance: ModuleType, tmp_path: Path) -> None:
    wrong = acceptance.Collection("few.txt", "user", "", {acceptance.ACCEPTED: 2})
    (tmp_path / "few.txt").write_text("rank(close)\nrank(close\n")
    result, _ = acceptance.measure(wrong, tmp_path)
    assert not result.ok
    assert dict(result.verdicts) == {acceptance.ACCEPTED: 1, "syntax": 1}
    (told,) = result.listed
    assert told.startswith("[syntax] Unexpected end of input (line 1, 10 to 10;")
