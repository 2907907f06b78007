from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.errors import AssayError
from assay.llm._wire import canonical_name, joined, past_name, sendable, tool_ids, wire_name

SEGMENT = st.from_regex(r"[a-z][a-z0-9]{0,7}(_[a-z0-9]{1,4})?", fullmatch=True)


@given(st.lists(SEGMENT, min_size=1, max_size=3).map(".".join))
def test_names_survive_the_wire(tool_id: str) -> None:
    sent = wire_name(tool_id)
    assert "." not in sent
    assert canonical_name(sent, tool_ids([tool_id])) == tool_id


def test_a_dot_is_sent_as_two_underscores() -> None:
    assert wire_name("brain.fields.list") == "brain__fields__list"


def test_a_name_that_was_not_offered_is_left_alone() -> None:
    assert canonical_name("x__y", tool_ids(["a.b"])) == "x__y"


@pytest.mark.parametrize("tool_id", ["a__b", "", ".", "a..b", "a b", "a/b", "x" * 65, "é"])
def test_a_name_that_would_not_read_back_is_refused(tool_id: str) -> None:
    if tool_id in (".", "a..b"):
        assert tool_ids([tool_id])[wire_name(tool_id)] == tool_id  # odd, but it reads back
    else:
        with pytest.raises(AssayError, match="cannot be sent"):
            wire_name(tool_id)


@pytest.mark.parametrize(
    ("name", "sent"), [("a.b", "a__b"), ("../x", "_____x"), ("", "_"), ("x" * 99, "x" * 64), ("名", "_")]
)
def test_past_names_are_in_a_form_that_services_accept(name: str, sent: str) -> None:
    assert past_name(name) == sent


@given(st.text(st.characters(exclude_categories=()), max_size=40))
def test_what_is_sent_has_a_utf8_form_and_whole_text_is_left_alone(text: str) -> None:
    sent = sendable({"a": [text]})["a"][0]
    sent.encode("utf-8")
    if text.isascii():
        assert sent == text
    assert joined(joined(text)) == joined(text)


def test_lone_surrogates_are_replaced_and_pairs_joined() -> None:
    assert joined("\ud83d\ude00 \ud800") == "😀 \ud800"
    assert sendable(["\ud83d\ude00", ("\ud800",), {"\udc00": 1}, None, 1.5, True]) == [
        "😀",
        ["�"],
        {"�": 1},
        None,
        1.5,
        True,
    ]
