from __future__ import annotations

import pytest
from hypothesis import given, settings

from assay.expr import FieldInfo, Space, exponent, parse, to_text

from .strategies import trees

FIELDS = {n: FieldInfo(n) for n in ("mystery", "other")}


def found(text, fields=None):
    expression = parse(text, fields=fields, level="typed")
    return exponent(expression.node, fields)


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("close", "1"),
        ("volume", "-1"),
        ("amount", "0"),
        ("raw_close", "0"),
        ("raw_close * factor", "1"),
        ("close * volume", "0"),
        ("close / open", "0"),
        ("close - open", "1"),
        ("close / (high - low + 1e-12)", "0"),
        ("close^2", "2"),
        ("sqrt(close)", "0.5"),
        ("log(close)", "log 1"),
        ("log(close) - log(delay(close, 5))", "0"),
        ("delta(log(close), 5)", "0"),
        ("log(close) + log(volume)", "0"),
        ("2 * log(close) - log(open)", "log 1"),
        ("exp(log(close))", "1"),
        ("ts_std(log(close), 20)", "0"),
        ("ts_sum(log(close), 5) - 5 * log(close)", "0"),
        ("ts_corr(close, volume, 10)", "0"),
        ("ts_rank(close, 10)", "0"),
        ("ts_cov(close, volume, 10)", "0"),
        ("ts_cov(close, open, 10)", "2"),
        ("ts_var(close, 10)", "2"),
        ("ts_product(close, 3)", "3"),
        ("sign(close)", "0"),
        ("close > open", "0"),
        ("close > 0", "0"),
        ("where(close > open, close, open)", "1"),
        ("where(close > open, volume, 0)", "-1"),
        ("maximum(close - open, 0)", "1"),
        ("ts_return(close, 5)", "0"),
        ("ts_regression(close, volume, 20, output=beta)", "2"),
        ("ts_regression(close, open, 20, output=sse)", "2"),
        ("ts_regression(close, volume, 20, output=r2)", "0"),
        ("ts_moment(close, 20, 3)", "3"),
        ("trade_when(close > open, close, -1)", "1"),
        ("hump_decay(close)", "1"),
        ("hump_decay(close, p=0.1, relative=true)", "1"),
        ("hump_decay(log(close), p=0.1)", "log 1"),
        ("ts_delta_limit(close, open)", "1"),
        ("ts_delta_limit(returns, 1)", "0"),
        ("ts_theilsen(close, volume, 9)", "2"),
        ("ts_theilsen(log(close), returns, 9)", "0"),
        ("ts_triple_corr(close, open, volume, 9)", "0"),
        ("is_missing(close)", "0"),
        ("rank(returns)", "0"),
        ("ts_mean(volume, 5) / ts_mean(volume, 20)", "0"),
        ("0 * close", "any"),
    ],
)
def test_exponents(text, shown) -> None:
    assert found(text).text == shown


@pytest.mark.parametrize(
    ("text", "culprit"),
    [
        ("rank(close)", "close"),
        ("1 + rank(close - open)", "close - open"),
        ("close + volume", "close + volume"),
        ("ts_mean(close + 1, 5)", "close + 1"),
        ("log(volume + 1)", "volume + 1"),
        ("close > volume", "close > volume"),
        ("close > 5", "close > 5"),
        ("where(close > 5, 1, 0)", "close > 5"),
        ("rank(log(close))", "log(close)"),
        ("tanh(close - open)", "close - open"),
        ("sign(log(close))", "sign(log(close))"),
        ("log(close) * rank(returns)", "log(close) * rank(returns)"),
        ("group_neutralize(close, sector)", "close"),
        ("ts_return(log(close), 5)", "ts_return(log(close), 5)"),
        ("clip(close, 0, 100)", "close"),
        ("2^close", "close"),
        ("hump_decay(close, p=0.1)", "close"),
        ("hump_decay(log(close), p=0.1, relative=true)", "hump_decay(log(close), p=0.1, relative=true)"),
        ("ts_delta_limit(log(close), log(open))", "ts_delta_limit(log(close), log(open))"),
        ("ts_delta_limit(close, volume)", "ts_delta_limit(close, volume)"),
    ],
)
def test_the_part_that_breaks_invariance_is_named(text, culprit) -> None:
    result = found(text)
    assert result.kind == "broken"
    assert to_text(result.culprit) == culprit
    assert result.why


def test_a_result_that_only_scales_is_not_invariant_either() -> None:
    result = found("close - open")
    assert not result.invariant
    assert to_text(result.culprit) == "close - open"


def test_unknown_fields_stay_unknown_until_an_op_removes_their_scale() -> None:
    assert found("rank(mystery)", FIELDS).unknown
    assert found("mystery / other", FIELDS).unknown
    assert found("ts_rank(mystery, 5)", FIELDS).invariant
    assert found("ts_corr(mystery, other, 5)", FIELDS).invariant
    assert found("mystery > 0", FIELDS).invariant


def test_fields_of_the_data_can_say_otherwise() -> None:
    fields = {"close": FieldInfo("close", exponent=0.0)}
    assert found("rank(close)", fields).invariant


@settings(max_examples=60)
@given(node=trees())
def test_sampled_trees_are_invariant(node) -> None:
    assert exponent(node).invariant


@settings(max_examples=30)
@given(node=trees(Space(adjustment=False)))
def test_every_tree_has_an_exponent(node) -> None:
    assert exponent(node).kind in ("power", "log", "any", "guard", "unknown", "broken")
