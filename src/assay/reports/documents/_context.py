"""What a number belongs to, from the words around it: one table of patterns, Chinese and English."""

from __future__ import annotations

import re
from bisect import bisect_right
from dataclasses import dataclass
from fractions import Fraction

from assay.reports._document import NumeralLabel, NumeralUnit

BEFORE = 24
AFTER = 24


@dataclass(frozen=True, slots=True)
class Reading:
    """Unit and label of a number; ``calendar`` days are natural days, not trading days."""

    unit: NumeralUnit
    label: NumeralLabel
    calendar: bool = False


# -- dates: patterns that hold several numbers ---------------------------------------------------------------

_Y = r"(?:19|20)[0-9]{2}"
_CN = "[一二三四五六七八九十〇零○]"
_MONTHS = r"(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sept?|Oct|Nov|Dec)[a-z]*\.?"
_PAST = r"(?:过去|最近|近|前|滚动|回看|回溯|持有|未来|以往|连续|每|为期|长达|历时|每隔|近期|约)"
_DATE = re.compile(
    rf"(?<![0-9]){_Y}\s?[-/.]\s?(?:1[0-2]|0?[1-9])\s?[-/.]\s?(?:3[01]|[12][0-9]|0?[1-9])(?![0-9])"
    rf"|(?<![0-9]){_Y}[-/](?:0[1-9]|1[0-2])(?![0-9])"
    rf"|(?<![0-9.]){_Y}(?:0[1-9]|1[0-2])(?:3[01]|[12][0-9]|0[1-9])(?![0-9.])"
    rf"|(?<![0-9.,])(?:{_Y}|[0-9]{{2}})\s?年\s?(?:1[0-2]|0?[1-9])\s?月(?:份|\s?[0-9]{{1,2}}\s?[日号])?"
    rf"|(?<![0-9.,]){_Y}\s?(?:年?\s?(?:-|–|—|~|～|至|到|to|and|、|/)\s?)+(?:{_Y}|[0-9]{{2}}年)(?![0-9%])年?"
    rf"|(?<![0-9.,]){_Y}\s?年(?:[一二三四1-4]季度|[上下]半年)?"
    rf"|(?<![0-9.])(?:1[0-2]|0?[1-9])\s?月\s?(?:3[01]|[12]?[0-9])\s?[日号]"
    rf"|{_CN}{{4}}年(?:{_CN}{{1,2}}月(?:{_CN}{{1,3}}[日号])?)?|[二一][〇零○一二]年(?!{_CN})"
    rf"|{_CN}{{1,2}}月(?:份|{_CN}{{1,3}}[日号])"
    rf"|\b(?:[0-9]{{1,2}}(?:st|nd|rd|th)?\s)?{_MONTHS},?\s(?:[0-9]{{1,2}}(?:st|nd|rd|th)?,?\s)?{_Y}"
    rf"|\b{_MONTHS}\s[0-9]{{1,2}}(?:st|nd|rd|th)?\b(?![%.][0-9]| ?(?:day|week|month))"
    rf"|(?<![0-9:])[0-9]{{1,2}}:[0-9]{{2}}(?::[0-9]{{2}})?(?![0-9:])"
    rf"|\b(?:FY\s?)?{_Y}\s?(?:[QH][1-4]|[AE])\b|\bFY\s?[0-9]{{2,4}}|\b[1-4]Q[0-9]{{2,4}}\b|\b[1-4][QH]\b|\b[QH][1-4]\b"
    rf"|(?<!个)(?<!{_PAST[3:5]})[一二三四1-4]季度|[0-9]{{1,2}}[点时](?:半|[0-9]{{1,2}}分)?(?![0-9点])"
)
_CODE = re.compile(
    r"(?<![0-9A-Za-z.])(?:[0-9]{4,6}\.(?:SH|SZ|BJ|HK|CSI|SS|XSHG|XSHE|OF|WI)\b|(?:SH|SZ|BJ)\.?[0-9]{6}(?![0-9]))"
    r"|(?<![0-9A-Za-z.,])[0-9]{6}(?![0-9A-Za-z%.,万亿元])|https?://\S+|\b[\w.]+@[\w.]+|\b10\.[0-9]{4,9}/\S+"
    r"|(?<![0-9.])[0-9]+(?:\.[0-9]+){2,}(?![0-9])|\b(?:0[0-9]{2,3}-[0-9]{7,8}|1[3-9][0-9]{9})\b|\b[0-9]+-[0-9]+-[0-9]+(?:-[0-9]+)*\b"
    r"|\bS[0-9]{13}\b|\barXiv:\S+",
    re.IGNORECASE,
)

