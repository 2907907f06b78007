"""Sums that list their terms, and quantities that a later sentence calls the former and the latter."""

import pytest

from assay.spec import same_formula

from .reading import extract

READ = [
    ("The score is the sum of three ranks: the rank of the 20-day return, the rank of the 60-day volatility "
     "and the rank of the 5-day average volume.",
     "RANK(TS_PCTCHANGE($close, 20)) + RANK(TS_STD($return, 60)) + RANK(TS_MEAN($volume, 5))"),
    ("因子由两项等权相加：20日收益率的截面排名、60日波动率的截面排名。",
     "RANK(TS_PCTCHANGE($close, 20)) + RANK(TS_STD($return, 60))"),
    ("We blend 0.7 times the rank of the 20-day return and 0.3 times the rank of the 60-day volatility.",
     "0.7 * RANK(TS_PCTCHANGE($close, 20)) + 0.3 * RANK(TS_STD($return, 60))"),
    ("We take the average traded value over the past 5 days and the average traded value over the past 60 "
     "days. The factor is the ratio of the former to the latter.",
     "TS_MEAN($amount, 5) / TS_MEAN($amount, 60)"),
    ("先看短期成交额，即过去5日成交额均值；再看长期成交额，即过去60日成交额均值。因子为前者与后者之差。",
     "TS_MEAN($amount, 5) - TS_MEAN($amount, 60)"),
]  # fmt: skip
REFUSED = [
    "The score is the sum of three ranks: the rank of the 20-day return, the rank of the 60-day volatility "
    "and the rank of the earnings surprise.",
    "The score is the sum of three ranks: the rank of the 20-day return and the rank of the 60-day "
    "volatility.",
    "因子由三项等权相加：20日收益率的截面排名、60日波动率的截面排名。",
    "We blend 0.7 times the rank of the 20-day return and the rank of the 60-day volatility.",
    "We take the average traded value over the past 5 days, the 20-day return and the average traded value "
    "over the past 60 days. The factor is the ratio of the former to the latter.",
    "先看过去5日成交额均值；再看过去60日成交额均值。因子为前者与后者之比，再取对数。",
]
SETTINGS = " CSI 300. Rebalanced weekly."


@pytest.mark.parametrize(("text", "expr"), READ)
def test_all_terms_are_in_the_formula(text: str, expr: str) -> None:
    found = extract(text + SETTINGS)
    assert found.spec is not None, (found.reason, found.note)
    assert same_formula(found.spec.expr, expr)


@pytest.mark.parametrize("text", REFUSED)
def test_a_list_with_a_term_that_is_not_read_is_not_read_at_all(text: str) -> None:
    assert extract(text + SETTINGS).spec is None
