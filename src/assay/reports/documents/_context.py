"""What a number belongs to, from the words around it: one table of patterns, Chinese and English."""

from __future__ import annotations

import re
from bisect import bisect_right
from dataclasses import dataclass

from assay.reports._document import NumeralLabel, NumeralUnit
from assay.reports.documents._tables import Tables
from assay.reports.documents._token import Token

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
    rf"|\b[0-9]{{1,2}}\s{_MONTHS}(?![a-z])|(?<![0-9/])(?:0?[1-9]|1[0-2])/{_Y}(?![0-9/])"
    rf"|\b{_MONTHS}\s[0-9]{{1,2}}(?:st|nd|rd|th)?\b(?![%.][0-9]| ?(?:day|week|month))"
    rf"|(?<![0-9:])[0-9]{{1,2}}:[0-9]{{2}}(?::[0-9]{{2}})?(?![0-9:])"
    rf"|\b(?:FY\s?)?{_Y}\s?(?:[QH][1-4]|[AE])\b|\bFY\s?[0-9]{{2,4}}|\b[1-4]Q[0-9]{{2,4}}\b|\b[1-4][QH]\b|\b[QH][1-4]\b"
    rf"|(?<!个)(?<!{_PAST[3:5]})[一二三四1-4]季度|[0-9]{{1,2}}[点时](?:半|[0-9]{{1,2}}分)?(?![0-9点])"
)
_CODE = re.compile(
    r"(?<![0-9A-Za-z.])(?:[0-9]{4,6}\.(?:SH|SZ|BJ|HK|CSI|SS|XSHG|XSHE|OF|WI)\b|(?:SH|SZ|BJ)\.?[0-9]{6}(?![0-9]))"
    r"|(?<![0-9A-Za-z.,])[0-9]{6}(?![0-9A-Za-z%.,万亿元])|https?://\S+|\b[\w.]{1,64}@[\w.]{1,64}|\b10\.[0-9]{4,9}/\S+"
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
_ZERO_LED = re.compile(r"0[0-9]+")
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
    r"(?:IC|ICIR|IR|夏普|Sharpe|回撤|drawdown|胜率|win rate|hit rate|t\s?值|t-?stat\w*|t-?value"
    r"|\bt\s?=|年化|annuali[sz]ed"
    r"|R²|R2|超额|excess|alpha of|多空|long-short|收益率?为|信息比率?|信息系数|"
    r"information (?:ratio|coefficient)|显著"
    r"|significance|标准差(?:为|约|是)?\s?$|p\s?值|p-?value|相关(?:系数|性)?(?:为|约|仅|达到|升到)"
    r"|correlation|turnover of"
    r"|换手率?(?:为|约|由|从)|returned|outperform\w*|涨幅?(?:为|达)|跌幅?(?:为|达)|贡献了?|同比|环比|上涨|下跌"
    r"|[涨跌升降](?:至|到|了)?$"
    r"|回落|下降|跑[输赢]|落后|录得|\b(?:earn|return|rise|rose|fall|fell|slip|gain|lose|lost|yield|spread)\w*)"
    r"[^，。,;；|\n0-9]{0,16}$",
    re.IGNORECASE,
)
_RESULT_AFTER = re.compile(r"\s?(?:an?|per)\s(?:year|month|week|annum)\b|\s?annual|\s?p\.a\.", re.IGNORECASE)
_THRESHOLD_BEFORE = re.compile(
    r"(?:超过|大于|高于|低于|小于|不足|至少|至多|阈值|门槛|权重|系数|乘以|减去|前|后|exceed\w*"
    r"|above|below|more than|less than|at least"
    r"|at most|thresholds?|cut-?offs?|weights?|times|top|bottom|[><≥≤×*=])(?:为|是|取|的|of|is|[:：])?\s?$",
    re.IGNORECASE,
)
_WEIGHT_BEFORE = re.compile(
    r"(?:^|\b(?:plus|minus|less|and)|[+\-−,，:：;；(（]|加上?|减去?|[以和与及])\s?$", re.IGNORECASE
)
_WEIGHT_AFTER = re.compile(r"\s?(?:of (?:the|its|that)\b|times\b|[×*·]|乘)", re.IGNORECASE)
_PAST_BEFORE = re.compile(
    rf"(?:{_PAST}|past|last|previous|prior|trailing|next|every|over)\s?$", re.IGNORECASE
)
_SAME_BEFORE = re.compile(r"(?:[同统单任每某这那另唯之其万]|双|数|几)$")
_DAY_OF_MONTH = re.compile(r"(?:每月|当月|本月|次月|上月|下月)的?\s?$")
_IN_BRACKETS_BEFORE = re.compile(r"(?:^|[^A-Za-z0-9_ 一二三四五六七八九十百])[(（]$")
_LINE_START = re.compile(r"[#>*+\- ]*[(\[（]?")
_LEADER_BEFORE = re.compile(r"\.\.\s?$")
_CITATION_BEFORE = re.compile(r"(?:^|[^A-Za-z_])\[\^?$")
_ABOUT_BEFORE = re.compile(r"[双数几]$")
_ABOUT_AFTER = re.compile(r"[几余多来]")
_COST_BEFORE = re.compile(
    r"(?:成本|费用|费率|手续费|佣金|印花税|滑点|双边|单边|costs?|commissions?|slippage|fees?)[^，。,;；|\n0-9]{0,8}$",
    re.IGNORECASE,
)

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
    ("quarter", re.compile(rf"{_PAD}(?:个?季度|个?季(?!节|后|风|报)|{_EN}quarters?\b)", re.IGNORECASE)),
    ("month", re.compile(rf"{_PAD}(?:个(?:自然|交易)?月|月|M\b|{_EN}(?:months?\b|(?i:mo)\b))")),
    (
        "year",
        re.compile(rf"{_PAD}(?:年(?!级|[报度化初末底均])|[yY]\b|{_EN}(?:years?|yrs?)\b)", re.IGNORECASE),
    ),
    ("ratio", re.compile(r"\s?(?:倍|[xX×]\b(?!\s?[A-Za-z(]))")),
)
_CALENDAR = re.compile(rf"{_PAD}(?:个?(?:连续)?(?:自然日|日历日)|(?:calendar|natural)[ -])", re.IGNORECASE)
_MONEY_AFTER = re.compile(
    r"\s?(?:亿|万|千|百|百万|千万)*\s?(?:美|港|日|欧|人民币)?(?:元|块钱|港币)(?!素|旦|件)"
    r"|\s?(?:million|billion|bn|mn|m)?\s?(?:yuan|RMB|CNY|USD|HKD|dollars?)\b",
    re.IGNORECASE,
)
_COUNT_AFTER = re.compile(
    rf"\s?(?:多|余)?{_PAD}(?:[只家支名篇人组档层类](?!有|要|是)|大类|[条项点]|分(?:位|组|档|类|层)"
    r"|个(?!百分点|基点|标准差|σ)|位|次|手|股(?!价|票池)|样本|强|"
    r"(?:(?:individual|listed|liquid|largest|smallest|different|candidate|equal|equally"
    r"|industry|sector|style)[ -])*"
    r"(?:stocks?|names|firms|companies|industries|sectors|factors|groups?|deciles?|quantiles?|quintiles?|portfolios?|observations|analysts|papers|shares|"
    r"constituents|members|securities|times(?!\s(?:the|its|an?)\b))\b)",
    re.IGNORECASE,
)
_ORDINAL_AFTER = re.compile(r"(?:st|nd|rd|th)\b", re.IGNORECASE)
_LETTERS_AFTER = re.compile(r"[A-Za-z_]")
_ITEM_AFTER = re.compile(r"(?:[.．](?![0-9])|[)）、])\s?")
_HEADING_AFTER = re.compile(r"\s+[^\W\d][^。，,;；=]*$")
_MONTH_NAME_AFTER = re.compile(r"\s?月(?!动量|反转|收益|均线|期|波动|滚动)")
_CLOSE_BRACKET = re.compile(r"(?:\s?[,、–-]\s?[0-9]+)*\]")
_PARAMETER_COUNT = re.compile(r"\s?个?(?:标准差|σ|standard deviations?)", re.IGNORECASE)
_SINGLE_AFTER = re.compile(
    r"\s?(?:个(?:连续)?(?:交易日|自然日|工作日|月|季度|季|星期|自然周|周|年|小时|标准差|百分点)|交易日|[日](?!本|常|内瓦|元|益|前|后|报)|天(?!然|气|性|下|生|津|天)|"
    r"周(?![期围末转边刊报年])|星期|年(?![级报])|季度|季(?!节|后|风|报)|月(?!份|报|度|刊)|倍|分钟|小时|阶(?!段)|期(?![间望货权指待])|%|个?百分点)"
)
_GROUPS_AFTER = re.compile(r"\s?(?:组|档|层|类|种|只|家|支|个|分位|分组|分档)")

