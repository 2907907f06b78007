from __future__ import annotations

import doctest
import importlib
from pathlib import Path

import pytest

from assay import metrics
from assay.metrics import Scorer, conventions, conventions_table

DOCS = Path(__file__).resolve().parents[2] / "docs" / "reference"


def test_the_documentation_carries_this_table() -> None:
    assert conventions_table() in (DOCS / "conventions.md").read_text(encoding="utf-8")


def test_every_point_appears_once_with_a_rule() -> None:
    points = [row.point for row in conventions()]
    assert len(points) == len(set(points))
    assert all(len(row.rule) > 10 for row in conventions())


def test_numbers_in_the_rules_are_the_constants() -> None:
    rules = {row.point: row.rule for row in conventions()}
    assert f"at least {metrics.MIN_NAMES} names" in rules["IC"]
    assert f"({metrics.ADMISSION_MIN_NAMES} for admission)" in rules["IC"]
    assert f"{metrics.PERIODS_PER_YEAR} days" in rules["ICIR, IR"]
    assert "1e-12" in rules["undefined"]
    assert f"{metrics.UNDEFINED_TOLERANCE:g}" == "1e-12"
    assert "CN 5 bp of purchases and 15 bp of sales, US 5/5" in rules["costs"]
    assert (metrics.COSTS_CN.buy, metrics.COSTS_CN.sell) == (0.0005, 0.0015)


def test_defaults_of_the_functions_are_the_constants() -> None:
    fields = Scorer.__dataclass_fields__
    assert fields["min_names"].default == metrics.MIN_NAMES
    assert fields["quantiles"].default == metrics.QUANTILES
    assert fields["entry"].default == metrics.ENTRY
    assert fields["cap"].default == metrics.WEIGHT_CAP
    assert fields["costs"].default == metrics.COSTS_CN


def test_all_names_exist_and_are_documented() -> None:
    page = (DOCS / "metrics.md").read_text(encoding="utf-8")
    for name in metrics.__all__:
        assert hasattr(metrics, name)
        if not name.isupper():
            assert f"`{name}`" in page, name


def test_examples_of_the_page_run() -> None:
    result = doctest.testfile(str(DOCS / "metrics.md"), module_relative=False)
    assert result.attempted > 15
    assert result.failed == 0


@pytest.mark.parametrize(
    "module",
    sorted(
        {getattr(metrics, name).__module__ for name in metrics.__all__ if callable(getattr(metrics, name))}
    ),
)
def test_examples_of_the_docstrings_run(module: str) -> None:
    assert doctest.testmod(importlib.import_module(module)).failed == 0
