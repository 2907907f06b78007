"""What follows a formula in its sentence: other things, or words that change it."""

from __future__ import annotations

import re

from assay.reports.rules import _names as names
from assay.reports.rules._chart import Token
from assay.reports.rules._direction import directions_of
from assay.reports.rules._facts import facts_of
from assay.reports.rules._read import Phrase, content, longest
from assay.reports.rules._scan import UNKNOWN
from assay.reports.rules._scope import obstacles_in
from assay.reports.rules._sentences import Sentence, clauses
from assay.reports.rules._tree import walk

_CHANGING = re.compile(
    r"倒数|平方|立方|开方|根号|年化|annuali[sz]ed|square[ds]?\b|square root|reciprocal|inverse of"
    r"|剔除[^,，。]{0,8}(?:日|涨停|跌停)|^的(?![^，。,]{0,8}(?:因子|指标|信号)|股票|个股|因子|排名|排序)"
    r"|超额|残差|特质|去均值|加权|剔除.{0,10}(?:的|后)|扣除|去除|下行|上行|若|仅|当.{0,12}时|否则"
    r"|excess|residual|idiosyncratic|adjusted for|weighted|net of|demean|downside|upside|\bonly\b"
    r"|conditional|\bwhen\b|\bif\b|otherwise|of (?:the|its) (?:\w+ ){0,3}(?:market|index|industry"
    r"|sector|benchmark)(?! (?:const|memb|stock))|minus|plus|correlat",
    re.IGNORECASE,
)  # fmt: skip
_CONTINUES = re.compile(
    r"^\s*(?:再|然后|之后|并(?:且)?(?:取|对|做|除|乘|减)|接着|最后|取(?!值)|除以|减去|乘以|加上"
    r"|then|with a (?:negative|minus)|(?:前)?加负号"
    r"|(?:(?:最终)?(?:本|该)?(?:因子|指标|信号|得分)(?:值)?(?:为|取|是|即)|取|对|将)其"
    r"|and (?:then )?(?:sum|average|divid|multipl|subtract|rank|scale|smooth|cumulat|tak)\w*"
    r"|and then|divided|minus|plus|multiplied|times|less|finally|after|averaged|smoothed)",
     re.IGNORECASE)  # fmt: skip


def left_over(sentence: Sentence, tokens: list[Token], phrase: Phrase, end: int, text: str) -> str | None:
    """What follows the formula and could change it; None where all the rest is about other things."""
    if phrase.last == len(tokens):
        return None
    stop = tokens[phrase.last - 1].end
    for place, clause in clauses(stop, text[stop:end]):
        parts = [t for t in tokens[phrase.last :] if place <= t.start < place + len(clause)]
        known = [t for t in parts if t.senses[0][0] != UNKNOWN]
        ended = _DISPLAYED.match(clause)
        clause = clause[ended.end() :] if ended else clause
        joined = place == stop and ended is None
        if joined and _REMARK.match(clause) and not any(s[0] == "T" for t in known for s in t.senses):
            known = [t for t in known if t.start >= place + _REMARK.match(clause).end()]  # type: ignore[union-attr]
            clause = _REMARK.sub("", clause)
        if joined and (_GIVES.match(clause) or _SORTED.match(clause)):
            continue
        if joined and (_OF_ANOTHER.search(clause) or _goes_on(parts)):
            return clause
        if _is_setting(sentence, place, clause) or names.NAMING.match(clause.strip()):
            continue
        if joined and next(obstacles_in(clause), None) is not None:
            return clause
        if joined and _unlinked(clause):
            return clause
        if joined and (_CHANGING.search(clause) or _operates(known) or _attached(clause)):
            return clause
        if not joined and _CONTINUES.match(clause) and (content(known) or _ALTERS.search(clause)):
            return clause
        if not joined and _ON_IT.search(clause) and content(known):
            return clause
        if not joined and _TURNS.search(clause):
            return clause
        if not joined and _WHERE.match(clause) and _explains(parts, phrase) is False:
            return clause
        if not joined and _CHANGING.search(clause) and content(known):
            return clause
        if (
            not joined
            and known
            and any(s[0] in _DOING_NEXT for t in known[:2] for s in t.senses)
            and content(known[1:])
        ):
            return clause
    return None


def _goes_on(parts: list[Token]) -> bool:
    """Whether the first word computes on, or the first behind *of the stock*."""
    behind = parts[1:2] if parts and any(sense[0] == "OF" for sense in parts[0].senses) else []
    return any(_works_on(token) for token in (*parts[:1], *behind))


def _works_on(token: Token) -> bool:
    """Whether a word, not a sign, goes on to compute."""
    return token.end > token.start + 1 and any(
        s[0] in ("SUB", "ADD", "MUL", *_DOING_NEXT) for s in token.senses
    )


_OF_ANOTHER = re.compile(
    r"^\s*of (?:the|its) (?:[\w&]+ ){0,3}(?:market|index|industry|sector|benchmark)\b(?! (?:const"
    r"|memb|stock))",
    re.IGNORECASE,
)
_ALTERS = re.compile(r"倒数|平方|开方|根号|年化|annuali[sz]|squared|square root|reciprocal", re.IGNORECASE)
_DISPLAYED = re.compile(r"\s*\$\$?\s*(?=where\b|with\b|here\b|其中|式中|这里)", re.IGNORECASE)
"""The end of a typeset formula, behind which its letters are explained."""

