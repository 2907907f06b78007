"""Definitions that something qualifies: read with it, or not read."""

from __future__ import annotations

import pytest

from assay.spec import same_formula

from ..qualified import QUALIFIED, REMARKED, Said
from .reading import extract


@pytest.mark.parametrize("said", QUALIFIED, ids=[item.text.strip()[-50:] for item in QUALIFIED])
def test_the_phrase_alone_is_never_handed_over(said: Said) -> None:
    found = extract(said.text)
    if found.spec is None:
        assert found.reason is not None
        assert found.reason.code in ("extract.unread", "extract.unsupported_op")
    else:
        assert "DELAY" in found.spec.expr
        assert not same_formula(found.spec.expr, said.expr)


@pytest.mark.parametrize("said", REMARKED, ids=[item.text.strip()[-50:] for item in REMARKED])
def test_a_remark_does_not_stop_the_reading(said: Said) -> None:
    found = extract(said.text)
    assert found.spec is not None, (found.reason, found.note)
    assert same_formula(found.spec.expr, said.expr)


@pytest.mark.parametrize(
    ("text", "expr"),
    [
        ("The factor is the standard deviation of daily returns over the past 20 trading days, with a lag of "
         "5 trading days.", "DELAY(TS_STD($return,20),5)"),
        ("The factor is the 231-day return, lagged by 21 trading days.",
         "DELAY(TS_PCTCHANGE($close,231),21)"),
        ("The factor is the 20-day average volume, delayed by 5 days.", "DELAY(TS_MEAN($volume,20),5)"),
        ("The factor is the 20-day average volume, shifted back by 3 days.", "DELAY(TS_MEAN($volume,20),3)"),
        ("因子为过去20个交易日收益率的标准差,滞后5个交易日。", "DELAY(TS_STD($return,20),5)"),
        ("因子为过去20个交易日成交量的均值,延迟5日。", "DELAY(TS_MEAN($volume,20),5)"),
        ("因子为过去20个交易日成交量的均值(滞后2日)。", "DELAY(TS_MEAN($volume,20),2)"),
        ("The factor is the cumulative return from 252 days ago to 21 days ago.",
         "DELAY($close,21)/DELAY($close,252)-1"),
        ("The factor is the return between 60 trading days ago and 5 trading days ago.",
         "DELAY($close,5)/DELAY($close,60)-1"),
        ("The factor is the cumulative return from 12 months ago to 1 month ago.",
         "DELAY($close,20)/DELAY($close,240)-1"),
    ],
)  # fmt: skip
def test_lags_and_stretches_are_read(text: str, expr: str) -> None:
    found = extract(text)
    assert found.spec is not None, (found.reason, found.note)
    assert same_formula(found.spec.expr, expr)


def test_an_average_between_two_days_is_not_read() -> None:
    assert extract("The factor is the average volume from 20 days ago to 5 days ago.").spec is None
