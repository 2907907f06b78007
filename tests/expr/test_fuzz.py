"""Texts that nobody meant as formulas: always an answer, never a surprise."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assay.expr import DIALECTS, canonical, check, explain, to_text
from assay.expr._words import words

_PIECES = st.sampled_from(
    ["close", "$close", "sector", "$industry", "x", "nan", "adv20", "IndClass.sector", "1", "0", "-3", "2.5",
     "1e9", "1e-12", "(", ")", ",", ";", "=", "==", "+", "-", "*", "/", "^", "**", "?", ":", "&&", "||", "&",
     "!", "~", "<", ">=", "'a'", '"0,1,0.1"', "true", "filter=", "range=", "#", "/*", "*/", "\n", " ", "é",
     "（", "."]
)  # fmt: skip


def answered(text, dialect) -> None:
    found = check(text, dialect)
    assert (found.error is None) == (found.level == "runnable")
    if found.error is not None:
        assert 0 <= found.error.span.start <= found.error.span.end <= len(text)
        assert found.error.as_dict()["reason"]
    if found.expression is not None:
        assert explain(found.expression)["core"]
        assert canonical(canonical(found.expression.node)) == canonical(found.expression.node)


@pytest.mark.parametrize("dialect", DIALECTS)
@settings(max_examples=60)
@given(text=st.text(max_size=40))
def test_any_text(dialect, text) -> None:
    answered(text, dialect)


@pytest.mark.parametrize("dialect", DIALECTS)
@settings(max_examples=100)
@given(data=st.data())
def test_any_heap_of_words(dialect, data) -> None:
    calls = st.sampled_from(sorted(words(dialect))).map(lambda name: f"{name}(")
    answered("".join(data.draw(st.lists(st.one_of(_PIECES, calls), max_size=14))), dialect)


@pytest.mark.parametrize("dialect", DIALECTS)
@settings(max_examples=100)
@given(data=st.data())
def test_any_word_on_any_inputs(dialect, data) -> None:
    known = words(dialect)
    name = data.draw(st.sampled_from(sorted(known)))
    dollar = "$" if dialect in ("report", "qlib") else ""
    numbers = st.sampled_from(["1", "0", "5", "-2", "0.5", "1e10", "2.7"])
    fields = st.sampled_from(["close", "open", "volume", "industry"]).map(lambda field: dollar + field)
    count = len(known[name].slots)
    inputs = [data.draw(st.one_of(fields, numbers)) for _ in range(count)]
    text = f"{name}({', '.join(inputs)})"
    answered(text, dialect)
    found = check(text, dialect)
    if found.expression is not None:
        core = to_text(found.expression.node)
        again = check(core, "core", fields=["close", "open", "volume", "industry", "amount", "returns"])
        assert again.expression is not None, core
        assert again.expression.node == found.expression.node
