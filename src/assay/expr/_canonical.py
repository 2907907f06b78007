"""Canonical form, fingerprint and signature.

Only rewrites that keep every value, up to rounding, where inputs are missing, zero or infinite: ``x - x``
is not 0 where x is missing, and neither is ``x * 0``; ``a / (b / c)`` is missing where c is 0 and ``a * c
/ b`` is not. Nothing legal becomes illegal: constants are folded only when the result is finite.
"""

from __future__ import annotations

import hashlib
import math
from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Final

from assay.expr._table import op_table
from assay.expr._tree import Call, Constant, Field, Node, distinct

_SUMS: Final = frozenset({"add", "sub", "neg"})
_PRODUCTS: Final = frozenset({"mul", "div", "neg"})
_IDEMPOTENT: Final = frozenset({"maximum", "minimum", "and", "or"})
_MIRRORED: Final = MappingProxyType({"lt": "gt", "le": "ge"})

_FOLDED: Final[Mapping[str, Callable[..., float]]] = MappingProxyType(
    {
        "abs": abs,
        "sign": lambda x: float((x > 0) - (x < 0)),
        "log": math.log,
        "exp": math.exp,
        "sqrt": math.sqrt,
        "power": math.pow,
        "signed_power": lambda x, y: math.copysign(math.pow(abs(x), y), x) if x else 0.0 * math.pow(0.0, y),
        "maximum": max,
        "minimum": min,
    }
)

_COMPARED: Final[Mapping[str, Callable[[float, float], bool]]] = MappingProxyType(
    {
        "gt": lambda x, y: x > y,
        "ge": lambda x, y: x >= y,
        "eq": lambda x, y: x == y,
        "ne": lambda x, y: x != y,
    }
)

# Linear in their first input: a factor can be taken out.
_LINEAR: Final = frozenset(
    {
        "delay", "delta", "ts_sum", "ts_mean", "ts_decay_linear", "ts_decay_exp", "ts_ema", "ts_sma", "ts_wma",
        "ts_mean_deviation", "ts_slope", "ts_resid", "ts_backfill", "cumulative_sum", "demean", "group_neutralize",
        "group_sum", "vec_sum", "vec_avg",
    }
)  # fmt: skip
# f(c x) = sign(c) f(x)
_ODD: Final = frozenset({"zscore", "ts_zscore", "group_zscore", "ts_skew", "ts_ir"})
# f(c x) = f(x) for c > 0
_SCALE_FREE: Final = frozenset({"rank", "ts_rank", "group_rank", "rank_gaussian", "ts_rank_gaussian", "sign"})
_ODD_PAIRS: Final = frozenset({"ts_corr"})


def canonical(node: Node) -> Node:
    """The tree that is evaluated in place of ``node``: sums and products in a fixed order, constants folded,
    neutral elements dropped, ``<`` turned to ``>``."""
    done: dict[Node, Node] = {}
    keys: dict[Node, str] = {}
    for part in distinct(node):
        if isinstance(part, Call):
            args = tuple(done[arg] for arg in part.args)
            done[part] = _simplify(part.op, args, part, keys)
        else:
            done[part] = part
    return done[node]


def fingerprint(node: Node) -> str:
    """24 hexadecimal digits, equal for trees whose canonical forms are equal up to rounding of constants."""
    return _digest(_key(canonical(node), {}))


def signature(node: Node) -> str:
    """Like the fingerprint, and equal also for trees that differ by a constant factor other than 0."""
    return _digest(_key(_unscaled(canonical(node)), {}))


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:24]


def _key(node: Node, keys: dict[Node, str]) -> str:
    """A text that orders and identifies canonical trees; constants rounded to 9 digits, after all others."""
    found = keys.get(node)
    if found is not None:
        return found
    if isinstance(node, Constant):
        text = f"~{node.value:.9g}"
    elif isinstance(node, Field):
        text = node.name
    else:
        params = ",".join(f"{v:.9g}" if isinstance(v, float) else repr(v) for _, v in node.params)
        text = f"{node.op}({','.join(_key(arg, keys) for arg in node.args)};{params})"
    keys[node] = text
    return text


def _simplify(op: str, args: tuple[Node, ...], original: Call, keys: dict[Node, str]) -> Node:
    if op in _MIRRORED:
        op, args = _MIRRORED[op], (args[1], args[0])
    call = original if op == original.op and args == original.args else Call(op, args, original.params)
    if op in ("add", "sub", "neg"):
        return _sum(call, keys)
    if op in ("mul", "div"):
        return _product(call, keys)
    folded = _fold(call)
    if folded is not None:
        return folded
    if op in _IDEMPOTENT:
        return _chain(call, keys)
    plain = _neutral(call)
    if plain is not None:
        return plain
    if op_table()[op].commutative:
        x, y = call.args
        if _key(y, keys) < _key(x, keys):
            return Call(op, (y, x), call.params)
    return call


def _fold(call: Call) -> Constant | None:
    function = _FOLDED.get(call.op)
    if function is None or not all(isinstance(arg, Constant) for arg in call.args):
        return None
    try:
        value = float(function(*[arg.value for arg in call.args if isinstance(arg, Constant)]))
    except (ValueError, OverflowError):
        return None  # undefined: stays as written, and is missing when evaluated
    return Constant(value) if math.isfinite(value) else None


def _neutral(call: Call) -> Node | None:
    """A smaller tree of the same value, or None."""
    op, args = call.op, call.args
    first = args[0] if args else None
    if op in ("power", "signed_power") and args[1] == Constant(1.0):
        return first
    if op == "abs" and isinstance(first, Call):
        if first.op == "abs":
            return first
        if first.op == "neg":
            return Call("abs", first.args)
    if op == "not" and isinstance(first, Call) and first.op == "not":
        return first.args[0]
    if op == "ne" and _is_bool(args[0]) and args[1] == Constant(0.0):
        return args[0]
    if op == "delay" and isinstance(first, Call) and first.op == "delay":
        bars = call.param("window") + first.param("window")
        return Call("delay", first.args, (("window", bars),))
    if op == "where":
        return _decided(call)
    return None


def _decided(call: Call) -> Node | None:
    condition = call.args[0]
    if isinstance(condition, Call) and condition.op in _COMPARED:
        x, y = condition.args
        if isinstance(x, Constant) and isinstance(y, Constant) and not math.isnan(x.value + y.value):
            return call.args[1] if _COMPARED[condition.op](x.value, y.value) else call.args[2]
    return None


def _is_bool(node: Node) -> bool:
    return isinstance(node, Call) and op_table()[node.op].result == "bool"


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
    return _joined(call.op, list(parts), keys)


def _joined(op: str, parts: list[Node], keys: dict[Node, str]) -> Node:
    ordered = sorted(parts, key=lambda part: _key(part, keys))
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
    for part in sorted(minus, key=lambda part: _key(part, keys)):
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
        return Constant(factor) if isinstance(result, Constant) else Call("neg", (result,))
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
            pair = sorted((_unscaled(arg) for arg in node.args), key=lambda arg: _key(arg, {}))
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
