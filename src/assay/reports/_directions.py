"""Whether a high value of the factor predicts a high return, as the text states it in Chinese or English."""

from __future__ import annotations

import re
from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from assay.reports._legs import LEGS, Sign
from assay.reports._lexicon import Hit, Words, find_words

_HIGH = (
    r"((?:上升|抬升|走高|放大)的(?=股票|个股|标的|公司)|高|大(?!幅|多|概率)|强|多(?!数)|(?<![之以此目])前(?!期|面)"
    r"|活跃)"
)
_LOW = r"(低|小|弱|少|(?<![之以此随其最今])后(?!续|期|市)|平稳|平静|清淡|冷清|稳定)"

# 越…越…: the first comparative of a sentence is the factor's, a later one or a verb says what becomes of it
_FIRST_ZH = r"(?:^|[。;；!！?？\n])(?:[^越。;；!！?？\n]|[超跨优卓穿]越|越来越|越过){0,400}"
_MORE_ZH = (
    _FIRST_ZH + r"越(?:是|为)?(?:接近于?\s?1(?![\d.])"
    r"|高|大|强|多|宽|长|深|厚|陡|活跃|频繁|剧烈|拥挤|集中|放量|不稳定|不流动)"
)
_LESS_ZH = _FIRST_ZH + r"越(?:是|为)?(?:低|小|弱|少|窄|短|浅|薄|平稳|平静|平缓|清淡|冷清|稳定|缩量)"
_LOSES_ZH = (
    r"(?:跑输|落后|亏损|下跌|走弱|回落|(?<![涨抗])跌(?:幅|得|势)?(?=越)"
    r"|越(?:容易|可能|倾向于?)(?:下)?跌)"
)
_GAINS_ZH = r"(?:跑赢|占优|上涨|走强|反弹|领先|(?<!跌)涨(?:幅|得|势)?(?=越)|越(?:容易|可能|倾向于?)(?:上)?涨)"
_DAMPED_ZH = r"[^。;；,，越]{0,8}越(?:少|小|浅|轻|弱|低|慢|有限)"
_NEITHER_ZH = rf"(?:(?!{_LOSES_ZH}|{_GAINS_ZH})[^。;；]){{0,40}}"
_ENDS_UP_ZH = (
    rf"(?:{_NEITHER_ZH}越(?:高|好|大|强|多)|[^。;；]{{0,40}}?{_GAINS_ZH}(?!{_DAMPED_ZH})"
    rf"|[^。;；]{{0,40}}?{_LOSES_ZH}{_DAMPED_ZH})"
)
_ENDS_DOWN_ZH = (
    rf"(?:{_NEITHER_ZH}越(?:低|差|小|弱|少)|[^。;；]{{0,40}}?{_LOSES_ZH}(?!{_DAMPED_ZH})"
    rf"|[^。;；]{{0,40}}?{_GAINS_ZH}{_DAMPED_ZH})"
)
_MUCH_ZH = r"(?:显著|明显|普遍)?(更|较|也|偏|亦)?"
_UP_ZH = (
    rf"(跑赢|占优|走强|领先|胜出|走高|反弹|上涨|上行|表现{_MUCH_ZH}[好优强]|(收益|回报)(率)?{_MUCH_ZH}[高好]"
    rf"|超额(收益)?{_MUCH_ZH}高)"
)
_DOWN_ZH = (
    rf"(跑输|落后|走弱|回落|回调|回吐|承压|走低|下行|下跌|表现{_MUCH_ZH}[差弱]"
    rf"|(往往|容易|倾向于?|大概率)(会)?跌|(收益|回报)(率)?{_MUCH_ZH}[低差])"
)
_NOT_LOW_ZH, _NOT_HIGH_ZH = r"(?:(?![低小弱])[^。;；]){0,24}", r"(?:(?![高大强])[^。;；]){0,24}"
_LATER_ZH = r"[,，](?:后续|未来|此后|随后|其后|后面|后市|后期|之后|下期|短期|预期)[^。;；,，]{0,10}"
_UNTURNED_ZH = r"(?:(?!低于|跌|偏离|以下)[^。;；,，]){0,16}"
_BUY_ZH = r"(买入|做多|选取|选择|持有|超配|优选)" + _UNTURNED_ZH
_SELL_ZH = r"(做空|卖出|回避|低配|剔除)" + _UNTURNED_ZH
_TOP_ZH = r"(最[高大强多]|排名前|靠前|前\s*\d|较高|较大|高分|居前|头部)"
_BOTTOM_ZH = r"(最[低小弱少]|排名后|靠后|后\s*\d|较低|较小|低分|居后|尾部)"

