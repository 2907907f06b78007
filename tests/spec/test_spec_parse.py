from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from assay.errors import Refusal
from assay.spec import (
    HOUSE_DEFAULTS,
    UNDECLARED,
    FactorSpec,
    declaration_issues,
    parse_spec,
    spec_schema,
    with_defaults,
)

GOOD: dict[str, Any] = {
    "name": "volatility",
    "universe": "CSI300",
    "frequency": "daily",
    "neutralization": "none",
    "rebalance": "weekly",
    "expr": "TS_STD($return,20)",
    "windows": [20],
    "evidence": [{"field": "expr", "chunk_id": "p1-c0000", "quote": "20日波动率"}],
}


def test_text_and_mapping_give_the_same_spec() -> None:
    assert parse_spec(json.dumps(GOOD)) == parse_spec(GOOD) == parse_spec(json.dumps(GOOD).encode())


def test_what_is_written_is_read_back() -> None:
    spec = parse_spec(GOOD)
    assert parse_spec(spec.model_dump_json()) == spec


def test_an_alias_of_a_universe_is_replaced() -> None:
    assert parse_spec({**GOOD, "universe": "沪深300"}).universe == "CSI300"


def problems(source: Any) -> set[str]:
    with pytest.raises(Refusal) as caught:
        parse_spec(source)
    assert caught.value.reason.code == "bad_spec"
    return {problem["where"] for problem in caught.value.details["problems"]}


def test_all_problems_come_at_once() -> None:
    bad = {**GOOD, "universe": "MARS", "frequency": "hourly", "windows": [0, "5", 2.5], "extra": 1}
    del bad["expr"]
    assert problems(bad) == {"universe", "frequency", "windows.0", "windows.1", "windows.2", "extra", "expr"}


@pytest.mark.parametrize(
    "text",
    ["", "{", "[]", "null", '"x"', '{"name": "a", "name": "b"}', '{"windows": [NaN]}', "[" * 100_000],
)
def test_text_that_is_no_object_is_refused(text: str) -> None:
    assert problems(text) == {"spec"}


def test_nothing_is_coerced() -> None:
    assert problems({**GOOD, "windows": ["20"]}) == {"windows.0"}
    assert problems({**GOOD, "windows": [True]}) == {"windows.0"}
    assert problems({**GOOD, "name": 5}) == {"name"}


def test_the_published_schema_is_fresh() -> None:
    path = Path(__file__).parents[2] / "docs" / "reference" / "factor_spec.schema.json"
    published = json.loads(path.read_text(encoding="utf-8"))
    assert published == json.loads(json.dumps(spec_schema()))
    jsonschema.Draft202012Validator.check_schema(published)
    jsonschema.validate(GOOD, published)
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate({**GOOD, "universe": "MARS"}, published)


def issues(**changes: Any) -> dict[str, bool]:
    return {issue.code: issue.hard for issue in declaration_issues(parse_spec({**GOOD, **changes}))}


def test_declarations_that_agree() -> None:
    assert issues() == {}
    assert issues(expr="TS_MEAN($close,5)/TS_MEAN($volume,5)", windows=[5]) == {}


@pytest.mark.parametrize("windows", [[], [10], [20, 5], [20, 20, 60]])
def test_windows_that_differ(windows: list[int]) -> None:
    assert issues(windows=windows) == {"windows_differ": True}


def test_neutralisation_in_the_formula_and_not_in_the_field() -> None:
    formula = "INDUSTRY_NEUTRALIZE(TS_STD($return,20),$industry)"
    assert issues(expr=formula, neutralization="none") == {"neutralized_undeclared": True}
    assert issues(expr=formula, neutralization="undeclared") == {"neutralized_undeclared": True}
    assert issues(expr=formula, neutralization="industry") == {}
    assert issues(neutralization="industry") == {"neutralization_added": False}


def test_rebalancing_faster_than_the_factor() -> None:
    assert issues(frequency="monthly") == {"rebalance_faster": True}
    assert issues(frequency="weekly") == {}
    assert issues(frequency="monthly", rebalance="undeclared") == {}


def test_undeclared_fields_are_listed() -> None:
    spec = parse_spec({**GOOD, "universe": "undeclared", "rebalance": "undeclared"})
    assert isinstance(spec, FactorSpec)
    assert spec.undeclared == ("universe", "rebalance")


def test_the_house_default_is_applied_and_never_written_in() -> None:
    assert HOUSE_DEFAULTS == {
        "universe": "CSI300",
        "frequency": "daily",
        "neutralization": "none",
        "rebalance": "weekly",
    }
    silent = parse_spec({**GOOD, **dict.fromkeys(HOUSE_DEFAULTS, UNDECLARED)})
    applied = with_defaults(silent)
    assert {name: getattr(applied, name) for name in HOUSE_DEFAULTS} == HOUSE_DEFAULTS
    assert silent.undeclared == tuple(HOUSE_DEFAULTS)
    said = parse_spec({**GOOD, "universe": "CSI500", "rebalance": "monthly"})
    assert with_defaults(said) == said
