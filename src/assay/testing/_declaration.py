from __future__ import annotations

import re

from assay.expr import Op, op_table
from assay.testing._report import ClauseResult, broken, kept

_NAME = re.compile(r"[a-z][a-z0-9_]{0,39}\Z")
_NEEDS = {
    "none": (),
    "window": ("window",),
    "delay": ("window",),
    "window_lag": ("window", "lag"),
    "span": ("span",),
}


def declaration(op: Op) -> ClauseResult:
    """The entry is complete and contradicts neither itself nor the built-in ops."""
    problems: list[str] = []
    known = op_table().get(op.name)
    if known is not None and known.evaluate is None:
        problems.append(f"the name {op.name!r} is a built-in op's")
    if not _NAME.match(op.name):
        problems.append(f"the name {op.name!r} is not lower case letters, digits and _, at most 40")
    if op.evaluate is None:
        problems.append("evaluate is not set")
    if not op.args:
        problems.append("an op of one's own takes at least one data input, which gives it its shape")
    problems += [f"{a} is empty" for a in ("definition", "source") if not getattr(op, a).strip()]
    names = [arg.name for arg in op.args] + [param.name for param in op.params]
    problems += [f"{name!r} names two inputs" for name in sorted({n for n in names if names.count(n) > 1})]
    params = {param.name for param in op.params}
    problems += [
        f"lookback {op.lookback!r} needs a parameter {n!r}" for n in _NEEDS[op.lookback] if n not in params
    ]
    for param in op.params:
        if param.low is not None and param.high is not None and param.low > param.high:
            problems.append(f"parameter {param.name!r}: low {param.low:g} is above high {param.high:g}")
        if param.choices and param.default is not None and param.default not in param.choices:
            problems.append(f"parameter {param.name!r}: default {param.default!r} is not among its choices")
    if problems:
        return broken("declaration", f"{op.name}: " + "; ".join(problems))
    return kept("declaration")