# -- the table around a number -------------------------------------------------------------------------------

_DAYS_IN_HEADER = re.compile(r"[(（](?:交易)?[日天][)）]|\b(?:trading )?days?\b|天数|日数", re.IGNORECASE)
_RESULT_CELL = re.compile(
    r"IC\b|ICIR|\bIR\b|收益|回撤|胜率|夏普|Sharpe|t\s?值|t-?stat|换手|年化|超额|显著|相关|波动|偏度|峰度|均值|标准差"
    r"|returns?\b|drawdown|turnover|win|volatility|correlation|mean|std|annual|excess|alpha|coverage|p\s?值|p-?value",
    re.IGNORECASE,
)


class Surroundings:
    """What a text holds around its numbers: dates and codes, to which a number inside belongs, and tables."""

    def __init__(self, text: str) -> None:
        found: list[tuple[int, int, NumeralLabel]] = [(*m.span(), "date") for m in _DATE.finditer(text)]
        found += [(*m.span(), "code") for m in _CODE.finditer(text)]
        found.sort(key=lambda claim: (claim[0], -claim[1]))
        self._claims = found
        self._starts = [start for start, _, _ in found]
        self.text = text
        self.tables = Tables(text)

    def claim(self, start: int, end: int) -> NumeralLabel | None:
        """The label of the date or code that overlaps the number, if any."""
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


