from __future__ import annotations

import math

from assay.expr._op import LookbackRule
from assay.expr._table import op_table
from assay.expr._tree import Call, Node, distinct


def added_bars(call: Call, rule: LookbackRule) -> int:
    """Bars that one op needs beyond those of its inputs."""
    if rule == "none":
        return 0
    if rule == "span":
        return math.ceil(float(call.param("span"))) - 1
    window = int(call.param("window"))
    if rule == "window":
        return window - 1
    if rule == "delay":
        return window
    return window - 1 + int(call.param("lag"))


def lookback(node: Node) -> int:
    """Bars needed for the first value, the current one included; a field alone needs 1.

    A recursive op (``stateful`` in the op table) uses all bars it is given; it counts with its window
    or span, from where on the start is forgotten for the most part.
    """
    return bars_of(distinct(node))[node]


def bars_of(parts: list[Node]) -> dict[Node, int]:
    """Lookback of every part; the parts come children first."""
    table = op_table()
    bars: dict[Node, int] = {}
    for part in parts:
        if isinstance(part, Call):
            inner = 1
            for arg in part.args:
                if bars[arg] > inner:
                    inner = bars[arg]
            rule = table[part.op].lookback
            bars[part] = inner if rule == "none" else inner + added_bars(part, rule)
        else:
            bars[part] = 1
    return bars
