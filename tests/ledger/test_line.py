"""The canonical line: what it holds, and that it reads back as it was written."""

from __future__ import annotations

import enum
import json
import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assay.errors import LedgerDamaged, Refusal
from assay.ledger import BAD_RECORD
from assay.ledger._line import (
    MAX_DEPTH,
    NO_HASH,
    Canonical,
    Line,
    Prepared,
    batch_of,
    canonical,
    follows,
    own_hash,
    parse,
    seal,
)

TEXT = st.text(st.characters(codec=None, exclude_categories=()), max_size=12)
LEAVES = (
    st.none()
    | st.booleans()
    | st.integers(-(2**63), 2**63 - 1)
    | st.floats(allow_nan=False, allow_infinity=False)
    | TEXT
)
VALUES = st.recursive(
    LEAVES,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(TEXT, inner, max_size=4),
    max_leaves=20,
)
BODIES = st.dictionaries(TEXT, VALUES, max_size=5)
META = canonical({"time": "2026-01-02T03:04:05+00:00"}, "meta")


def line(body: Canonical, *, run: str | None = "r-1", prev: str = NO_HASH) -> Line:
    raw, digest = seal(Prepared("round", run, body, META), 0, 1, prev)
    return Line(5, 100, raw, digest)


@given(BODIES)
def test_a_line_reads_back_as_it_was_written(body: dict[str, Any]) -> None:
    written = canonical(body)
    sealed = line(written)
    assert sealed.raw.count(b"\n") == 1
    assert b"\0" not in sealed.raw
    assert own_hash(sealed.raw) == sealed.hash
    assert parse(sealed).body == written.value
    assert canonical(parse(sealed).body) == written


EDGES = [
    0.0,
    -0.0,
    1e-4,
    1e16,
    math.nextafter(1e-4, 0),
    math.nextafter(1e16, 0),
    1e-5,
    1e22,
    5e-324,
    2.0**53,
    0.1,
]
NUMBERS = st.floats(allow_nan=False, allow_infinity=False) | st.floats(-1, 1) | st.sampled_from(EDGES)
TEXT_OF_UTF8 = st.text(max_size=12)


@given(
    st.dictionaries(
        TEXT_OF_UTF8, st.none() | st.booleans() | st.integers(-(2**63), 2**63 - 1) | NUMBERS | TEXT_OF_UTF8
    )
)
@settings(max_examples=500)
def test_the_text_is_that_of_pythons_encoder(body: dict[str, Any]) -> None:
    """Whichever encoder is faster for a record; a hash rests on the text."""
    text = json.dumps(body, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    assert canonical(body).data == text.encode()
    assert canonical({"inside": body}).data == f'{{"inside":{text}}}'.encode()
    assert canonical(body).value == body


@pytest.mark.parametrize("value", [math.nan, math.inf, -math.inf])
def test_what_is_no_number_is_missing(value: float) -> None:
    assert canonical({"a": value, "b": 1}) == canonical({"a": None, "b": 1})


@given(BODIES)
def test_the_order_of_keys_does_not_matter(body: dict[str, Any]) -> None:
    backwards = dict(reversed(body.items()))
    # two spellings of one character may make keys equal; the later one wins in either order
    if len(canonical(body).value) == len(body):
        assert canonical(backwards).data == canonical(body).data


@given(BODIES, st.data())
def test_any_changed_byte_is_noticed(body: dict[str, Any], data: st.DataObject) -> None:
    raw = bytearray(line(canonical(body)).raw)
    place = data.draw(st.integers(0, len(raw) - 1))
    raw[place] ^= data.draw(st.integers(1, 255))
    assert own_hash(bytes(raw)) is None


def test_the_text_of_a_line() -> None:
    raw = line(canonical({"b": [1, 2.5, None, True], "a": "\u4e2d\u6587"})).raw
    text = '{"batch":[0,1],"body":{"a":"\u4e2d\u6587","b":[1,2.5,null,true]},"kind":"round",'
    text += '"meta":{"time":"2026-01-02T03:04:05+00:00"},"run":"r-1","prev":"' + NO_HASH + '"'
    assert raw.startswith(text.encode() + b',"hash":"')
    assert raw.endswith(b'"}\n')
    assert json.loads(raw)["prev"] == NO_HASH


def test_the_link_is_to_the_line_before() -> None:
    first = line(canonical({}))
    second = line(canonical({}), prev=first.hash)
    assert follows(second.raw, first.hash)
    assert not follows(second.raw, NO_HASH)
    assert follows(first.raw, NO_HASH)


class Colour(enum.StrEnum):
    RED = "red"


class Old(str, enum.Enum):  # noqa: UP042 - the older way, whose str() is not its value
    GREEN = "green"


class Level(enum.IntEnum):
    HIGH = 3


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (math.nan, "null"),
        (math.inf, "null"),
        (-math.inf, "null"),
        (np.float64("nan"), "null"),
        (np.float32(0.5), "0.5"),
        (np.float64(0.1), "0.1"),
        (np.longdouble(0.25), "0.25"),
        (np.int64(-7), "-7"),
        (np.uint8(7), "7"),
        (np.bool_(True), "true"),
        (np.str_("a"), '"a"'),
        (np.array([[1.5, math.nan], [2, 3]]), "[[1.5,null],[2.0,3.0]]"),
        (np.array(4), "4"),
        ((1, 2), "[1,2]"),
        (Colour.RED, '"red"'),
        (Old.GREEN, '"green"'),
        (Level.HIGH, "3"),
        ({Colour.RED: 1}, '{"red":1}'),
        (-0.0, "-0.0"),
        (1e300, "1e+300"),
        (2**63 - 1, "9223372036854775807"),
        ("\ud800", '"\\ud800"'),
        ("a\\\udfff", '"a\\\\\\udfff"'),
        ("\ud83d\ude00", '"\U0001f600"'),
        ("\x00\n\x7f", '"\\u0000\\n\x7f"'),
    ],
)
def test_what_becomes_of_a_value(value: object, text: str) -> None:
    assert canonical(value).data.decode() == text