_TOP = (
    r"\b(high|higher|highest|top|large|larger|largest|big|bigger|strong|stronger|strongest|wide|wider"
    r"|rising|elevated|heavy|winners?)\b"
)
_BOTTOM = (
    r"\b(low|lower|lowest|bottom|small|smaller|smallest|weak|weaker|weakest|narrow|narrower"
    r"|calm(?= (?:stocks|names|shares)\b)|calmer|calmest"
    r"|falling|depressed|subdued"
    r"|losers?)\b"
)
_FORETELLS = (
    r"\b(?:predict|preced|lead|follow|foretell|forecast|herald|impl|earn(?!ings)|deliver|bring|enjoy|suffer"
    r"|go(?:es)? with|associate|accompan|point|means?(?= (?:an? |that |lower|higher|low|high|poor|worse"
    r"|better|weak"
    r"|strong|future|subsequent)))\w*[^.;]{0,30}?"
)
_UP = r"\b(high|higher|positive|better|strong|stronger|superior|more)\b"
_DOWN = r"\b(low|lower|negative|worse|weak|weaker|inferior|poor|poorer|less|disappoint\w*)\b"
_WINS = r"\b(?:(?:outperform|rebound|recover)\w*|beats?|wins?|winning|rises?|do(?:es)? (?:well|better))\b"
_LOSES = (
    r"\b(?:(?:underperform|disappoint|mean.?revert)\w*|reverts?(?! to the (?:top|bottom))|lags?|lagging"
    r"|trails?|loses?|losing|falls?|declines?"
    r"|drifts? (?:lower|down)|fades?|fading|gives? back|do(?:es)? (?:badly|worse|poorly))\b"
)
_GAP = r"[^.;]{0,60}?"

# the more ..., the less ...
_THE_MORE = (
    r"\bthe (?:higher|larger|greater|bigger|stronger|wider|more|longer|steeper|deeper|sharper|heavier|busier)"
    r"\b[^.;]{0,60}?"
)
_THE_LESS = (
    r"\bthe (?:lower|smaller|weaker|narrower|calmer|less|fewer|shorter|quieter|thinner|flatter|lighter)"
    r"\b[^.;]{0,60}?"
)
_AMPLE = r"\bthe (?:more|further|harder|higher|larger|greater|bigger|stronger|deeper|steeper|faster)\b"
_SCANT = r"\bthe (?:less|lower|smaller|weaker|fewer|slower|shallower)\b"
_LOSES_THEN = (
    r"\b(?:underperform|lag|trail|los[est]|fall|declin|drop|disappoint|fad(?:e|ing)|give back|sink)\w*"
)
_GAINS_THEN = r"\b(?:outperform|beat|win|ris(?:e|ing)|rebound|recover|climb|gain|earn(?!ing))\w*"
_THEN = r"[^.;,]{0,30}?"
_NO_VERB = rf"(?!{_THEN}(?:{_LOSES_THEN}|{_GAINS_THEN}))"
_THE_UP = (
    rf"(?:\bthe better\b|\bthe (?:higher|larger|greater|stronger)\b{_NO_VERB}|{_AMPLE}{_THEN}{_GAINS_THEN}"
    rf"|{_SCANT}{_THEN}{_LOSES_THEN})"
)
_THE_DOWN = (
    rf"(?:\bthe (?:worse|poorer)\b|\bthe (?:lower|smaller|weaker)\b{_NO_VERB}|{_AMPLE}{_THEN}{_LOSES_THEN}"
    rf"|{_SCANT}{_THEN}{_GAINS_THEN})"
)
_ONE_SIDE = (
    r"(?:(?!\b(?:below|under|fallen|losses|long|buys?|bought|short|sells?|sold|avoid|and the"
    r"|while)\b)[^.;]){0,30}?"
)
_BUY = r"\b(long|buy|buys|bought|overweights?|selects?|prefers?|favou?rs?)\b" + _ONE_SIDE
_SELL = r"\b(short|sell|sells|sold|avoids?|underweights?)\b" + _ONE_SIDE

