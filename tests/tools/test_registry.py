from __future__ import annotations

import fcntl
import json
from dataclasses import replace
from datetime import date
from pathlib import Path

import pytest
from pydantic import BaseModel, ConfigDict

from assay.base import Operator
from assay.errors import AssayError, Reason
from assay.ledger import Ledger
from assay.tools import (
    COMMON,
    WITHHELD,
    Arguments,
    Caller,
    DateGuard,
    Failed,
    Illegal,
    Ok,
    Refused,
    Registry,
    Result,
    Tool,
    is_tool_id,
)

from .toys import Done, Nothing, buy_tool, toy_registry

PERSON = Caller(Operator.human())


def test_a_legal_call_gives_the_result_as_json(caller: Caller) -> None:
    assert toy_registry().call("shop.buy", '{"count": 3}', caller) == Ok({"count": 3})


def test_a_declared_refusal_carries_reason_message_and_fix(caller: Caller) -> None:
    outcome = toy_registry().call("shop.buy", '{"count": 8}', caller)
    assert outcome == Refused("no_shop", "there is no shop", {"count": 8}, "open one")


@pytest.mark.parametrize(
    ("tool", "cause"),
    [
        ("shop.down", "ProviderTransient"),
        ("shop.bug", "KeyError"),
        ("shop.undeclared", "undeclared reason other"),
        ("shop.wrong_type", "TypeError"),
        ("shop.premature", "undeclared reason later"),
    ],
)
def test_what_breaks_inside_is_a_failure_and_says_nothing(tool, cause, caller, caplog) -> None:
    outcome = toy_registry().call(tool, "{}", caller)
    assert isinstance(outcome, Failed)
    assert outcome.cause == cause
    shown = json.dumps(outcome.face().as_dict())
    for secret in ("srv", "2031", "secret", "KeyError", "other"):
        assert secret not in shown
    assert caplog.records


FAULTS = {
    "absent": ("{}", "missing_count"),
    "out of bounds": ('{"count": 10}', "bad_count"),
    "wrong type": ('{"count": "x"}', "bad_count"),
    "no reason of its own": ('{"count": 1, "colour": "green"}', "bad_arguments"),
    "extra": ('{"count": 1, "more": 1}', "bad_arguments"),
    "within a list, named": ('{"count": 1, "dims": [{"name": ""}]}', "bad_dim_name"),
    "within a list, absent": ('{"count": 1, "dims": [{}]}', "bad_dim_name"),
    "within a list, extra": ('{"count": 1, "dims": [{"name": "a", "x": 1}]}', "bad_arguments"),
    "the first of several": ('{"count": 10, "colour": "green", "more": 1}', "bad_count"),
}


@pytest.mark.parametrize(("raw", "reason"), FAULTS.values(), ids=FAULTS)
def test_a_faulty_argument_gives_the_tools_own_reason(raw, reason, caller: Caller) -> None:
    outcome = toy_registry().call("shop.buy", raw, caller)
    assert isinstance(outcome, Illegal)
    assert (outcome.kind, outcome.reason) == ("schema_invalid", reason)
    face = outcome.face()
    assert isinstance(face, Refused)
    assert face.reason == reason
    assert face.detail["problems"][0]["reason"] == reason


def test_all_faults_are_listed_up_to_a_bound(caller: Caller) -> None:
    outcome = toy_registry().call("shop.buy", '{"count": 10, "colour": "green", "more": 1}', caller)
    listed = [problem["argument"] for problem in outcome.as_dict()["detail"]["problems"]]
    assert listed == ["count", "colour", "more"]
    many = {f"x{number}": number for number in range(500)}
    assert len(toy_registry().call("shop.buy", many, caller).as_dict()["detail"]["problems"]) == 20


@pytest.mark.parametrize("name", ["2031-01-01", "../../etc/passwd", "x" * 100_000, "a b", "\u202e"])
def test_names_that_the_caller_made_up_are_not_repeated(name, caller: Caller) -> None:
    registry = toy_registry()
    for outcome in (
        registry.call("shop.buy", {"count": 1, name: 1}, caller),
        registry.call(name, {}, caller),
    ):
        assert isinstance(outcome, Illegal)
        assert name not in json.dumps(outcome.as_dict(), ensure_ascii=False)


def test_near_names_are_suggested(caller: Caller) -> None:
    near = toy_registry().call("shop.buyy", "{}", caller).as_dict()
    assert near["detail"]["did_you_mean"][0] == "shop.buy"
    assert near["fix"] == "did you mean shop.buy?"
    outcome = toy_registry().call("shop.buy", '{"count": 1, "color": "red"}', caller)
    assert "did you mean colour?" in outcome.as_dict()["message"]


def test_to_others_a_tool_does_not_exist(caller: Caller) -> None:
    registry = toy_registry()
    outcome = registry.call("shop.close", "{}", caller)
    assert isinstance(outcome, Illegal)
    assert outcome.kind == "unknown_tool"
    assert "shop.close" not in [tool.id for tool in registry.tools("agent")]
    assert "close" not in json.dumps(registry.call("shop.clos", "{}", caller).as_dict())
    assert registry.call("shop.close", "{}", PERSON) == Ok({"text": "done"})


@pytest.mark.parametrize("name", [None, 3, ["shop.buy"], b"shop.buy"])
def test_a_name_that_is_no_text_is_an_unknown_tool(name, caller: Caller) -> None:
    outcome = toy_registry().call(name, "{}", caller)
    assert isinstance(outcome, Illegal)
    assert outcome.kind == "unknown_tool"


