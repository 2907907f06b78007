from __future__ import annotations

import pytest

from assay.errors import ExpressionError
from assay.expr import REASONS, FieldInfo, Limits, _check, check, parse, require_runnable
from assay.expr._parser import parse_syntax


@pytest.mark.parametrize(
    ("text", "dialect", "reason", "part"),
    [
        ("1 + delay(close, -1)", "core", "look_ahead", "delay(close, -1)"),
        ("Ref($close, -1)", "qlib", "look_ahead", "Ref($close, -1)"),
        ("Mul($open, Delta($close, -2))", "qlib", "look_ahead", "Delta($close, -2)"),
        ("ts_delay(close, -3)", "fastexpr", "look_ahead", "ts_delay(close, -3)"),
        ("$open + Mean($close, 0)", "qlib", "expanding_window", "Mean($close, 0)"),
        ("ts_mean(close, 0)", "core", "window_out_of_bounds", "ts_mean(close, 0)"),
        ("decay_linear(close, 3-8)", "fastexpr", "window_out_of_bounds", "decay_linear(close, 3-8)"),
        ("TS_MEAN($close, 505)", "report", "lookback_too_long", "TS_MEAN($close, 505)"),
        (
            "delay(ts_mean(close, 500), 5) + open",
            "core",
            "lookback_too_long",
            "delay(ts_mean(close, 500), 5)",
        ),
        ("Rank($close, 1000000000)", "qlib", "lookback_too_long", "Rank($close, 1000000000)"),
        ("RANK(COUNT($close, 5))", "report", "unsupported_op", "COUNT($close, 5)"),
        ("RANK($net_mf_amount)", "report", "unsupported_field", "$net_mf_amount"),
        ("rank(clse)", "core", "unknown_field", "clse"),
        ("$close + $pe", "qlib", "unknown_field", "$pe"),
    ],
)
def test_refusals_at_level_runnable_point_to_the_part(text, dialect, reason, part) -> None:
    found = check(text, dialect)
    assert (found.level, found.error.reason.code, found.error.level) == ("typed", reason, "runnable")
    assert text[found.error.span.start : found.error.span.end] == part


def test_the_lookback_limit_is_longer_where_platforms_allow_it() -> None:
    assert check("ts_mean(close, 2520)", "fastexpr").level == "runnable"
    assert check("ts_mean(close, 2521)", "fastexpr").error.reason.code == "lookback_too_long"
    assert check("ts_mean(close, 504)").level == "runnable"
    assert check("ts_mean(close, 600)", limits=Limits(lookback=600)).level == "runnable"


def test_a_window_without_bound_is_named_in_words() -> None:
    assert "more than a billion" in check("ts_mean(close, 1e300)").error.message


def test_levels_are_reported_and_nothing_is_raised() -> None:
    assert check("rank(").level is None
    assert check("rank(a, b, c)").level == "parsed"
    assert check("a = close", "fastexpr").fragment
    assert check("a = close", "fastexpr").level == "parsed"
    assert check("rank(nothing)").level == "typed"
    assert check("rank(close)").level == "runnable"
    assert check("rank(close)").error is None


def test_unknown_platform_fields_are_numbers_until_fields_are_given() -> None:
    text = "group_neutralize(rank(fnd6_drc / fnd6_teq), pv13_group)"
    assert check(text, "fastexpr").level == "runnable"
    given = check(text, "fastexpr", fields=["fnd6_drc", "pv13_group"])
    assert given.error.reason.code == "unknown_field"
    assert check(text, "fastexpr", fields=["fnd6_drc", "fnd6_teq", "pv13_group"]).level == "runnable"


def test_fields_of_the_data_decide_presence() -> None:
    assert parse("rank(pe)", fields=["pe"]).fields == ("pe",)
    assert check("rank(close)", fields=["pe"]).error.reason.code == "unknown_field"
    assert parse("RANK($net_mf_amount)", "report", fields=["net_mf_amount"]).fields == ("net_mf_amount",)


def test_level_typed_leaves_out_the_later_checks() -> None:
    expression = parse("delay(close, -1)", level="typed")
    with pytest.raises(ExpressionError) as caught:
        require_runnable(expression)
    assert caught.value.reason.code == "look_ahead"


def test_an_expression_tells_about_itself() -> None:
    expression = parse("rank(ts_mean(close / delay(close, 5), 10))")
    assert (expression.lookback, expression.size, expression.depth) == (15, 6, 5)
    assert (expression.fields, expression.kind, expression.dialect) == (("close",), "number", "core")
    assert (
        expression.fingerprint == parse("RANK(TS_MEAN($close / DELAY($close, 5), 10))", "report").fingerprint
    )
    assert expression.exponent.invariant
    assert parse("close > open").kind == "bool"
    assert parse("densify(sector)").kind == "group"


@pytest.mark.parametrize(
    ("text", "bars"),
    [
        ("close", 1),
        ("5", 1),
        ("delay(close, 5)", 6),
        ("ts_return(close, 5)", 6),
        ("ts_mean(close, 5)", 5),
        ("ts_mean(delay(close, 5), 5)", 10),
        ("ts_mean(close, 5) + delay(open, 9)", 10),
        ("ts_ema(close, 12.5)", 13),
        ("ts_regression(close, open, 20, lag=3)", 23),
        ("cumulative_sum(volume)", 1),
        ("rank(close)", 1),
    ],
)
def test_lookback(text, bars) -> None:
    assert parse(text).lookback == bars


def test_the_adjustment_policy_refuses_warns_or_is_off() -> None:
    text = "returns + rank(close)"
    with pytest.raises(ExpressionError) as caught:
        parse(text, adjustment="refuse")
    assert caught.value.reason.code == "adjustment_dependent"
    assert text[caught.value.span.start : caught.value.span.end] == "close"
    assert [n.code for n in parse(text, adjustment="warn").warnings] == ["adjustment_dependent"]
    assert parse(text, adjustment="warn").warnings[0].column == 16
    assert parse(text).warnings == ()
    assert parse("rank(close / open)", adjustment="refuse").warnings == ()


def test_a_warning_is_placed_without_reading_the_formula_again(monkeypatch) -> None:
    reads = []

    def counted(*args, **options):
        reads.append(args)
        return parse_syntax(*args, **options)

    monkeypatch.setattr(_check, "parse_syntax", counted)
    found = check("returns + rank(close)", adjustment="warn")
    assert found.expression is not None
    assert [notice.column for notice in found.expression.warnings] == [16]
    assert len(reads) == 1


def test_a_warning_on_a_later_line_is_placed_there() -> None:
    (notice,) = parse("x = returns;\nx + rank(close)", "fastexpr", adjustment="warn").warnings
    assert (notice.line, notice.column) == (2, 10)


def test_the_policy_leaves_unknown_fields_to_the_numeric_test() -> None:
    assert parse("rank(pe)", fields={"pe": FieldInfo("pe")}, adjustment="refuse").exponent.unknown


def test_reasons_have_distinct_codes_and_say_what_to_do() -> None:
    assert len({r.code for r in REASONS}) == len(REASONS)
    assert all(r.summary.endswith(".") and r.fix.endswith(".") for r in REASONS)
