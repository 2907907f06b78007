"""Why a definition cannot be computed here: the data or the op that its words ask for."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from assay.errors import Reason
from assay.reports._reasons import FUNDAMENTAL_DATA, MINUTE_DATA, UNSUPPORTED_FIELD, UNSUPPORTED_OP


@dataclass(frozen=True, slots=True)
class Obstacle:
    """A reason, and what it is that cannot be had: the name of an op, or the words of the text."""

    reason: Reason
    what: str


@dataclass(frozen=True, slots=True)
class Scope:
    """Words that ask for one kind of thing. ``name`` is the op or field they stand for, '' for the words."""

    reason: Reason
    pattern: str
    name: str = ""


TABLE: Final[tuple[Scope, ...]] = (
    Scope(MINUTE_DATA,
        r"分钟|逐笔|高频(?:数据|行情|因子)?|盘口|委托(?:单|簿)|订单簿|半小时|小时线|集合竞价|尾盘"
        r"|早盘|Level-?\s?2"
          r"|\bminutes?\b|\btick(?:s|-level)?\b|order[- ]book|(?:half[- ])?hour(?:ly|s)?|high-frequency"
          r"|intraday (?:bars?|data|snapshots?|trades|quotes)|\bTAQ\b"),
    Scope(FUNDAMENTAL_DATA,
        r"净利润|营业收入|营收|\bROE\b|\bROA\b|\bROIC\b|市盈率|市净率|市销率|净资产|账面|财报|季报"
        r"|年报|股东权益|财务"
        r"|每股收益|\bEPS\b|股息率|毛利|资产负债|经营(?:性)?现金流|应计|盈利|一致预期|分析师"
        r"|业绩预告|估值|总资产"
          r"|\bearnings\b|book[- ](?:value|to[- ]market|equity)|book-to-price|net (?:income|profit)"
          r"|revenues?|\bsales\b|cash flows?(?! in)|accruals?|dividend|analysts?'?|consensus"
          r"|gross (?:margin|profit)|balance sheet|(?:quarterly|annual) (?:filing|report)s?"
          r"|shareholders' equity|price-to-(?:book|earnings|sales)|\bP/[EBS]\b"
          r"|\bE/P\b|total assets|fundamental|return on (?:equity|assets)|forecasts? of"),
    Scope(UNSUPPORTED_FIELD,
        r"换手率?(?!组合)|turnover (?:rate|ratio)|share turnover|流通市值|总市值|市值"
        r"|market (?:cap\w*|value)|\bVWAP\b|均价线|成交均价|北向|northbound|融资融券|融资余额"
        r"|margin balance|short interest|隐含波动|implied vol\w*|舆情|新闻|\bnews\b|sentiment"
        r"|股东户数|机构持仓|institutional holdings|龙虎榜|shares? outstanding|free[- ]float"),
    Scope(UNSUPPORTED_FIELD,
        r"主力(?:资金)?净流入|资金净流入|net (?:main )?(?:money|capital|fund) (?:in)?flow"
        r"|net_mf_amount", "$net_mf_amount"),
    Scope(UNSUPPORTED_OP,
        r"天数|次数|number of days|count of days|fraction of days|share of days|days on which"
        r"|\bCOUNT\b", "COUNT"),
    Scope(UNSUPPORTED_OP, r"相关系数|相关性|correlat\w+|TS_CORR|\bCORR\b", "TS_CORR"),
    Scope(UNSUPPORTED_OP, r"协方差|covariance|TS_COV\w*", "TS_COVARIANCE"),
    Scope(UNSUPPORTED_OP, r"偏度|skew\w*|TS_SKEW\w*", "TS_SKEWNESS"),
    Scope(UNSUPPORTED_OP, r"峰度|kurtosis|TS_KURT\w*", "TS_KURTOSIS"),
    Scope(UNSUPPORTED_OP, r"中位数|median", "TS_MEDIAN"),
    Scope(UNSUPPORTED_OP,
        r"时序(?:排名|排序|分位)|时间序列(?:上)?(?:的)?(?:排名|分位)|TS_RANK"
        r"|time[- ]series (?:rank|percentile)|rolling (?:rank|percentile)"
        r"|rank\w* within its own (?:past|history)", "TS_RANK"),
    Scope(UNSUPPORTED_OP,
        r"线性衰减|衰减加权|DECAY_?LINEAR|linear(?:ly)?[- ](?:decay|weighted)\w*|decay[- ]weighted"
        r"|weights? that (?:decline|decay)", "TS_DECAY_LINEAR"),
    Scope(UNSUPPORTED_OP,
        r"指数(?:移动平均|加权|平滑)|\bEMA\b|\bEWMA\b|exponential\w*[- ](?:weight|smooth|moving"
        r"|decay)\w*|half-life|半衰期", "TS_EMA"),
    Scope(UNSUPPORTED_OP,
        r"回归|残差|特质|\bbeta\b|贝塔|regress\w*|residual\w*|idiosyncratic|\balpha of a\b"
        r"|R-?squared|拟合优度", "TS_REGRESSION"),
    Scope(UNSUPPORTED_OP,
        r"下行|上行波动|downside|semi-?(?:deviation|variance)|upside volatility|conditional on"
        r"|当.{0,12}时", "IF"),
    Scope(UNSUPPORTED_OP, r"最大回撤|max(?:imum)? drawdown|drawdowns? (?:of|over|in|during)", "MAX_DRAWDOWN"),
    Scope(UNSUPPORTED_OP, r"所在(?:的)?(?:日|位置)距|距今(?:的)?天数|days since|ARG_?MAX|ARG_?MIN",
     "TS_ARGMAX"),
    Scope(UNSUPPORTED_OP,
        r"熵|entropy|主成分|\bPCA\b|principal component|神经网络|neural network|机器学习"
        r"|machine learning|XGBoost|LightGBM|决策树|gradient boost\w*|傅里叶|Fourier|小波|wavelet"
        r"|卡尔曼|Kalman", "MODEL"),
    Scope(UNSUPPORTED_OP, r"z-?score|标准化(?:处理|得分|值)", "ZSCORE"),
)  # fmt: skip
"""Rows in the order in which they decide: the data first, then the op."""

_DENIED = re.compile(
    r"(?:无需|不需要?|不依赖|不使用|不涉及|without|no|not|n't|rather than|instead of|而非"
    r"|并非)[^,，。]{0,30}$",
    re.IGNORECASE,
)


@lru_cache(maxsize=1)
def _compiled() -> tuple[tuple[Scope, re.Pattern[str]], ...]:
    return tuple((row, re.compile(row.pattern, re.IGNORECASE)) for row in TABLE)


def obstacles_in(text: str) -> Iterator[Obstacle]:
    """What the words ask for and cannot be had, the weightiest first."""
    for row, pattern in _compiled():
        for match in pattern.finditer(text):
            if not _DENIED.search(text[max(0, match.start() - 40) : match.start()]):
                yield Obstacle(row.reason, row.name or match.group())
                break


def data_obstacle(text: str) -> Obstacle | None:
    """The first that concerns data finer or other than daily prices and volumes."""
    found = (item for item in obstacles_in(text) if item.reason in (MINUTE_DATA, FUNDAMENTAL_DATA))
    return next(found, None)
