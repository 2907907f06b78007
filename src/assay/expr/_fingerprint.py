"""Fingerprint and signature: which formulas count as the same one.

They go further than the canonical form, as nothing is evaluated from them: sums and products are taken
apart and put in order whatever their brackets, which changes the rounding and not the formula.
"""

from __future__ import annotations

import hashlib
import math
from typing import Final

from assay.expr._canonical import canonical, order_key
from assay.expr._table import op_table
from assay.expr._tree import Call, Constant, Node, distinct

_SUMS: Final = frozenset({"add", "sub", "neg"})
_PRODUCTS: Final = frozenset({"mul", "div", "neg"})
_IDEMPOTENT: Final = frozenset({"maximum", "minimum", "and", "or"})
# Linear in their first input: a factor can be taken out.
_LINEAR: Final = frozenset(
    {
        "delay", "delta", "ts_sum", "ts_mean", "ts_decay_linear", "ts_decay_exp", "ts_ema", "ts_sma",
        "ts_wma", "ts_mean_deviation", "ts_slope", "ts_resid", "ts_backfill", "cumulative_sum",
        "demean", "group_neutralize", "group_sum", "vec_sum", "vec_avg",
    }
)  # fmt: skip
# f(c x) = sign(c) f(x)
_ODD: Final = frozenset({"zscore", "ts_zscore", "group_zscore", "ts_skew", "ts_ir"})
# f(c x) = f(x) for c > 0
_SCALE_FREE: Final = frozenset({"rank", "ts_rank", "group_rank", "rank_gaussian", "ts_rank_gaussian", "sign"})
_ODD_PAIRS: Final = frozenset({"ts_corr"})


def fingerprint(node: Node) -> str:
    """24 hexadecimal digits, equal for trees that are the same formula up to rounding."""
    return _digest(order_key(_normal(node), {}))


def signature(node: Node) -> str:
    """Like the fingerprint, and equal also for trees that differ by a constant factor other than 0."""
    return _digest(order_key(_unscaled(_normal(node)), {}))


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:24]


def _normal(node: Node) -> Node:
    """The canonical form with every chain of one associative op sorted as a whole."""
    start = canonical(node)
    done: dict[Node, Node] = {}
    keys: dict[Node, str] = {}
    for part in distinct(start):
        done[part] = _reordered(part, done, keys) if isinstance(part, Call) else part
    return done[start]


def _reordered(part: Call, done: dict[Node, Node], keys: dict[Node, str]) -> Node:
    args = tuple(done[arg] for arg in part.args)
    call = part if args == part.args else Call(part.op, args, part.params)
    if call.op in _SUMS:
        return _sum(call, keys)
    if call.op in _PRODUCTS:
        return _product(call, keys)
    if call.op in _IDEMPOTENT:
        return _chain(call, keys)
    if op_table()[call.op].commutative:
        x, y = call.args
        if order_key(y, keys) < order_key(x, keys):
            return Call(call.op, (y, x), call.params)
    return call


def _chain(call: Call, keys: dict[Node, str]) -> Node:
    """Nested maximum, minimum, and, or: one sorted chain without repeats."""
    parts: dict[Node, None] = {}
    stack = [*reversed(call.args)]
    while stack:
        part = stack.pop()
        if isinstance(part, Call) and part.op == call.op:
            stack.extend(reversed(part.args))
        else:
            parts[part] = None
    if len(parts) == 1 and call.op in ("and", "or"):
        # the canonical form keeps this for numbers, whose "x or x" is 0 or 1
        return Call(call.op, (part, part))
    return _joined(call.op, list(parts), keys)


def _joined(op: str, parts: list[Node], keys: dict[Node, str]) -> Node:
    ordered = sorted(parts, key=lambda part: order_key(part, keys))
    result = ordered[0]
    for part in ordered[1:]:
        result = Call(op, (result, part))
    return result


