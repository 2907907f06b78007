"""The words of lags, exclusions, conditions and weights beside a definition, and of idle remarks."""

from __future__ import annotations

import re
from typing import Final

_NUMBER: Final = (
    r"(?:\d+|an?|one|two|three|four|five|six|seven|eight|nine|ten|twenty|single|[一二两三四五六七八九十]+)"
)
_TIME: Final = r"(?:days?|sessions?|bars?|weeks?|months?|quarters?|years?|periods?)"
_STRETCH_EN: Final = rf"{_NUMBER} (?:trading |business |calendar )?{_TIME}"
_STRETCH_ZH: Final = rf"{_NUMBER}\s*个?(?:交易)?(?:日|天|周|月|年)"

SPAN: Final = re.compile(
    rf"\b{_NUMBER}[- ](?:more |full |whole )?(?:trading |business |calendar )?{_TIME}\b"
    rf"|{_NUMBER}\s*个?(?:完整)?(?:交易)?(?:日|天|周|星期|月|季度?|年|期)|[TtKkNn]\s?[-−–]\s?\d",
    re.IGNORECASE,
)
"""A number of days or of longer periods."""

LAG: Final = re.compile(
    r"\blag(?:s|ged|ging)?\b|\bdelay(?:s|ed|ing)?\b|\bshift(?:ed|ing)\b|\bmoved back\b|\bas it (?:was"
    r"|stood)\b"
    rf"|\bas of\b[^,]*\b(?:earlier|ago|before)\b|\b{_STRETCH_EN} (?:late|later|stale)\b"
    rf"|\b(?:ending|ended|ends|stopping|stops|up to|until)\b[^,]*\b{_STRETCH_EN} (?:ago|before|earlier)\b"
    r"|滞后|延迟|延后|提前|推迟|推移|平移|后移|前移|错后|截至[^,，]{0,10}前",
    re.IGNORECASE,
)
"""Words of earlier days, where a span of time stands beside them."""

EXECUTION: Final = re.compile(
    r"\btrades\b|\btrade (?:at|on)\b|\btrading (?:is|takes)\b|\bexecut\w+|\borders\b|\bpositions\b"
    r"|执行|下单|建仓|调仓|买入|卖出",
    re.IGNORECASE,
)
"""Words of trading, which may be later than the day of the factor."""

LATEST: Final = re.compile(
    r"\b(?:skip\w*|exclud\w+|omit\w*|ignor\w+|drop(?:ping|ped)?|leav(?:ing|es) (?:out|aside)|without"
    r"|except(?:ing| for)?|not counting|other than)\b[^,]{0,12}\b(?:latest|last|most recent|recent|final)\b"
    r"(?! (?:one|observation|value|ipo|listing)s?\b)"
    r"|\bskip(?:s|ping|ped)\b(?! (?:[\w-]+ ){0,2}(?:stocks|names|shares|firms|companies)\b"
    r"(?![^,]*\b(?:days?|weeks?|months?)\b))"
    r"|(?:剔除|跳过|扣除|去除|去掉|不含|不包括|不考虑|不计|排除|忽略|除去)[^,，]{0,4}(?:最近|近|最后"
    r"|最新)(?![^,，]{0,8}(?:上市|新股))|跳过(?![^,，]{0,6}股)",
    re.IGNORECASE,
)
"""The latest days left out: the formula ends that much earlier. What was listed lately is no day."""

WEIGHT: Final = re.compile(
    r"\bweight(?:ed|ing|s)? (?:each \w+ )?(?:by|with|according to)\b(?! equal)"
    r"|\b(?:volume|value|amount|turnover|time|exponentially|linearly)[- ]weighted\b"
    r"|\b(?:count|weigh)(?:s|ing)? (?:more|less)\b|\b(?:more|less|higher|lower|greater) weights?\b"
    r"|赋权|(?<![等合])权重(?!相[等同])|(?:按|以|用|根据|依)[^,，]{1,10}(?:加权|为权重|作为?权重)(?!组合)"
    r"|(?:成交[量额]|时间|指数|线性|衰减)加权(?!组合)",
    re.IGNORECASE,
)

OF_PORTFOLIOS: Final = re.compile(
    r"\bportfolios?\b|组合(?:内|中)?(?:的?个股|的?股票)?(?:均|都)?(?:按|以|用|采用)", re.IGNORECASE
)
"""What weights the stocks of a portfolio weights no days of the formula."""

