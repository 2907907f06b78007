from __future__ import annotations

from pathlib import Path

import pytest

from assay.brain.fastexpr import operators
from assay.brain.fastexpr._docs import main, reference

PAGE = Path(__file__).resolve().parents[3] / "docs" / "reference" / "fastexpr.md"


def test_the_reference_is_up_to_date() -> None:
    assert PAGE.read_text(encoding="utf-8") == reference(), (
        "run python -m assay.brain.fastexpr._docs docs/reference/fastexpr.md"
    )


def test_every_operator_stands_in_it() -> None:
    page = reference()
    assert [info.name for info in operators("consultant") if f"`{info.definition}`" not in page] == []


def test_the_page_is_written_to_the_path_given(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([str(tmp_path / "fastexpr.md")]) == 0
    assert main([]) == 0
    assert capsys.readouterr().out == (tmp_path / "fastexpr.md").read_text(encoding="utf-8")
