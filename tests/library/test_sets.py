from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest

from assay.errors import Refusal
from assay.expr import edit_distance, parse
from assay.library import (
    DEMO_FIELDS,
    UNKNOWN_FACTOR,
    Factor,
    demo_set,
    factor,
    gaps,
    reference_factors,
    sets,
)
from assay.library._reference import reference_markdown

PAGE = Path(__file__).parents[2] / "docs" / "reference" / "library.md"
ALL = [f for name in sets() for f in reference_factors(name)]
# the common transcription has these with gaps, in prose, or not as the report prints them
RESTATED_191 = frozenset([
    4, 8, 21, 30, 49, 50, 51, 55, 75, 101, 112, 116, 122, 128, 137, 143, 146, 147, 149, 154, 156, 159, 162,
    164, 165, 172, 181, 182, 183, 186, 190,
])  # fmt: skip


@pytest.mark.parametrize(
    ("name", "count"), [("alpha101", 101), ("alpha158", 158), ("alpha191", 190), ("alpha360", 360)]
)
def test_a_set_is_complete(name: str, count: int) -> None:
    factors = reference_factors(name)
    assert len(factors) == count
    assert len({f.id for f in factors}) == count
    assert {f.set for f in factors} == {name}


def test_what_is_left_out_is_named_with_its_reason() -> None:
    missing = {gap.id for gap in gaps("alpha191")}
    assert missing == {f"alpha191-{n:03d}" for n in range(1, 192)} - {f.id for f in ALL}
    assert all(gap.reason and gap.printed for gap in gaps("alpha191"))
    assert gaps("alpha101") == ()


def test_ids_are_unique_over_all_sets() -> None:
    assert len({f.id for f in ALL}) == len(ALL)


def test_every_factor_parses_and_says_what_it_is() -> None:
    for f in ALL:
        assert f.expression.kind in ("number", "bool"), f.id
        assert f.fields, f.id
        assert 1 <= f.expression.lookback <= 504, f.id
        assert 0 < len(f.name) <= 60, f.id
        assert re.search(r"\((19|20)\d\d\)", f.citation), f.id


def test_parsing_waits_until_asked_for() -> None:
    broken = Factor("x", "x", "x", "rank(", "core", "x")
    with pytest.raises(Refusal):
        _ = broken.node


def test_a_factor_is_found_by_its_id() -> None:
    assert factor("alpha101-101").text == "(close - open) / (high - low + 0.001)"
    assert factor("alpha158-rsqr20").text == "Rsquare($close, 20)"
    assert factor("alpha360-close0").text == "$close/$close"
    assert factor("alpha360-volume59").text == "Ref($volume, 59)/($volume+1e-12)"


@pytest.mark.parametrize(
    ("look_up", "name", "near"),
    [
        (reference_factors, "alpha1O1", "alpha101"),
        (gaps, "alpha119", "alpha191"),
        (factor, "alpha101-12", "alpha101-012"),
    ],
)
def test_an_unknown_name_is_refused(look_up: Callable[[str], object], name: str, near: str) -> None:
    with pytest.raises(Refusal) as caught:
        look_up(name)
    assert caught.value.reason is UNKNOWN_FACTOR
    assert near in caught.value.details["near"]


def test_the_demo_judges_about_a_hundred_factors_of_daily_bars() -> None:
    demo = demo_set()
    assert 90 <= len(demo) <= 115
    assert len({f.name for f in demo}) == len(demo)
    assert all(set(f.fields) <= DEMO_FIELDS for f in demo)
    assert {"classic-reversal-5", "classic-momentum-252-21", "classic-price-volume-10"} <= {
        f.id for f in demo
    }


def test_alpha158_reads_as_qlib_prints_it(shared: Path) -> None:
    for name in ("alpha158", "alpha360"):
        table = (shared / "data" / "expressions" / f"{name}_qlib.tsv").read_text().splitlines()
        printed = dict(line.split("\t") for line in table)
        made = {f.id.split("-", 1)[1].upper(): f for f in reference_factors(name)}
        assert list(made) == list(printed)
        for key, text in printed.items():
            assert made[key].expression.fingerprint == parse(text, "qlib").fingerprint, key


def test_alpha101_means_what_the_paper_prints(shared: Path) -> None:
    table = (shared / "data" / "expressions" / "alpha101_paper_notation.txt").read_text().splitlines()
    for line in table:
        number, text = line.split("\t")
        ours, theirs = factor(f"alpha101-{int(number):03d}").expression, parse(text, "alpha101")
        assert ours.fingerprint == theirs.fingerprint, (number, edit_distance(ours.node, theirs.node))


def test_alpha191_means_what_the_report_prints(shared: Path) -> None:
    table = (shared / "data" / "expressions" / "gtja191_formulas.tsv").read_text().splitlines()
    for line in table:
        key, text = line.split("\t")
        number = int(key.removeprefix("alpha_"))
        if number in RESTATED_191:
            continue
        ours, theirs = factor(f"alpha191-{number:03d}").expression, parse(text, "alpha191")
        assert ours.fingerprint == theirs.fingerprint, (number, edit_distance(ours.node, theirs.node))


def test_the_page_in_the_documentation_is_fresh() -> None:
    command = (
        'python -c "import pathlib; from assay.library._reference import reference_markdown as made; '
        "pathlib.Path('docs/reference/library.md').write_text(made())\""
    )
    assert PAGE.read_text(encoding="utf-8") == reference_markdown(), f"refresh it: {command}"