@dataclass(frozen=True, slots=True)
class _Seen:
    """A number with the text just before and after it, and the unit that follows it."""

    token: Token
    before: str
    after: str
    unit: NumeralUnit

    @property
    def timed(self) -> bool:
        return self.unit in ("intraday", "day", "week", "month", "quarter", "year")

    @property
    def whole(self) -> bool:
        return self.token.value.denominator == 1


def reading_of(token: Token, around: Surroundings) -> Reading | None:
    """Unit and label of a number; ``None`` where it is part of a word or an approximate number."""
    text = around.text
    before = text[max(0, token.start - BEFORE) : token.start]
    after = text[token.end : token.end + AFTER]
    if token.script == "chinese" and (_ABOUT_BEFORE.search(before) or _ABOUT_AFTER.match(after)):
        return None
    unit = token.unit if token.unit != "none" else _unit(after)
    seen = _Seen(token, before, after, unit)
    claim = around.claim(token.start, token.end)
    if claim is not None and not (claim == "date" and _is_duration(seen)):
        return Reading(token.unit, claim)
    label = _label(seen, around)
    if label != "parameter":
        return Reading(unit if unit in ("percent", "ratio") else "none", label)
    if unit == "none" and _DAYS_IN_HEADER.search(around.tables.cell(token.start).header):
        unit = "day"
    return Reading(unit, label, calendar=unit == "day" and bool(_CALENDAR.match(after)))


def _unit(after: str) -> NumeralUnit:
    return next((unit for unit, pattern in _UNITS if pattern.match(after)), "none")


def _is_duration(seen: _Seen) -> bool:
    """过去3月 and 过去10年 look like dates and are lengths of time."""
    past = bool(_PAST_BEFORE.search(seen.before))
    return past and seen.token.value < 100 and seen.unit in ("month", "year", "quarter")


def _label(seen: _Seen, around: Surroundings) -> NumeralLabel:
    before, after = seen.before, seen.after
    if _ORDINAL_BEFORE.search(before):
        return "furniture" if _NAME_AFTER_DI.match(after) else "ordinal"
    if _INDEX_BEFORE.search(before):
        return "name"
    if seen.token.script == "arabic":
        label = _attached(seen, around.text)
        if label is not None:
            return label
    if _MONEY_AFTER.match(after):
        return "price"
    if seen.timed:
        return "date" if _names_a_date(seen) else "parameter"
    if _MONEY_BEFORE.search(before) and not after.startswith("$"):
        return "price"
    return _untimed(seen, around)


