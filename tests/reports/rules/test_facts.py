"""Settings and directions, sentence by sentence."""

import pytest

from assay.reports.rules._direction import directions_of
from assay.reports.rules._facts import facts_of
from assay.reports.rules._sentences import Sentences

from .reading import document


def facts(text: str) -> list[tuple[str, str]]:
    return sorted({(fact.field, fact.value) for fact in facts_of(Sentences(document(text)).all)})


def signs(text: str) -> list[str]:
    return [statement.sign for statement in directions_of(Sentences(document(text)).all)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("因子每日计算，每周调仓。", [("frequency", "daily"), ("rebalance", "weekly")]),
        (
            "The signal is computed daily and rebalanced weekly.",
            [("frequency", "daily"), ("rebalance", "weekly")],
        ),
        ("Values are computed and rebalanced monthly.", [("frequency", "monthly"), ("rebalance", "monthly")]),
        ("每月最后一个交易日计算因子值并调仓。", [("frequency", "monthly"), ("rebalance", "monthly")]),
        ("频率：日；调仓：周。", [("frequency", "daily"), ("rebalance", "weekly")]),
        ("The number is refreshed every day after the close.", [("frequency", "daily")]),
        ("Holdings are refreshed weekly.", [("rebalance", "weekly")]),
        ("日收益率与日成交量来自行情数据。", []),
        ("Daily returns come from the exchange.", []),
        ("股票池为沪深300成分股，以中证500为基准。", [("universe", "CSI300")]),
        ("The benchmark is the CSI 500; the universe is CSI 300 constituents.", [("universe", "CSI300")]),
        ("组合跑赢沪深300指数。", []),
        ("行业市值双中性化，下同。", [("neutralization", "industry_size")]),
        ("All scores are industry neutral.", [("neutralization", "industry")]),
        ("Neutralising for industry raises the ICIR from 0.52 to 0.71.", []),
        ("行业中性化后ICIR由0.52提升至0.71。", []),
        (
            "Every signal is regressed on industry dummies and log market cap.",
            [("neutralization", "industry_size")],
        ),
        ("本文因子未做中性化处理。", [("neutralization", "none")]),
        ("剔除市值影响前后差别不大。", []),
        ("稳健性检验：在中证500内每月调仓，结论不变。", []),
    ],
)
def test_a_sentence_states_these_settings(text: str, expected: list[tuple[str, str]]) -> None:
    assert facts(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("因子值越大，未来收益越高。", ["positive"]),
        ("因子值越低，未来收益越高。", ["negative"]),
        ("做多因子值低的股票。", ["negative"]),
        ("高MAX股票未来收益偏低。", ["negative"]),
        ("Long the bottom decile, short the top decile.", ["negative"]),
        ("High values predict high returns.", ["positive"]),
        ("The factor is the log of volume, with a negative sign.", []),
        ("文献认为因子值越大，未来收益越高。", []),
        ("The factor was first studied long ago.", []),
    ],
)
def test_a_sentence_states_this_direction(text: str, expected: list[str]) -> None:
    assert signs(text) == expected


def test_places_are_those_of_the_document() -> None:
    read = document("因子每日计算。股票池为沪深300成分股。")
    for fact in facts_of(Sentences(read).all):
        assert read.text[fact.start : fact.end] in ("因子每日计算", "股票池为沪深300成分股")