@pytest.mark.parametrize(
    ("body", "where", "says"),
    [
        ({"a": {1: 2}}, "body.a", "the key 1"),
        ({"a": [0, {1, 2}]}, "body.a[1]", "a set"),
        ({"a": b"bytes"}, "body.a", "a bytes"),
        ({"a": 2**63}, "body.a", "64 bits"),
        ({"a": np.uint64(2**64 - 1)}, "body.a", "64 bits"),
        ({"a": 1j}, "body.a", "a complex"),
        ({"a": np.datetime64("2020-01-01")}, "body.a", "a datetime64"),
    ],
)
def test_what_cannot_be_recorded_is_named(body: dict[str, Any], where: str, says: str) -> None:
    with pytest.raises(Refusal) as caught:
        canonical(body)
    assert caught.value.reason is BAD_RECORD
    assert caught.value.where == where
    assert says in caught.value.message
    assert caught.value.fix


def nested(levels: int) -> Any:
    value: Any = "innermost"
    for _ in range(levels):
        value = [value]
    return value


def test_deep_nesting_is_refused_and_not_an_overflow() -> None:
    assert canonical(nested(MAX_DEPTH)).data.startswith(b"[[[[")
    for levels in (MAX_DEPTH + 1, 1000, 100_000):
        with pytest.raises(Refusal, match="100 levels") as caught:
            canonical({"a": nested(levels)})
        assert len(caught.value.where or "") <= 120


def test_a_value_that_holds_itself_is_refused() -> None:
    loop: list[Any] = []
    loop.append(loop)
    with pytest.raises(Refusal, match="100 levels"):
        canonical(loop)


def test_what_was_recorded_does_not_change_with_the_callers_object() -> None:
    inner = [1, 2]
    kept = canonical({"a": inner})
    inner.append(3)
    assert kept.value == {"a": [1, 2]}


@pytest.mark.parametrize(
    "text",
    ["[]", '{"batch":[0,1]}', "{" * 5000, "[" * 200_000, "\ufeff{}", "9" * 5000, '{"body":1,"kind":2}'],
)
def test_a_line_whose_hash_fits_but_is_no_record_is_damage(text: str) -> None:
    with pytest.raises(LedgerDamaged) as caught:
        parse(Line(7, 0, text.encode(), NO_HASH))
    assert caught.value.where == "line 7"


@pytest.mark.parametrize(
    "start",
    [
        b'{"batch":[1,1',
        b'{"batch":[-1,2],"body":{',
        b'{"batch":[01,2],"body":{',
        b"",
        b'{"batch":[0,0],"body":{',
    ],
)
def test_a_line_that_does_not_say_its_place_in_an_append(start: bytes) -> None:
    assert batch_of(start) is None
