"""Words that join quantities and ops, Chinese and English: signs, verbs, prepositions, brackets, fillers.

A category is named for its words; of those that come in two forms ``AGGV``, ``DIVV`` and ``MULV`` are verbs
before what they act on, ``AGGED`` stands after it, and ``DIVW`` divides in words where ``DIV`` is a sign.
"""

from __future__ import annotations

from typing import Final

from assay.reports.rules._words import Row, row

PARTICLES: Final[tuple[Row, ...]] = (
    row(r"[÷/／]", ("DIV", None)),
    row(r"除以|比上|(?:(?:is|are|was|and|then|when) )*(?:divided by|scaled by|normali[sz]ed by|deflated by)"
        r"|expressed (?:as a (?:fraction|share|proportion|multiple|percentage) of|relative to)"
        r"|in proportion to"
        r"|as a (?:fraction|share|proportion|multiple|percentage) of|per unit of", ("DIVW", None)),
    row(r"relative to|compared (?:with|to)|against|相对于?|相比于?|较(?:之)?",
        ("REL", None), ("DIVW", None, 0.5)),
    row(r"乘以|乘上|乘|×|·|\*|multiplied by|times", ("MUL", None)),
    row(r"减去|减掉|扣减|减|[-−–－]|minus|less", ("SUB", None)),
    row(r"加上|加|[+＋]|plus", ("ADD", None)),
    row(r"倍(?!数|量)", ("TIMES", None)),
    row(r"[Tt]\s?[-−–](?=\s?\d)", ("LAGT", None)),
    row(r"(?<=[日天])和(?=[,，。;；)）]|$|再|除)", ("AGG", "TS_SUM")),
    row(r"that(?= (?:in|over|during|of) )", ("THAT", None)),
    row(r"变异系数|coefficients? of variation", ("CV", None)),
    row(r"(?:we )?smooth(?:ed|ing)?(?= (?:it|this|that|the|these|them|with|by|using|over)\b)",
        ("SMOOTH", None)),
    row(r"(?:之|的)?(?:比值|比率|之比|比例|比重|倍数|商)|之比|(?:的)比|(?:simple )?(?:ratios?|quotients?)",
        ("RATIO", None)),
    row(r"(?:之|的)?(?:差值|差额|价差|差距)|之差|的差|differences?|spread|gap", ("DIFF", None)),
    row(r"之和|的和|sum", ("TOGETHER", None)),
    row(r"averages?|averaging|smooth(?:ing)?", ("AGGV", "TS_MEAN")),
    row(r"add(?:ing)? (?:it|them|this|these|the result) up", ("AGGV", "TS_SUM")),
    row(r"(?:本|该)?(?:因子|指标|信号|得分)(?:值)?(?:为|取|是|即)(?=其)", ("THEN", None)),
    row(r"sum(?:s|ming)?(?: up)?|add(?:ing)? up|cumulat(?:e|ing)|accumulat(?:e|ing)", ("AGGV", "TS_SUM")),
    row(r"之积|的乘积|乘积|products?", ("PRODUCT", None)),
    row(r"幅度", ("DEVIATION", None)),
    row(r"(?:的)?(?:偏离(?:程度|幅度|度|率)?)|(?:percentage |percent )?(?:deviation|distance)",
     ("DEVIATION", None)),
    row(r"from", ("FROM", None)),
    row(r"between|之间|区间|构成的区间", ("BETWEEN", None)),
    row(r"占", ("SHARE", None)),
    row(r"sits|stands|lies|is located", ("POS", None)),
    row(r"(?:的)?(?:相对)?位置|(?:relative )?position", ("POS", None)),
    row(r"与|和|及|以及|and|&", ("AND", None)),
    row(r"to", ("TO", None)),
    row(r"的|之", ("OF", None), ("FILLER", None)),
    row(r"of", ("OF", None)),
    row(r"(?:computed |calculated |measured |estimated |taken )?(?:over|using|from|with|on)(?: (?:a"
        r"|the) (?:rolling |moving "
        r"|trailing )?(?:window|period|span|sample) of| (?:daily )?data (?:of|from|for|over))",
        ("OVER", None)),
    row(r"(?:computed |calculated |measured |estimated |taken )(?:over|on|using|from)|using",
        ("OVER", None)),
    row(r"in absolute (?:value|terms)", ("FNPOST", "ABS")),
    row(r"(?:组合)?(?:形成|建仓|调仓|排序|评估)日?(?:之前|前)(?:的)?", ("PAST", None)),
    row(r"(?:that |which )?(?:preced|lead)(?:es?|ing)? (?:up to )?the (?:portfolio )?(?:formation"
        r"|sort(?:ing)?|rebalancing)"
        r"(?: date)?|(?:before|prior to|up to) the (?:portfolio )?(?:formation|sort(?:ing)?"
        r"|rebalancing) date",
        ("FILLER", None)),
    row(r"over|during|in|within|across|for|on|在|于", ("OVER", None)),
    row(r"over", ("DIVW", None, 0.5), ("OVER", None)),
    row(
        r"th[eo]se(?= \d)|过去|最近|近|此前|前|滚动|回看|往前|截至当日(?:的)?"
        r"|past|last|trailing|previous|prior"
        r"|preceding|recent|foregoing"
        r"|rolling|latest|most recent",
        ("PAST", None)),
    row(r"以?内|以来|期间|区间内|之?间|里|中|window|period|horizon|lookback|look-back", ("WITHIN", None)),
    row(r"前(?:的)?|之前(?:的)?|ago|earlier|before", ("AGO", None)),
    row(r"前一(?:个)?(?:交易)?日(?:的)?|昨日(?:的)?|上一(?:个)?(?:交易)?日(?:的)?"
        r"|(?:the )?(?:previous|prior)(?: trading)? day's|yesterday's", ("PREVIOUS", None)),
    # a lag of the trade is none of the factor
    row(r"(?:滞后|延迟|延后)(?![^,，。;；]{0,8}(?:买入|卖出|执行|下单|建仓|调仓))"
        r"|(?:is |are |and |then )*(?:lagged|delayed|shifted back)(?: by)?|(?:with|at"
        r"|after) a (?:lag|delay) of",
        ("LAGGED", None)),
    row(r"(?:(?:is|are|was|and|then|we) )*(?:averaged|smoothed)", ("AGGED", "TS_MEAN")),
    row(r"(?:(?:is|are|was|and|then|we) )*(?:summed(?: up)?|added up|cumulated|accumulated)",
        ("AGGED", "TS_SUM")),
    row(r"跳过|剔除|扣除|skipping|excluding", ("SKIP", None)),
    row(r"[-−]\s?1 times", ("TURN", None)),
    row(r"with a (?:negative|minus) sign|(?:并|再)?(?:前面)?加(?:上)?负号|并取负(?:号|值)?", ("SIGNED",
     None)),
    row(r"(?:we )?(?:subtract(?:ing)?|deduct(?:ing)?)", ("SUBTRACT", None)),
    row(r"(?:we )?(?:divid|scal|normali[sz]|deflat)(?:es?|ing)", ("DIVV", None)),
    row(r"(?:we )?multiply(?:ing)?", ("MULV", None)),
    row(r"by|with(?= (?:an?|its) \d)", ("BY", None)),
    row(r"both|each|均(?=在|取|为)|两者均", ("BOTH", None)),
    row(r"(?:之后|然后|随后|而后|后|接着|最后|并|且)?再|然后|之后|随后|后|并|且|接着|最后|最终|进而"
        r"|then|and then|after that|finally|which is|that is", ("THEN",
     None)),
    row(r"取|看(?![好多空来出到待])|求取?|计算(?:出)?|算出|统计|进行|做|作"
        r"|(?:we )?(?:take|compute|calculate|form|find|obtain)"
        r"|taking|computing"
        r"|calculating|forming", ("TAKE", None)),
    row(r"等权(?:重)?(?:加权)?|equal(?:ly)?[- ]weighted", ("EQUAL", None)),
    row(r"its|their|the same stock's", ("ITS", None)),
    row(r"[(\[{（【]", ("(", None)),
    row(r"[)\]}）】]", (")", None)),
    row(r"[,，]", (",", None)),
    row(r"、", (",", None), ("AND", None)),
    row(r"\|", ("|", None)),
    row(r"对|将|把|对于|(?:that|which) (?:(?:was|were|is|are|has|have) )?(?:been )?(?:recorded|seen"
        r"|reached|observed|set"
        r"|posted|printed|touched)|recorded|observed|reached|seen|(?:的)?水平|当中|区间内(?=日|成交|收益)",
        ("FILLER", None)),
    row(
        r"单日(?=成交)|[“”\"「」]|对(?:于)?每(?:一)?只(?:股票|个股)"
        r"|for (?:each|every) stock|首先|先|where|个股"
        r"|股票|该股票|该股|每只股票|单只股票|标的|自身|对应|相应|所有|全部|(?:each "
        r"|every |the "
        r"|a )?(?:individual )?stock(?:'s|s'|s)?|its own"
        r"|the|a|an|our|then-current|on each (?:trading )?day|now|just|simply|simple|['’]s|当前|当期|当天"
        r"|当日|今日|today(?:['’]s)?|the day's|current|t日|day t|at day t|of the day|on (?:that|the) day"
        r"|of (?:that|the same) day|每[天日]的?|每个交易日的?|每一天的?",
        ("FILLER", None)),
)  # fmt: skip
