from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.brain.templates._pattern import MAX_PATTERN, Pattern, PatternFault

ATOMS = st.sampled_from(
    ["a", "b", "_", "1", ".", "[ab]", "[^a]", "[a-c_]", r"\d", r"\w", r"\W", r"\.", "^", "$", r"\b"]
)
TEXTS = st.text(alphabet="aAbBcz_1. ", max_size=8)


@st.composite
def patterns(draw: st.DrawFn, depth: int = 1) -> str:
    parts = []
    for _ in range(draw(st.integers(1, 3))):
        part = draw(ATOMS) if depth == 0 or draw(st.booleans()) else f"({draw(patterns(depth - 1))})"
        if part not in ("^", "$", r"\b"):
            part += draw(st.sampled_from(["", "", "*", "+", "?", "{2}", "{1,2}", "{,2}", "{2,}"]))
        parts.append(part)
    joined = "".join(parts)
    return f"{joined}|{draw(patterns(0))}" if depth and draw(st.booleans()) else joined


@given(patterns(), TEXTS)
def test_it_finds_what_the_standard_library_finds(pattern: str, text: str) -> None:
    expected = re.compile(pattern, re.IGNORECASE | re.ASCII).search(text) is not None
    # the standard library lets $ stand before a last line break, which names do not have
    assert Pattern.of(pattern).found_in(text) == expected


@pytest.mark.parametrize(
    "hostile", [r"(a+)+$", r"(a|aa)+$", r"(a*)*b", r"(.*)*(.*)*(.*)*x", r"(a?){30}a{30}"]
)
def test_a_hostile_pattern_is_as_fast_as_any(hostile: str) -> None:
    # a matcher that tries one way after the other would not come back from these
    assert Pattern.of(hostile).found_in("a" * 500 + "!") == (hostile == r"(a?){30}a{30}")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a(b", "leaves a group open (character 3)"),
        ("ab)c", "closes a group that is not open (character 3)"),
        ("[ab", "leaves a class open (character 3)"),
        ("[z-a]", "is a range whose end is before its start (character 5)"),
        ("*a", "repeats nothing (character 1)"),
        (r"(a)\1", r"uses \1, which is not supported (character 5)"),
        ("(?=a)", "begins a kind of group that is not supported; use ( or (?: (character 3)"),
        ("(?P<n>a)", "begins a kind of group that is not supported; use ( or (?: (character 3)"),
        ("a{b}", "is no count such as {2} or {1,3} (character 3)"),
        ("a{3,1}", "ends a count whose end is before its start (character 6)"),
        ("a\\", "ends with a backslash (character 2)"),
        ("((a{50}){50}){50}", "makes the pattern too large (character 13)"),
        ("(" * 30 + "a" + ")" * 30, "is nested too deeply (character 22)"),
        ("a" * (MAX_PATTERN + 1), f"is longer than {MAX_PATTERN} characters"),
    ],
)
def test_what_cannot_be_used_is_said_with_its_place(text: str, message: str) -> None:
    with pytest.raises(PatternFault) as caught:
        Pattern.of(text)
    assert str(caught.value) == message


def test_the_empty_pattern_fits_everything() -> None:
    assert Pattern.of("").found_in("")
    assert Pattern.of("").found_in("close")
