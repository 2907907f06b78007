"""Words of lags, exclusions, conditions and weights, and remarks that are none."""

from __future__ import annotations

import pytest

from assay.reports._qualifiers import attached, clauses, days_left_out, of_days, qualifier, stretches


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("with a lag of 5 trading days", "lag"),
        ("滞后5个交易日", "lag"),
        ("skipping the latest 5 days", "lag"),
        ("剔除最近20日", "lag"),
        ("weighted by volume", "weight"),
        ("按成交量加权", "weight"),
        ("excluding the highest 2 days", "choice"),
        ("剔除最高的3天", "choice"),
        ("conditional on a positive return", "choice"),
        ("不含涨停日", "choice"),
        ("winsorized at 1%", "choice"),
        ("满足成交量放大的交易日", "choice"),
        ("满足正态分布假设", None),
        ("of negative daily returns", "choice"),
        ("excluding ST stocks", None),
        ("剔除上市不足60日的新股", None),
        ("剔除最近60个交易日上市的新股", None),
        ("剔除最近20日的个股收益率", "lag"),
        ("excluding recent IPOs", None),
        ("skipping suspended stocks", None),
        ("skipping the stocks' most recent 20 days", "lag"),
        ("剔除股票涨停的交易日", "choice"),
        ("skipping a month", "lag"),
        ("跳过停牌股票", None),
        ("跳过最近5日", "lag"),
        ("with portfolios weighted by market value", None),
        ("组合内个股按市值加权", None),
        ("因子值去极值后标准化", None),
        ("the index lagged", None),
        ("等权重", None),
        ("using only daily data", None),
    ],
)
def test_kinds(text: str, kind: str | None) -> None:
    (clause,) = clauses(text)
    found = qualifier(clause)
    assert (found.kind if found is not None else None) == kind


def test_clauses_keep_their_places() -> None:
    text = "volume (limit-up days excluded), lagged."
    assert [(c.start, text[c.start : c.end]) for c in clauses(text)] == [
        (0, "volume "), (8, "limit-up days excluded"), (32, " lagged"),
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("text", "days", "hangs"),
    [
        (" with the best one gone", False, True),
        (" with monthly rebalancing", False, False),
        (" over 3 days more", True, True),
        ("跌停的交易日之外", True, False),
        ("每日更新", False, False),
        (" which is a classic", False, False),
        (" computed with data up to the previous close", False, False),
    ],
)
def test_what_speaks_of_days_and_what_hangs_on(text: str, days: bool, hangs: bool) -> None:
    (clause,) = clauses(text)
    assert (of_days(clause), attached(clause)) == (days, hangs)


def test_days_left_out_in_a_sentence_of_its_own() -> None:
    assert days_left_out("Limit-up days are excluded") == "days are excluded"
    assert days_left_out("计算时剔除涨停日")
    assert not days_left_out("Stocks listed for fewer than 60 days are excluded")
    assert not days_left_out("剔除停牌股票")


def test_a_window_between_two_days() -> None:
    text = "the return from 252 days ago to 21 days ago"
    (found,) = stretches(text)
    assert [text[slice(*place)] for place in (found.far, found.near)] == ["252 days", "21 days"]
    assert not list(stretches("the return from 20 days ago to today"))
