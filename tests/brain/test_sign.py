from __future__ import annotations

import pytest

from assay.brain import negated
from assay.brain.search import fingerprint
from assay.errors import ExpressionError


def test_the_last_statement_is_turned_and_nothing_else() -> None:
    assert negated("x = rank(close); # a;b\n (x + 1) * 2 ;") == "x = rank(close); # a;b\n -((x + 1) * 2) ;"
    assert negated("close > open ? 1 : -1") == "-(close > open ? 1 : -1)"
    assert negated("a_field_of_the_platform") == "-a_field_of_the_platform"


def test_a_sign_is_taken_away_rather_than_doubled() -> None:
    assert negated("-rank(close)") == "rank(close)"
    assert negated("- (close - open)") == "(close - open)"
    assert negated("-close * open") == "-(-close * open)"


@pytest.mark.parametrize(
    "text",
    [
        "(close) + open",
        "-(close) + open",
        "(-(close + open))",
        "rank(close) * (-1)",
        "(close > open) ? (close) : (open)",
        "--close",
    ],
)
def test_the_other_sign_of_what_is_in_brackets_is_that_of_all_of_it(text: str) -> None:
    assert fingerprint(negated(text)) == fingerprint(f"-({text})")
    assert fingerprint(negated(negated(text))) == fingerprint(text)


def test_what_cannot_be_read_has_no_other_sign() -> None:
    with pytest.raises(ExpressionError):
        negated("rank(")
