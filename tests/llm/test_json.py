from __future__ import annotations

import contextlib
import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.llm._json import MAX_DEPTH, UnreadableJson, read_json

scalars = (
    st.none()
    | st.booleans()
    | st.integers(-(10**20), 10**20)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text()
)
values = st.recursive(
    scalars, lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4)
)
objects = st.dictionaries(st.text(), values, max_size=4)


def same(one: Any, other: Any) -> bool:
    return json.dumps(one, sort_keys=True) == json.dumps(other, sort_keys=True)


@given(objects, st.booleans(), st.sampled_from([None, 2]))
def test_json_is_read_as_it_stands(value: dict[str, Any], ascii_only: bool, indent: int | None) -> None:
    reading = read_json(json.dumps(value, ensure_ascii=ascii_only, indent=indent))
    assert same(reading.value, value)
    assert reading.repairs == {}


@given(objects.filter(bool))
def test_a_python_dict_is_read(value: dict[str, Any]) -> None:
    readable = [text for text in map(repr, (value,)) if "\\x" not in text and "\\U" not in text]
    for text in readable:
        assert same(read_json(text).value, value)


@pytest.mark.parametrize(
    ("text", "value", "repairs"),
    [
        ('{"a": 1}', {"a": 1}, {}),
        ("{}", {}, {}),
        (' \n{"a": [1, -2.5e3, true, false, null, "x"]}\n', {"a": [1, -2500.0, True, False, None, "x"]}, {}),
        ('\ufeff{"a": 1}', {"a": 1}, {"byte_order_mark": 1}),
        ('```json\n{"a": 1}\n```', {"a": 1}, {"code_fence": 1}),
        ('```\n{"a": 1}\n```\n', {"a": 1}, {"code_fence": 1}),
        ('~~~ json\n{"a": 1}\n~~~', {"a": 1}, {"code_fence": 1}),
        ('```json\n{"a": "```"}', {"a": "```"}, {"code_fence": 1}),
        ('{"a": 1}\n```', {"a": 1}, {"text_around": 1}),
        ('Sure! {"a": 1} Hope this helps.', {"a": 1}, {"text_around": 1}),
        ('Sure:\n```json\n{"a": 1}\n```\nDone', {"a": 1}, {"code_fence": 1, "text_around": 1}),
        ('{"a": [1, 2,], "b": {"c": 1,},}', {"a": [1, 2], "b": {"c": 1}}, {"trailing_comma": 3}),
        ("{'a': 'it\\'s', 'b': \"'\"}", {"a": "it's", "b": "'"}, {"bad_escape": 1, "single_quotes": 3}),
        ('{"a": None, "b": True, "c": False}', {"a": None, "b": True, "c": False}, {"python_literal": 3}),
        (
            '{"a": NaN, "b": -Infinity, "c": nan, "d": inf}',
            dict.fromkeys("abcd"),
            {"not_a_number": 4},
        ),
        ("{a: 1, b_2: {c: 2}}", {"a": 1, "b_2": {"c": 2}}, {"bare_key": 3}),
        ('{"a": +1, "b": .5, "c": 1.}', {"a": 1, "b": 0.5, "c": 1.0}, {"number_form": 3}),
        ('{// why\n"a": 1, /* b\n */ # c\n"b": "//#"}', {"a": 1, "b": "//#"}, {"comment": 3}),
        ('{"a": "x\ny\t"}', {"a": "x\ny\t"}, {"control_character": 2}),
        (r'{"a": "\d+ \( \u00e9 \n"}', {"a": "\\d+ \\( \u00e9 \n"}, {"bad_escape": 2}),
        ('{\u00a0"a":\u3000 1}', {"a": 1}, {"odd_space": 2}),
        (r'{"a": "\ud83d\ude00 \ud800"}', {"a": "\U0001f600 \ufffd"}, {"lone_surrogate": 1}),
        ('{"\udc00": "\ud83d\ude00"}', {"\ufffd": "\U0001f600"}, {"lone_surrogate": 1}),
    ],
)
def test_repairs_are_made_and_counted(text: str, value: Any, repairs: dict[str, int]) -> None:
    reading = read_json(text)
    assert reading.value == value
    assert reading.repairs == repairs


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ('{"a": 1} then {"a": 2}', {"a": 2}),
        ('{"a": 1}{"a": 2}', {"a": 2}),
        ('{"a": 1}\n{"a": 2}\n{}', {"a": 2}),
        ('```json\n{"a": 1}\n``` or, shorter, {"a": 2}', {"a": 1}),
        ('```json\n{"a": 1}\n```\n```json\n{"a": 2}\n```', {"a": 2}),
        ('[1] says, see [{"a": 3}], that {"a": 4}', {"a": 4}),
    ],
)
def test_the_last_value_wins_and_one_in_a_fence_before_it(text: str, value: Any) -> None:
    reading = read_json(text)
    assert reading.value == value


