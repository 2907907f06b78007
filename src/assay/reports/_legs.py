"""How portfolios, quantiles and settings state the direction of a factor: one table, Chinese and English.

Each template is written once for both signs: ``<good>`` is the end of the factor that is bought in it,
``<bad>`` the other one.
"""

from __future__ import annotations

from typing import Final, Literal, TypeAlias

Sign: TypeAlias = Literal["positive", "negative"]
"""Whether a high value of the factor predicts a high return."""

_HIGH_EN = r"(?:high|higher|highest|top|large|larger|largest|big|biggest|strong|strongest|upper)"
_LOW_EN = r"(?:low|lower|lowest|bottom|small|smaller|smallest|weak|weakest|least)"
_HIGH_ZH = r"(?:赢家|最?[高大强多]|较[高大强]|偏[高大强]|靠前|居前)"
_LOW_ZH = r"(?:输家|最?[低小弱少]|较[低小弱]|偏[低小弱]|靠后|居后)"
_GROUP_ZH = r"(?:的)?(?:一?[组端档侧]|分位|分组|十分之一|五分之一|\d+%|股票|个股|者|值)?"
_VALUE_ZH = r"(?:因子|指标|信号|取|得分|打分|数|比|系)?(?:值|数|分)?"
_HIGH_ONES, _LOW_ONES = r"高[^。;；,，低]{0,12}", r"低[^。;；,，高]{0,12}"
_MEMBERS = r"(?:的)?(?:股票|个股|一组|组合|组|分位|一端|者|档)"
_WORSE_ZH = r"(?:(?:收益|表现|回报)(?:率)?(?:偏|更|较|也?更为?)(?:低|差|弱)|跑输|落后)"
_BETTER_ZH = r"(?:(?:收益|表现|回报)(?:率)?(?:偏|更|较|也?更为?)(?:高|好|强)|跑赢|占优)"
_NEAR = r"[^.;。；]{0,40}?"
_EARNED = r"\b(?:earn(?:ed|s)?|returned|gain(?:ed|s)|made|makes|deliver(?:ed|s))\b"
_CLOSE_BY = r"(?:[^.;]|\.(?=\d)){0,24}?"
_NEAR_ZH = r"[^。;；,，]{0,12}?"
_RESPONSE = r"(?:returns?|performance|alpha|payoffs?|profits?|premi(?:a|um|ums))"