# -- before a number -----------------------------------------------------------------------------------------

_INDEX_BEFORE = re.compile(
    r"(?:(?:沪深|中证|上证|深证|国证|创业板|科创板?|恒生|标普|罗素|纳斯达克|中小板?|巨潮|富时|日经|道琼斯|北证|万得)"
    r"(?:A|综指|指数)?\s?|(?<![A-Za-z])(?:CSI|S&P|S&P/ASX|Russell|Nasdaq|FTSE|MSCI|STOXX|Nikkei|"
    r"Hang Seng|SSE|SZSE|ChiNext|STAR|HS|ZZ|SH|SZ|IC|IF|IH|IM|"
    r"Alpha|GTJA|WQ|Barra CNE|CNE|CNLT)[ -]?)$",
    re.IGNORECASE,
)
_INDICATOR = re.compile(
    r"(?:^|[^A-Za-z])(?:MA|EMA|SMA|WMA|DEA|DIF|STD|VAR|ROC|RSI|MOM|REV|VOL|BIAS|ATR|CCI|VMA|KDJ|CORR|SKEW|KURT|RET|AMT|TURN|BETA|TS_[A-Z]+|"
    r"RANK|DELTA|DELAY|SUM|MEAN|MIN|MAX|LAG)_?$",
    re.IGNORECASE,
)
_LETTERS_BEFORE = re.compile(r"[A-Za-z_&]+[A-Za-z0-9_&]*$")
_LAG_BEFORE = re.compile(r"(?:^|[^A-Za-z])[TtNn]\s?[-+−–]\s?$")
_HYPHEN_CODE_BEFORE = re.compile(r"[A-Za-z]{2,}-$")
_HYPHEN_WORDS = re.compile(
    r"(?:top|bottom|past|last|lag|window|previous|prior|trailing|next|every|of|by|the|a)-$", re.IGNORECASE
)
_FURNITURE_BEFORE = re.compile(
    r"(?:(?<![试企意])图表?|(?<![代发列报仪])表格?|公式|[上下]式|附录|附注|脚注|专题|系列(?:之|报告)?|\b(?:Fig(?:ure|\.)?s?|Tables?|Exhibits?|Charts?|"
    r"Eq(?:uations?|\.)?|Sections?|Sec\.|Chapters?|Appendix|Pages?|pp?\.|Notes?|Footnotes?|Panels?|Vol(?:ume|\.)|No\.|Issue|Part|Step|Version|v))\s?[(\[（:：]?\s?$",
    re.IGNORECASE,
)
_NAME_AFTER_DI = re.compile(r"\s?(?:页|期|章|节|号|版|卷|条)")
_ORDINAL_BEFORE = re.compile(r"第\s?$")
_MONEY_BEFORE = re.compile(
    r"(?:[¥￥€£]|(?:US|HK|C)?\$|(?:USD|RMB|CNY|HKD|EUR)\s?"
    r"|(?:目标价|合理价|股价|收盘价|现价|发行价)(?:位|格)?(?:为|至|到|约|:|：)\s?"
    r"|(?:target price|price target|closing price|EPS)(?: of| is|:|：)?\s?\$?"
    r"|(?:市盈率|市净率|PE|PB)(?:为|约|:|：)?\s?)$",
    re.IGNORECASE,
)
_RESULT_BEFORE = re.compile(
    r"(?:IC|ICIR|IR|夏普|Sharpe|回撤|drawdown|胜率|win rate|hit rate"
    r"|t\s?值|t-?stat\w*|t-?value|年化|annuali[sz]ed|R²|R2|超额|excess|alpha of|多空|long-short|"
    r"收益率?为|信息比率?|信息系数|information (?:ratio|coefficient)"
    r"|显著|significance|p\s?值|p-?value|相关系数(?:为|约|仅)|turnover of|换手率?(?:为|约)|"
    r"returned|outperform\w*|涨幅?(?:为|达)|跌幅?(?:为|达)|贡献了?)[^，。,;；|\n0-9]{0,16}$",
    re.IGNORECASE,
)
_PAST_BEFORE = re.compile(
    rf"(?:{_PAST}|past|last|previous|prior|trailing|next|every|over)\s?$", re.IGNORECASE
)
_SAME_BEFORE = re.compile(r"(?:[同统单任每某这那另唯之其万]|双|数|几)$")
_DAY_OF_MONTH = re.compile(r"(?:每月|当月|本月|次月|上月|下月)的?\s?$")
_IN_BRACKETS_BEFORE = re.compile(r"(?:^|[^A-Za-z0-9_ 一二三四五六七八九十百])[(（]$")
_LINE_START = re.compile(r"(?:^|\n)[#>*+\- ]*[(\[（]?$")

