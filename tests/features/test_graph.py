from __future__ import annotations

from dataclasses import replace
from functools import partial

import numpy as np
import pytest

from assay.errors import Refusal
from assay.expr import parse
from assay.features import (
    Base,
    Feature,
    FeatureGraph,
    FeatureProblems,
    Function,
    feature,
    formula_feature,
    label_feature,
    standard_graph,
)
from assay.market import simulate

CLOSE = Feature("close", Base("close"))


def made(name: str, *deps: str, call=lambda *values: values[0], **more) -> Feature:
    return Feature(name, Function(call), deps, **more)


def test_deps_come_first_and_give_lag_and_licence(graph: FeatureGraph) -> None:
    order = list(graph)
    for name, item in graph.items():
        assert all(order.index(dep) < order.index(name) for dep in item.deps)
    assert graph["ranked_range"].deps == ("bar_range",)
    assert (graph["bar_range"].lag, graph["slow_range"].lag) == (1, 2)
    assert graph["fwd_ret_20"].lag == 21
    assert graph["bar_range"].doc == "Width of the bar as a share of its close."
    bought = FeatureGraph([replace(CLOSE, license_tier="licensed"), made("x", "close"), made("y", "x")])
    assert bought["y"].license_tier == "licensed"


def test_all_problems_at_once() -> None:
    with pytest.raises(FeatureProblems) as caught:
        FeatureGraph(
            [
                CLOSE,
                CLOSE,
                label_feature(5),
                made("early", "close", lag=-1),
                made("peek", "fwd_ret_5"),
                made("typo", "closee"),
                made("a", "b"),
                made("b", "a"),
                made("self", "self"),
                made("no/name", "close"),
                made("dear", "close", license_tier="free"),
                replace(label_feature(3), name="short", lag=2),
                replace(label_feature(4), name="open_label", is_label=False),
                replace(formula_feature("f", parse("rank(close)")), deps=()),
            ]
        )
    found = {(problem.where, problem.message.split(" ")[0]) for problem in caught.value.problems}
    text = str(caught.value)
    for part in (
        "close: two features have this name",
        "early: its lag is -1",
        "peek: is no label and depends on the label 'fwd_ret_5'",
        "typo: depends on 'closee', which is unknown (did you mean close?)",
        "depends on itself: self -> self",
        "'no/name': is no name of a feature",
        "dear: its licence tier is 'free'",
        "short: its lag is 2, and it reaches 4 bars ahead",
        "open_label: says what followed and is not marked as a label",
        "f: reads 'close', which is not among its deps",
    ):
        assert part in text, part
    assert "a -> b -> a" in text or "b -> a -> b" in text
    assert len(caught.value.problems) == 11, found


def test_a_label_of_a_label_is_allowed() -> None:
    graph = FeatureGraph([CLOSE, label_feature(5), made("up", "fwd_ret_5", is_label=True)])
    assert graph["up"].lag == 6


def test_an_unknown_name_is_refused_with_its_neighbours(graph: FeatureGraph) -> None:
    with pytest.raises(Refusal) as caught:
        graph.hash("reversl")
    assert caught.value.reason.code == "unknown_feature"
    assert caught.value.details == {"did_you_mean": ["reversal"]}


def hash_of(*features: Feature) -> str:
    return FeatureGraph([CLOSE, *features]).hash(features[-1].name)


def test_equal_content_equal_hash() -> None:
    first = formula_feature("first", parse("rank(close)"))
    assert hash_of(first) == hash_of(replace(first, name="other", doc="words", namespace="mine"))
    assert hash_of(first) == hash_of(formula_feature("spelt", parse("rank( close )")))
    assert hash_of(first) != hash_of(formula_feature("first", parse("rank(-close)")))
    assert hash_of(first) != hash_of(replace(first, lag=2))


def test_the_hash_covers_the_deps() -> None:
    inner = formula_feature("x", parse("rank(close)"))
    other = formula_feature("x", parse("rank(-close)"))
    outer = made("y", "x")
    assert hash_of(inner, outer) != hash_of(other, outer)


def power(values, exponent=2.0):
    return values**exponent


def helper_a(values):
    return values + 1.0


def helper_b(values):
    return values + 2.0


def scaled(by):
    def call(values):
        return values * by

    return call


@pytest.mark.parametrize(
    ("left", "right"),
    [
        (scaled(2.0), scaled(3.0)),
        (partial(power, exponent=2.0), partial(power, exponent=3.0)),
        (scaled(np.arange(3.0)), scaled(np.arange(4.0))),
        (lambda x: x + 1.0, lambda x: x + 2.0),
        (lambda x: helper_a(x), lambda x: helper_b(x)),
        (lambda x, w=5: x * w, lambda x, w=6: x * w),
    ],
)
def test_functions_that_compute_other_things_have_other_hashes(left, right) -> None:
    hashes = [hash_of(made("f", "close", call=call)) for call in (left, right)]
    assert hashes[0] != hashes[1]
    assert hashes[0] == hash_of(made("g", "close", call=left))
    assert hashes[0] != hash_of(Feature("f", Function(left, "2"), ("close",)))


def test_the_words_of_a_function_are_no_content() -> None:
    def one(x):
        """Says this."""
        return x * 2.0

    def two(x):
        """Says that."""
        return x * 2.0

    two.__name__ = "one"
    assert hash_of(made("f", "close", call=one)) == hash_of(made("f", "close", call=two))


def test_a_function_that_cannot_be_told_apart_is_a_problem() -> None:
    thing = object()
    with pytest.raises(FeatureProblems, match=r"f: it holds an object of type object"):
        hash_of(made("f", "close", call=lambda x: (thing, x)[1]))


def test_the_standard_graph_of_a_panel() -> None:
    panel = simulate(instruments=20, days=60)
    graph = standard_graph(panel, lag=0, horizons=(2,))
    assert {"close", "volume", "returns", "fwd_ret_2"} <= set(graph)
    assert "industry" not in graph
    assert graph["close"].lag == 0
    assert graph["fwd_ret_2"].is_label
    assert not graph["close"].is_label
    with pytest.raises(FeatureProblems, match="close: two features have this name"):
        standard_graph(panel, formulas={"close": "rank(close)"})


def test_the_decorator_says_what_it_was_told() -> None:
    @feature(
        "x", deps=["close"], lag=3, namespace="mine", license_tier="restricted", doc="words", version="7"
    )
    def call(close):
        return close

    assert (call.lag, call.namespace, call.license_tier, call.doc) == (3, "mine", "restricted", "words")
    assert call.deps == ("close",)
    assert isinstance(call.rule, Function)
    assert call.rule.version == "7"