_EN: Final[tuple[str, ...]] = (
    # who is bought, who is sold
    r"\b(?:hold|holds|own|owns|pick|picks|choose|chooses|prefer|go(?:es)? long|go(?:es)? for|is long"
    r"|are long|stay with)"
    r"\b(?:(?!\b(?:short|sell|avoid)\b)[^.;]){0,40}?\b<good>\b",
    r"\b(?:buy|buys|bought|long)\b(?:(?!\b(?:short|sell|avoid)\b)[^.;]){0,48}?\b(?:with|of|having"
    r"|showing|whose)\b[^.;]{0,16}?\b<good>\b",
    r"\b(?:buy|long|prefer|hold)\b[^.;\n]{0,12}\?\s*(?:A[:.]\s*)?the <good>\b",
    r"\b<good>\b[^.;,]{0,30}?\b(?:is|are|form|forms|make up|makes up|constitutes?|enters?|goes? into"
    r"|serves? as) (?:the |our |in the )?"
    r"(?:long|buy)(?:[ -](?:leg|side|portfolio|list|book))?\b",
    r"\b<bad>\b[^.;,]{0,30}?\b(?:is|are|form|forms|make up|makes up|constitutes?|enters?|goes? into"
    r"|serves? as) (?:the |our |in the )?"
    r"(?:short|sell)(?:[ -](?:leg|side|portfolio|list|book))?\b",
    r"\b(?:long|buy)[ -](?:leg|side|portfolio|list|book)\b[^.;]{0,30}?\b<good>\b",
    r"\b(?:short|sell)[ -](?:leg|side|portfolio|list|book)\b[^.;]{0,30}?\b<bad>\b",
    r"\b<good>\b[^.;,]{0,30}?\b(?:is|are) (?:to be )?(?:bought|preferred|favou?red|rewarded|desirable"
    r"|desired|attractive|good|better|best|held"
    r"|overweighted|sought|wanted)\b",
    r"\b<bad>\b[^.;,]{0,30}?\b(?:is|are) (?:to be )?(?:sold|shorted|avoided|punished|bearish|penali[sz]ed"
    r"|undesirable"
    r"|unattractive|bad|worse|excluded"
    r"|underweighted)\b",
    r"\b<good>\b[^.;,]{0,24}?\b(?:command|earn|carry|enjoy|offer)s? (?:a |an )?(?:\w+ )?premium\b",
    r"\b<good>[ -]minus[ -]<bad>\b",
    r"\b(?:spread"
    r"|difference)\b[^.;]{0,12}?\bbetween the <good>\b[^.;]{0,30}?\band the <bad>\b"
    r"[^.;]{0,40}?\b(?:averages?|earns?|is|of"
    r"|amounts? to|returns?|yields?)\s\+?\d",
    rf"\b<good>\b[^.;]{{0,30}}?{_EARNED}{_CLOSE_BY}\b(?:more than|above|over|ahead of) {_CLOSE_BY}\b<bad>\b",
    rf"\b<good>\b[^.;]{{0,30}}?\b(?:outpaced?|outperform(?:ed|s)?|beats?) {_CLOSE_BY}\b<bad>\b",
    rf"\b<bad>\b[^.;]{{0,30}}?{_EARNED}{_CLOSE_BY}\b(?:less than|below|behind) {_CLOSE_BY}\b<good>\b",
    # quantiles
    rf"\b{_RESPONSE}\b{_NEAR}\b(?:decreas|declin|fall|drop|descend)\w*{_NEAR}\bfrom the <good>\b",
    rf"\b{_RESPONSE}\b{_NEAR}\b(?:increas|ris|climb|grow|ascend|improv)\w*{_NEAR}\bfrom the <bad>\b",
)
_ZH: Final[tuple[str, ...]] = (
    # who is bought, who is sold
    rf"(?:做多|买入|买进|持有|配置|超配|多)(?:因子|指标|信号|得分)?(?:取?值)?<good>(?![新开收]){_GROUP_ZH}",
    rf"(?:做空|卖出|卖空|融券卖出|回避|空)(?:因子|指标|信号|得分)?(?:取?值)?<bad>(?![新开收]){_GROUP_ZH}",
    rf"(?:多头|买入|做多)(?:组合|端|一端|一侧|一边|名单|方向)?(?:为|是|由|取|选|选取|持有|配置|对应|[:：]){_NEAR_ZH}<good>",
    rf"(?:空头|卖出|做空)(?:组合|端|一端|一侧|一边|名单|方向)?(?:为|是|由|取|选|选取|持有|配置|对应|[:：]){_NEAR_ZH}<bad>",
    rf"<good>{_NEAR_ZH}(?:为|作为|构成|进入|组成|纳入|归入|列入)(?:了)?(?:我们的)?多头",
    rf"<bad>{_NEAR_ZH}(?:为|作为|构成|进入|组成|纳入|归入|列入)(?:了)?(?:我们的)?空头",
    rf"(?:{_VALUE_ZH})<good>(?:的)?(?:股票|个股|一组|组|者|标的)?(?:更|较|为)(?:好|优|佳)",
    r"<good>(?:的)?(?:一?组|分位|端)[^。;；,，]{0,12}比<bad>(?:的)?(?:一?组|分位|端)"
    r"[^。;；,，]{0,6}(?:多|高|跑赢|领先|好)",
    r"<bad>(?:的)?(?:一?组|分位|端)[^。;；,，]{0,12}比<good>(?:的)?(?:一?组|分位|端)"
    r"[^。;；,，]{0,6}(?:少|低|跑输|落后|差)",
    rf"(?:做多|买入|买进|持有|配置|超配)(?:(?!低于|跌|偏离|以下)[^。;；,，]){{0,12}}<end>{_MEMBERS}",
    rf"{_VALUE_ZH}<good>者[^。;；,，]{{0,4}}(?:买入|做多|持有|入选|优先|占优|胜出)",
    rf"{_VALUE_ZH}<bad>者[^。;；,，]{{0,4}}(?:卖出|做空|剔除|回避|落后)",
    rf"<ones>{_MEMBERS}[^。;；]{{0,12}}{_BETTER_ZH}",
    rf"<others>{_MEMBERS}[^。;；]{{0,12}}{_WORSE_ZH}",
    r"<good>(?:的)?(?:组合|股票|个股|一组|组)?(?:显著|明显|大幅)?(?:跑赢|战胜|优于|强于)<bad>",
    r"<bad>(?:的)?(?:组合|股票|个股|一组|组)?(?:显著|明显|大幅)?(?:跑输|落后于?|弱于)<good>",
    # quantiles
    r"(?:[由从自])<bad>(?:到|至|往)<good>[^。;；]{0,16}?(?:递增|上升|走高|抬升|提高)",
    r"(?:[由从自])<good>(?:到|至|往)<bad>[^。;；]{0,16}?(?:递减|下降|走低|降低)",
)

