"""The language clause by clause, and what is said of a program that breaks it."""

# ruff: noqa: E501 - a case is read best on one line

from __future__ import annotations

import pytest

from assay.brain import DataFieldInfo, OperatorInfo
from assay.brain.fastexpr import check_program, expression, operators
from assay.expr import to_text

from .listed import FIELDS


def core(text: str) -> str:
    """What a program means, without the scale that the platform gives to ranks."""
    assert check_program(text, FIELDS) is None, check_program(text, FIELDS)
    return to_text(expression(text, FIELDS).node).replace(', scale="(r-1)/(n-1)"', "")


MEANINGS = [
    # statements
    ("close", "close"),
    ("close;", "close"),
    ("a = close; b = a / open; b - 1", "close / open - 1"),
    ("a = close;\nb = open;\n\na - b;\n", "close - open"),
    ("unused = high; close", "close"),
    ("a = close; a = a + open; a", "close + open"),
    ("close = close * 2; close", "close * 2"),
    ("d = 5; ts_mean(close, d)", "ts_mean(close, 5)"),
    ("d = 5; ts_mean(close, 2 * d)", "ts_mean(close, 10)"),
    ("g = industry; group_mean(close, 1, g)", 'group_mean(close, 1, industry, mean="harmonic")'),
    ("rank = close; rank(rank)", "rank(close)"),
    # comments
    ("/* first\n of two */ close /**/ + /* ; */ open", "close + open"),
    ("close # not * this\n+ open # nor this", "close + open"),
    # ternary
    ("close > open ? 1 : 2", "where(close > open, 1, 2)"),
    ("x ? 1 : y ? 2 : 3", "where(x != 0, 1, where(y != 0, 2, 3))"),
    ("x ? y ? 1 : 2 : 3", "where(x != 0, where(y != 0, 1, 2), 3)"),
    ("a = x > y ? 1 : -1; a * close", "where(x > y, 1, -1) * close"),
    # logic and comparison
    ("x < y == 1", "x < y == 1"),
    ("x > 1 && y > 1 || x <= y", "x > 1 && y > 1 || x <= y"),
    ("x > 1 and y > 1 or x != y", "x > 1 && y > 1 || x != y"),
    ("x > 1 AND y > 1 Or x >= y", "x > 1 && y > 1 || x >= y"),
    ("and(x > 1, or(y > 1, not(x == y)))", "x > 1 && (y > 1 || !(x == y))"),
    ("!(x > 1) + 1", "!(x > 1) + 1"),
    # signs and powers
    ("-x ^ 2", "-x^2"),
    ("2 ^ -1", "2^(-1)"),
    ("2 ^ x ^ y", "2^x^y"),
    ("x - -y", "x - -y"),
    ("-x * y", "-x * y"),
    ("+x", "x"),
    # numbers
    ("x + 5 + 0.5 + .5 + 2. + 1e-6 + 1E3", "x + 5 + 0.5 + 0.5 + 2 + 1e-06 + 1000"),
    # arguments by name
    ("quantile(x, driver=gaussian)", "rank_gaussian(x)"),
    ("quantile(x, driver='Cauchy', sigma=2.0)", 'rank_gaussian(x, driver="cauchy", sigma=2)'),
    ('ts_quantile(x, 5, driver="uniform")', 'ts_rank_gaussian(x, 5, driver="uniform")'),
    ("add(x, y, filter = TRUE)", "fill_missing(x) + fill_missing(y)"),
    ("add(x, y, filter=false)", "x + y"),
    ("ts_backfill(x, lookback = 60, k = 2)", "ts_backfill(x, 60, k=2)"),
    ('ts_backfill(x, lookback = 60, k = 1, ignore="NAN")', "ts_backfill(x, 60)"),
    ("ts_regression(y, x, 10, rettype=2)", 'ts_regression(y, x, 10, output="beta")'),
    ("ts_regression(y, x, d = 10, lag = 1)", "ts_regression(y, x, 10, lag=1)"),
    ("trade_when(x = x > 1, y = close, z = -1)", "trade_when(x > 1, close, -1)"),
    ("if_else(input1 = x > 1, input2 = y, input3 = 0)", "where(x > 1, y, 0)"),
    ("normalize(x, useStd = true, limit = 3)", "normalize(x, use_std=true, limit=3)"),
    ("winsorize(x, std=3)", "winsorize(x, std=3)"),
    ("kth_element(x, 5, 1, ignore='NAN 0')", 'ts_kth(x, 5, 1, ignore="NAN 0")'),
    ("bucket(rank(x), buckets='0.2,0.5')", 'bucket(rank(x), "0.2,0.5")'),
    # inputs without a fixed number
    ("add(x, y, 1)", "x + y + 1"),
    ("max(x, y, open)", "maximum(maximum(x, y), open)"),
    ("multiply(x, y, 2, filter=true)", "fill_missing(x, value=1) * fill_missing(y, value=1) * fill_missing(2, value=1)"),
    # cases
    ("Ts_Mean(close, 5) + RANK(x)", "ts_mean(close, 5) + rank(x)"),
    ("Event = x > 1; event * close", "(x > 1) * close"),
    ("a = x; A = a + 1; a", "x + 1"),
    ("CLOSE", "close"),
    # groups and vectors
    ("group_rank(x, sector)", "group_rank(x, sector)"),
    ("group_neutralize(x, bucket(rank(cap), buckets='0.5'))", 'group_neutralize(x, bucket(rank(cap), "0.5"))'),
    ("group_zscore(x, densify(industry))", "group_zscore(x, densify(industry))"),
    ("vec_avg(news) - vec_sum(news)", "vec_avg(news) - vec_sum(news)"),
]  # fmt: skip