_TURNS = re.compile(
    r"取(?:其)?(?:负|反|相反数|对数|绝对值)|(?:其|它)的?(?:相反数|负值)|标准化后|\bits negative\b"
    r"|\bthe negative of (?:it|this)\b|\bsign (?:is )?(?:reversed|flipped)|\b(?:flip|revers)\w* the sign",
    re.IGNORECASE,
)
"""Words that turn around, or rescale, what was said before them."""
_WHERE = re.compile(r"\s*(?:其中|这里|此处|where\b|with\b|here\b)", re.IGNORECASE)
_BENIGN = re.compile(
    r"^(?:[\s)）”\"」》.、\]]|\[\^?\d+\])*(?:$|[(（\[]|股票池|样本|频率|调仓|中性|作为|更为?(?:合适|有效|稳定)|来|进行|对"
    r"|构建|构造|衡量|刻画|度量|排序|排名|选股|并|且|而|因子|指标|代表|反映"
    r"|表示|估计|出发|得到|得出|即得|即可|求得|分组|买入|做|在|于|从|低|高|最|较|越|后|时|为(?!正|负)|的[^，。,]{0,8}(?:因子|指标|信号)|的(?:股票|个股"
    r"|因子|排序|排名|一组)"
    r"|(?![\u4e00-\u9fff]))"
)


def _attached(clause: str) -> bool:
    """Whether Chinese words follow the formula without a break and go on with it."""
    return _BENIGN.match(clause) is None


_LINK = re.compile(
    r"^[\s)）”\"'*_`.\]]*(?:$|[(（\[—–;:|]|\[\^|-\s|[^\sA-Za-z]|(?:and|but|which|where|while|whereas|so|because|since|as|is|are|was|has"
    r"|have|we|it|this|that|they|then|each|every|daily|weekly|monthly|here|hence|therefore|below|above"
    r"|factor|signal|score"
    r"|ratio|measure|indicator|gives?|defines?|captures?|measures?|predicts?|earns?|tends?|works?"
    r"|serves?|becomes?|makes?"
    r"|inside|among|across|within|throughout|of (?:the|each|every|all) (?:stocks?(?!['’])|csi|members?"
    r"|constituents?|name|constituent)"
    r"|of (?:csi|stocks?(?!['’])|members|constituents|each|every)"
    r"|for (?:each|every|all|the|csi|stocks?|members?|names?|constituents?|its|a)|in (?:the|all|each"
    r"|every|csi|a-shares?|our|this|a)"
    r"|on (?:the|each|every|csi|a)|at (?:the|each|every|month|week)|by (?:the|stock|date)|to (?:rank"
    r"|sort|measure|form|pick|select"
    r"|score|build|proxy|capture|gauge|the|be)|from (?:the|csi)|with (?:the|a|no|an|weekly|monthly"
    r"|daily)|without)\b)",
    re.IGNORECASE,
)


def _unlinked(clause: str) -> bool:
    """Whether English words follow the formula that neither end it nor begin something else."""
    return _LINK.match(clause) is None


def _explains(tokens: list[Token], phrase: Phrase) -> bool | None:
    """Whether a *where* clause says what the formula holds; None where it speaks of letters alone."""
    series = [[sense[1] for sense in token.senses if sense[0] == "F"] for token in tokens]
    named = [values for values in series if values]
    if named and all(any(value in walk(phrase.tree) for value in values) for values in named):
        return True  # "H, L and C are the high, the low and the close"
    for index, token in enumerate(tokens):
        if any(sense[0] in ("F", "U", "NAMED") for sense in token.senses):
            rest = tokens[index + 1 :]
            for start in range(len(rest)):
                said = longest(rest[start:])
                if said is not None and said.tree in walk(phrase.tree):
                    return True
            return False
    return None


_REMARK = re.compile(r"\s*[(（][^()（）]{1,24}[)）]")

_GIVES = re.compile(
    r"\s*(?:得到|得出|即得|求得|(?:which )?(?:gives|giving|yields"
    r"|yielding) )(?:了)?[^,，。;；除乘减加]{0,16}$",
    re.IGNORECASE,
)
"""The name of what was computed."""

_SORTED = re.compile(
    r"\s*(?:从|由|按)?[高大低小](?:到|至|往)[低小高大](?:的顺序)?(?:对股票)?(?:进行)?(?:排序|排列|排名|分组)"
)
"""The order in which stocks are sorted by what was computed."""

_ON_IT = re.compile(
    r"^\s*(?:and |then |we )*[a-z]+ (?:it|this|them|the result)\b|^\s*(?:再|然后)?(?:将|对|把)其"
)
_DOING_NEXT = frozenset({"DIVW", "DIVV", "AGGED", "MULV", "SUBTRACT"})
_OPERATING = frozenset(
    {"AGG", "VOL", "FN", "FNADJ", "PAIR", "NEG", "T", "NAMEDMA", "DIV", "MUL", "SUB", "ADD", "RATIO",
     "DIFF", "PRODUCT", "DEVIATION", "SKIP", "F", "U"}
)  # fmt: skip


def _operates(tokens: list[Token]) -> bool:
    return any(sense[0] in _OPERATING for token in tokens for sense in token.senses)


def _is_setting(sentence: Sentence, place: int, clause: str) -> bool:
    """Whether the clause states a setting or a direction."""
    alone = Sentence(place, place + len(clause), sentence.paragraph, clause)
    return bool(facts_of((alone,)) or directions_of((alone,)))
