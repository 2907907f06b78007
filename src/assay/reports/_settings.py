"""The words of settings, Chinese and English: how often, what a number of days is, neutralised of what."""

from __future__ import annotations

import re
from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from assay.reports._lexicon import OP_WORDS, Words, says


def _keyed(character: str) -> str:
    """A period of one character behind its key: 频率: 日."""
    return rf"(?:频率|频次|周期|调仓|换仓|再平衡|更新|计算)\s*[:：|]\s*{character}(?=[\s,，;；。|]|$)"


PERIOD_WORDS: Final[Mapping[str, Words]] = MappingProxyType(
    {
        "daily": Words.of(
            "日频, 日度, 按日, 每日, 每天, 逐日, 每个交易日, 每一交易日, 每交易日, 日线",
            "daily, each day, every day, every trading day, each trading day, per day, day by day, "
            "at the close of each day, end of each day, each session, every session, after each close, "
            "after every close, at each close, at every close, every evening, each evening, nightly",
            _keyed("日"),
            r"(?<![\u4e00-\u9fff\d ])日(?=调仓|换仓)",
            r"日更(?:新)?(?![\u4e00-\u9fff])",
        ),
        "weekly": Words.of(
            "周频, 周度, 每周, 逐周, 每个星期, 每星期, 按周, 周末, 周五, 周一, 持有一周",
            "weekly, each week, every week, once a week, per week, fridays, friday, mondays, monday, "
            "week end, for a week, for one week",
            r"每(隔)?\s*(5|五)\s*个?(交易)?[日天]",
            r"\b(every|each)\s+(5|five)\s+(trading |business )?(days|sessions)",
            r"\b(?:last|first) (?:trading |business )?day of (?:the|each|every) week",
            _keyed("周"),
            r"(?<![个\d两二三四半])周(?=调仓|换仓)",
            r"周[更调](?![\u4e00-\u9fff])",
        ),
        "monthly": Words.of(
            "月频, 月度, 每月, 逐月, 每个月, 月末, 月底, 月初, 按月, 持有一个月, 持有一月",
            "monthly, each month, every month, once a month, per month, month end, month ends, "
            "end of the month, "
            "start of the month, calendar month, for a month, for one month",
            r"每(隔)?\s*(2[0-2]|二十[一二]?|廿)\s*个?(交易)?[日天]",
            r"\b(every|each)\s+(2[0-2]|twenty)\s+(trading |business )?(days|sessions)",
            r"\b(?:last|first) (?:trading |business )?day of (?:the|each|every) month",
            _keyed("月"),
            r"(?<![个\d两二三四半])月(?=调仓|换仓)",
            r"月[更调](?![\u4e00-\u9fff])",
        ),
    }
)  # fmt: skip
"""How often something is done: the frequency, or with a cue of :data:`REBALANCE_CUES` the rebalancing."""

REBALANCE_CUES: Final = Words.of(
    "调仓, 换仓, 再平衡, 持有, 持仓, 调整组合, 组合调整, 建仓, 组合更新, 更新组合, 轮换, 调整持股, "
    "重新构建, 调整一次, 调一次仓, 换一次仓, 交易一次",
    "rebalance, rebalances, rebalanced, rebalancing, rebalancings, hold, holds, held, holding, holdings, "
    "turn over, turns over, turned over, revise, revised, rebuilt, formed, "
    "reconstituted, reformed, reset, portfolio turnover, trade list, positions, refreshed",
    r"\bform(?:s|ed|ing)?\b[^.;]{0,12}\bportfolios?|[日周月]调(?![\u4e00-\u9fff])",
    r"\btrade[sd]?\b(?!\s+(value|amount|volume|share|turnover))",
    r"[日周月][频度](?:的)?交易|交易(?:\s*[:：]|[^，。;；]{0,4}每[日周月])|\btrading\s*[:|]|[按每][日周月](?:度)?调整"
    r"|[每按]周[一二三四五]?(?:调整|重构|更新|交易)",
    r"(?:组合|持股|持仓|名单)[^。;；,，]{0,10}(?:调整|更新|重构|轮换|变动|换一次|构建)",
    r"\b(?:book|portfolio|trades?|trading|execution|turnover) (?:is |are )?(?:daily|weekly|monthly)\b",
    r"\b(?:portfolio|book|holdings?|positions?)\b[^.;]{0,20}\b(?:changed?|updated?|adjust(?:ed)?"
    r"|replaced|rotated|reviewed)",
    r"\b(?:re-?form|re-?construct|re-?build|refresh|revis|rotat)\w*|\b(?:weekly|monthly"
    r"|daily) (?:trading|execution|revision)",
)
"""Words of trading, not of computing."""