def _attached(seen: _Seen, text: str) -> NumeralLabel | None:
    """The label of a number that is set solid with letters, if that decides it."""
    before, after = seen.before, seen.after
    if _ORDINAL_AFTER.match(after):
        return "ordinal"
    if _LAG_BEFORE.search(before):
        return "parameter"
    if _LETTERS_BEFORE.search(before):
        return "parameter" if _INDICATOR.search(before) else "code"
    if _ZERO_LED.fullmatch(text[seen.token.start : seen.token.end]):
        return "code"
    if _HYPHEN_CODE_BEFORE.search(before) and not _HYPHEN_WORDS.search(before):
        return "code"
    if _LETTERS_AFTER.match(after) and not seen.timed and seen.unit != "ratio":
        return "code"
    return None


def _names_a_date(seen: _Seen) -> bool:
    """Whether a number before a unit of time names a day, a month or a year: 每月20日, 3月, 24年."""
    before, value = seen.before, seen.token.value
    if seen.unit == "day":
        return bool(_DAY_OF_MONTH.search(before))
    if not seen.whole or _PAST_BEFORE.search(before):
        return False
    if seen.unit == "month":
        return value <= 12 and bool(_MONTH_NAME_AFTER.match(seen.after))
    if seen.unit == "year":
        return 1900 <= value <= 2100 or (seen.token.script == "arabic" and 13 <= value <= 99)
    return False


def _untimed(seen: _Seen, around: Surroundings) -> NumeralLabel:
    token = seen.token
    if _PARAMETER_COUNT.match(seen.after):
        return "parameter"
    if _WEIGHT_BEFORE.search(seen.before) and _WEIGHT_AFTER.match(seen.after) and token.value <= 1:
        return "parameter"
    counted = seen.unit == "none" and bool(_COUNT_AFTER.match(seen.after))
    if not counted and _is_furniture(seen, around.text):
        return "furniture"
    plain = token.script == "arabic" and "," not in around.text[token.start : token.end]
    if plain and seen.whole and seen.unit == "none" and 1990 <= token.value <= 2035:
        return "count" if counted else "date"
    if counted:
        return "count"
    if seen.whole and seen.unit != "percent":
        return "parameter"
    cell = around.tables.cell(token.start)
    if _COST_BEFORE.search(seen.before) or _COST_BEFORE.search(cell.label):
        return "price"
    if _THRESHOLD_BEFORE.search(seen.before) and not re.search(r"\bt\s?=\s?$", seen.before):
        return "parameter"
    reported = (
        _RESULT_AFTER.match(seen.after) or _RESULT_CELL.search(cell.header) or _RESULT_CELL.search(cell.label)
    )
    return "result" if reported or _RESULT_BEFORE.search(seen.before) else "parameter"


def _is_furniture(seen: _Seen, text: str) -> bool:
    token, before, after = seen.token, seen.before, seen.after
    if (
        _FURNITURE_BEFORE.search(before)
        or _LEADER_BEFORE.search(before)
        or (_CITATION_BEFORE.search(before) and _CLOSE_BRACKET.match(after))
    ):
        return True
    if seen.whole and token.value <= 12 and _IN_BRACKETS_BEFORE.search(before) and after[:1] in (")", "）"):
        return True
    line_start = text.rfind("\n", max(0, token.start - BEFORE), token.start) + 1
    if line_start == 0 and token.start > BEFORE:
        return False
    if not _LINE_START.fullmatch(text, line_start, token.start) or (token.value >= 100 and not seen.whole):
        return False
    line_end = text.find("\n", token.end)
    rest = text[token.end : line_end if line_end >= 0 else len(text)]
    alone = seen.whole and not rest.strip()
    item = seen.whole and token.value < 100 and _ITEM_AFTER.match(rest)
    heading = seen.unit != "percent" and token.value < 100 and len(rest) < 40 and _HEADING_AFTER.match(rest)
    return bool(alone or item or heading)
