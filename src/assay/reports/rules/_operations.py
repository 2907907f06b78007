"""Words for ops, Chinese and English, and the notations of LaTeX and pandas.

Categories: ``AGG`` an op over a window, ``ADJ`` the same said before its noun, ``PAIR`` one of two series
over a window; ``FN`` an op of one series, ``FNADJ`` and ``FNPOST`` the same before and after its noun,
``RANKED`` the rank as a step; ``NEG`` a change of sign, ``NEUTRAL`` neutralisation; ``METHOD`` a call that
takes a window, ``ROLLING`` a call that sets one, ``ROLLED`` the call that uses it.
"""

from __future__ import annotations

from typing import Final

from assay.reports.rules._words import Row, row

OPERATIONS: Final[tuple[Row, ...]] = (
    # -- ops over a window ---------------------------------------------------------------------------------
    row(
        r"(?:简单|滚动|算术)?(?:移动)?(?:平均(?:值|水平|数)?|均值|均线)|TS_MEAN|MEAN|SMA|MA|rolling_mean|ts_avg"
        r"|AVG|(?:moving|rolling|simple|arithmetic)"
        r"[ -](?:moving[ -])?(?:averages?|means?)|averages?|means?", ("AGG", "TS_MEAN")),
    row(r"标准差|(?:离散(?:程度|度)|波动(?:性|程度)?)(?:[(（](?:即)?标准差[)）])?|TS_STD|STD(?:DEV)?"
        r"|(?:sample )?standard deviations?|std\.? dev\.?|stdev|rolling_std|variability|dispersion",
        ("AGG", "TS_STD")),
    row(r"最大值|最高值|极大值|TS_MAX|HHV|(?:maximum|largest|highest)(?: value)?|rolling_max|max",
        ("AGG", "TS_MAX")),
    row(r"最小值|最低值|极小值|TS_MIN|LLV|(?:minimum|smallest|lowest)(?: value)?|rolling_min|min",
        ("AGG", "TS_MIN")),
    row(r"之?总和|求和|累[计积加](?:值|和|数|起来)?|加总(?:值)?|合计|总额|总量|TS_SUM|SUM|rolling_sum|total"
        r"|cumulative sum",
        ("AGG", "TS_SUM")),
    row(r"平均|日均|均|(?:simple |rolling |trailing )?average|mean|average daily|mean daily", ("ADJ",
     "TS_MEAN")),
    row(r"最高|最大|(?:single )?(?:highest|maximum|max|largest|biggest|greatest)", ("ADJ", "TS_MAX")),
    row(r"最低|最小|(?:single )?(?:lowest|minimum|min|smallest)", ("ADJ", "TS_MIN")),
    row(r"累计|累积|总|cumulative|total|summed", ("ADJ", "TS_SUM")),
    row(r"DELAY|REF|SHIFT|LAG", ("AGG", "DELAY")),
    row(r"DELTA|DIFF(?=\()", ("AGG", "DELTA")),
    row(
        r"变化率|变动率|增长率|变动幅度|TS_PCTCHANGE|PCT_CHANGE|ROC|percentage change|percent change"
        r"|growth(?: rate)?",
        ("AGG", "TS_PCTCHANGE")),
    row(r"变化量?|变动值?|增量|changes?", ("AGG", "DELTA")),
    # -- ops over a window that the report dialect lacks ---------------------------------------------------
    row(r"COUNT(?=[(（])", ("AGG", "COUNT")),
    row(r"偏度|skewness|TS_SKEW(?:NESS)?", ("AGG", "TS_SKEWNESS")),
    row(r"峰度|kurtosis|TS_KURT(?:OSIS)?", ("AGG", "TS_KURTOSIS")),
    row(r"中位数|median|TS_MEDIAN", ("AGG", "TS_MEDIAN")),
    row(r"指数移动平均|EMA|exponential(?:ly)?(?:[ -]weighted)? moving average|EWMA", ("AGG", "TS_EMA")),
    row(
        r"线性衰减加权平均|TS_DECAY_LINEAR|DECAY_LINEAR|DECAYLINEAR|linear(?:ly)?[ -]decay(?:ed"
        r"|ing)?(?: weighted)? average",
        ("AGG", "TS_DECAY_LINEAR")),
    row(
        r"时序(?:排名|排序|分位数?)|时间序列(?:排名|分位数?)|历史分位数?|TS_RANK"
        r"|time[- ]series rank(?:ing)?"
        r"|(?:rolling|historical) percentile(?: rank)?", ("AGG", "TS_RANK")),
    row(r"TS_ARGMAX", ("AGG", "TS_ARGMAX")),
    row(r"TS_ARGMIN", ("AGG", "TS_ARGMIN")),
    row(r"相关系数|相关性|TS_CORR|CORR(?:ELATION)?|correlations?(?: coefficient)?", ("PAIR", "TS_CORR")),
    row(r"协方差|TS_COV(?:ARIANCE)?|COV|covariance", ("PAIR", "TS_COVARIANCE")),
    # -- ops of one series ---------------------------------------------------------------------------------
    row(r"(?:自然)?对数|LOG|LN|(?:natural )?log(?:arithm)?", ("FN", "LOG")),
    row(r"绝对值|ABS|absolute value|magnitude", ("FN", "ABS")),
    row(r"绝对|absolute", ("FNADJ", "ABS")),
    row(r"对数(?=成交)|log(?= )", ("FNADJ", "LOG")),
    row(r"符号|SIGN", ("FN", "SIGN")),
    row(
        r"(?:在?(?:横截面|截面|全市场|股票间))?(?:上|内|中)?(?:的)?(?:进行|做|求|取|计算)?(?:排名|排序|百分位|分位数?)(?:值|分位)?|RANK"
        r"|CS_RANK"
        r"|(?:cross[- ]sectional )?(?:percentile )?rank(?:s|ing)?(?: value)?"
        r"|cross[- ]sectional percentile",
        ("FN", "RANK")),
    row(r"行业中性化?(?:后)?(?:的)?(?=[(（])|INDUSTRY_NEUTRALIZE", ("NEUTRAL", None)),
    row(r"相反数|负值|取负(?:号|值)?|取反|负号|the negative|negative|opposite|negated value|minus sign",
        ("NEG", None)),
    row(r"(?:z-?score|zscore|标准化值)(?:s)?", ("FN", "ZSCORE")),
    row(r"平方根|SQRT|square root", ("FN", "SQRT")),
    row(r"TANH|SIGMOID|EXP", ("FN", "EXP")),
    row(r"(?:(?:and|then) )*ranked (?:cross[- ]sectionally|across (?:all )?(?:stocks|names)"
        r"|in the cross[- ]section)",
        ("RANKED", None)),
    # -- LaTeX and pandas ---------------------------------------------------------------------------------
    row(r"\\[dt]?frac", ("FRAC", None)),
    row(r"\\(?:times|cdot)", ("MUL", None)),
    row(r"\\(?:ln|log)", ("FN", "LOG")),
    row(r"\\(?:left|right)(?=[()\[\]{}|])|\\[,;!]|_(?:\{(?:i\s?,\s?)?t\}|t(?![A-Za-z0-9]))|_(?=\{t\s?[-−–])|`{1,3}"
        r"|\${1,2}(?![A-Za-z])|\$\$",
        ("FILLER", None)),
    row(r"\.pct_change(?=\()", ("METHOD", "TS_PCTCHANGE")),
    row(r"\.diff(?=\()", ("METHOD", "DELTA")),
    row(r"\.shift(?=\()", ("METHOD", "DELAY")),
    row(r"\.rolling(?=\()", ("ROLLING", None)),
    *(row(rf"\.{method}\(\s*\)", ("ROLLED", op))
      for method, op in (("mean", "TS_MEAN"), ("std", "TS_STD"), ("sum", "TS_SUM"), ("max", "TS_MAX"),
                         ("min", "TS_MIN"))),
    row(r"\.abs\(\s*\)", ("FNPOST", "ABS")),
    row(r"\.rank\((?:\s|axis\s?=\s?1|pct\s?=\s?True|,)*\)", ("FNPOST", "RANK")),
    row(r"np\.log", ("FN", "LOG")),
    row(r"np\.abs", ("FN", "ABS")),
)  # fmt: skip
