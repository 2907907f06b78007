from __future__ import annotations

import pytest
from hypothesis import given, settings

from assay.errors import Refusal
from assay.expr import (
    STANDARD_FIELDS,
    Call,
    Constant,
    Field,
    FieldInfo,
    Space,
    convert,
    op_table,
    parse,
    to_text,
)

from .strategies import trees


@settings(max_examples=100)
@given(node=trees(Space(adjustment=False, nodes=60)))
def test_core_text_reads_back_as_the_same_tree(node) -> None:
    assert parse(to_text(node), level="typed").node == node


@pytest.mark.parametrize("op", [op for op in op_table().values() if op.params], ids=lambda op: op.name)
def test_every_parameter_can_be_written(op) -> None:
    """With values off their defaults, so that each one shows."""
    sample = {
        "number": Field("close"),
        "bool": Call("gt", (Field("close"), Field("open"))),
        "group": Field("sector"),
        "vector": Field("news"),
    }
    fields = {**STANDARD_FIELDS, "news": FieldInfo("news", "vector")}
    args = tuple(sample[a.kind] for a in op.args)
    params = []
    for p in op.params:
        if p.type == "text":
            value = p.choices[-1] if p.choices else "0,1"
        elif p.type == "bool":
            value = not p.default
        else:
            value = type(p.default or (1 if p.type == "int" else 1.0))(
                max(p.low or 0, 1) if p.high in (None, 1) else 2
            )
        params.append((p.name, float(value) if p.type == "float" else value))
    node = Call(op.name, args, tuple(params))
    assert parse(to_text(node), level="typed", fields=fields).node == node


_FILTERED = (
    "multiply(x, y, z, filter=true)",
    "subtract(x, add(y, 1, filter=true), filter=true)",
)


@pytest.mark.parametrize(
    ("text", "source", "target", "result"),
    [
        ("rank(close - delay(close, 5))", "core", "report", "RANK($close - DELAY($close, 5))"),
        ("RANK(TS_PCTCHANGE($close, 5))", "report", "fastexpr", None),
        ("TS_STD($return, 20)", "report", "fastexpr", "ts_std_dev(returns, 20)"),
        ("rank(close) < 0.5 ? 1 : -1", "alpha101", "alpha191", "RANK(close) < 0.5 ? 1 : -1"),
        ("Mean($close, 5) / $close", "qlib", "core", "ts_mean(close, 5, min_periods=1) / close"),
        (
            "ts_regression(y, x, 20, lag=1, rettype=2)",
            "fastexpr",
            "fastexpr",
            "ts_regression(y, x, 20, lag=1, rettype=2)",
        ),
        (
            'bucket(x, buckets="2,5", skipBoth=true)',
            "fastexpr",
            "fastexpr",
            'bucket(x, buckets="2,5", skipBoth=true)',
        ),
        ("Count($close, 5)", "qlib", "qlib", "Count($close, 5)"),
        ("Clip($close, -1, 2)", "qlib", "fastexpr", "clamp(close, lower=-1, upper=2)"),
        ("fill_missing(close, value=2)", "core", "fastexpr", "if_else(is_nan(close), 2, close)"),
        ("normalize(x, useStd=true)", "fastexpr", "fastexpr", "normalize(x, useStd=true)"),
        ("ts_step(5)", "fastexpr", "fastexpr", "ts_step(5)"),
        ("is_not_nan(x)", "fastexpr", "fastexpr", "!is_nan(x)"),
        ("x - ts_min(x, 5)", "fastexpr", "fastexpr", "ts_min_diff(x, 5)"),
        *((text, "fastexpr", "fastexpr", text) for text in _FILTERED),
        ("ts_triple_corr(y, x, x, 5)", "core", "fastexpr", "ts_triple_corr(y, x, x, 5)"),
        ("ts_wma(close, 5)", "core", "fastexpr", "ts_decay_linear(close, 5, dense=true)"),
        ("ts_wma(close, 5, min_periods=5)", "core", "fastexpr", "ts_decay_linear(close, 5, dense=true)"),
        ("ts_quantile(close, 5, 0.5)", "core", "fastexpr", "ts_median(close, 5)"),
        ("ts_quantile(close, 5, 0.25)", "core", "fastexpr", "ts_percentage(close, 5, percentage=0.375)"),
        ("max(rank(close), open)", "alpha101", "fastexpr", None),
        ("-ts_rank(x, 5)", "fastexpr", "core", '-ts_rank(x, 5, scale="(r-1)/(n-1)")'),
    ],
)
def test_exact_conversion(text, source, target, result) -> None:
    if result is None:
        with pytest.raises(Refusal) as caught:
            convert(text, source, target)
        assert caught.value.reason.code == "no_form"
    else:
        assert convert(text, source, target).text == result
        assert convert(text, source, target).differences == ()


