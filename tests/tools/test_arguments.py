"""Whatever is sent, reading it ends in an object or in one typed refusal."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.tools import Caller, Illegal, Ok, Unparsable, read_object

from .toys import toy_registry

DEEP_LISTS = '{"a":' + "[" * 1000 + "]" * 1000 + "}"
DEEP_OBJECTS = '{"a":' * 1000 + "1" + "}" * 1000


def nested(levels: int) -> dict:
    value: dict = {}
    for _ in range(levels):
        value = {"a": value}
    return value


HOSTILE = {
    "not JSON": "{count: 3}",
    "cut off": '{"count": 3',
    "two values": '{"count": 3} {"count": 4}',
    "a list": "[1]",
    "a number": "7",
    "null": "null",
    "text within text": '"{\\"count\\": 3}"',
    "a key twice": '{"count": 3, "count": 4}',
    "a key twice, deep": '{"dims": [{"name": "a", "name": "b"}]}',
    "NaN": '{"count": NaN}',
    "Infinity": '{"count": -Infinity}',
    "a number without end": '{"count": 1e999}',
    "a number of 5,000 digits": '{"count": ' + "9" * 5000 + "}",
    "half a surrogate pair": '{"colour": "\\ud800"}',
    "half a pair as a key": '{"\\udfff": 1}',
    "half a pair, unescaped": '{"colour": "\ud800"}',
    "lists 1,000 deep": DEEP_LISTS,
    "objects 1,000 deep": DEEP_OBJECTS,
    "brackets that never close": "[" * 100_000,
    "10 MB of text": '{"colour": "' + "x" * 10_000_000 + '"}',
    "10 MB of quotes": '"' + '\\"' * 5_000_000,
    "1 MB of quotes": ('"' + '\\"' * 499_000)[:999_999],
    "a mapping with NaN": {"count": float("nan")},
    "a mapping with an object": {"count": object()},
    "a mapping with a number key": {1: 2},
    "a mapping with bytes": {"count": b"3"},
    "a mapping 1,000 deep": nested(1000),
    "a mapping with half a pair": {"colour": "\udc00"},
    "a mapping with a huge number": {"count": 10**5000},
    "a mapping of 10 MB": {"colour": "x" * 10_000_000},
}


@pytest.mark.parametrize("raw", HOSTILE.values(), ids=HOSTILE)
def test_hostile_arguments_are_one_kind_of_illegal_call(raw, caller: Caller) -> None:
    with pytest.raises(Unparsable) as caught:
        read_object(raw)
    assert len(caught.value.message) < 200
    outcome = toy_registry().call("shop.buy", raw, caller)
    assert isinstance(outcome, Illegal)
    assert (outcome.kind, outcome.reason) == ("unparsable_arguments", "unparsable_arguments")


@pytest.mark.parametrize("raw", ["", " \n", "{}", {}])
def test_no_arguments(raw) -> None:
    assert read_object(raw) == {}


def test_what_json_can_say_comes_through() -> None:
    text = '{"a": [1, 2.5, true, null, {"b": "[[[[\\"{{"}], "c": "\\ud83d\\ude00"}'
    assert read_object(text) == {"a": [1, 2.5, True, None, {"b": '[[[["{{'}], "c": "😀"}


def test_32_levels_pass_and_33_do_not() -> None:
    assert read_object(json.dumps(nested(31)))
    assert read_object(nested(31))
    for raw in (json.dumps(nested(33)), nested(33)):
        with pytest.raises(Unparsable, match="nested deeper"):
            read_object(raw)


def test_a_whole_float_is_an_integer_as_in_json_schema(caller: Caller) -> None:
    assert toy_registry().call("shop.buy", '{"count": 3.0}', caller) == Ok({"count": 3})
    outcome = toy_registry().call("shop.buy", '{"count": 3.5}', caller)
    assert isinstance(outcome, Illegal)


@pytest.mark.parametrize("value", ['"3"', "true", "null", "[3]", "1e400", "123456789012345678901234567890"])
def test_types_are_not_guessed(value, caller: Caller) -> None:
    outcome = toy_registry().call("shop.buy", f'{{"count": {value}}}', caller)
    assert isinstance(outcome, Illegal)


def test_arguments_are_read_as_text_or_as_a_mapping_alike(caller: Caller) -> None:
    sent = {"count": 2, "dims": [{"name": "a"}]}
    registry = toy_registry()
    assert registry.call("shop.buy", json.dumps(sent), caller) == registry.call("shop.buy", sent, caller)


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(st.characters()),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner, max_size=4),
    max_leaves=20,
)


@given(st.one_of(st.text(), st.dictionaries(st.text(max_size=8), json_values, max_size=5)))
def test_nothing_that_is_sent_raises(raw) -> None:
    from .conftest import AGENT

    outcome = toy_registry().call("shop.buy", raw, Caller(AGENT))
    assert isinstance(outcome, Illegal)
    json.dumps(outcome.as_dict())
