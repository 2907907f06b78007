"""What may foretell returns: families of hypotheses with their words, sentences and forms."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from assay.brain.agent.policies._language import Language

WINDOWS: Final[Mapping[str, tuple[int, ...]]] = {
    "short": (5, 3, 10),
    "month": (21, 10, 42),
    "long": (126, 252, 63),
}
"""What stands for a hole of a form, in trading days; the first is the usual one."""


@dataclass(frozen=True, slots=True)
class Family:
    """A family of hypotheses.

    Parameters
    ----------
    name, hypothesis : by language.
    words : beginnings of words that call it, by language.
    forms : FASTEXPR with holes: windows by name, ``field`` a field of numbers, ``vector`` a vector field. The
        sign is the one that the hypothesis expects.
    kinds : for ``field``: words of a field's id or description, one of which it must have; empty: any.
    """

    id: str
    name: Mapping[Language, str]
    hypothesis: Mapping[Language, str]
    words: Mapping[Language, tuple[str, ...]]
    forms: tuple[str, ...]
    kinds: tuple[str, ...] = ()


def _family(
    id: str,
    names: tuple[str, str],
    hypotheses: tuple[str, str],
    words: tuple[str, str],
    forms: tuple[str, ...],
    kinds: str = "",
) -> Family:
    """Texts come as English and Chinese, lists of words with ``|`` between them."""
    return Family(
        id,
        {"en": names[0], "zh": names[1]},
        {"en": hypotheses[0], "zh": hypotheses[1]},
        {"en": tuple(words[0].split("|")), "zh": tuple(words[1].split("|"))},
        forms,
        tuple(kinds.split("|")) if kinds else (),
    )


FAMILIES: Final = (
    _family(
        "momentum",
        ("momentum", "动量"),
        (
            "Winners of the last months go on winning: news is taken in slowly.",
            "过去数月的赢家继续上涨：市场对信息反应缓慢。",
        ),
        ("momentum|trend|winner|relative strength|continuation", "动量|趋势|强者恒强|惯性|追涨"),
        (
            "ts_delay(close, 21) / ts_delay(close, {long})",
            "ts_sum(ts_delay(returns, 21), {long})",
            "ts_mean(returns, {long}) / ts_std_dev(returns, {long})",
        ),
    ),
    _family(
        "reversal",
        ("reversal", "反转"),
        (
            "Moves of the last days go too far, and turn back.",
            "近几日的涨跌往往过度，随后回归。",
        ),
        (
            "reversal|reversion|revert|contrarian|oversold|overreact|bounce|loser",
            "反转|均值回归|回归|超跌|反弹|过度反应|超卖",
        ),
        (
            "-ts_delta(close, {short}) / ts_delay(close, {short})",
            "-ts_sum(returns, {short})",
            "-(close / ts_mean(close, {month}) - 1)",
            "-ts_zscore(close, {month})",
        ),
    ),
    _family(
        "low_volatility",
        ("low volatility", "低波动"),
        (
            "Calm stocks earn more for their risk than wild ones, which are bought as lottery tickets.",
            "低波动股票的风险调整后收益更高：高波动股票被当作彩票追捧。",
        ),
        (
            "low vol|volatil|low risk|low beta|defensive|calm|stable",
            "低波|波动|低风险|低贝塔|防御|稳健|稳定",
        ),
        (
            "-ts_std_dev(returns, {month})",
            "-ts_mean((high - low) / close, {month})",
            "-ts_std_dev(returns, {month}) / ts_std_dev(returns, {long})",
        ),
    ),
    _family(
        "price_volume",
        ("price and volume", "量价"),
        (
            "A price that rises on rising volume is pushed by a crowd that will be gone.",
            "量价齐升多为情绪推动，随后回落；量价背离更可持续。",
        ),
        (
            "price volume|volume price|price and volume|divergence|correlation of price",
            "量价|价量|背离",
        ),
        (
            "-ts_corr(close, volume, {short} * 2)",
            "-ts_corr(rank(close), rank(volume), {month})",
            "-ts_covariance(rank(close), rank(volume), {month})",
            "-ts_corr(high, rank(volume), {short})",
        ),
    ),
    _family(
        "volume",
        ("volume", "成交量"),
        (
            "Unusual volume draws buyers who pay too much.",
            "异常放量吸引追价者，之后收益偏低。",
        ),
        (
            "volume|attention|trading activity|turnover rate|crowd",
            "成交量|放量|缩量|量能|关注|换手|交易活跃|拥挤",
        ),
        (
            "-volume / ts_mean(volume, {month})",
            "-ts_mean(volume, {short}) / ts_mean(volume, {long})",
            "-ts_mean(turn, {month})",
        ),
    ),
    _family(
        "liquidity",
        ("illiquidity", "流动性"),
        (
            "Who holds what is hard to sell is paid for it.",
            "持有难以变现的股票应获得补偿。",
        ),
        ("liquid|illiquid|amihud|price impact", "流动性|非流动|冲击成本"),
        (
            "ts_mean(abs(returns) / amount, {month})",
            "ts_mean(abs(returns) / (volume * vwap), {month})",
            "-ts_mean(volume * close, {month})",
        ),
    ),
    _family(
        "value",
        ("value", "价值"),
        (
            "Stocks that are cheap for what the company owns or earns are bid up in time.",
            "相对净资产或盈利便宜的股票终将被重估。",
        ),
        (
            "value|cheap|undervalu|book to|price to book|earnings yield|valuation|equity",
            "价值|低估|估值|市净|市盈|便宜|净资产",
        ),
        ("{field} / cap", "ts_rank({field} / cap, {long})", "ts_zscore({field} / cap, {long})"),
        "equity|book|earning|ebit|sales|revenue|income|cash|dividend|asset",
    ),
    _family(
        "quality",
        ("quality", "质量"),
        (
            "Companies that earn more, and ever more, are worth more than the market says at once.",
            "盈利能力强且持续改善的公司，其价值不会被立即充分定价。",
        ),
        (
            "quality|profitab|roe|margin|cash flow|accrual|growth|earnings",
            "质量|盈利|现金流|成长|应计|利润",
        ),
        (
            "ts_delta({field}, {long}) / ts_delay({field}, {long})",
            "ts_rank({field}, {long})",
            "ts_delta({field}, {long}) / cap",
        ),
        "equity|book|earning|ebit|sales|revenue|income|cash|return|margin|asset|profit",
    ),
    _family(
        "seasonality",
        ("seasonality", "季节性"),
        (
            "Stocks do well in the months in which they did well a year before.",
            "股票往往在去年同期表现好的月份再次走强。",
        ),
        ("season|calendar|same month|january|month of the year", "季节|日历|同月|月份效应"),
        (
            "ts_delay(ts_sum(returns, 21), 231)",
            "ts_delay(ts_mean(returns, {month}), 242)",
        ),
    ),
    _family(
        "gap",
        ("overnight gap", "隔夜跳空"),
        (
            "Gaps at the open are closed again.",
            "开盘跳空随后回补。",
        ),
        ("gap|overnight|opening", "跳空|隔夜|开盘|缺口"),
        (
            "-(open / ts_delay(close, 1) - 1)",
            "-ts_mean(open / ts_delay(close, 1) - 1, {short})",
            "ts_sum(close / open - 1, {month}) - ts_sum(open / ts_delay(close, 1) - 1, {month})",
        ),
    ),
    _family(
        "range",
        ("closing strength", "收盘强度"),
        (
            "A close above the day's mean price is bought by those who know more.",
            "收盘价高于日内均价说明知情资金买入。",
        ),
        (
            "intraday|closing|close to vwap|vwap|range|candle|high low",
            "日内|收盘|振幅|均价|K线|上影|下影",
        ),
        (
            "ts_mean(close / vwap, {short} * 2)",
            "ts_mean((close - low) / (high - low), {month})",
            "ts_mean((2 * close - high - low) / (high - low), {short})",
        ),
    ),
    _family(
        "skewness",
        ("skewness", "偏度"),
        (
            "Lottery-like stocks, with rare large gains, cost too much.",
            "偶有暴涨的彩票型股票被高估。",
        ),
        ("skew|lottery|tail|max return|jump", "偏度|彩票|尾部|暴涨"),
        (
            "-ts_mean(signed_power((returns - ts_mean(returns, {month})) / ts_std_dev(returns, {month}), 3), "
            "{month})",
            "-ts_sum(signed_power(returns, 3), {month})",
        ),
    ),
    _family(
        "size",
        ("size", "规模"),
        (
            "Small companies earn more than large ones.",
            "小市值公司的收益高于大市值公司。",
        ),
        ("size|small cap|market cap|capitali", "规模|小市值|市值|小盘"),
        ("-cap", "-log(cap)", "-ts_mean(volume * close, {long})"),
    ),
    _family(
        "event",
        ("events", "事件"),
        (
            "What news says is in the price only days later.",
            "新闻事件的信息需数日才完全反映到价格。",
        ),
        ("news|sentiment|event|surprise|announce", "新闻|情绪|事件|舆情|公告|惊喜"),
        (
            "ts_mean(ts_backfill(vec_avg({vector}), {month}), {short} * 2)",
            "ts_decay_linear(vec_avg({vector}), {short} * 2)",
            "ts_sum(vec_sum({vector}), {month})",
        ),
    ),
    _family(
        "field",
        ("the data itself", "数据本身"),
        (
            "What this field tells is not yet in the price.",
            "该字段所含信息尚未反映到价格中。",
        ),
        ("data field|dataset|data set|alternative data", "字段|数据集|另类数据"),
        (
            "{field}",
            "ts_delta({field}, {month})",
            "ts_rank({field}, {long})",
            "ts_zscore({field}, {long})",
            "{field} / cap",
        ),
    ),
)
"""In the order in which they are tried where an idea names none."""

BY_ID: Final[Mapping[str, Family]] = {family.id: family for family in FAMILIES}
