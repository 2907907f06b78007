from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from assay.brain.templates import parse_templates, read_templates, templates_of
from assay.errors import AssayError, ConfigProblems

GOOD = """
[[templates]]
name = "TPL_GOOD_V1"
expression = "{op}({x}, {days})"
core_slots = ["x"]
[templates.slots.op]
source = "operator"
kind = "time"
operators = ["ts_mean", "ts_rank"]
representative_values = ["ts_rank"]
[templates.slots.x]
source = "dataset_field"
search_domain = { include_regex = "^close$" }
[templates.slots.days]
source = "values"
values = [5, 20]
"""


VALUE = "should be a finite number or a text of 1 to 200 characters"


def template(**changes: Any) -> dict[str, Any]:
    slots = {
        "x": {"source": "dataset_field"},
        "days": {"source": "values", "values": [5, 20], "representative_values": [5]},
    }
    return {"name": "TPL_A_V1", "expression": "ts_mean({x}, {days})", "slots": slots, **changes}


def problems(*items: Any, **more: Any) -> dict[str, str]:
    with pytest.raises(ConfigProblems) as caught:
        templates_of({"templates": list(items), **more}, where="file")
    return {problem.where: problem.message for problem in caught.value.problems}


def test_toml_and_json_say_the_same(tmp_path: Path) -> None:
    toml, as_json = tmp_path / "a.toml", tmp_path / "a.json"
    toml.write_text(GOOD)
    (found,) = read_templates(toml)
    as_json.write_text(json.dumps({"templates": [found.model_dump(mode="json")]}))
    assert read_templates(as_json) == (found,)
    assert found.order == ("x", "op", "days")
    assert found.filled({"op": "ts_rank", "x": "close", "days": "5"}) == "ts_rank(close, 5)"


def test_all_problems_are_told_at_once() -> None:
    found = problems(
        template(name="tpl_a"),
        template(expresion="x", slots={"x": {"source": "magic"}}),
        template(name="TPL_B_V1", expression="{y} + {days", core_slots=["z"]),
        template(name="TPL_C_V1", constraints={"not_equal": [["x", "x"]]}, settings={"decay": -1, "d": 2}),
        colour="red",
    )
    assert set(found) == {
        "colour",
        "templates[1].name",
        "TPL_A_V1.expresion",
        "TPL_A_V1.slots.x",
        "TPL_B_V1.expression",
        "TPL_B_V1.slots.x",
        "TPL_B_V1.slots.days",
        "TPL_B_V1.core_slots",
        "TPL_C_V1.constraints.not_equal",
        "TPL_C_V1.settings.decay",
        "TPL_C_V1.settings.d",
    }
    assert found["TPL_A_V1.expresion"] == "is no key of a template"


@pytest.mark.parametrize(
    ("change", "where", "message"),
    [
        (
            {"slots": {"x": {"source": "dataset_field", "search_domain": {"include_regex": "(a"}}}},
            "slots.x.dataset_field.search_domain.include_regex",
            "leaves a group open",
        ),
        ({"expression": "ts_mean({x}, 5)"}, "slots.days", "is not in the expression"),
        ({"expression": "ts_mean({x}, {window}) + {days}"}, "expression", "names the slot {window}"),
        ({"core_slots": ["x", "x"]}, "core_slots", "twice"),
        ({"expression": "x" * 3000}, "expression", "at most 2000 characters"),
    ],
)
def test_what_is_wrong_is_said_with_its_key(change: dict[str, Any], where: str, message: str) -> None:
    found = problems(template(**change))
    assert message in found[f"TPL_A_V1.{where}"]


@pytest.mark.parametrize("value", [float("inf"), True, "", "x" * 201, None, [1]])
def test_a_value_is_a_number_or_a_text(value: Any) -> None:
    slots = {"x": {"source": "values", "values": [5, value]}}
    found = problems(template(expression="{x}", slots=slots))
    assert found == {"TPL_A_V1.slots.x.values.values.1": VALUE}


def test_a_representative_is_one_of_the_values() -> None:
    slots = template()["slots"]
    slots["days"]["representative_values"] = [7]
    found = problems(template(slots=slots))
    assert found == {"TPL_A_V1.slots.days.representative_values": "7 is not one of its values"}


def test_a_name_is_used_once() -> None:
    assert problems(template(), template()) == {"TPL_A_V1.name": "was used before"}


def test_what_is_no_list_of_templates_is_refused() -> None:
    with pytest.raises(ConfigProblems, match="is no list of templates"):
        parse_templates("name = 1")


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("a.toml", b"[[", "is not TOML"),
        ("a.json", b'{"templates": [], "templates": []}', "is given twice"),
        ("a.json", b"[" * 100_000, "is not JSON"),
        ("a.json", b"\xff", "is not JSON"),
        ("a.toml", b"\xff", "is not UTF-8"),
    ],
)
def test_a_file_that_cannot_be_read_is_named(tmp_path: Path, name: str, content: bytes, message: str) -> None:
    (tmp_path / name).write_bytes(content)
    with pytest.raises(AssayError, match=re.escape(message)) as caught:
        read_templates(tmp_path / name)
    assert caught.value.where == str(tmp_path / name)
    assert caught.value.fix


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(AssayError, match="cannot read"):
        read_templates(tmp_path / "none.toml")