@pytest.mark.parametrize(("text", "meaning"), MEANINGS)
def test_what_a_program_means(text: str, meaning: str) -> None:
    assert core(text) == meaning


UNKNOWN = 'Attempted to use inaccessible or unknown operator "{}"'
VARIABLE = 'Attempted to use unknown variable "{}"'
END = "Unexpected end of input"
COUNT = "Invalid number of inputs : {}, should be {} input(s)"

PROBLEMS = [
    # text, kind, message, line, start, end
    ("", "syntax", END, 1, 0, 0),
    ("  # nothing", "syntax", END, 1, 0, 0),
    ("rank(close", "syntax", END, 1, 10, 10),
    ("close +", "syntax", END, 1, 7, 7),
    ("a = close", "syntax", END, 1, 9, 9),
    ("a = close; b = a;", "syntax", END, 1, 17, 17),
    ("'gaussian", "syntax", END, 1, 0, 1),
    ("close /* open", "syntax", END, 1, 6, 8),
    ("rank(close))", "syntax", "Unexpected character ')'", 1, 11, 12),
    ("close\n+ @", "syntax", "Unexpected character '@'", 2, 2, 3),
    ("close open", "syntax", "Unexpected character 'o'", 1, 6, 7),
    ("ts_mean(x, 5d)", "syntax", "Unexpected character 'd'", 1, 12, 13),
    ("x ** 2", "syntax", "Unexpected character '*'", 1, 3, 4),
    ("x & y", "syntax", "Unexpected character '&'", 1, 2, 3),
    ("x = y == 1 ? 2; x", "syntax", "Unexpected character ';'", 1, 14, 15),
    ("$close", "syntax", "Unexpected character '$'", 1, 0, 1),
    ("group_rank(x, IndClass.sector)", "syntax", "Unexpected character '.'", 1, 22, 23),
    ("close; open", "syntax", "Unexpected character ';'", 1, 5, 6),
    ("= close", "syntax", "Unexpected character '='", 1, 0, 1),
    ("rank（close)", "syntax", "Unexpected character '（'", 1, 4, 5),
    ("foo(close)", "operator", UNKNOWN.format("foo"), 1, 0, 3),
    ("x +\n ts_max(x, 5)", "operator", UNKNOWN.format("ts_max"), 2, 1, 7),
    ("delta(x, 5)", "operator", UNKNOWN.format("delta"), 1, 0, 5),
    ("reduce_avg(x)", "operator", UNKNOWN.format("reduce_avg"), 1, 0, 10),
    ("close(5)", "operator", UNKNOWN.format("close"), 1, 0, 5),
    ("rank(clsoe)", "variable", VARIABLE.format("clsoe"), 1, 5, 10),
    ("a = b; b = a; a", "variable", VARIABLE.format("b"), 1, 4, 5),
    ("a = a + 1; a", "variable", VARIABLE.format("a"), 1, 4, 5),
    ("ts_mean(x, d)", "variable", VARIABLE.format("d"), 1, 11, 12),
    ("zscore(x, 5)", "inputs", COUNT.format(2, "exactly 1"), 1, 0, 12),
    ("rank(x, y)", "inputs", COUNT.format(2, "exactly 1"), 1, 8, 9),
    ("ts_mean(x, y)", "inputs", COUNT.format(2, "exactly 1"), 1, 11, 12),
    ("ts_mean(x, 5, 1)", "inputs", COUNT.format(3, "exactly 2"), 1, 0, 16),
    ("rank(x, 0, 1)", "inputs", COUNT.format(3, "at most 2"), 1, 0, 13),
    ("ts_corr(x)", "inputs", COUNT.format(1, "exactly 2"), 1, 0, 10),
    ("add(x)", "inputs", COUNT.format(1, "at least 2"), 1, 0, 6),
    ("quantile(x, 5)", "inputs", "Invalid value of attribute 'driver'", 1, 12, 13),
    ("1 + ts_mean(x)", "inputs", "Required attribute 'lookback' must have a value", 1, 4, 14),
    ("rank(x, rte=2)", "attribute", "Invalid value of an attribute: rank has no argument 'rte': rank(x, rate=2)", 1, 8, 11),
    ("ts_backfill(x, 5, ignore='0')", "attribute", "Invalid value of an attribute: ts_backfill has no argument 'ignore': ts_backfill(x, d, k=1)", 1, 18, 24),
    ("ts_delay(x, -1)", "attribute", "Invalid value of an attribute: a shift of -1 bars reads the future", 1, 0, 15),
    ("ts_mean(x, 0)", "attribute", "Invalid value of an attribute: the window is 0, at least 1 is needed", 1, 0, 13),
    ("ts_mean(news, 5)", "type", "Operator ts_mean does not support event inputs", 1, 8, 12),
    ("x + news", "type", "Operator add does not support event inputs", 1, 4, 8),
    ("-news", "type", "Operator reverse does not support event inputs", 1, 1, 5),
    ("news > 1", "type", "Operator greater does not support event inputs", 1, 0, 4),
    ("vec_avg(x)", "type", "Got invalid input at index 0, must be an event data", 1, 8, 9),
    ("group_mean(x, 'a', sector)", "type", "Got invalid input at index 1, must be an expression", 1, 14, 17),
    ("rank(sector)", "type", "Got invalid input at index 0, must be an expression", 1, 5, 11),
    ("sector", "type", "Got invalid input at index 0, must be an expression", 1, 0, 6),
    ("a = x;\nnews;", "type", "Got invalid input at index 0, must be an expression", 2, 0, 4),
    ("group_rank(x, close)", "type", "Got invalid input at index 1, must be a group", 1, 14, 19),
    ("ts_mean(x, 3000)", "resource", "Your simulation probably took too much resource", 1, 0, 16),
    ("+".join(["x"] * 100), "resource", "Your simulation probably took too much resource", 1, 0, 199),
    ("x" * 20_000, "resource", "Your simulation probably took too much resource", 1, 16384, 20000),
]  # fmt: skip