LEFT_OUT: Final = re.compile(
    r"\bexclu(?:d\w+|sive of)\b|\bexcept(?:ing| for| that)?\b|\bignor\w+|\bomit\w*|\bleav(?:ing"
    r"|es) (?:out|aside)\b"
    r"|\bleft out\b|\bdrop(?:ping|ped)\b|\bdiscard\w*|\bremov(?:ed|ing|es)\b|\bnot counting\b|\bdisregard\w*"
    r"|\bother than\b|\bapart from\b|\baside from\b|\bfilter(?:ed|ing)\b|\bbarring\b|\b(?:restrict|limit"
    r"|confin)ed to\b"
    r"|\bwithout\b|\bonly\b(?! (?:uses? |needs? |takes? |on )?(?:the )?(?:past|last|previous|daily|\d))"
    r"|\bbar the\b|\bsolely\b|\bexclusively\b|\bbut not\b|\bjust (?:on|for)\b"
    r"|剔除|去除|去掉|扣除|排除|忽略|舍弃|舍去|删除|删去|过滤|不含|不包括|不包含|不计|不考虑|不统计|除外"
    r"|除去|除了"
    r"|限于|限定|限制在|(?:仅|只(?!股|有$))(?!(?:需|使?用|依赖|利用|取|基于)?到?(?:过去|最近|近|\d))|单独"
    r"|唯独",
    re.IGNORECASE,
)
"""Words of leaving out, or of taking some alone, where the clause speaks of :data:`SOME`."""

SOME: Final = re.compile(
    r"\b(?:days?|sessions?|bars?|weeks?|months?|mondays?|tuesdays?|wednesdays?|thursdays?|fridays?"
    r"|observations?"
    r"|values?|returns?|moves?|gains?|losses|ones?|outliers?|extremes?|highest|lowest|largest|smallest"
    r"|top|bottom"
    r"|maximum|minimum|tails?|limit-(?:up|down))\b"
    r"|日|天|周[一二三四五]|[涨跌]|最[大小高低]|极[值端]|尾部|异常|数据点|观测|样本点|时",
    re.IGNORECASE,
)
"""Days, and values of them."""

OF_STOCKS: Final = re.compile(
    r"股|公司|标的|上市|板块|行业|市值|风格|成本|费用|影响|(?-i:ST)"
    r"|\b(?:stocks?|shares?|names?|firms?|compan(?:y|ies)|securit(?:y|ies)|issuers?|listings?|IPOs?|(?-i:ST)"
    r"|financials?|banks?|industr\w+|sectors?|size|capitali[sz]ation|style|universe|costs?|fees|board"
    r"|constituents?|members?|look-ahead)\b",
    re.IGNORECASE,
)
"""What is left out of the universe, or of the result, is not left out of the formula."""

OF_DAYS: Final = re.compile(
    r"涨停日|跌停日|停牌日|上涨日|下跌日|交易日中|的(?:日子|天|交易日)\b"
    r"|\b(?:up|down|limit-up|limit-down|limit|event|holiday)[- ]days?\b"
    r"|\bdays (?:when|on which|with|in which|where)\b",
    re.IGNORECASE,
)
"""Days that are chosen by what happened on them."""

CONDITION: Final = re.compile(
    r"\bcondition(?:al|ed) (?:on|upon)\b|\bgiven that\b|\bprovided (?:that|the)\b|\bproviding\b"
    r"|\bas long as\b"
    r"|\bunless\b|\bin case\b|\b(?:on|for|over|across) days\b"
    r"|\bon (?:the )?(?:(?!past|last|trading|prior|previous|recent|latest|these|those"
    r"|\d)[\w-]+ ){0,2}(?:days|sessions|mondays|fridays)\b"
    r"|\b(?:set|put|treated|coded|counted) (?:to|as) (?:missing|zero|nan?)\b|\b(?:do(?:es)?|is"
    r"|are) not count(?:ed)?\b"
    r"|\b(?:taken|cut|thrown|struck|weeded|screened) (?:out|off|away)\b"
    r"|\bof (?:the |all |its )?(?:daily )?(?:negative|positive|downward|upward) (?:[a-z]+ ){0,2}"
    r"(?:returns|days|moves|changes|gains)\b"
    r"|不参与|不计入|(?:设|置|视|记)为(?:缺失|空值|零)|置零|前提|条件是|满足[^,，]*[日天时条]|当且仅当|只要|除非"
    r"|(?:若|如果|假如).*[日时涨跌]",
    re.IGNORECASE,
)

CLIPPED: Final = re.compile(
    r"\bwinsori[sz]\w*|\btrimm(?:ed|ing)\b|\btruncat\w+|\bclipp(?:ed|ing)\b|\bcapped at\b|\bcensored\b"
    r"|缩尾|截尾|截断|去极值",
    re.IGNORECASE,
)
CROSS_SECTION: Final = re.compile(
    r"因子值|截面|得分|标准化|中性化|cross[- ]section|\bscores?\b|\bfactor values?\b|standardi[sz]"
    r"|neutrali[sz]"
    r"|\bz-?scor|\bacross (?:all )?stocks\b",
    re.IGNORECASE,
)
"""Words of the values of a factor over all stocks, which may be clipped as any factor's are."""