def _sum(call: Call, keys: dict[Node, str]) -> Node:
    plus: list[Node] = []
    minus: list[Node] = []
    constant = 0.0
    stack: list[tuple[Node, bool]] = [(call, True)]
    while stack:
        part, positive = stack.pop()
        if isinstance(part, Call) and part.op in _SUMS:
            stack.append((part.args[0], positive == (part.op != "neg")))
            if part.op != "neg":
                stack.append((part.args[1], positive == (part.op == "add")))
        elif isinstance(part, Constant) and math.isfinite(constant + part.value):
            constant += part.value if positive else -part.value
        else:
            (plus if positive else minus).append(part)
    if not plus and not minus:
        return Constant(constant)
    if not plus:
        total: Node = Call("neg", (_joined("add", minus, keys),))
        if constant:
            return Call("sub", (Constant(constant), _joined("add", minus, keys)))
        return total
    total = _joined("add", plus, keys)
    if constant:
        total = Call("add", (total, Constant(constant)))
    for part in sorted(minus, key=lambda part: order_key(part, keys)):
        total = Call("sub", (total, part))
    return total


def _product(call: Call, keys: dict[Node, str]) -> Node:
    top: list[Node] = []
    bottom: list[Node] = []
    factor = _collect(call, top, bottom)
    size = abs(factor)
    if not top:
        result: Node = Constant(size)
        if bottom:
            result = Call("div", (result, _joined("mul", bottom, keys)))
    else:
        result = _joined("mul", top, keys)
        if bottom:
            result = Call("div", (result, _joined("mul", bottom, keys)))
        if size != 1.0:
            result = Call("mul", (result, Constant(size)))
    if factor < 0:
        return Constant(factor) if isinstance(result, Constant) else _sum(Call("neg", (result,)), keys)
    return result


def _collect(call: Call, top: list[Node], bottom: list[Node]) -> float:
    """Fill the factors above and below the line; the constant one is returned."""
    factor = 1.0
    stack: list[tuple[Node, bool]] = [(call, True)]
    while stack:
        part, above = stack.pop()
        if isinstance(part, Call) and part.op in _PRODUCTS and (above or part.op != "div"):
            if part.op == "neg":
                factor = -factor
                stack.append((part.args[0], above))
                continue
            stack.append((part.args[0], above))
            stack.append((part.args[1], above and part.op == "mul"))
            continue
        if isinstance(part, Constant):
            changed = _times(factor, part.value, above)
            if changed is not None:
                factor = changed
                continue
        (top if above else bottom).append(part)
    return factor


def _times(factor: float, value: float, above: bool) -> float | None:
    """The factor with one more constant; None where that is not an ordinary number."""
    if not above and (value == 0.0 or not math.isfinite(1.0 / value)):
        return None
    changed = factor * value if above else factor / value
    if not math.isfinite(changed) or (changed == 0.0 and value != 0.0 and factor != 0.0):
        return None
    return changed


def _unscaled(node: Node) -> Node:
    """The tree without constant factors that only scale the whole result."""
    while isinstance(node, Call):
        if node.op == "neg" or (node.op == "mul" and _nonzero(node.args[1])):
            node = node.args[0]
        elif node.op == "div" and _nonzero(node.args[0]) and node.args[0] != Constant(1.0):
            node = Call("div", (Constant(1.0), node.args[1]))
        elif node.op in _LINEAR or node.op in _ODD:
            return Call(node.op, (_unscaled(node.args[0]), *node.args[1:]), node.params)
        elif node.op in _ODD_PAIRS:
            pair = sorted((_unscaled(arg) for arg in node.args), key=lambda arg: order_key(arg, {}))
            return Call(node.op, tuple(pair), node.params)
        elif node.op in _SCALE_FREE:
            return Call(node.op, (_positively_unscaled(node.args[0]), *node.args[1:]), node.params)
        else:
            return node
    return node


def _positively_unscaled(node: Node) -> Node:
    if isinstance(node, Call) and node.op == "neg":
        return Call("neg", (_positively_unscaled(node.args[0]),))
    while isinstance(node, Call) and node.op == "mul" and _nonzero(node.args[1]):
        node = node.args[0]
    return node


def _nonzero(node: Node) -> bool:
    return isinstance(node, Constant) and node.value != 0.0 and math.isfinite(node.value)
