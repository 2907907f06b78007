"""How a text says that quantities are put together, and that something more is done with one.

The words of a formula may be quoted faithfully and still be a part of it alone: an ingredient of "the product
of the two", a dividend without its divisor, a mean whose logarithm is the factor. This table knows the words
that say so, and the op that the whole formula then has.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

PAIRED: Final = frozenset("+-*/")


@dataclass(frozen=True, slots=True)
class Joining:
    """Words at ``[start, end)`` that put quantities together; ``ops`` are those that may do it.

    ``loose``: they announce quantities (*a ratio of two averages*) and do not point at any.
    """

    said: str
    ops: frozenset[str]
    start: int
    end: int
    loose: bool = False


_NOT_PORTFOLIOS = (
    r"(?![- ](?:day|week|month|year|portfolio|group|decile|quintile|quantile|tercile|sample|period"
    r"|sub-?period"
    r"|ind(?:ex|ices)|universe|strateg|market|exchange|book|stud|report|note)\w*)(?![-\w])"
)
_THESE: Final = (
    r"(?:both|(?:the|these|those|our|its) (?:two|three|components|ingredients|parts|pieces|terms|legs"
    r"|sub-?scores|sub-?signals))" + _NOT_PORTFOLIOS
)
_ARE: Final = r"(?: [\w-]+){0,2} (?:is|are) (?:then |simply |finally |now )?"
_QUANTITIES: Final = (
    r"(?:quantities|numbers|terms|parts|pieces|components|ingredients|inputs|averages|figures|series|legs"
    r"|ranks)"
)
_BOTH_ZH: Final = (
    r"(?:(?:这|上述|以上|前述)?[两二三](?:者|项|部分|个?(?:子?指标|变量|成分|维度|分量|数值|序列|因子|信号|得分|排名|量|数)))"
    r"(?!组合|市场|指数)"
)
_GAP_ZH: Final = r"[^。；;！？\n]{0,18}?"

_TABLE: Final[tuple[tuple[str, str], ...]] = (
    (
        rf"\bproduct of {_THESE}|\bproduct of two {_QUANTITIES}|\bmultipl\w+ (?:{_THESE}"
        rf"|them (?:together|with each other)"
        rf"|one (?:with|by) the other|the (?:first|former) (?:with|by) the (?:second|latter))"
        rf"|\b{_THESE}{_ARE}multiplied|{_BOTH_ZH}{_GAP_ZH}(?:相乘|乘积|之积|的积)|前者(?:乘以|乘上?|与)后者(?:之积|相乘)?(?!之[比差]|的?[比差]值)",
        "*",
    ),
    (
        rf"\b(?:ratio|quotient) of (?:{_THESE}|two {_QUANTITIES}"
        rf"|the (?:former|first) to the (?:latter|second))"
        rf"|\bdivid\w+ (?:one|the (?:first"
        rf"|former)) by the (?:other|second|latter)"
        r"|\b(?:first|former) (?:is )?divided by the (?:second|latter)|\b(?:first"
        r"|former) over the (?:second|latter)"
        rf"|{_BOTH_ZH}{_GAP_ZH}(?:之比|比值|相除|的比)|前者(?:除以|与|比)后者(?:之比|的比值)?(?!之[差积]|的?差值|的?乘积)",
        "/",
    ),
    (
        rf"\bdifference (?:of|between) (?:{_THESE}|two {_QUANTITIES}"
        rf"|the former and the latter)|\b(?:first|former) (?:less"
        rf"|minus) the (?:second|latter)"
        r"|\bsubtract\w* (?:the (?:second|latter) from|one from the other|the latter)"
        rf"|{_BOTH_ZH}{_GAP_ZH}(?:之差|相减|差值|作差|求差)|前者减(?:去)?后者|前者[与和]后者(?:之差|的?差值)",
        "-",
    ),
    (
        rf"\b(?:sum|average|mean|blend|combination|total) of (?:{_THESE}|two {_QUANTITIES}"
        rf"|(?:the )?(?:three|four|five) (?:[\w-]+ ){{0,2}}(?:{_QUANTITIES[3:-1]}|scores"
        rf"|signals|factors|measures)\b)"
        rf"|\b(?:add|sum|averag|combin|blend)\w* (?:up )?(?:{_THESE}|them (?:up|together|with equal))"
        rf"|\b{_THESE}{_ARE}(?:added|summed|averaged|combined|blended)"
        rf"|{_BOTH_ZH}{_GAP_ZH}(?:相加|之和|求和|加总|等权|加权|合成|取平均|取均值|平均)",
        "+",
    ),
    (
        rf"\b(?:has|have|consists? of|made (?:up )?of|combines?|blends?|mix(?:es)?|built from) (?:two"
        rf"|three) {_QUANTITIES}\b"
        r"|由[两二三](?:个|项|类)?(?:子?指标|部分|分量|成分|维度|因子|信号)?(?:组成|构成|合成)"
        r"|(?:包含|包括)[两二三](?:个|项)?(?:子?指标|部分|分量|成分)",
        "+-*/",
    ),
)  # fmt: skip
_COMPILED: Final = tuple((re.compile(pattern, re.IGNORECASE), frozenset(ops)) for pattern, ops in _TABLE)
_FRACTION: Final = re.compile(
    r"分子(?=.{1,120}?分母)|\bnumerator\b(?=.{1,200}?\bdenominator\b)", re.DOTALL | re.IGNORECASE
)
_OTHER: Final = re.compile(
    r"组合|净值|年化|分组(?!成)|多空|相关(?:系数|性)|样本期|显著|\bIC\b|portfolio|decile|quintile|quantile|annuali|sub-?period"
    r"|strateg(?:y|ies)"
    r"|correlat|\bstudies\b|\bmarkets\b|sharpe|\bIR\b",
    re.IGNORECASE,
)
"""Words of a sentence that compares results and defines nothing."""


def joinings(text: str, start: int = 0) -> Iterator[Joining]:
    """Every statement in a sentence that quantities are put together, one for each kind."""
    if _OTHER.search(text):
        return
    for pattern, ops in _COMPILED:
        match = pattern.search(text)
        if match is not None:
            loose = _ANNOUNCED.search(match.group()) is not None
            yield Joining(match.group(), ops, start + match.start(), start + match.end(), loose)


_ANNOUNCED: Final = re.compile(rf"\b(?:of|between) two {_QUANTITIES}$", re.IGNORECASE)


def fractions(text: str, start: int = 0) -> Iterator[Joining]:
    """A numerator that is told apart from its denominator, perhaps over several sentences."""
    match = _FRACTION.search(text)
    if match is not None:
        yield Joining(match.group(), frozenset("/"), start + match.start(), start + match.end())


# -- what goes on --------------------------------------------------------------------------------------------

_DIFFERENCES: Final = frozenset({"-", "DELTA", "TS_PCTCHANGE"})
_STEPS: Final[tuple[tuple[str, frozenset[str]], ...]] = (
    (r"除以|÷|/(?!\s*\d)|之比|比上|divided by|scaled by|over (?=(?:average|mean|total|cumulative) )"
    r"|over (?:the|its) (?!(?:past|last|trailing|previous"
    r"|prior|preceding|same|most|next|whole|full|entire|sample|period|course|window|weekend|year|month"
    r"|week|years|following|subsequent)\b|\d)|as a (?:share|fraction"
    r"|multiple) of", frozenset({"/", "TS_PCTCHANGE"})),
    (r"减去|减(?=[^少小仓持值半])|minus\b|less (?:the|its)\b|[-−](?=\s)", _DIFFERENCES),
    (r"乘以|乘上|×|\*|multiplied by|times (?:the|its)\b", frozenset("*")),
    (r"加上|\+(?=\s)|plus (?:the|its)\b", frozenset("+")),
    (r"(?:自然)?对数|(?:natural )?log(?:arithm)?s?\b", frozenset({"LOG"})),
    (r"绝对值|absolute value", frozenset({"ABS"})),
)  # fmt: skip
_ON: Final = re.compile(
    r"(?: of (?:the|each) stock)?[\s)）\]”\"」》]*(?:[，,、]?\s*(?:再|然后|之后|接着|最后|随后|并|and then"
    r"|then|and)?\s*"
    r"(?:对其|将其|把它|it\b|is\b|are\b)?\s*)"
    r"(?:取|求|做)?\s*(?:自然)?(?=(?P<op>" + "|".join(pattern for pattern, _ in _STEPS) + r"))",
    re.IGNORECASE,
)
_WITH_ZH: Final = re.compile(
    r"[\s)）\]”\"」》]*(?:与|和|同|比)[^，,。；;\n]{1,24}?(?P<op>之比|的比值|之差|的差值|之积|的乘积)"
)
_WITH_OPS: Final = {"之比": "/", "的比值": "/", "之差": "-", "的差值": "-", "之积": "*", "的乘积": "*"}
_BEFORE: Final = re.compile(
    r"(?P<op>除以|÷|/|减去|乘以|加上|×|divided by|minus|multiplied by|\bplus|\bratio of|\bdifference between"
    r"|\bproduct of)"
    r"\s*(?:the |its |过去|最近|近|其)*$",
    re.IGNORECASE,
)
_BEFORE_OPS: Final = {
    "ratio of": frozenset("/"), "difference between": frozenset({"-", "DELTA"}), "product of": frozenset("*"),
}  # fmt: skip
_LATER: Final = re.compile(
    r"^\s*(?:(?:本|该)?因子)?(?:再|然后|最后|接着|随后|最终|then\b|finally\b|next\b|lastly\b)[^，,。；;]{0,20}?"
    r"(?P<op>除以|乘以|取(?:自然)?对数|取绝对值|开方|(?:取|求)?平方根?|divided? (?:it |this |the result )?by"
    r"|multipl\w+ (?:it |this "
    r"|the result )?by"
    r"|take (?:the )?(?:natural )?log\w*|take the absolute value|(?:in|take) logs|take (?:the"
    r"|its) square root"
    r"|square (?:it|this|the result))",
    re.IGNORECASE,
)
_TURNED: Final = re.compile(
    r"\b(?:use|take|work with|uses|takes) (?P<en>its|the) negative(?= as\b|$)"
    r"|(?:取|以|用|将)其(?P<zh>相反数|负值)(?:作为|即为|为)",
    re.IGNORECASE,
)  # fmt: skip
_NEUTRALIZES: Final = re.compile(r"市值|行业|中性|回归|size|cap\b|industr|neutral|regress", re.IGNORECASE)


_FOREIGN: Final = re.compile(
    r"相关系数|相关性|协方差|偏度|峰度|中位数|回归|残差|贝塔|correlation|covariance|skewness|kurtosis|\bmedian\b|regress\w*"
    r"|residual\w*|\bbeta of\b|semi-?deviation|半方差|下行(?:波动|标准差)|downside",
    re.IGNORECASE,
)
"""Ops that the report dialect lacks: no formula of it is all of a definition that says them."""

_FOREIGN_AFTER: Final = re.compile(
    rf"\s*(?:的|之|with\b[^,.;]{{1,30}})?\s*(?:{_FOREIGN.pattern})", re.IGNORECASE
)


def goes_on(text: str, start: int, end: int) -> Joining | None:
    """What the text does with the words at ``[start, end)`` right beside them; None where nothing."""
    ahead = text[end : end + 48].split("\n")[0]
    match = _ON.match(ahead)
    if match is not None:
        return Joining(match.group("op"), _ops_of(match.group("op")), end, end + match.end("op"))
    match = _WITH_ZH.match(ahead)
    if match is not None:
        return Joining(match.group(), frozenset(_WITH_OPS[match.group("op")]), end, end + match.end())
    clause = re.split(r"[。；;，,：:\n]|\.\s", text[max(0, start - 80) : start])[-1]
    match = _FOREIGN.search(clause) or _FOREIGN_AFTER.match(ahead)
    if match is not None:
        return Joining(match.group().strip(), frozenset({match.group()}), start, start)
    match = _BEFORE.search(text[max(0, start - 32) : start].split("\n")[-1])
    if match is not None:
        word = match.group("op").lower()
        return Joining(match.group("op"), _BEFORE_OPS.get(word) or _ops_of(word), start, start)
    return None


def later_step(clause: str, start: int = 0) -> Joining | None:
    """A clause that begins with *then* and does something with what was said before it."""
    turned = _TURNED.search(clause)
    if turned is not None:
        return Joining(turned.group(), frozenset("-"), start + turned.start(), start + turned.end())
    match = _LATER.match(clause)
    if match is None or _NEUTRALIZES.search(clause):
        return None
    op = match.group("op")
    # what is no op of the dialect, as a root, is in no formula of it
    return Joining(match.group().strip(), _ops_of(op) or frozenset({op}), start, start + match.end())


def _ops_of(word: str) -> frozenset[str]:
    verb = re.sub(
        r"^divide?d? .*|^divide", "divided by", re.sub(r"^multipl.*", "multiplied by", word.lower())
    )
    if verb.startswith("over"):  # only the words behind it tell that it divides
        return _STEPS[0][1]
    return next(
        (ops for pattern, ops in _STEPS if re.search(pattern, verb + " ", re.IGNORECASE)), frozenset()
    )


def unmet(found: Sequence[Joining], has: frozenset[str]) -> list[Joining]:
    """The statements of which the formula has none of the ops."""
    return [item for item in found if item.ops and not item.ops & has]
