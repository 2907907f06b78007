# ruff: noqa: E501 - an entry of the op table is read best on one line

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from assay.expr._op import Arg, Composite, Op, Param
from assay.expr._ops._write import BRAIN, SHIFT, XY, W, X, by_hand, example, fast
from assay.expr._tree import Call, Constant, Node

_CATEGORY = "stateful"

OPS = (
    Op(
        name="hump", category=_CATEGORY, args=X, params=(Param("hump", "float", 0.01, low=0.0),), scope="section", stateful=True,
        exponent="cross", missing="defined",
        definition="y moves from its last value towards x by at most limit = hump * (sum of abs(x) over the date); starts at the first valid x; a missing x keeps y and gives missing. "
        "A change below the limit is not made; one above it is cut to the limit",
        source=BRAIN, platform_note="the scale of the limit is not published beyond 'hump x sum of abs(x)'",
        forms=(fast("hump", order="x hump", example=example("from 2 to 5 with limit 1.5: 3.5")),),
    ),
    Op(
        name="trade_when", category=_CATEGORY, args=(Arg("trigger"), Arg("value"), Arg("exit")), scope="time", stateful=True,
        exponent="first", missing="defined",
        definition="missing where exit > 0; else value where trigger > 0; else the result of the bar before, missing at the start. A missing trigger or exit counts as not > 0",
        source=BRAIN,
        forms=(fast("trade_when", order="trigger value exit", renames=(("x", "trigger"), ("y", "value"), ("z", "exit")),
                    example=by_hand("trigger 1, 0, 0; value 5, 6, 7; exit 0, 0, 1: 5, 5, missing")),),
    ),
    Op(
        name="jump_decay", category=_CATEGORY, args=X, scope="time", exponent="shift_free", lookback="window", missing="strict",
        params=(replace(W, low=2), Param("sensitivity", "float", 0.5, low=0.0), Param("force", "float", 0.1, low=0.0)),
        definition="where abs(x - x[t-1]) > sensitivity * standard deviation (divisor n) of the last w values: x[t-1] + force (x - x[t-1]); else x",
        source=BRAIN,
        forms=(fast("jump_decay", order="x window sensitivity force", level="consultant"),),
    ),
    Op(
        name="hump_decay", category=_CATEGORY, args=X, scope="time", exponent="threshold", lookback="delay", missing="propagate",
        params=(replace(SHIFT, default=1), Param("p", "float", 0.0, low=0.0), Param("relative", "bool", False)),
        definition="x where abs(x - y) > p, else y, the x of w bars ago; relative: where abs(x - y) > p abs(x + y). Missing where x or y is",
        source=BRAIN, platform_note="y is yesterday's x, as the published formula says, not yesterday's result; so a slow drift passes, a day late",
        forms=(fast("hump_decay", order="x p relative", level="consultant", window=1,
                    example=by_hand("x = 10, 10.5, 12, newest last: hump_decay(x, p=1) = 12 now, 10 the bar before")),),
    ),
    Op(
        name="ts_delta_limit", category=_CATEGORY, args=XY, scope="time", stateful=True, exponent="same", missing="defined",
        params=(Param("limit", "float", 0.1, low=0.0, high=1.0),),
        definition="moves from its last value towards x by at most limit * abs(y); starts at the first x with a y; where x or y is missing it is missing, and its last value is kept",
        source=BRAIN, platform_note="the start, missing inputs and a negative y are not published",
        forms=(fast("ts_delta_limit", order="x y limit", level="consultant", renames=(("limit_volume", "limit"),),
                    example=by_hand("x = 1, 5, 2, y = 10, newest last: ts_delta_limit(x, y) = 1, 2, 2")),),
    ),
)  # fmt: skip


def _keep(given: Mapping[str, Any]) -> Node:
    age, period = Call("bars_since_change", (given["f"],)), Constant(float(given["period"]))
    return Call("trade_when", (Call("lt", (age, period)), given["x"], Call("gt", (age, period))))


COMPOSITES = (
    Composite(
        dialect="fastexpr", names=("keep",), level="consultant", build=_keep, source=BRAIN,
        slots=(Arg("x"), Arg("f"), Param("period", "int", 5, low=1)),
        definition="trade_when(D < period, x, D > period), D the bars since f last changed, 0 before any change",
        example=by_hand("x = 1, 2, 3, 4, f = 0, 1, 1, 1, newest last: keep(x, f, period=1) = 1, 2, 2, missing"),
    ),
)  # fmt: skip
