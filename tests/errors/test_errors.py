from __future__ import annotations

import copy
import json
import pickle

import pytest

from assay import errors
from assay.errors import (
    AssayError,
    ConfigProblems,
    DataError,
    ExpressionError,
    LedgerDamaged,
    Problem,
    ProviderAuth,
    ProviderBadReply,
    ProviderError,
    ProviderQuotaExhausted,
    ProviderTransient,
    Reason,
    Refusal,
    Span,
)

REASON = Reason("too_long", "the formula is too long", "shorten it")
TEXT = "rank(close)\nts_mea(close, 5)"
EXPRESSION = ExpressionError(
    REASON,
    "no op is named 'ts_mea'",
    span=Span(12, 18, line=2, column=1),
    text=TEXT,
    level="typed",
    expected=["an op"],
    suggestions=["ts_mean"],
)
EXAMPLES = [
    AssayError("what", where="here", fix="do this"),
    Refusal(REASON),
    Refusal(REASON, "particular", where="x", details={"n": 3}),
    EXPRESSION,
    ConfigProblems([Problem("a.b", "is bad", "mend it"), Problem("c", "is worse")], where="assay.toml"),
    DataError("bad column", where="close"),
    ProviderQuotaExhausted("no balance"),
    ProviderTransient("try later"),
    ProviderAuth("refused"),
    ProviderBadReply("no JSON"),
    LedgerDamaged("chain broken", where="line 7"),
]


def test_every_public_error_is_drawn_in_the_hierarchy() -> None:
    kinds = [getattr(errors, name) for name in errors.__all__]
    drawn = errors.__doc__ or ""
    for kind in kinds:
        if isinstance(kind, type) and issubclass(kind, Exception):
            assert kind.__name__ in drawn
            assert issubclass(kind, AssayError)


@pytest.mark.parametrize("error", EXAMPLES, ids=lambda e: type(e).__name__)
def test_an_error_is_json_ready_and_says_what_where_and_what_to_do(error: AssayError) -> None:
    data = json.loads(json.dumps(error.as_dict()))
    assert {"error", "message", "where", "fix"} <= set(data)
    assert data["error"] == type(error).kind
    assert data["message"] == str(error)


@pytest.mark.parametrize("error", EXAMPLES, ids=lambda e: type(e).__name__)
def test_an_error_survives_the_way_back_from_another_process(error: AssayError) -> None:
    for twin in (pickle.loads(pickle.dumps(error)), copy.copy(error), copy.deepcopy(error)):
        assert type(twin) is type(error)
        assert twin.as_dict() == error.as_dict()
        assert str(twin) == str(error)


def test_kinds_are_distinct() -> None:
    # other packages add kinds of their own below these
    providers = (ProviderError, *ProviderError.__subclasses__())
    kinds = [k.kind for k in (AssayError, Refusal, ConfigProblems, DataError, LedgerDamaged, *providers)]
    assert len(kinds) >= 10
    assert len(set(kinds)) == len(kinds)


def test_a_refusal_takes_its_words_from_the_reason_where_none_are_given() -> None:
    plain, particular = Refusal(REASON), Refusal(REASON, "300 nodes", fix="split it")
    assert (str(plain), plain.fix) == ("the formula is too long", "shorten it")
    assert (str(particular), particular.fix) == ("300 nodes", "split it")
    assert particular.as_dict()["reason"] == "too_long"


def test_an_expression_error_carries_the_place() -> None:
    details = EXPRESSION.as_dict()["details"]
    assert details["did_you_mean"] == ["ts_mean"]
    assert details["expected"] == ["an op"]
    assert (details["line"], details["column"], details["level"]) == (2, 1, "typed")
    assert EXPRESSION.where == "line 2, column 1"


@pytest.mark.parametrize(
    ("text", "span", "expected"),
    [
        (TEXT, Span(12, 18, 2, 1), "ts_mea(close, 5)\n^^^^^^"),
        ("a + ", Span(4, 4, 1, 5), "a + \n    ^"),
        ("", Span(0, 0, 1, 1), "\n^"),
        ("rank(\nclose", Span(4, 11, 1, 5), "rank(\n    ^"),
    ],
)
def test_the_pointer_puts_carets_under_the_place(text: str, span: Span, expected: str) -> None:
    assert ExpressionError(REASON, "m", span=span, text=text).pointer() == expected


def test_the_pointer_cuts_a_long_line_around_the_place() -> None:
    text = "a" * 5000 + "!" + "b" * 5000
    line, caret = (
        ExpressionError(REASON, "m", span=Span(5000, 5001, 1, 5001), text=text).pointer().split("\n")
    )
    assert len(line) == 100
    assert line[caret.index("^")] == "!"


def test_config_problems_lists_all_of_them() -> None:
    error = ConfigProblems([Problem("a.b", "is bad", "mend it"), Problem("c", "is worse")])
    assert str(error) == "2 problems\n  a.b: is bad (mend it)\n  c: is worse"
    assert [problem["where"] for problem in error.as_dict()["problems"]] == ["a.b", "c"]
    assert str(ConfigProblems([Problem("c", "is worse")])).startswith("1 problem\n")