WINDOW_CUES: Final = Words.of(
    "窗口, 回看, 参数, 周期, 形成期, 回溯, 观察期, 区间长度, 过去, 最近, 近, 前",
    "window, windows, lookback, look back, parameter, parameters, past, last, previous, prior, trailing, "
    "rolling, formation, period, recent, preceding, horizon, over",
    r"\b[A-Z]\s*=",
)
"""Words that make a number of days a window."""

LAG_CUES: Final = OP_WORDS["DELAY"]
"""Words that make a number of days a lag."""

_NEUTRAL_CUES: Final = Words.of(
    "中性, 剔除, 去除, 控制, 回归取残差, 残差, 行业内, 正交, 去均值, 扣除, 标准化",
    "neutral, removing, stripping, "
    "neutralise, neutralised, neutralize, neutralized, neutralisation, neutralization, "
    "neutralising, "
    "neutralizing, removed, residual, residuals, within, adjusted, controlled, controlling, purged, "
    "regressed, regress, regressing, regression, dummies, taken out, stripped, strip, residualised, "
    "residualized, orthogonal, orthogonalised, orthogonalized, demeaned, relative",
)  # fmt: skip
"""Words of neutralising; :func:`neutralizations` reads of what."""

_INDUSTRY = Words.of("行业, 板块", "industry, industries, sector, sectors")
_SIZE = Words.of(
    "市值, 规模, 大小盘",
    "size, market cap, market caps, market capitalisation, market capitalization, market value, cap",
)
_NEGATED: Final = re.compile(
    r"不[作做加再进予对]|未[作做加经进予对中剔]|无需|没有|并未|并不|不中性|原始因子|无中性|中性化?\s*[|:=：为是]?\s*[无否]"
    r"|\b(no|not|nothing|none|never|neither|without|un-?neutrali[sz]ed|non-?neutrali[sz]ed|raw)\b",
    re.IGNORECASE,
)
_CLAUSE_END: Final = re.compile(r"[。；;，,\n]|\.(?=\s|$)|\b(?:but|while|whereas|though)\b")


def periods(text: str) -> frozenset[str]:
    """daily, weekly, monthly: those that the text names."""
    return frozenset(name for name, words in PERIOD_WORDS.items() if says(words, text))


def neutralizations(text: str) -> frozenset[str]:
    """The values of the field ``neutralization`` that the text states.

    Clauses that deny are set aside: 市值中性，不做行业中性 states ``size``; where nothing else is left, it is
    ``none``.
    """
    clauses = _CLAUSE_END.split(text)
    denied = [clause for clause in clauses if _NEGATED.search(clause)]
    affirmed = " ".join(clause for clause in clauses if not _NEGATED.search(clause))
    if says(_NEUTRAL_CUES, affirmed):
        industry, size = says(_INDUSTRY, affirmed), says(_SIZE, affirmed)
        if industry or size:
            return frozenset({"industry_size" if industry and size else "industry" if industry else "size"})
    about = any(says(_NEUTRAL_CUES, clause) or says(_INDUSTRY, clause) for clause in denied)
    return frozenset({"none"} if about else ())
