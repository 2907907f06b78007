"""The public collections of formulas: what parses, types and runs, and that it prints and reads back."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path

import pytest

from assay.expr import canonical, fingerprint, validate

BENCHMARK = Path(__file__).resolve().parents[2] / "benchmarks" / "language.py"


@pytest.fixture(scope="module")
def language():
    spec = importlib.util.spec_from_file_location("benchmark_language", BENCHMARK)
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    yield module
    del sys.modules[spec.name]


@pytest.fixture(scope="module")
def measured(language, shared):
    found = {}
    for collection in language.FILES:
        formulas = language.read(shared / "data" / "expressions" / collection.file, collection.named)
        result, checks, _ = language.measure(collection, formulas)
        found[collection.file] = (result, checks)
    return found


@pytest.mark.parametrize(
    ("file", "lines", "parsed", "fragments", "typed", "runnable"),
    [
        ("fastexpr_official.txt", 3189, 3189, 44, 3094, 3090),
        ("fastexpr_extended.txt", 78, 78, 3, 64, 64),
        ("fastexpr_legacy.txt", 78, 78, 0, 78, 77),
        ("fastexpr_rejected.txt", 94, 0, 0, 0, 0),
        ("alpha101_paper_notation.txt", 101, 101, 0, 101, 101),
        ("gtja191_formulas.tsv", 191, 178, 0, 174, 167),
        ("alpha158_qlib.tsv", 158, 158, 0, 158, 158),
        ("alpha360_qlib.tsv", 360, 360, 0, 360, 360),
        ("alphabench_qlib_style_pool.txt", 5861, 5861, 0, 5831, 5769),
    ],
)
def test_counts(measured, file, lines, parsed, fragments, typed, runnable) -> None:
    result, _ = measured[file]
    assert (result.lines, result.parsed, result.fragments) == (lines, parsed, fragments)
    assert (result.typed, result.runnable) == (typed, runnable)
    assert sum(result.refused.values()) == lines - runnable


@pytest.mark.parametrize("step", [pytest.param(1, marks=pytest.mark.slow), 5], ids=["all", "sample"])
def test_formulas_print_and_read_back(language, measured, step) -> None:
    for result, checks in measured.values():
        language.round_trip(result, checks[::step])
        assert result.broken_round_trips == []


@pytest.mark.parametrize("step", [pytest.param(1, marks=pytest.mark.slow), 5], ids=["all", "sample"])
def test_typed_formulas_are_valid_and_have_a_stable_canonical_form(measured, step) -> None:
    for _, checks in measured.values():
        for found in checks[::step]:
            if found.level == "runnable":
                validate(found.expression.node)
                form = canonical(found.expression.node)
                assert canonical(form) == form
                assert fingerprint(form) == fingerprint(found.expression.node)


def test_refusals_point_into_the_text(measured) -> None:
    for _, checks in measured.values():
        for found in checks:
            if found.error is not None:
                span = found.error.span
                assert 0 <= span.start <= span.end <= len(found.text)
                assert found.error.pointer()