_DIRECTION_WORDS: Final[Mapping[Sign, Words]] = MappingProxyType(
    {
        "positive": Words.of(
            "正相关, 正向, 越高越好, 越大越好, 同向, 正的预测, 正溢价, 做多高, 多高空低, 方向为正, "
            "取值大者, 方向: 正, "
            "方向：正",
            "positively related, positively correlated, positively associated, positive relation, "
            "positive relationship, positive predictor, positive sign, positive direction, positive premium, "
            "higher is better, larger is better, the higher the better, long high, positively, "
            "sign is positive, direction is positive, sign positive, direction positive",
            _MORE_ZH + _ENDS_UP_ZH,
            _LESS_ZH + _ENDS_DOWN_ZH,
            _BUY_ZH + _TOP_ZH,
            _SELL_ZH + _BOTTOM_ZH,
            r"[高大]值(?:看多|做多)",
            r"最[高大强](?:的)?一?组[^。;；,，]{0,6}(?:收益|表现|回报)(?:率)?最[高好]",
            r"最[低小弱](?:的)?一?组[^。;；,，]{0,6}(?:收益|表现|回报)(?:率)?最[低差]",
            r"\brelation(?:ship)?\b[^.;]{0,24}\breturns?\b[^.;]{0,12}\bis positive\b",
            rf"{_HIGH}[^。;；,，]{{0,20}}{_UP_ZH}",
            rf"{_LOW}[^。;；,，]{{0,20}}{_DOWN_ZH}",
            rf"{_HIGH}{_NOT_LOW_ZH}{_LATER_ZH}{_UP_ZH}",
            rf"{_LOW}{_NOT_HIGH_ZH}{_LATER_ZH}{_DOWN_ZH}",
            _THE_MORE + _THE_UP,
            _THE_LESS + _THE_DOWN,
            _TOP + _GAP + _FORETELLS + _UP,
            _BOTTOM + _GAP + _FORETELLS + _DOWN,
            _TOP + _GAP + _WINS,
            _BOTTOM + _GAP + _LOSES,
            _BUY + _TOP,
            _SELL + _BOTTOM,
            r"\btrend[- ]following\b|\b(?:winners?|strong(?: names| stocks)?) (?:keep|stay|continue"
            r"|remain)\w*",
            *LEGS["positive"],
        ),
        "negative": Words.of(
            "负相关, 负向, 越低越好, 越小越好, 反向, 反转, 低波, 负的预测, 负溢价, 做多低, 多低空高, "
            "方向为负, 取值小者, "
            "均值回复, 方向: 负, 方向：负",
            "negatively related, negatively correlated, negatively associated, negative relation, "
            "negative relationship, negative predictor, negative sign, negative direction, negative premium, "
            "inverse, inversely, reversal, lower is better, smaller is better, the lower the better, "
            "long low, "
            "low volatility anomaly, negatively, sign is negative, direction is negative, sign negative, "
            "direction negative, mean reversion, mean reverts",
            _MORE_ZH + _ENDS_DOWN_ZH,
            _LESS_ZH + _ENDS_UP_ZH,
            _BUY_ZH + _BOTTOM_ZH,
            _SELL_ZH + _TOP_ZH,
            r"[低小]值(?:看多|做多)",
            r"最[高大强](?:的)?一?组[^。;；,，]{0,6}(?:收益|表现|回报)(?:率)?(?:却)?最[低差]",
            r"最[低小弱](?:的)?一?组[^。;；,，]{0,6}(?:收益|表现|回报)(?:率)?最[高好]",
            r"\brelation(?:ship)?\b[^.;]{0,24}\breturns?\b[^.;]{0,12}\bis negative\b",
            rf"{_HIGH}[^。;；,，]{{0,20}}{_DOWN_ZH}",
            rf"{_LOW}[^。;；,，]{{0,20}}{_UP_ZH}",
            rf"{_HIGH}{_NOT_LOW_ZH}{_LATER_ZH}{_DOWN_ZH}",
            rf"{_LOW}{_NOT_HIGH_ZH}{_LATER_ZH}{_UP_ZH}",
            _THE_MORE + _THE_DOWN,
            _THE_LESS + _THE_UP,
            _TOP + _GAP + _FORETELLS + _DOWN,
            _BOTTOM + _GAP + _FORETELLS + _UP,
            _TOP + _GAP + _LOSES,
            _BOTTOM + _GAP + _WINS,
            _BUY + _BOTTOM,
            _SELL + _TOP,
            *LEGS["negative"],
        ),
    }
)  # fmt: skip
"""Words that say whether a high value predicts a high return."""


def direction_hits(text: str) -> tuple[tuple[Sign, Hit], ...]:
    """The words that state a direction, in order; what stands inside a comparison of two is part of that.

    "The lower the ratio, the larger the rebound" states one direction, though "larger ... rebound"
    alone would state the other.
    """
    found = [(name, hit) for name, words in _DIRECTION_WORDS.items() for hit in find_words(words, text)]
    kept = [
        (name, hit)
        for name, hit in found
        if not any(
            other != name and _inside(hit, longer) and _COMPARISON.match(text, longer.start)
            for other, longer in found
        )
    ]
    return tuple(sorted(kept, key=lambda item: item[1].start))


_COMPARISON: Final = re.compile(r"the |[^。;；]*?越", re.IGNORECASE)


def _inside(hit: Hit, longer: Hit) -> bool:
    return longer.start <= hit.start and hit.end <= longer.end and hit != longer


def directions(text: str) -> frozenset[str]:
    """The directions that the text can be read to state: none, one, or both where it contradicts itself."""
    return frozenset(name for name, _ in direction_hits(text))
