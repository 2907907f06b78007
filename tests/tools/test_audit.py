"""The six illegal kinds: one golden transcript each, every pair for precedence, and the counts."""

from __future__ import annotations

import itertools

import pytest

from assay.errors import AssayError
from assay.tools import (
    ILLEGAL_KINDS,
    Caller,
    Failed,
    Illegal,
    Ok,
    Refused,
    Toolbox,
    ToolSession,
    audit,
    illegal_kind,
)

from .toys import called, toy_registry

BAD = {
    "unknown_tool": {"name": "shop.steal"},
    "unparsable_arguments": {"arguments": "{"},
    "schema_invalid": {"arguments": '{"count": 99}'},
    "budget_exceeded": {"calls": 0},
    "frozen_field_mutation": {"arguments": '{"count": 1, "universe": "csi500"}'},
    "multi_tool_per_step": {"several": True},
}


def outcomes(caller: Caller, *, name="shop.buy", arguments='{"count": 1}', calls=None, several=False):
    box = Toolbox(toy_registry(), caller, one_call_per_step=True, frozen={"universe": "csi300"})
    made = [called(name, arguments)] + ([called("shop.look", "{}", 1)] if several else [])
    return list(ToolSession(box, calls=calls).step(made))


GOLDEN = {
    "unknown_tool": "there is no tool 'shop.steal'",
    "unparsable_arguments": (
        "the arguments are not JSON: Expecting property name enclosed in double quotes at line 1, column 2"
    ),
    "schema_invalid": "count: input should be less than or equal to 9",
    "budget_exceeded": "the calls allowed in this episode are used up",
    "frozen_field_mutation": "universe is fixed in this episode",
    "multi_tool_per_step": "several tools were called in one step, and one is allowed",
}


def test_the_order_of_the_kinds_is_the_documented_one() -> None:
    assert list(BAD) == list(ILLEGAL_KINDS)


@pytest.mark.parametrize("kind", ILLEGAL_KINDS)
def test_each_kind(kind, caller: Caller) -> None:
    first = outcomes(caller, **BAD[kind])[0]
    assert isinstance(first, Illegal)
    assert first.kind == kind
    assert first.message == GOLDEN[kind]
    assert first.reason == ("bad_count" if kind == "schema_invalid" else kind)


# faults of one call that can occur together: arguments have one fault at a time
PAIRS = [
    (first, second)
    for first, second in itertools.combinations(ILLEGAL_KINDS, 2)
    if not ("arguments" in BAD[first] and "arguments" in BAD[second])
]


@pytest.mark.parametrize(("first", "second"), PAIRS)
def test_the_earlier_kind_wins(first, second, caller: Caller) -> None:
    together = {**BAD[second], **BAD[first]}
    assert illegal_kind(outcomes(caller, **together)[0]) == first


def test_arguments_that_break_schema_and_freeze_break_the_schema_first(caller: Caller) -> None:
    found = outcomes(caller, arguments='{"count": 99, "universe": "csi500"}')[0]
    assert illegal_kind(found) == "schema_invalid"
    assert len(PAIRS) == 15 - 3


def test_a_step_with_several_calls_runs_none_and_marks_every_otherwise_legal_one(caller: Caller) -> None:
    box = Toolbox(toy_registry(), caller, one_call_per_step=True, limits={"shop.buy": 1})
    session = ToolSession(box)
    step = [called("shop.buy", '{"count": 1}'), called("shop.steal"), called("shop.look")]
    kinds = [illegal_kind(outcome) for outcome in session.step(step)]
    assert kinds == ["multi_tool_per_step", "unknown_tool", "multi_tool_per_step"]
    assert list(session.step([called("shop.buy", '{"count": 1}')])) == [Ok({"count": 1})]


def test_several_calls_are_legal_where_the_toolbox_allows_them(caller: Caller) -> None:
    session = ToolSession(Toolbox(toy_registry(), caller))
    assert list(session.step([called("shop.look"), called("shop.look")])) == [Ok({"text": "done"})] * 2


def test_a_mutation_is_also_what_a_tool_says_it_is(caller: Caller) -> None:
    found = outcomes(caller, arguments='{"count": 1, "universe": "alias"}')[0]
    assert illegal_kind(found) == "frozen_field_mutation"
    free = ToolSession(Toolbox(toy_registry(), caller))
    (found,) = free.step([called("shop.buy", '{"count": 1, "universe": "alias"}')])
    assert illegal_kind(found) == "frozen_field_mutation"


def test_sending_a_fixed_field_as_it_is_changes_nothing(caller: Caller) -> None:
    assert outcomes(caller, arguments='{"count": 1, "universe": "csi300"}') == [Ok({"count": 1})]


def test_budgets_of_calls_and_of_single_tools_are_reached_in_later_steps(caller: Caller) -> None:
    session = ToolSession(Toolbox(toy_registry(), caller, limits={"shop.look": 1}), calls=4)
    names = ["shop.look", "shop.look", "shop.down", "shop.buy", "shop.buy"]
    found = [next(session.step([called(name, '{"count": 1}' if "buy" in name else "{}")])) for name in names]
    assert [type(item) for item in found] == [Ok, Illegal, Failed, Ok, Illegal]
    assert illegal_kind(found[1]) == illegal_kind(found[4]) == "budget_exceeded"


def test_a_failure_uses_up_no_run_of_its_tool(caller: Caller) -> None:
    session = ToolSession(Toolbox(toy_registry(), caller, limits={"shop.down": 1}))
    for _ in range(3):
        (found,) = session.step([called("shop.down")])
        assert isinstance(found, Failed)


def test_a_tool_outside_the_box_is_unknown(caller: Caller) -> None:
    session = ToolSession(Toolbox(toy_registry(), caller, tools=("shop.look",)))
    (found,) = session.step([called("shop.buy", '{"count": 1}')])
    assert illegal_kind(found) == "unknown_tool"
    assert found.as_dict()["detail"] == {"did_you_mean": []}


@pytest.mark.parametrize(
    "wrong", [{"tools": ("shop.steal",)}, {"limits": {"shop.close": 1}}, {"frozen": {"colour": "red"}}]
)
def test_a_toolbox_that_names_nothing_is_refused(wrong, caller: Caller) -> None:
    with pytest.raises(AssayError):
        Toolbox(toy_registry(), caller, **wrong)


def test_counts_and_rate() -> None:
    illegal = Illegal("schema_invalid", "bad_x", "")
    found = audit([Ok({}), Refused("no", ""), illegal, Failed(), Failed()])
    assert found.as_dict() == {
        "tool_calls": 5,
        "refused": 1,
        "environment_failures": 2,
        "illegal_tool_calls": 1,
        "illegal_tool_call_rate": 1 / 3,
        "illegal_by_kind": {kind: int(kind == "schema_invalid") for kind in ILLEGAL_KINDS},
    }


def test_without_calls_there_is_no_rate() -> None:
    assert audit([]).illegal_tool_call_rate is None
    assert audit([Failed()]).illegal_tool_call_rate is None


def test_words_do_not_classify() -> None:
    assert illegal_kind(Refused("schema_invalid", "unknown_tool budget_exceeded")) is None
    assert illegal_kind(Failed("unparsable_arguments")) is None
