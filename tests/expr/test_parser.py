from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assay.errors import ExpressionError
from assay.expr import DIALECTS, Limits, parse_syntax, write
from assay.expr._syntax import Apply, Binary, Conditional, Name, Number, Text, Unary

from .strategies import programs


def value(text, dialect="core"):
    return parse_syntax(text, dialect).statements[-1].value


def refused(text, dialect="core", **options):
    with pytest.raises(ExpressionError) as caught:
        parse_syntax(text, dialect, **options)
    return caught.value


@pytest.mark.parametrize(
    ("text", "same"),
    [
        ("a + b * c", "a + (b * c)"),
        ("a - b - c", "(a - b) - c"),
        ("a / b * c", "(a / b) * c"),
        ("-a * b", "(-a) * b"),
        ("-a ^ b", "-(a ^ b)"),
        ("a ^ b ^ c", "a ^ (b ^ c)"),
        ("a ^ -b", "a ^ (-b)"),
        ("a < b + c", "a < (b + c)"),
        ("a < b && c > d || e == f", "((a < b) && (c > d)) || (e == f)"),
        ("a ? b : c ? d : e", "a ? b : (c ? d : e)"),
        ("a ? b ? c : d : e", "a ? (b ? c : d) : e"),
        ("a < b ? c : d", "(a < b) ? c : d"),
        ("!a && b", "(!a) && b"),
        ("+a", "a"),
        ("a /* note */ + b # rest", "a + b"),
        ("a\n  + b", "a + b"),
    ],
)
def test_precedence(text, same) -> None:
    assert parse_syntax(text) == parse_syntax(same)


def test_the_parts_of_a_call() -> None:
    assert value('bucket(rank(x), range="0,1,0.1", skipBoth=true)', "fastexpr") == Apply(
        "bucket", (Apply("rank", (Name("x"),)),), (("range", Text("0,1,0.1")), ("skipBoth", Name("true")))
    )


@pytest.mark.parametrize(
    ("text", "number"), [("5", 5.0), (".5", 0.5), ("2.", 2.0), ("1e-6", 1e-6), ("1E3", 1000.0)]
)
def test_numbers(text, number) -> None:
    assert value(text) == Number(number)


def test_each_dialect_has_its_own_operators() -> None:
    assert value("a = b ? c : d", "alpha191") == Conditional(
        Binary("==", Name("a"), Name("b")), Name("c"), Name("d")
    )
    assert value("a & b | c", "alpha191") == Binary("||", Binary("&&", Name("a"), Name("b")), Name("c"))
    assert value("a and b or not(c)", "fastexpr") == Binary(
        "||", Binary("&&", Name("a"), Name("b")), Apply("not", (Name("c"),))
    )
    assert value("$a ** 2", "qlib") == Binary("**", Name("$a"), Number(2.0))
    assert value("$a > $b & $c", "qlib") == Binary(">", Name("$a"), Binary("&", Name("$b"), Name("$c")))
    assert value("~$a", "qlib") == Unary("~", Name("$a"))
    assert value("Abs($a,)", "qlib") == Apply("Abs", (Name("$a"),))


def test_programs_are_statements_of_fastexpr_alone() -> None:
    program = parse_syntax("a = close; b = a * 2; b + 1;", "fastexpr")
    assert [s.target for s in program.statements] == ["a", "b", None]
    assert parse_syntax("a = close;", "fastexpr").fragment
    assert not parse_syntax("a = close; b = a", "fastexpr").fragment
    assert refused("a = close; a").reason.code == "syntax"


@pytest.mark.parametrize(
    ("text", "reason", "line", "column"),
    [
        ("", "empty_formula", 1, 1),
        ("  \n ", "empty_formula", 1, 1),
        ("rank(close", "syntax", 1, 11),
        ("rank(close))", "syntax", 1, 12),
        ("a +", "syntax", 1, 4),
        ("a b", "syntax", 1, 3),
        ("a ? b", "syntax", 1, 6),
        ("f(a, , b)", "syntax", 1, 6),
        ("f(k=1, a)", "syntax", 1, 8),
        ("a +\n b @ c", "bad_character", 2, 4),
        ("5y", "bad_number", 1, 1),
        ("1..2", "bad_number", 1, 1),
        ("1e999", "bad_number", 1, 1),
        ('f("a', "unterminated", 1, 3),
        ("a /* b", "unterminated", 1, 3),
        ("a & b", "syntax", 1, 3),
    ],
)
def test_refusals_name_the_place(text, reason, line, column) -> None:
    error = refused(text)
    assert (error.reason.code, error.span.line, error.span.column) == (reason, line, column)
    assert error.level == "parsed"


def test_refusals_say_what_was_expected_and_what_may_be_meant() -> None:
    assert refused("rank(close").expected == (")",)
    assert "column 5" in refused("rank(close").message
    assert "a number" in refused("a *").expected
    assert refused("rank（close)").suggestions == ("(",)
    assert refused("close = open").suggestions == ("==",)
    assert refused("close > 1 and open > 1").suggestions == ("&&",)
    assert refused("$close ^ 2", "qlib").suggestions == ("**",)


@pytest.mark.parametrize(
    ("text", "dialect", "reason"),
    [
        ("(" * 10_000, "core", "formula_too_long"),
        ("(" * 4_000, "core", "formula_too_deep"),
        ("x" * 1_000_000, "core", "formula_too_long"),
        ("-" * 4_000 + "x", "core", "formula_too_large"),
        ("!" * 4_000 + "x", "fastexpr", "formula_too_large"),
        ("a^" * 2_000 + "a", "core", "formula_too_large"),
        ("a+" * 2_000 + "a", "core", "formula_too_large"),
        ("a?b:" * 900 + "a", "core", "formula_too_large"),
        ("f(" * 3_000, "fastexpr", "formula_too_large"),
        ("f(" * 190, "fastexpr", "formula_too_deep"),
        ("a^" * 190 + "a", "core", "formula_too_deep"),
        ("a=b+b;" * 600 + "a", "fastexpr", "formula_too_large"),
        ("a+" * 900 + "a", "fastexpr", "formula_too_deep"),
        ("-" * 900 + "a", "fastexpr", "formula_too_deep"),
    ],
)
def test_hostile_texts_are_refused_and_never_exhaust_the_stack(text, dialect, reason) -> None:
    assert refused(text, dialect).reason.code == reason


def test_limits_can_be_set() -> None:
    assert refused("close + open", limits=Limits(characters=5)).reason.code == "formula_too_long"
    assert refused("((((a))))", limits=Limits(nesting=4)).reason.code == "formula_too_deep"
    assert parse_syntax("((((a))))", limits=Limits(nesting=5)).statements[0].value == Name("a")


@pytest.mark.parametrize("dialect", DIALECTS)
@settings(max_examples=25)
@given(data=st.data())
def test_what_is_printed_reads_back_as_the_same_tree(dialect, data) -> None:
    program = data.draw(programs(dialect))
    assert parse_syntax(write(program, dialect), dialect) == program
