from __future__ import annotations

import pytest

from assay.judge import SUMMARY
from assay.views._format import MISSING, figure_text, money, number, percent, shorten, small_number

_BY_KEY = {column.key: column for column in SUMMARY}


@pytest.mark.parametrize(
    ("key", "value", "text"),
    [
        ("rank_ic", 0.03141, "0.0314"),
        ("t", 3.456, "3.46"),
        ("coverage", 0.9712, "97.1%"),
        ("max_drawdown", -0.2134, "-21.3%"),
        ("break_even_bp", 31.44, "31.4 bp"),
        ("days", 1043, "1043"),
        ("turnover", 18.24, "18.2 x a year"),
        ("break_even_bp", -0.04, "0.0 bp"),
        ("rank_ic", -0.00001, "0.0000"),
        ("capacity", 1.234e9, "1.23 bn CNY"),
        ("rank_ic", float("nan"), MISSING),
        ("capacity", float("inf"), MISSING),
        ("t", None, MISSING),
    ],
)
def test_figures_carry_their_unit(key: str, value: float | None, text: str) -> None:
    assert figure_text(value, _BY_KEY[key], market="CN") == text


def test_every_summary_column_can_be_shown() -> None:
    assert all(figure_text(0.5, column, market="US") != MISSING for column in SUMMARY)


@pytest.mark.parametrize(
    ("value", "market", "text"),
    [
        (950.0, "US", "950 USD"),
        (2.5e6, "US", "2.5 m USD"),
        (-3e4, "CN", "-30 k CNY"),
        (7.0, "", "7 in the data's currency"),
    ],
)
def test_money(value: float, market: str, text: str) -> None:
    assert money(value, market) == text


def test_plain_numbers_and_shares() -> None:
    assert small_number(1e-9) == "<0.0001"
    assert small_number(0.0123) == "0.0123"
    assert small_number(float("nan")) == MISSING
    assert number(0.12345, 3) == "0.123"
    assert number(float("nan")) == MISSING
    assert percent(0.5, 0) == "50%"
    assert percent(None) == MISSING
    assert percent(-0.0001) == "0.0%"
    assert number(-0.00001) == "0.0000"


@pytest.mark.parametrize("width", [5, 10, 11, 40])
def test_shorten_keeps_both_ends_and_the_width(width: int) -> None:
    text = "rank(ts_corr(close, volume, 10)) - rank(open)"
    short = shorten(text, width)
    assert len(short) == width
    assert short[0] == text[0]
    assert short[-1] == text[-1]
    assert "\u2026" in short


def test_shorten_leaves_short_text_and_joins_lines() -> None:
    assert shorten("a\n  b", 10) == "a b"
