"""Random programs and random texts."""

# ruff: noqa: E501 - a case is read best on one line

from __future__ import annotations

from hypothesis import assume, given, settings
from hypothesis import strategies as st

from assay.base import generator
from assay.brain.fastexpr import check_program, expression, operators, unit_warnings
from assay.errors import Refusal
from assay.expr import Node, canonical, sample, to_text

from .decorate import decorated

ALL = operators("consultant")
SEEDS = st.integers(0, 2**32)


@st.composite
def programs(draw: st.DrawFn) -> tuple[Node, str]:
    """A tree that the platform's language can write, and its text."""
    node = sample(generator(draw(SEEDS), "fastexpr"))
    try:
        return node, to_text(node, "fastexpr")
    except Refusal:
        assume(False)
        raise


@settings(max_examples=150)
@given(programs())
def test_what_is_printed_is_valid_and_reads_back_as_the_same_tree(program: tuple[Node, str]) -> None:
    node, text = program
    assert check_program(text, None, ALL) is None
    assert expression(text).node == node


@settings(max_examples=150)
@given(programs(), SEEDS)
def test_variables_comments_and_cases_change_nothing(program: tuple[Node, str], seed: int) -> None:
    node, text = program
    written = decorated(text, seed)
    assert check_program(written, None, ALL) is None, written
    assert expression(written).node == node, written


@settings(max_examples=150)
@given(programs())
def test_a_simplified_program_is_still_valid(program: tuple[Node, str]) -> None:
    """``x - x`` and its like were simplified by others to what their language refused."""
    node, _ = program
    try:
        text = to_text(canonical(node), "fastexpr")
    except Refusal:  # it cannot be written, so nothing invalid is
        return
    assert check_program(text, None, ALL) is None, text


def test_differences_and_ratios_of_the_same_are_simplified_to_valid_programs() -> None:
    for text in ("close - close", "close / close", "rank(close) - rank(close)", "0 * close", "-(-close)"):
        simple = to_text(canonical(expression(text).node), "fastexpr")
        assert check_program(simple) is None, simple


def placed(text: str) -> None:
    """Any text has an answer, and a problem lies within it."""
    found = check_program(text, None, ALL)
    unit_warnings(text)
    if found is None:
        return
    lines = text.split("\n")
    place = found.place
    assert 1 <= place.line <= len(lines)
    assert 0 <= place.start <= place.end <= len(lines[place.line - 1])
    assert found.message
    assert found.pointer(text)


PIECES = st.sampled_from(
    ["close", "news", "x", "nan", "adv20", "IndClass.sector", "1", "0", "-3", "2.5", "1e9", "5y", "1e999", "(",
     ")", ",", ";", "=", "==", "+", "-", "*", "/", "^", "**", "?", ":", "&&", "||", "&", "!", "<", "and", "Not",
     "'a'", '"', "true", "filter=", "driver=", "lookback=", "#", "/*", "*/", "\n", "\r\n", " ", "é", "（", ".",
     "$", "\ud800", "\x00", "\u2028", "\x0b", "\ufeff"]
)  # fmt: skip
CALLS = st.sampled_from([info.name for info in ALL] + ["foo", "delta", "reduce_avg"]).map("{}(".format)


@settings(max_examples=300)
@given(st.lists(st.one_of(PIECES, CALLS), max_size=16).map("".join))
def test_any_heap_of_words_is_answered(text: str) -> None:
    placed(text)


@settings(max_examples=150)
@given(st.text(max_size=60))
def test_any_text_is_answered(text: str) -> None:
    placed(text)


@settings(max_examples=100)
@given(
    st.sampled_from(ALL), st.lists(st.sampled_from(["close", "sector", "5", "-1", "0.5", "'a'"]), max_size=5)
)
def test_any_operator_on_any_inputs_is_answered(info: object, inputs: list[str]) -> None:
    placed(f"{info.name}({', '.join(inputs)})")  # type: ignore[attr-defined]


def test_long_and_deep_texts_are_answered() -> None:
    for text in ("(" * 20_000, "-" * 16_000 + "x", "x+" * 5_000 + "x", "rank(" * 300, "x?1:" * 4_000 + "2",
                 "a=a1;" * 900, "\n" * 16_000 + "@"):  # fmt: skip
        placed(text)
