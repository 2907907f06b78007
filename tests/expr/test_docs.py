from __future__ import annotations

from pathlib import Path

from assay.expr._docs import main, reference
from assay.expr._table import builtin_table

PAGE = Path(__file__).resolve().parents[2] / "docs" / "reference" / "ops.md"


def test_the_op_reference_is_up_to_date() -> None:
    assert PAGE.read_text(encoding="utf-8") == reference(), (
        "run python -m assay.expr._docs docs/reference/ops.md"
    )


def test_every_op_has_a_section() -> None:
    page = reference()
    assert all(f"### `{name}(" in page for name in builtin_table())


def test_the_page_is_written_to_the_path_given(tmp_path, capsys) -> None:
    assert main([str(tmp_path / "ops.md")]) == 0
    assert main([]) == 0
    assert capsys.readouterr().out == (tmp_path / "ops.md").read_text(encoding="utf-8")