# -- after a number ------------------------------------------------------------------------------------------

_PAD = r"\s?-?\s?"
_EN = r"(?:(?:consecutive|trading|business|calendar|natural|rolling)[ -])*"
_UNITS: tuple[tuple[NumeralUnit, re.Pattern[str]], ...] = (
    (
        "intraday",
        re.compile(rf"{_PAD}(?:个?小时|分钟|秒|{_EN}(?:min(?:ute)?s?|hours?|seconds?)\b)", re.IGNORECASE),
    ),
    (
        "day",
        re.compile(
            rf"{_PAD}(?:个?(?:连续)?(?:交易日|自然日|工作日|日历日|日|天)(?!本|元|经|报)|[dD]\b|{_EN}(?:days?|sessions?|bars?)\b)",
            re.IGNORECASE,
        ),
    ),
    (
        "week",
        re.compile(
            rf"{_PAD}(?:个?(?:星期|自然周|交易周|周)(?![期围末转边刊报线一二三四五六日])|[wW]\b|周线|{_EN}(?:weeks?)\b)",
            re.IGNORECASE,
        ),
    ),
    ("quarter", re.compile(rf"{_PAD}(?:个?季度|个季|{_EN}quarters?\b)", re.IGNORECASE)),
    ("month", re.compile(rf"{_PAD}(?:个(?:自然|交易)?月|月|M\b|{_EN}(?:months?\b|(?i:mo)\b))")),
    (
        "year",
        re.compile(rf"{_PAD}(?:年(?!级|[报度化初末底均])|[yY]\b|{_EN}(?:years?|yrs?)\b)", re.IGNORECASE),
    ),
    ("ratio", re.compile(r"\s?(?:倍|[xX×]\b(?!\s?[A-Za-z(]))")),
)
_CALENDAR = re.compile(rf"{_PAD}(?:个?(?:连续)?(?:自然日|日历日)|(?:calendar|natural)[ -])", re.IGNORECASE)
_MONEY_AFTER = re.compile(
    r"\s?(?:亿|万|千|百|百万|千万)*\s?(?:美|港|日|欧|人民币)?(?:元|块钱|港币)(?!素|旦|件)|\s?(?:million|billion|bn|mn|m)?\s?(?:yuan|RMB|CNY|USD|HKD|dollars?)\b",
    re.IGNORECASE,
)
_COUNT_AFTER = re.compile(
    rf"\s?(?:多|余)?{_PAD}(?:[只家支名篇人组档层类](?!有|要|是)|大类|[条项点]|分(?:位|组|档|类|层)|个(?!百分点|基点|标准差|σ)|位|次|手|股(?!价|票池)|样本|强|"
    r"(?:(?:individual|listed|liquid|different|candidate|equal|equally|industry|sector|style)[ -])*"
    r"(?:stocks?|names|firms|companies|industries|sectors|factors|groups?|deciles?|quantiles?|quintiles?|portfolios?|observations|analysts|papers|shares|"
    r"constituents|members|securities|times)\b)",
    re.IGNORECASE,
)
_ORDINAL_AFTER = re.compile(r"(?:st|nd|rd|th)\b", re.IGNORECASE)
_LETTERS_AFTER = re.compile(r"[A-Za-z_]")
_ITEM_AFTER = re.compile(r"(?:[.．](?![0-9])|[)）、])\s?")
_CLOSE_BRACKET = re.compile(r"(?:\s?[,、–-]\s?[0-9]+)*\]")
_PARAMETER_COUNT = re.compile(r"\s?个?(?:标准差|σ|standard deviations?)", re.IGNORECASE)
_SINGLE_AFTER = re.compile(
    r"\s?(?:个(?:连续)?(?:交易日|自然日|工作日|月|季度|季|星期|自然周|周|年|小时|标准差|百分点)|交易日|[日](?!本|常|内瓦|元|益|前|后|报)|天(?!然|气|性|下|生|津|天)|"
    r"周(?![期围末转边刊报年])|星期|年(?![级报])|季度|月(?!份|报|度|刊)|倍|分钟|小时|阶(?!段)|期(?![间望货权指待])|%|个?百分点)"
)
_GROUPS_AFTER = re.compile(r"\s?(?:组|档|层|类|种|只|家|支|个|分位|分组|分档)")


