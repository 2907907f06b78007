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
    table = op_table()
    bars: dict[Node, int] = {}
    for current in distinct(node):
        if isinstance(current, Call):
            inner = max((bars[arg] for arg in current.args), default=1)
            bars[current] = inner + added_bars(current, table[current.op].lookback)
        else:
            bars[current] = 1
    return bars[node]