_MONOTONE_DOWN: Final = (
    rf"\b{_RESPONSE}\b[^.;]{{0,24}}?\b(?:(?:decreas|declin|fall|drop)\w*\s+(?:monotonically|steadily"
    rf"|almost monotonically|smoothly)"
    rf"|monotonically (?:decreas|declin|fall)\w*|(?:monotone|monotonic) decreas\w*|decreasing (?:in|with))\b"
    rf"(?![^.;]{{0,20}}\bfrom the {_HIGH_EN}\b)",
    rf"\bmonotonically (?:decreasing|declining"
    rf"|falling)\b[^.;]{{0,40}}?\b{_RESPONSE}\b(?![^.;]{{0,20}}\bfrom the {_HIGH_EN}\b)",
    r"\b(?:factor|signal|score) is negative(?=[.;,]|$)",
    r"\b(?:negatively priced|contrarian (?:sign|signal|indicator|factor)|contra-indicator)\b",
    r"(?:sign|direction)(?:[^\w.;]{0,4}| of the (?:factor|signal)(?: is|:) | is )(?:negative|minus|-1"
    r"|short high)\b",
    r"(?<![由从自][高大强])(?<![由从自]最[高大])(?:收益(?:率)?|回报|净值|表现|十分组|五分组|各组|分组)(?:(?![由从自]最?[高大强多])[^。;；]){0,20}?"
    r"(?:单调|逐级|依次|逐组|严格|逐档)(?:地)?(?:递减|下降|走低|降低|下行)",
    r"[由从自]最?[低小弱少](?:到|至|往)最?[高大强多][^。;；]{0,16}?(?:递减|下降|走低|降低|下行)",
    r"(?:因子)?方向(?:\s*[|:：]\s*|为|是|取|设为)+(?:负|反|空|-1|低值做多|做空高)|方向负(?=[。；;，,\s]|$)",
    r"\bsign\s*\|\s*(?:negative|-)|\bdirection\s*\|\s*(?:negative|-|short)",
)
_MONOTONE_UP: Final = (
    rf"\b{_RESPONSE}\b[^.;]{{0,24}}?\b(?:(?:increas|ris|climb|grow)\w*\s+(?:monotonically|steadily"
    rf"|almost monotonically|smoothly)"
    rf"|monotonically (?:increas|ris|climb|grow)\w*|(?:monotone|monotonic) increas\w*|increasing (?:in"
    rf"|with))\b"
    rf"(?![^.;]{{0,20}}\bfrom the {_HIGH_EN}\b)",
    rf"\bmonotonically (?:increasing"
    rf"|rising)\b[^.;]{{0,40}}?\b{_RESPONSE}\b(?![^.;]{{0,20}}\bfrom the {_HIGH_EN}\b)",
    r"\b(?:positively priced|positive (?:\w+ )?premium|(?:factor|signal|score) is positive(?=[.;,]|$))",
    r"(?:sign|direction)(?:[^\w.;]{0,4}| of the (?:factor|signal)(?: is|:) | is )(?:positive|plus|\+1"
    r"|long high)\b",
    r"(?:收益(?:率)?|回报|净值|表现|十分组|五分组|各组|分组)(?:(?![由从自]最?[高大强多])[^。;；]){0,20}?(?:单调|逐级|依次|逐组|严格|逐档)(?:地)?"
    r"(?:递增|上升|走高|提高|上行)",
    r"(?:因子)?方向(?:\s*[|:：]\s*|为|是|取|设为)+(?:正|多|\+1|高值做多|做多高)|方向正(?=[。；;，,\s]|$)",
    r"\bsign\s*\|\s*(?:positive|\+)|\bdirection\s*\|\s*(?:positive|\+|long)",
)


def _filled(sign: Sign) -> tuple[str, ...]:
    high = sign == "positive"
    en = {"good": _HIGH_EN if high else _LOW_EN, "bad": _LOW_EN if high else _HIGH_EN}
    zh = {"good": _HIGH_ZH if high else _LOW_ZH, "bad": _LOW_ZH if high else _HIGH_ZH}
    zh |= {"end": "(?:高|大|强)" if high else "(?:低|小|弱)"}
    zh |= {"ones": _HIGH_ONES if high else _LOW_ONES, "others": _LOW_ONES if high else _HIGH_ONES}
    return (
        *(_put(template, en) for template in _EN),
        *(_put(template, zh) for template in _ZH),
        *(_MONOTONE_UP if high else _MONOTONE_DOWN),
    )


def _put(template: str, words: dict[str, str]) -> str:
    for name, pattern in words.items():
        template = template.replace(f"<{name}>", pattern)
    return template


LEGS: Final[dict[Sign, tuple[str, ...]]] = {
    "positive": _filled("positive"),
    "negative": _filled("negative"),
}
"""Regular expressions, case ignored, by the sign that they state."""
