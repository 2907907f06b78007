"""Hypothesis strategies for syntax trees and typed trees."""

from __future__ import annotations

from hypothesis import strategies as st

from assay.base import generator
from assay.expr import Node, Space, sample
from assay.expr._grammar import GRAMMARS, Grammar
from assay.expr._op import DialectName
from assay.expr._syntax import (
    Apply,
    Binary,
    Conditional,
    Name,
    Number,
    Program,
    Statement,
    Syntax,
    Text,
    Unary,
)

_NAMES = st.sampled_from(["close", "volume", "x", "fnd6_at", "a1"])
_NUMBERS = st.one_of(
    st.integers(0, 10**6).map(float),
    st.floats(0, 1e12, allow_nan=False, allow_infinity=False, allow_subnormal=False),
)


def syntax(dialect: DialectName) -> st.SearchStrategy[Syntax]:
    """Any syntax tree that the grammar of a dialect can hold."""
    grammar = GRAMMARS[dialect]
    dollar = "$" if grammar.dollar == "always" else ""
    leaves = st.one_of(_NUMBERS.map(Number), _NAMES.map(lambda name: Name(dollar + name)))
    return st.recursive(leaves, lambda inner: _branches(inner, grammar), max_leaves=8)


def _branches(inner: st.SearchStrategy[Syntax], grammar: Grammar) -> st.SearchStrategy[Syntax]:
    calls = st.lists(inner, max_size=3).map(tuple)
    named = st.lists(st.tuples(st.sampled_from(["k", "std"]), inner), max_size=2).map(tuple)
    branches = [
        st.builds(Binary, st.sampled_from(sorted(grammar.infix)), inner, inner),
        st.builds(Unary, st.sampled_from(sorted(grammar.prefix)), inner),
        st.builds(
            Apply, st.sampled_from(["rank", "ts_mean", "f"]), calls, named if grammar.named else st.just(())
        ),
    ]
    if grammar.ternary:
        branches.append(st.builds(Conditional, inner, inner, inner))
    if grammar.texts:
        branches.append(st.sampled_from(["0,1,0.1", "gaussian", ""]).map(Text))
    return st.one_of(branches)


def programs(dialect: DialectName) -> st.SearchStrategy[Program]:
    """A program of one value, or of several statements where the dialect has them."""
    single = syntax(dialect).map(lambda value: Program((Statement(None, value),)))
    if not GRAMMARS[dialect].programs:
        return single
    statements = st.lists(
        st.builds(Statement, st.one_of(st.none(), st.sampled_from(["a", "b"])), syntax(dialect)),
        min_size=1,
        max_size=3,
    )
    return statements.map(lambda listed: Program(tuple(listed)))


def trees(space: Space | None = None) -> st.SearchStrategy[Node]:
    """Typed trees as the sampler draws them."""
    return st.integers(0, 2**32).map(lambda seed: sample(generator(seed, "trees"), space))