def test_every_object_of_every_schema_is_closed() -> None:
    def objects(value):
        if isinstance(value, dict):
            if value.get("type") == "object":
                yield value
            for item in value.values():
                yield from objects(item)
        elif isinstance(value, list):
            for item in value:
                yield from objects(item)

    for tool in toy_registry().tools():
        for schema in (tool.input_schema, tool.output_schema):
            assert schema["type"] == "object"
            assert all(item["additionalProperties"] is False for item in objects(schema))
            assert "title" not in schema


def test_the_schema_and_the_validation_agree() -> None:
    import jsonschema

    schema = buy_tool().input_schema
    jsonschema.Draft202012Validator.check_schema(schema)
    for raw, _ in FAULTS.values():
        assert not jsonschema.Draft202012Validator(schema).is_valid(json.loads(raw)), raw
    assert jsonschema.Draft202012Validator(schema).is_valid({"count": 3.0, "dims": [{"name": "a"}]})


class Open(BaseModel):
    model_config = ConfigDict(extra="allow")


class Mapped(Result):
    values: dict[str, float]


class Titled(Arguments):
    title: str


def made(**changes) -> Tool:
    return replace(Tool("a.b", "x", Nothing, Done, (), lambda a, c: Done()), **changes)


@pytest.mark.parametrize(
    "changes",
    [
        {"id": "a/b"},
        {"id": "A.b"},
        {"id": "a__b"},
        {"id": "a..b"},
        {"id": "a." + "b" * 62},
        {"arguments": Open},
        {"result": Mapped},
        {"reasons": (COMMON[0], COMMON[0])},
        {"reserved": ("later",)},
        {"frozen": ("universe",)},
        {"callers": frozenset()},
    ],
)
def test_a_declaration_that_cannot_hold_is_refused(changes) -> None:
    with pytest.raises(AssayError):
        made(**changes)


def test_a_ledger_that_is_busy_is_a_common_reason(tmp_path: Path, caller: Caller) -> None:
    """It is worth trying again, which a failure is not; which process has it is not the caller's."""
    Ledger.create(tmp_path / "ledger")
    ledger = Ledger.open(tmp_path / "ledger", wait=0.0)

    def counted(arguments: Nothing, context: object) -> Done:
        ledger.end()
        return Done()

    registry = Registry([made(function=counted)])
    with open(ledger.folder / "ledger.jsonl") as other:
        fcntl.flock(other, fcntl.LOCK_EX)
        outcome = registry.call("a.b", {}, caller)
    assert isinstance(outcome, Refused)
    assert (outcome.reason, outcome.detail) == ("ledger_busy", {})
    assert "process" not in outcome.message.replace("another process", "")
    assert isinstance(registry.call("a.b", {}, caller), Ok)


def test_a_property_may_be_named_title() -> None:
    assert list(made(arguments=Titled).input_schema["properties"]) == ["title"]


def test_ids_are_unique_and_common_reasons_stay_common() -> None:
    with pytest.raises(AssayError, match="two tools"):
        Registry([made(), made()])
    with pytest.raises(AssayError, match="common"):
        Registry([made(reasons=(Reason("bad_arguments", "x", "y"),))])


@pytest.mark.parametrize("text", ["a", "a.b", "search_report", "writing.get_note", "a1.b_2.c"])
def test_ids(text: str) -> None:
    assert is_tool_id(text)


GUARD = DateGuard(lambda day: day <= date(2020, 6, 30))


@pytest.mark.parametrize(
    "text",
    [
        "2020-07-01",
        "2020/7/1",
        "2020.07.01",
        "20200701",
        "2020-07",
        "2020年7月1日",
        "2020年7月",
        "2021_01_02",
    ],
)
def test_a_late_date_is_withheld_however_it_is_written(text: str) -> None:
    assert GUARD.text(f"until {text}, closed") == f"until {WITHHELD}, closed"
    assert GUARD.value({text: [{"a": text}, 1, None]}) == {WITHHELD: [{"a": WITHHELD}, 1, None]}


@pytest.mark.parametrize(
    "text",
    ["2020-06-30", "2020-13-45", "20200630", "1.20210102", "abc20210102", "120210102", "rank(close / 2021)"],
)
def test_other_text_stays(text: str) -> None:
    assert GUARD.text(text) == text


NAMES = DateGuard(lambda day: day <= date(2020, 6, 30), date(2020, 6, 30))


@pytest.mark.parametrize(
    "name",
    ["hid-2021", "x2020-07-01", "earnings_2031", "fit202107", "abc20210102", "2021_holdout", "z2020-07-02a"],
)
def test_a_name_that_tells_of_a_later_date_is_withheld_whole(name: str) -> None:
    assert NAMES.text(name) == WITHHELD
    assert NAMES.value({"rows": [{"name": name}]}) == {"rows": [{"name": WITHHELD}]}
    assert NAMES.text(f"there is no {name!r} here") == f"there is no '{WITHHELD}' here"
    assert NAMES.text(f"rank({name})") == f"rank({WITHHELD})"


@pytest.mark.parametrize(
    "text",
    [
        "hid-2020",
        "x2020-06-30",
        "csi300",
        "alpha101",
        "rank(close / 2021)",
        "ts_mean(close, 2021)",
        "0190a2b3-2031-7abc-8def-0123456789ab",
        "sha256:" + "a2031b" * 10,
        "r-0123abcdef2031ff",
        "n2000000",
    ],
)
def test_other_names_and_numbers_and_hashes_stay(text: str) -> None:
    assert NAMES.text(text) == text
