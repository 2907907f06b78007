# ruff: noqa: E501 - an entry of the op table is read best on one line

from __future__ import annotations

from dataclasses import replace

from assay.expr._op import Arg, Composite, Op, Param
from assay.expr._ops._write import BRAIN, W, X, by_hand, example, fast

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
)  # fmt: skip

COMPOSITES: tuple[Composite, ...] = ()
