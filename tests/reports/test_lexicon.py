from __future__ import annotations

import pytest

from assay.reports import _lexicon as lexicon
from assay.reports.verifier._needs import _op_words
from assay.spec import whitelist


def test_every_op_and_field_of_the_whitelist_has_words_in_both_languages() -> None:
    assert set(lexicon.OP_WORDS) == set(_op_words().values())
    assert set(lexicon.FIELD_WORDS) == set(whitelist().fields)
    for words in (*lexicon.OP_WORDS.values(), *lexicon.FIELD_WORDS.values()):
        assert words.zh
        assert words.en


def test_commitments_name_ops_and_fields() -> None:
    known = set(lexicon.OP_WORDS) | {f"${name}" for name in lexicon.FIELD_WORDS}
    for item in lexicon.COMMITMENTS:
        assert item.parts <= known


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("因子值越大，未来收益越高", {"positive"}),
        ("因子值越高，未来收益越低", {"negative"}),
        ("次数越多，下一周跑输得越多", {"negative"}),
        ("比值越低，后续收益越高", {"negative"}),
        ("买入因子值最低的10%股票", {"negative"}),
        ("买入排名前 10% 的股票", {"positive"}),
        ("做空波动率最高的股票", {"negative"}),
        ("与未来收益正相关", {"positive"}),
        ("低波异象", {"negative"}),
        ("long the lowest quintile and short the highest", {"negative"}),
        ("long the top decile", {"positive"}),
        ("Stocks with high volatility underperform", {"negative"}),
        ("The factor is positively related to next-month returns", {"positive"}),
        ("high past returns predict lower subsequent returns", {"negative"}),
        ("Low-volatility stocks earn higher returns", {"negative"}),
        ("Recent losers keep outperforming recent winners", {"negative"}),
        ("winners go on winning", {"positive"}),
        ("the higher the surge, the higher the subsequent return", {"positive"}),
        ("因子每日计算，样本为沪深300", set()),
        ("the standard deviation of returns over 20 days", set()),
    ],
)
def test_directions(text: str, expected: set[str]) -> None:
    assert lexicon.directions(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("因子做行业中性处理", {"industry"}),
        ("行业和市值中性化", {"industry_size"}),
        ("市值中性,不做行业中性", {"size"}),
        ("因子对流通市值对数回归取残差，也就是市值中性；行业方面我们不作处理", {"size"}),
        ("未做中性化处理", {"none"}),
        ("不作中性化", {"none"}),
        ("The factor is industry-neutral", {"industry"}),
        ("No neutralization is applied", {"none"}),
        ("Nothing is neutralized", {"none"}),
        ("Industry and size are regressed out in all versions", {"industry_size"}),
        ("sector weights were stable in 2023", set()),
    ],
)
def test_neutralizations(text: str, expected: set[str]) -> None:
    assert lexicon.neutralizations(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("每日计算", {"daily"}),
        ("每周一次", {"weekly"}),
        ("每 5 个交易日调仓", {"weekly"}),
        ("每20个交易日调仓", {"monthly"}),
        ("rebalanced at each month-end", {"monthly"}),
        ("every five trading days", {"weekly"}),
    ],
)
def test_periods(text: str, expected: set[str]) -> None:
    assert lexicon.periods(text) == expected


def test_english_words_are_whole_words() -> None:
    assert not lexicon.says(lexicon.OP_WORDS["RANK"], "Frankfurt outranked them")
    assert not lexicon.says(lexicon.OP_WORDS["LOG"], "the logistics sector")
    assert lexicon.says(lexicon.OP_WORDS["TS_STD"], "Standard-deviation of returns")
    hit = lexicon.find_words(lexicon.OP_WORDS["TS_STD"], "20日波动率")[0]
    assert (hit.start, hit.end) == (3, 6)