ORDINARY_TIME: Final = re.compile(
    r"\b(?:every|each|per|any|that|same|the|a|one|current|next|following) (?:single |trading |business "
    r"|calendar )?"
    r"(?:days?|weeks?|months?|session)(?:['’]s)?\b(?! (?:before|earlier|ago))|\bmonth[- ]ends?\b|\bdaily\b"
    r"|\btrading days\b(?= (?:in|per) )|(?:19|20)\d\d(?:\s*年)?(?:\s*\d+月)?(?:\s*\d+[日号])?"
    r"|每个?(?:交易)?[日天周月]|逐[日月]|[日周月][频度]"
    r"|当[日天]|次[日月]"
    r"|今[日天]|[月周年][末初底]|最后一个?交易日|交易日[末收后]|日期|\d+(?:\.\d+)?\s*%"
    r"|[一二三四五六七八九十]日线|\d+日线",
    re.IGNORECASE,
)
"""Time on which every factor is computed."""

DAYS: Final = re.compile(
    rf"\b(?:days|sessions|mondays?|tuesdays?|wednesdays?|thursdays?|fridays?|observations)\b|{SPAN.pattern}"
    r"|[日天](?!内|常|益|后|志|报|前(?:收|市))|周[一二三四五]|上[周月]",
    re.IGNORECASE,
)

ATTACHED: Final = re.compile(
    r"\s*(?:but |and |then |all |each |both |only )*(?:with|without|once|after|before|until|when|whenever"
    r"|if|unless"
    r"|read|net|less|over|from|on|in|at|for|by|under|subject|as of|given|made|set|kept|held|cut"
    r"|(?!during|according|depending)[a-z]+ing|[a-z]+ed)\b",
    re.IGNORECASE,
)
"""The beginning of English words that hang on what stands before them."""

REMARK: Final = re.compile(
    r"\b(?:every|each|all|daily|weekly|monthly|stocks?|names?|shares?|universe|sample|literature"
    r"|portfolios?|groups?"
    r"|deciles?|quintiles?|percent|per cent|values?|scores?|members|constituents|expected|holding"
    r"|cross[- ]section\w*"
    r"|A-shares|ascending|descending|spirit|style|sense|short|general|practice|particular|line|mind"
    r"|A share|market"
    r"|trading day|month-end|month end)\b"
    r"|^\s*(?:and )?(?:which|known|called|denoted|dubbed|termed|labell?ed|named|used|updated|refreshed"
    r"|rebalanced"
    r"|traded|tested|held|hedged|published|proposed|introduced|standardi[sz]\w*|rank\w*|sort\w*|captur\w+"
    r"|measuring"
    r"|reflect\w+|meaning|giving|yielding|following|motivated|inspired|based|indicating|suggesting|predict\w+"
    r"|leaving no|serving|making|telling|showing|scaled|using (?:daily|adjusted|data|prices?|clos\w+))\b"
    r"|\b(?:data|information|prices) (?:known |available )?(?:up to|through|until)"
    r" (?:the )?(?:previous|prior)\b"
    r"|\b[A-Za-z] ?= ?\d|\b(?:no|not any|without any)\b|\bneutrali[sz]|\b(?:19|20)\d\d\b",
    re.IGNORECASE,
)
"""What such words say that changes no formula: names, settings, what is done with the factor."""

FROM_TO: Final = re.compile(
    rf"\b(?:from|between) (?P<far>{_STRETCH_EN}) (?:ago|earlier|back|before)"
    rf" (?:to|until|till|up to|through|and) (?P<near>{_STRETCH_EN}) (?:ago|earlier|back|before)"
    rf"|(?P<far_zh>{_STRETCH_ZH})(?:之?前|以前)(?:至|到|起?至|与|和)(?P<near_zh>{_STRETCH_ZH})(?:之?前|以前)",
    re.IGNORECASE,
)
"""A window between two days in the past."""

LEFT_OUT_DAYS: Final = re.compile(
    r"(?:\bdays?\b|\bsessions?\b|\bmondays\b|\bfridays\b|\bobservations\b)[^.;。；]{0,60}"
    r"\b(?:(?:is|are|were) (?:excluded|dropped|omitted|removed|ignored|left out|discarded)|(?:do"
    r"|does) not count)\b"
    r"|\b(?:exclude|drop|omit|ignore|leave out|discard)s?\b[^.;。；]{0,40}(?:\bdays\b|\bsessions\b"
    r"|\bobservations\b)"
    r"|(?:剔除|去除|去掉|排除|不含|不包括)[^,，。；;]{0,12}[停涨跌告大小高低]的?(?:交易)?[日天]"
    r"|[停涨跌告大小高低]的?(?:交易)?[日天][^,，。；;]{0,6}(?:剔除|去除|除外|不参与|不计入|不算)",
    re.IGNORECASE,
)
"""Days left out, as a sentence of its own says it."""