class Claims:
    """Places of a text that hold dates and codes: a number inside one belongs to it."""

    def __init__(self, text: str) -> None:
        found: list[tuple[int, int, NumeralLabel]] = [(*m.span(), "date") for m in _DATE.finditer(text)]
        found += [(*m.span(), "code") for m in _CODE.finditer(text)]
        found.sort(key=lambda claim: (claim[0], -claim[1]))
        self._claims = found
        self._starts = [start for start, _, _ in found]

    def label(self, start: int, end: int) -> NumeralLabel | None:
        """The label of the claim that overlaps the number, if any."""
        place = bisect_right(self._starts, start)
        for low, high, label in self._claims[max(0, place - 3) : place + 1]:
            if low < end and start < high:
                return label
        return None


def single_counts(text: str, start: int) -> bool:
    """Whether a lone Chinese digit is a number: it is before a unit, and 一 only before some."""
    char = text[start]
    before, after = text[max(0, start - 2) : start], text[start + 1 : start + 1 + AFTER]
    if char in "廿卅":
        return True
    if _ORDINAL_BEFORE.search(before):
        return True
    if char in "零〇○百千万亿" or _SAME_BEFORE.search(before):
        return False
    if _SINGLE_AFTER.match(after):
        return True
    return char != "一" and bool(_GROUPS_AFTER.match(after))


def reading_of(
    text: str, start: int, end: int, value: Fraction, kind: str, unit: str, claims: Claims
) -> Reading | None:
    """Unit and label of the number ``text[start:end]``; ``None`` where it is part of a word.

    ``kind`` is the script (``arabic``, ``chinese``, ``share``, ``half``, ``english``), ``unit`` what the
    spelling says (``percent``, ``ratio``, ``none``).
    """
    before, after = text[max(0, start - BEFORE) : start], text[end : end + AFTER]
    own: NumeralUnit = "percent" if unit == "percent" else "ratio" if unit == "ratio" else "none"
    claimed = claims.label(start, end)
    if claimed is not None and not (
        claimed == "date" and _duration_after_all(text, start, end, value, before, after)
    ):
        return Reading(own, claimed)
    if (kind == "chinese" and re.search(r"(?:双|[数几])$", before)) or (
        kind == "chinese" and re.match(r"[几余多来]", after)
    ):
        return None
    time = own if own != "none" else _unit(after)
    calendar = time == "day" and bool(_CALENDAR.match(after))
    label = _label(text, start, end, value, kind, time, before, after)
    if label == "parameter":
        return Reading(time, label, calendar)
    return Reading(time if time in ("percent", "ratio") else "none", label)


def _unit(after: str) -> NumeralUnit:
    return next((unit for unit, pattern in _UNITS if pattern.match(after)), "none")


def _duration_after_all(text: str, start: int, end: int, value: Fraction, before: str, after: str) -> bool:
    """过去3月 and 过去10年 look like dates and are lengths of time."""
    return bool(_PAST_BEFORE.search(before)) and value < 100 and _unit(after) in ("month", "year", "quarter")


