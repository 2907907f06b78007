from __future__ import annotations

import pytest

from assay.reports._directions import directions


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
    assert directions(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        # what becomes of it is a verb, with or without a comparative of its own
        ("涨停次数越多，后一周跌得越深", "negative"),
        ("偏离均线越大，之后跑输得越厉害", "negative"),
        ("换手越活跃的股票，下月下跌越多", "negative"),
        ("振幅越宽，接下来一周的回报越差", "negative"),
        ("越是放量的股票，后面越容易跌", "negative"),
        ("趋势越强的股票，之后涨得越快", "positive"),
        ("排名越高，跑赢基准的幅度越大", "positive"),
        ("突破越频繁，随后上涨越多", "positive"),
        ("波动越小，随后涨得越多", "negative"),
        ("换手越低的一组，之后跑输得越多", "positive"),
        # a verb that is damped turns around
        ("连涨天数越多，之后跑输得越少", "positive"),
        ("价差越大，反弹的力度越弱", "negative"),
        ("量比越低，下跌越少", "negative"),
        # words with 越 that compare nothing, and a gloss between the two comparatives
        ("越来越多的研究表明，偏离越大，之后收益越低", "negative"),
        ("超越基准并非易事：得分越高，收益越高", "positive"),
        ("比值越低，背离越强，后续收益越高", "negative"),
        # words of time are no rank
        ("动量高的股票此后大幅跑输市场", "negative"),
        ("the more often it gaps up, the worse the stock does next week", "negative"),
        ("the more volatile the stock, the less it earns", "negative"),
        ("The more days it rises, the more it underperforms", "negative"),
        ("the wider the range, the deeper the subsequent loss", "negative"),
        ("the longer the streak, the larger the drop that follows", "negative"),
        ("the bigger the gap, the harder it falls", "negative"),
        ("the fewer such days, the better the stock does", "negative"),
        ("the quieter the trading, the higher the next return", "negative"),
        ("the more it rises, the more it outperforms", "positive"),
        ("The steeper the trend, the further it climbs", "positive"),
        ("the higher the score, the smaller the losses afterwards", "positive"),
        ("the less volume, the more it falls", "positive"),
        ("the lighter the volume, the poorer the following month", "positive"),
    ],
)
def test_comparatives(text: str, expected: str) -> None:
    assert directions(text) == {expected}


@pytest.mark.parametrize(
    "text",
    [
        "越来越多的投资者关注成交量",
        "股价越过均线之后跑输市场",
        "样本越大，估计越稳定",
        "此后跑输市场",
        "the more data we have, the narrower the interval",
    ],
)
def test_comparatives_that_state_no_direction(text: str) -> None:
    assert not directions(text)
