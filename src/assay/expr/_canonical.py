"""The canonical form, which is evaluated in place of what was written.

Only rewrites that keep every value, up to rounding, where inputs are missing, zero or infinite: ``x - x``
is not 0 where x is missing, and neither is ``x * 0``; ``a / (b / c)`` is missing where c is 0 and ``a * c
/ b`` is not. Nothing legal becomes illegal: constants are folded only when the result is finite.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Final

from assay.expr._table import op_table
from assay.expr._tree import Call, Constant, Field, Node, distinct

_SIGNED: Final = frozenset({"add", "sub", "neg", "mul", "div"})
_IDEMPOTENT: Final = frozenset({"maximum", "minimum", "and", "or"})
_MIRRORED: Final = MappingProxyType({"lt": "gt", "le": "ge"})

_FOLDED: Final[Mapping[str, Callable[..., float]]] = MappingProxyType(
    {
        "add": lambda x, y: x + y,
        "sub": lambda x, y: x - y,
        "mul": lambda x, y: x * y,
        "div": lambda x, y: x / y,
        "neg": lambda x: -x,
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


def canonical(node: Node, known: dict[Node, Node] | None = None) -> Node:
    """The tree that is evaluated in place of ``node``: inputs of commutative ops in a fixed order, constants
    folded, neutral elements dropped, signs outermost, ``<`` turned to ``>``.

    ``known`` remembers the parts from call to call, for a batch of trees that share them."""
    done: dict[Node, Node] = {} if known is None else known
    keys: dict[Node, str] = {}
    for part in distinct(node):
        if part in done:
            continue
        if isinstance(part, Call):
            args = tuple(done[arg] for arg in part.args)
            done[part] = _simplify(part.op, args, part, keys)
        else:
            done[part] = part
    return done[node]


def order_key(node: Node, keys: dict[Node, str]) -> str:
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
        text = f"{node.op}({','.join(order_key(arg, keys) for arg in node.args)};{params})"
    keys[node] = text
    return text


def _simplify(op: str, args: tuple[Node, ...], original: Call, keys: dict[Node, str]) -> Node:
    if op in _MIRRORED:
        op, args = _MIRRORED[op], (args[1], args[0])
    call = original if op == original.op and args == original.args else Call(op, args, original.params)
    folded = _fold(call)
    if folded is not None:
        return folded
    plain = _signs(call) if op in _SIGNED else _neutral(call)
    if plain is not None:
        return _again(plain)
    if op_table()[op].commutative:
        x, y = call.args
        if order_key(y, keys) < order_key(x, keys):
            return Call(op, (y, x), call.params)
    return call


def _signs(call: Call) -> Node | None:
    """Sums, products and signs: neutral elements go, signs move outwards. Brackets stay: moving them could
    lose a small difference of large values, or the ``1e-12`` that guards a division."""
    op = call.op
    x = call.args[0]
    if op == "neg":
        if isinstance(x, Call) and x.op == "neg":
            return x.args[0]
        if isinstance(x, Call) and x.op == "sub":
            return Call("sub", (x.args[1], x.args[0]))
        return None
    y = call.args[1]
    if op in ("add", "sub"):
        return _sum(op, x, y)
    if _is_neg(x):
        return _negative(Call(op, (_inner(x), y)))
    if _is_neg(y):
        return _negative(Call(op, (x, _inner(y))))
    for factor, other in ((y, x), (x, y)) if op == "mul" else ((y, x),):
        if factor == Constant(1.0):
            return other
        if isinstance(factor, Constant) and factor.value < 0.0 and math.isfinite(factor.value):
            return _negative(Call(op, (other, Constant(-factor.value))))
    return None


def _sum(op: str, x: Node, y: Node) -> Node | None:
    if isinstance(y, Constant) and y.value == 0.0:
        return x
    if isinstance(x, Constant) and x.value == 0.0:
        return y if op == "add" else _negative(y)
    if _is_neg(y):
        return Call("sub" if op == "add" else "add", (x, _inner(y)))
    if op == "sub" and isinstance(y, Constant) and math.isfinite(y.value):
        return Call("add", (x, Constant(-y.value)))
    if op == "add" and _is_neg(x):
        return Call("sub", (y, _inner(x)))
    return None


def _is_neg(node: Node) -> bool:
    return isinstance(node, Call) and node.op == "neg"


def _inner(node: Node) -> Node:
    assert isinstance(node, Call)
    return node.args[0]


def _negative(node: Node) -> Node:
    """``-node``; its sign was not outermost before."""
    return Call("neg", (_again(node),))


def _again(node: Node) -> Node:
    """Rules once more on a node that a rule made; its inputs are canonical already."""
    return _simplify(node.op, node.args, node, {}) if isinstance(node, Call) else node


def _fold(call: Call) -> Constant | None:
    function = _FOLDED.get(call.op)
    if function is None or not all(isinstance(arg, Constant) for arg in call.args):
        return None
    try:
        value = float(function(*[arg.value for arg in call.args if isinstance(arg, Constant)]))
    except (ValueError, OverflowError, ZeroDivisionError):
        return None  # undefined: stays as written, and is missing when evaluated
    return Constant(value) if math.isfinite(value) else None


def _neutral(call: Call) -> Node | None:
    """A smaller tree of the same value, or None."""
    op, args = call.op, call.args
    first = args[0] if args else None
    if op in ("power", "signed_power") and args[1] == Constant(1.0):
        return first
    if op in _IDEMPOTENT and args[0] == args[1] and (op not in ("and", "or") or _is_bool(args[0])):
        return first  # of a number, "x or x" is 0 or 1 and not x
    if op == "abs" and isinstance(first, Call):
        if first.op == "abs":
            return first
        if first.op == "neg":
            return Call("abs", first.args)
    if op == "not" and isinstance(first, Call) and first.op == "not" and _is_bool(first.args[0]):
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