def _label(
    text: str, start: int, end: int, value: Fraction, kind: str, unit: NumeralUnit, before: str, after: str
) -> NumeralLabel:
    timed = unit in ("intraday", "day", "week", "month", "quarter", "year")
    if _ORDINAL_BEFORE.search(before):
        return "furniture" if _NAME_AFTER_DI.match(after) else "ordinal"
    if _INDEX_BEFORE.search(before):
        return "name"
    if kind == "arabic":
        label = _attached(before, after, timed=timed)
        if label is not None:
            return label
    if _MONEY_AFTER.match(after) or (
        not timed and _MONEY_BEFORE.search(before) and not after.startswith("$")
    ):
        return "price"
    if unit == "day" and _DAY_OF_MONTH.search(before):
        return "date"
    if unit == "month" and _month_name(before, after, value):
        return "date"
    if unit == "year" and _year_name(before, value, kind):
        return "date"
    if timed:
        return "parameter"
    return _untimed(text, start, end, value, kind, before, after, unit)


def _attached(before: str, after: str, *, timed: bool) -> NumeralLabel | None:
    """The label of a number that is set solid with letters, if that decides it."""
    if _ORDINAL_AFTER.match(after):
        return "ordinal"
    if _LAG_BEFORE.search(before):
        return "parameter"
    if _LETTERS_BEFORE.search(before):
        return "parameter" if _INDICATOR.search(before) else "code"
    if _HYPHEN_CODE_BEFORE.search(before) and not _HYPHEN_WORDS.search(before):
        return "code"
    if _LETTERS_AFTER.match(after) and not timed and not re.match(r"[xX]\b", after):
        return "code"
    return None


def _month_name(before: str, after: str, value: Fraction) -> bool:
    """Whether "3月" is March: not after "past", nor in 3月动量, nor in 3个月."""
    if not after.lstrip().startswith("月") or value > 12 or value.denominator != 1:
        return False
    return not _PAST_BEFORE.search(before) and not re.match(
        r"\s?月(?:动量|反转|收益|均线|期|波动|滚动)", after
    )


def _year_name(before: str, value: Fraction, kind: str) -> bool:
    """Whether a number before 年 names a year: 2024年, 24年; not 过去10年, 三年."""
    if value.denominator != 1 or _PAST_BEFORE.search(before):
        return False
    return 1900 <= value <= 2100 or (kind == "arabic" and 13 <= value <= 99)


def _untimed(
    text: str, start: int, end: int, value: Fraction, kind: str, before: str, after: str, unit: NumeralUnit
) -> NumeralLabel:
    whole = value.denominator == 1
    if _PARAMETER_COUNT.match(after):
        return "parameter"
    counted = unit == "none" and bool(_COUNT_AFTER.match(after))
    if not counted and _is_furniture(text, start, end, value, before, after):
        return "furniture"
    if kind == "arabic" and whole and 1990 <= value <= 2035 and unit == "none" and "," not in text[start:end]:
        return "count" if counted else "date"
    if counted:
        return "count"
    if (not whole or unit == "percent") and _RESULT_BEFORE.search(before):
        return "result"
    return "parameter"


def _is_furniture(text: str, start: int, end: int, value: Fraction, before: str, after: str) -> bool:
    if _FURNITURE_BEFORE.search(before):
        return True
    if before.endswith("[") and _CLOSE_BRACKET.match(after) and not re.search(r"[A-Za-z_]\[$", before):
        return True
    if (
        _IN_BRACKETS_BEFORE.search(before)
        and after[:1] in (")", "）")
        and value.denominator == 1
        and value <= 12
    ):
        return True
    if not _LINE_START.search(before if start > BEFORE else "\n" + before):
        return False
    line = text[end : text.find("\n", end) if "\n" in text[end:] else len(text)]
    alone = not line.strip() and value.denominator == 1
    item = value.denominator == 1 and value < 100 and _ITEM_AFTER.match(after)
    heading = (
        len(line) < 40
        and value < 100
        and re.match(r"\s+[^\W\d]", after)
        and not re.search(r"[。，,;；=]", line)
    )
    return bool(alone or item or heading)
