from __future__ import annotations

import pytest

from assay.errors import Refusal
from assay.spec import BACKTESTED, require_backtest, universe_of, universes_in
from assay.spec._universe import ALIASES


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("沪深300", "CSI300"), ("沪深３００成分股", "CSI300"), ("沪深三百", "CSI300"), ("CSI 300", "CSI300"),
        ("csi-300", "CSI300"), ("000300.SH", "CSI300"), ("000300.XSHG", "CSI300"), ("399300.SZ", "CSI300"),
        ("中证500", "CSI500"), ("CSI 1,000", "CSI1000"), ("中证1000", "CSI1000"), ("创业板指", "CHINEXT"),
        ("ChiNext stocks", "CHINEXT"), ("全A（剔除ST）", "ALL_A"), ("全市场", "ALL_A"),
        ("all A-shares", "ALL_A"),
    ],
)  # fmt: skip
def test_aliases_lead_to_the_vocabulary(text: str, name: str) -> None:
    assert universe_of(text) == name


def test_every_alias_is_its_own_universe() -> None:
    for name, aliases in ALIASES.items():
        assert {universe_of(alias) for alias in aliases} == {name}


@pytest.mark.parametrize(
    "text", ["", "S&P 500", "中证100", "CSI3000", "the 300 largest", "1000905", "上证50"]
)
def test_other_names_are_refused(text: str) -> None:
    with pytest.raises(Refusal) as caught:
        universe_of(text)
    assert caught.value.reason.code == "unknown_universe"


def test_a_near_miss_is_offered() -> None:
    with pytest.raises(Refusal) as caught:
        universe_of("CSI30")
    assert "CSI300" in caught.value.details["did_you_mean"]


def test_two_universes_in_one_name_are_refused() -> None:
    with pytest.raises(Refusal, match="several universes"):
        universe_of("沪深300和中证500")


def test_places_are_those_of_the_text_as_given() -> None:
    text = "股票池为沪深３００与 CSI 500"
    assert [(m.name, text[m.start : m.end]) for m in universes_in(text)] == [
        ("CSI300", "沪深３００"),
        ("CSI500", "CSI 500"),
    ]


def test_only_universes_with_members_have_a_backtest() -> None:
    assert [require_backtest(name) for name in ("CSI300", "CSI500", "undeclared")] == [
        "CSI300", "CSI500", "CSI300",
    ]  # fmt: skip
    for name in set(ALIASES) - set(BACKTESTED):
        with pytest.raises(Refusal) as caught:
            require_backtest(name)
        assert caught.value.reason.code == "universe_without_backtest"