def test_conversion_may_take_the_conventions_of_the_target_and_says_so() -> None:
    found = convert("Rank(Std($close, 5), 10)", "qlib", "fastexpr", exact=False)
    assert found.text == "ts_rank(ts_std_dev(close, 5), 10)"
    assert set(found.differences) == {
        "ts_rank: min_periods 1 becomes the whole window",
        "ts_rank: scale 'r/n' becomes '(r-1)/(n-1)'",
        "ts_std: ddof 1 becomes 0",
        "ts_std: min_periods 1 becomes the whole window",
    }


@pytest.mark.parametrize(
    ("text", "result"),
    [
        ("IdxMax($high, 20)", "20 - ts_arg_max(high, 20)"),
        ("WMA($close, 5)", "ts_decay_linear(close, 5, dense=true)"),
        ("Slope($close, 20)", "ts_regression(close, ts_step(), 20, rettype=2)"),
        ("Resi($close, 20)", "ts_regression(close, ts_step(), 20)"),
        ("Rsquare($close, 20)", "ts_regression(close, ts_step(), 20, rettype=6)"),
        ("EMA($close, 3)", "ts_decay_exp_window(close, 8, factor=0.5)"),
        ("Var($close, 5)", "ts_std_dev(close, 5)^2"),
    ],
)
def test_ops_without_a_word_are_written_with_others(text, result) -> None:
    found = convert(text, "qlib", "fastexpr", exact=False)
    assert found.text == result
    assert found.differences
    with pytest.raises(Refusal) as caught:
        convert(text, "qlib", "fastexpr")
    assert caught.value.details["loose"] == list(found.differences)
    assert "--loose" in caught.value.fix
    assert found.differences[0] in caught.value.fix


def test_text_of_a_tree_is_never_rewritten() -> None:
    node = parse("ts_wma(close, 5)").node
    with pytest.raises(Refusal, match="fastexpr cannot write ts_wma"):
        to_text(node, "fastexpr")


def test_what_no_convention_helps_is_refused_without_the_offer() -> None:
    for exact in (True, False):
        for text in ("Mad($close, 5)", "EMA(WMA(Mad($close, 5), 3), 4)"):
            with pytest.raises(Refusal, match=r"ts_mad with .* it has no word for that") as caught:
                convert(text, "qlib", "fastexpr", exact=exact)
            assert "--loose" not in caught.value.fix


@pytest.mark.parametrize("exact", [True, False])
@pytest.mark.parametrize(
    ("text", "code"),
    [("Ref($close, -2) / Ref($close, -1) - 1", "look_ahead"), ("Mean($close, 0)", "expanding_window")],
)
def test_windows_that_cannot_run_are_not_converted(text, code, exact) -> None:
    with pytest.raises(Refusal) as caught:
        convert(text, "qlib", "fastexpr", exact=exact)
    assert caught.value.reason.code == code


def test_what_a_dialect_cannot_say_is_refused_with_its_parameters() -> None:
    with pytest.raises(Refusal, match=r"report cannot write ts_std with window=5, ddof=1"):
        to_text(Call("ts_std", (Field("close"),), (("window", 5), ("ddof", 1), ("min_periods", 0))), "report")
    with pytest.raises(Refusal, match="field 'vwap'"):
        to_text(Field("vwap"), "report")
    with pytest.raises(Refusal, match="constant nan"):
        to_text(Constant(float("nan")), "qlib")


def test_signs_before_numbers_survive() -> None:
    node = Call("neg", (Constant(5.0),))
    assert to_text(node) == "neg(5)"
    assert parse("neg(5)").node == node
    assert to_text(Call("power", (Constant(-2.0), Field("close")))) == "(-2)^close"