@pytest.mark.parametrize(("text", "kind", "message", "line", "start", "end"), PROBLEMS)
def test_what_is_wrong_is_said_in_the_platforms_words(
    text: str, kind: str, message: str, line: int, start: int, end: int
) -> None:
    found = check_program(text, FIELDS)
    assert found is not None
    assert (found.kind, found.message) == (kind, message)
    assert found.place.wire() == {"line": line, "start": start, "end": end, "property": "regular"}


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("rank(clsoe)", "did you mean close?"),
        ("rnk(close)", "did you mean rank"),
        ("delta(close, 5)", "did you mean ts_delta?"),
        ("ts_max(close, 5)", "open to consultants only"),
        ("reduce_avg(close)", "works on sets of alphas"),
        ("rank(close, rte=2)", "did you mean rate?"),
        ("rank（close)", "did you mean (?"),
        ("ts_mean(news, 5)", "vec_avg or vec_sum"),
        ("a = close", "for instance a"),
        ("group_rank(x, IndClass.sector)", "write sector"),
        ("a = ts_mean(close, 5)\na / close", "end a statement with ';'"),
        ("close > 1 ? rank(volume)", "the formula ends where something has to follow"),
        ("rank(close) rank(open)", "unexpected 'rank'"),
    ],
)
def test_a_person_is_told_more(text: str, said: str) -> None:
    found = check_program(text, FIELDS)
    assert found is not None
    assert said in found.hint