def test_values_left_aside_are_counted() -> None:
    assert read_json('{"a": 1,} {"a": 2} {"a": 3}').repairs == {"other_values": 2, "text_around": 1}


@pytest.mark.parametrize(
    "text",
    [
        '<think>perhaps {"a": 0} or {"a": oops</think>\n{"a": 1}',
        '<think>{"a": 0, "b": [</think>{"a": 1}',
        '<think></think>{"a": 1}',
        'so {"a": 0}\n</think>\n\n```json\n{"a": 1}\n```',
        'The set {x} and {1, 2}, see [link](url) {"a": 1}',
        'f(x) = {x : x > 0}? {"a": 1}',
    ],
)
def test_thoughts_and_brackets_of_prose_are_passed_over(text: str) -> None:
    if "x : x" in text:
        with pytest.raises(UnreadableJson):  # looks like a key: what it was cannot be known
            read_json(text)
    else:
        assert read_json(text).value == {"a": 1}


WHOLE = '{"a": [1, {"b": "x\\n", "c": null}], "d": {"e": [true]}, "f": -1.5e3}'


@pytest.mark.parametrize("end", range(1, len(WHOLE)))
def test_a_text_cut_off_anywhere_is_refused(end: int) -> None:
    for text in (WHOLE[:end], "Here: " + WHOLE[:end], "```json\n" + WHOLE[:end]):
        with pytest.raises(UnreadableJson) as caught:
            read_json(text)
        assert caught.value.fault == "truncated"


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("", "no_value"),
        ("   ", "no_value"),
        ("Sorry, I cannot help with that.", "no_value"),
        ('<think>perhaps {"a": 1}', "no_value"),
        ("[1, 2]", "no_value"),
        ('[{"a": 1}, {"a": 2}]', "no_value"),
        ('[1, {"a": 1}]', "no_value"),
        ('{"a": 1, "a": 2}', "duplicate_key"),
        ('{"a": 1e999}', "number_out_of_range"),
        ('{"a": ' + "9" * 5000 + "}", "number_out_of_range"),
        ('{"a": 01}', "syntax"),
        ('{"a": 0x10}', "syntax"),
        ('{"a": 1_000}', "syntax"),
        ('{"a": 1 "b": 2}', "syntax"),
        ('{"a": }', "syntax"),
        ('{"a" 1}', "syntax"),
        ('{"a": 1,, "b": 2}', "syntax"),
        ("{,}", "no_value"),
        ('{"a": [,]}', "syntax"),
        ('{"a": [1}', "syntax"),
        ('{"a": "x "quoted" y"}', "syntax"),
        ('{"a": yes}', "syntax"),
        ('{"a": undefined}', "syntax"),
        ('{"a": (1, 2)}', "syntax"),
        ('{"a": 1; "b": 2}', "syntax"),
        ('{"a": "b", 1: 2}', "syntax"),
        ('{"a": {"b": 1}, "c" oops}', "syntax"),
        ('{"a": /* never', "truncated"),
        ('{"a": 1} {"b": ', "truncated"),
        ('{"a": \x00}', "syntax"),
    ],
)
def test_what_is_not_json_is_refused(text: str, fault: str) -> None:
    with pytest.raises(UnreadableJson) as caught:
        read_json(text)
    assert caught.value.fault == fault
    assert len(caught.value.message) < 250


