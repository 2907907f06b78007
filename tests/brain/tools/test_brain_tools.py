"""The tools of the group ``brain`` on a catalogue and a knowledge base in memory."""

from __future__ import annotations

import json
from typing import Any

import pytest

from assay.base import Operator
from assay.brain.tools import BrainDesk, brain_tools
from assay.tools import Caller, Illegal, Ok, Outcome, Refused, Registry

from ..fakes import Catalogue, field_info
from .stores import Memory

CALLER = Caller(Operator("agent", "small/017f22e2-79b0-7cc3-98c4-dc0c0c07398f", "small-1"))
WHOLE = BrainDesk(Catalogue(), Memory())
BARE = BrainDesk()
FOR_THE_MODEL = {
    f"brain.{name}"
    for name in (
        "list_datasets", "list_fields", "get_dataset_detail", "get_field_detail", "search_operators",
        "get_operator_detail", "list_all_operators", "get_setting_schema", "get_setting_detail",
        "get_settings_guide", "validate_expression", "add_knowledge", "search_knowledge",
        "list_knowledge_topics", "list_knowledge_tags",
    )
}  # fmt: skip

NO_KNOWLEDGE = (
    ("brain.add_knowledge", {"topic": "t", "insight": "i"}),
    ("brain.search_knowledge", {}),
    ("brain.list_knowledge_topics", {}),
    ("brain.list_knowledge_tags", {}),
)
NO_PLATFORM = (
    ("brain.list_datasets", {}),
    ("brain.list_fields", {"dataset_id": "pv1"}),
    ("brain.get_dataset_detail", {"dataset_id": "pv1"}),
    ("brain.get_field_detail", {"dataset_id": "pv1", "field_id": "close"}),
    ("brain.search_operators", {"keyword": "rank"}),
    ("brain.get_operator_detail", {"name": "rank"}),
    ("brain.list_all_operators", {}),
    ("brain.get_setting_schema", {}),
    ("brain.get_setting_detail", {"name": "decay"}),
    ("brain.get_settings_guide", {}),
    ("brain.validate_expression", {"expression": "close"}),
)
CASES: tuple[tuple[str, str, dict[str, Any], BrainDesk], ...] = (
    *((tool, "no_platform", arguments, BARE) for tool, arguments in NO_PLATFORM),
    *((tool, "no_knowledge_base", arguments, BARE) for tool, arguments in NO_KNOWLEDGE),
    ("brain.list_fields", "unknown_data_set", {"dataset_id": "pv2"}, WHOLE),
    ("brain.get_dataset_detail", "unknown_data_set", {"dataset_id": "pv13"}, WHOLE),
    ("brain.get_field_detail", "unknown_data_set", {"dataset_id": "x", "field_id": "close"}, WHOLE),
    ("brain.get_field_detail", "unknown_field", {"dataset_id": "pv1", "field_id": "clsoe"}, WHOLE),
    ("brain.get_operator_detail", "unknown_operator", {"name": "ts_men"}, WHOLE),
    ("brain.get_setting_detail", "unknown_setting", {"name": "decya"}, WHOLE),
    ("brain.validate_expression", "unknown_data_set", {"expression": "1", "dataset_id": "x"}, WHOLE),
)


def call(tool: str, desk: BrainDesk = WHOLE, **arguments: Any) -> Outcome:
    return Registry(brain_tools(desk)).call(tool, arguments, CALLER)


def answer(tool: str, desk: BrainDesk = WHOLE, **arguments: Any) -> dict[str, Any]:
    outcome = call(tool, desk, **arguments)
    assert isinstance(outcome, Ok), outcome
    return dict(outcome.result)


def test_the_model_gets_these_and_no_others() -> None:
    assert {tool.id for tool in Registry(brain_tools(WHOLE)).tools()} == FOR_THE_MODEL


@pytest.mark.parametrize(("tool", "reason", "arguments", "desk"), CASES)
def test_each_declared_pair_is_reached(
    tool: str, reason: str, arguments: dict[str, Any], desk: BrainDesk
) -> None:
    outcome = call(tool, desk, **arguments)
    assert isinstance(outcome, Refused), outcome
    assert (outcome.reason, bool(outcome.message), bool(outcome.fix)) == (reason, True, True)


def test_no_pair_is_left_out() -> None:
    rows = Registry(brain_tools(BARE)).reasons()
    assert {(row.tool, row.reason.code) for row in rows} == {case[:2] for case in CASES}


def test_a_near_name_is_told() -> None:
    outcome = call("brain.get_field_detail", dataset_id="pv1", field_id="clsoe")
    assert isinstance(outcome, Refused)
    assert outcome.detail["did_you_mean"][0] == "close"
    assert "close" in outcome.fix