def test_the_place_is_shown_with_a_caret() -> None:
    text = "a = close;\nrank(a) + foo"
    found = check_program(text, FIELDS)
    assert found is not None
    assert found.pointer(text) == "rank(a) + foo\n          ^^^"


def test_without_fields_no_name_is_looked_up() -> None:
    assert check_program("rank(fnd6_drc / fnd6_teq)") is None
    assert check_program("group_rank(x, pv13_group)") is None
    assert check_program("a = b; b = a; a") is not None


def test_operators_are_those_of_the_account() -> None:
    text = "ts_max(close, 5)"
    assert check_program(text, FIELDS, operators("consultant")) is None
    assert check_program("rank(close)", FIELDS, [OperatorInfo(name="ts_mean")]) is not None
    only_combos = [OperatorInfo(name="ts_max", scope=("COMBO",))]
    assert check_program(text, FIELDS, only_combos) is not None


def test_an_operator_that_the_platform_lists_is_taken_on_trust() -> None:
    listed = (*operators(), OperatorInfo(name="ts_target_tvr_decay"), OperatorInfo(name="brand_new"))
    assert check_program("ts_target_tvr_decay(close, target_tvr=0.1)", FIELDS, listed) is None
    assert check_program("brand_new(close, 5)", FIELDS, listed) is None
    assert check_program("brand_new(close, 5", FIELDS, listed) is not None
    assert check_program("brand_new(foo(close))", FIELDS, listed) is not None


def test_names_of_fields_are_read_in_any_case() -> None:
    fields = {"Fnd6_DRC": DataFieldInfo(id="Fnd6_DRC")}
    assert check_program("rank(fnd6_drc)", fields) is None
    assert expression("rank(FND6_DRC)", fields).fields == ("fnd6_drc",)


class TestComplaints:
    """What users of such tools reported, and how it is here."""

    def test_programs_may_have_variables(self) -> None:
        text = "mom = ts_delta(close, 20);\nvol = ts_std_dev(returns, 20);\ngroup_rank(mom / vol, sector)"
        assert check_program(text, FIELDS) is None
        assert expression(text, FIELDS).node == expression(
            "group_rank(ts_delta(close, 20) / ts_std_dev(returns, 20), sector)", FIELDS
        ).node  # fmt: skip

    def test_a_wrong_ternary_is_named_with_its_place(self) -> None:
        found = check_program("rank(close > open ? 1)", FIELDS)
        assert found is not None
        assert (found.message, found.place.start) == ("Unexpected character ')'", 21)
        assert "unexpected ')'" in found.hint

    def test_every_operator_of_the_list_is_known(self) -> None:
        for text in ("divide(x, y)", "inverse(x)", "densify(sector)", "power(x, 2)"):
            assert check_program(text, FIELDS) is None

    def test_names_of_arguments_are_no_fields(self) -> None:
        assert check_program("ts_regression(y, x, 20, lag=1, rettype=2)", FIELDS) is None
        assert check_program("quantile(x, driver=gaussian)", FIELDS) is None

    def test_unknown_fields_are_errors_and_no_warnings(self) -> None:
        found = check_program("rank(not_a_field)", FIELDS)
        assert found is not None
        assert found.kind == "variable"