def test_the_place_of_a_fault_is_named() -> None:
    with pytest.raises(UnreadableJson, match=r"expected , or \}, found '\"b\": 2\}' \(line 2, column 1\)"):
        read_json('{"a": 1\n"b": 2}')


@pytest.mark.parametrize("depth", [MAX_DEPTH + 1, 1000, 100_000])
@pytest.mark.parametrize(("opening", "closing"), [("[", "]"), ('{"a":', "}"), ('[{"a":', "}]")])
def test_deep_nesting_is_a_typed_error(depth: int, opening: str, closing: str) -> None:
    with pytest.raises(UnreadableJson) as caught:
        read_json('{"x": ' + opening * depth + "1" + closing * depth + "}")
    assert caught.value.fault == "nested_too_deep"


def test_the_deepest_allowed_is_read() -> None:
    value = read_json("[" * MAX_DEPTH + "]" * MAX_DEPTH, kind="array").value
    for _ in range(MAX_DEPTH - 1):
        (value,) = value
    assert value == []


def test_an_array_is_read_where_one_is_asked_for() -> None:
    assert read_json('Values: [1, 2, 3,] of {"n": [4]}', kind="array").value == [1, 2, 3]
    with pytest.raises(UnreadableJson):
        read_json('{"a": [1, 2]}', kind="array")


class Counted:
    """Counts the calls of a parser's step: work, which unlike time is the same on every machine."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        from assay.llm import _json

        self.steps = 0
        step = _json._Parser._take

        def counted(parser: Any, token: Any) -> bool:
            self.steps += 1
            return step(parser, token)

        monkeypatch.setattr(_json._Parser, "_take", counted)


@pytest.mark.parametrize("around", ["", "text "])
def test_ten_megabytes_are_read_in_one_pass(monkeypatch: pytest.MonkeyPatch, around: str) -> None:
    counted = Counted(monkeypatch)
    items = 100_000
    text = around + "{'a': [" + f'{{"k": "{"x" * 90}"}}, ' * items + "]}" + around
    assert len(text) > 10_000_000
    reading = read_json(text)
    assert len(reading.value["a"]) == items
    assert counted.steps < 10 * items


def test_the_sign_of_a_thought_s_end_within_a_value_is_text() -> None:
    assert read_json("Here: {'x': '</think> {\"a\": 1}'}").value == {"x": '</think> {"a": 1}'}


@pytest.mark.parametrize(
    "sign",
    [
        "{/*</think>",
        "{</think>",
        "{",
        "[",
        "{ ",
        "[x",
        "{'",
        '{"a":1}',
        "'",
        '"',
        "</think>",
        "```",
        "{#",
        "[1,",
    ],
)
def test_ten_megabytes_of_one_sign_are_read_in_one_pass(monkeypatch: pytest.MonkeyPatch, sign: str) -> None:
    counted = Counted(monkeypatch)
    text = sign * (2_000_000 // len(sign))
    if sign == '{"a":1}':
        assert read_json(text).value == {"a": 1}
    else:
        with pytest.raises(UnreadableJson):
            read_json(text)
    assert counted.steps < len(text)


@given(st.text(alphabet="{}[]:,'\"\\/#*`ntruefalsNo01.-+e \n\ud800\u00a0", max_size=60))
def test_any_text_is_read_or_refused(text: str) -> None:
    value: Any = {}
    with contextlib.suppress(UnreadableJson):
        value = read_json(text).value
    assert isinstance(value, dict)
    json.dumps(value, allow_nan=False, ensure_ascii=False).encode()  # no NaN, no half characters