def test_fields_come_page_by_page() -> None:
    many = Catalogue(tuple(field_info(f"f{number:03d}") for number in range(230)))
    desk, seen, offset = BrainDesk(many), [], 0
    while offset is not None:
        told = answer("brain.list_fields", desk, dataset_id="pv1", offset=offset, limit=100)
        assert (told["total"], len(told["fields"]) <= 100) == (230, True)
        seen += [row["id"] for row in told["fields"]]
        offset = told["next_offset"]
    assert seen == [f"f{number:03d}" for number in range(230)]
    assert isinstance(call("brain.list_fields", desk, dataset_id="pv1", limit=101), Illegal)
    assert answer("brain.list_fields", desk, dataset_id="pv1", offset=999)["fields"] == []


def test_fields_are_filtered() -> None:
    groups = answer("brain.list_fields", dataset_id="pv1", type="GROUP")["fields"]
    assert {row["id"] for row in groups} == {"sector", "industry", "subindustry", "market"}
    found = answer("brain.list_fields", dataset_id="pv1", search="vol")["fields"]
    assert [row["id"] for row in found] == ["volume"]


def test_data_sets_and_details() -> None:
    rows = answer("brain.list_datasets")["datasets"]
    assert [row["id"] for row in rows] == ["pv1", "fundamental6", "news3"]
    assert answer("brain.get_dataset_detail", dataset_id="pv1")["fields"] == rows[0]["fields"] == 14
    vector = answer("brain.get_field_detail", dataset_id="news3", field_id="event_score")
    assert (vector["type"], vector["dataset"]) == ("VECTOR", "news3")


def test_operators() -> None:
    found = {row["name"] for row in answer("brain.search_operators", keyword="RANK")["operators"]}
    assert {"rank", "ts_rank", "group_rank"} <= found
    detail = answer("brain.get_operator_detail", name="TS_Rank")
    assert detail["name"] == "ts_rank"
    assert "(" in detail["definition"]
    whole = answer("brain.list_all_operators")
    assert whole["total"] == sum(len(row["definitions"]) for row in whole["categories"]) >= 66


def test_settings() -> None:
    rows = {row["name"]: row for row in answer("brain.get_setting_schema")["settings"]}
    assert rows["universe"]["choices"] == [{"region": "USA", "values": ["TOP3000", "TOP1000", "TOP500"]}]
    assert (rows["decay"]["minimum"], rows["decay"]["maximum"]) == (0, 512)
    assert rows["pasteurization"]["choices"][0]["values"] == ["ON", "OFF"]
    guide = answer("brain.get_settings_guide")
    assert {row["name"] for row in guide["settings"]} == set(rows)
    assert all(row["meaning"] for row in guide["settings"])
    assert answer("brain.get_setting_detail", name="decay")["default"] == 5


@pytest.mark.parametrize(
    ("expression", "valid", "said"),
    [
        ("rank(-ts_delta(close, 5))", True, ""),
        ("a = ts_mean(volume, 20); rank(volume / a)", True, ""),
        ("rank(clos)", False, 'unknown variable "clos"'),
        ("ts_men(close, 5)", False, '"ts_men"'),
        ("rank(close", False, "Unexpected end of input"),
        ("vec_avg(event_score)", True, ""),
    ],
)
def test_an_expression_is_looked_at_without_a_simulation(expression: str, valid: bool, said: str) -> None:
    told = answer("brain.validate_expression", expression=expression)
    assert told["valid"] is valid
    assert said in json.dumps(told["errors"]).replace('\\"', '"')


def test_only_the_names_of_an_expression_are_asked_for() -> None:
    platform = Catalogue()
    answer("brain.validate_expression", BrainDesk(platform), expression="rank(ts_delta(close, 5))")
    assert (None, "") not in platform.asked
    answer("brain.validate_expression", BrainDesk(platform), expression="rank(equity)")
    assert platform.asked[-1] == (None, "equity")


def test_knowledge_is_kept_once_and_found() -> None:
    desk = BrainDesk(None, Memory(most=1))
    first = answer("brain.add_knowledge", desk, topic="turnover", insight="hump helps", tags=["operator"])
    again = answer("brain.add_knowledge", desk, topic="turnover", insight="hump helps")
    full = answer("brain.add_knowledge", desk, topic="other", insight="another")
    assert (first["kept"], again["kept"], full["kept"]) == (True, False, False)
    assert first["id"] == again["id"] != full["id"]
    found = answer("brain.search_knowledge", desk, keyword="hump", tags=["operator"])
    assert [row["id"] for row in found["entries"]] == [first["id"]]
    assert answer("brain.list_knowledge_topics", desk)["names"] == ["turnover"]
    assert answer("brain.list_knowledge_tags", desk)["names"] == ["operator"]
