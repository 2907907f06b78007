from __future__ import annotations

import pytest

from assay.brain.fastexpr import check_program, unit_warnings

from .listed import FIELDS


def messages(text: str) -> list[str]:
    found = unit_warnings(text, FIELDS)
    assert all((check.name, check.result) == ("UNITS", "WARNING") for check in found)
    return [check.wire()["message"] for check in found]


def test_the_warning_has_the_platforms_words() -> None:
    assert messages("add(close, 1)") == [
        'Incompatible unit for input of "add" at index 1, expected "Unit[CSPrice:1]", found "Unit[]"'
    ]


@pytest.mark.parametrize(
    ("text", "op", "index", "expected", "found"),
    [
        ("close - volume", "subtract", 1, "CSPrice:1", "CSShare:1"),
        ("close * volume + close", "add", 1, "CSPrice:1,CSShare:1", "CSPrice:1"),
        ("1 / close - returns", "subtract", 1, "CSPrice:-1", ""),
        ("volume > 1", "greater", 1, "CSShare:1", ""),
        ("max(close, returns)", "max", 1, "CSPrice:1", ""),
        ("if_else(close > open, close, volume)", "if_else", 2, "CSPrice:1", "CSShare:1"),
        ("group_neutralize(close, sector) + returns", "add", 1, "CSPrice:1", ""),
        ("ts_covariance(close, volume, 5) + close", "add", 1, "CSPrice:1,CSShare:1", "CSPrice:1"),
        ("close + x + returns", "add", 1, "CSPrice:1", ""),
    ],
)
def test_units_follow_the_operators(text: str, op: str, index: int, expected: str, found: str) -> None:
    assert messages(text) == [
        f'Incompatible unit for input of "{op}" at index {index}, '
        f'expected "Unit[{expected}]", found "Unit[{found}]"'
    ]


@pytest.mark.parametrize(
    "text",
    [
        "rank(close) + 1",
        "ts_delta(close, 5) / close + returns",
        "ts_mean(close, 5) - vwap",
        "sqrt(close * close) - open",
        "log(close) - log(volume)",
        "ts_corr(close, volume, 5) - returns",
        "x + close",
        "close + 0",
        "trade_when(volume > ts_mean(volume, 20), close, -1) - open",
        "ts_std_dev(returns, 5) - 0.01",
    ],
)
def test_what_goes_together_is_not_warned_of(text: str) -> None:
    assert check_program(text, FIELDS) is None
    assert messages(text) == []


def test_each_mismatch_is_told_once_inner_ones_first() -> None:
    found = messages("(close + 1) * (close + 1) > volume")
    assert [text.split('"')[1] for text in found] == ["add", "greater"]


def test_warnings_do_not_make_a_program_invalid_and_an_invalid_one_has_none() -> None:
    assert check_program("close + volume", FIELDS) is None
    assert messages("close + + (") == []
