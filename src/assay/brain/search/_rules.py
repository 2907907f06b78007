"""Mutation rules on the tree of an expression: each takes a tree and gives trees one idea away."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Final, TypeAlias

import numpy as np

from assay.brain.search._space import WINDOWS, MutationSpace, filled, mapped, places, replaced
from assay.errors import ExpressionError, Refusal
from assay.expr import Call, Constant, Field, FieldInfo, Node, Space, kind_of, op_table, parse
from assay.expr import mutate as random_mutation

Rule: TypeAlias = Callable[[Node, MutationSpace, np.random.Generator], Iterator[Node]]

_POSITIVE_UNITS: Final = frozenset({"price", "shares", "currency"})
_KEEP_POSITIVE: Final = frozenset(
    {"add", "mul", "div", "maximum", "minimum", "delay", "ts_mean", "ts_sum", "ts_max", "ts_min", "ts_median",
     "ts_decay_linear", "ts_backfill", "group_mean"}
)  # fmt: skip
# An order of names is not changed by a logarithm of what is ordered.
_ORDER_ONLY: Final = frozenset({"rank", "ts_rank", "group_rank", "rank_gaussian", "log", "signed_log1p"})
_RANDOM_DRAWS: Final = 4


def _root(node: Node) -> Node:
    """Beneath a sign, the outermost part."""
    while isinstance(node, Call) and node.op == "neg":
        node = node.args[0]
    return node


def _wrap(pattern: str, op: str) -> Rule:
    """Wrap the whole, unless this op is the outermost already."""

    def rule(node: Node, space: MutationSpace, rng: np.random.Generator) -> Iterator[Node]:
        root = _root(node)
        if not (isinstance(root, Call) and root.op == op):
            yield filled(pattern, x=node)

    return rule


def _grouped(pattern: str, op: str, wanted: str) -> Rule:
    """Wrap the whole by each group that there is, the wanted one first."""

    def rule(node: Node, space: MutationSpace, rng: np.random.Generator) -> Iterator[Node]:
        root = _root(node)
        first = space.group(wanted)
        if first is None or (isinstance(root, Call) and root.op == op):
            return
        for name in dict.fromkeys((first, *space.groups)):
            yield filled(pattern, x=node, g=Field(name))

    return rule


def _exchange(old: str, pattern: str) -> Rule:
    """Each op ``old`` for another of the same window, one place at a time."""

    def rule(node: Node, space: MutationSpace, rng: np.random.Generator) -> Iterator[Node]:
        for path, part in places(node):
            if isinstance(part, Call) and part.op == old:
                window = int(part.param("window"))
                yield replaced(node, path, filled(pattern.format(window), x=part.args[0]))

    return rule


def _flip(node: Node, space: MutationSpace, rng: np.random.Generator) -> Iterator[Node]:
    yield node.args[0] if isinstance(node, Call) and node.op == "neg" else Call("neg", (node,))


def _log(node: Node, space: MutationSpace, rng: np.random.Generator) -> Iterator[Node]:
    """Logarithm of the largest parts that are positive by nature and whose order is not all that counts."""
    for path, part in _largest_positive(node, space.fields):
        parent = node
        for step in path[:-1]:
            assert isinstance(parent, Call)
            parent = parent.args[step]
        if path and isinstance(parent, Call) and parent.op not in _ORDER_ONLY:
            yield replaced(node, path, filled("log(x)", x=part))


def _largest_positive(
    node: Node, fields: Mapping[str, FieldInfo], path: tuple[int, ...] = ()
) -> Iterator[tuple[tuple[int, ...], Node]]:
    if isinstance(node, Constant):
        return
    if _positive(node, fields):
        yield path, node
    elif isinstance(node, Call):
        for index, arg in enumerate(node.args):
            yield from _largest_positive(arg, fields, (*path, index))


def _positive(node: Node, fields: Mapping[str, FieldInfo]) -> bool:
    if isinstance(node, Constant):
        return node.value > 0
    if isinstance(node, Field):
        info = fields.get(node.name)
        return info is not None and info.unit in _POSITIVE_UNITS
    numbers = [arg for arg in node.args if kind_of(arg, fields) != "group"]
    return node.op in _KEEP_POSITIVE and all(_positive(arg, fields) for arg in numbers)


def _longer(node: Node, space: MutationSpace, rng: np.random.Generator) -> Iterator[Node]:
    yield from _scaled_windows(node, 2.0)


def _shorter(node: Node, space: MutationSpace, rng: np.random.Generator) -> Iterator[Node]:
    yield from _scaled_windows(node, 0.5)


def _scaled_windows(node: Node, factor: float) -> Iterator[Node]:
    yield mapped(node, lambda call: _with_window(call, factor))


def _window(node: Node, space: MutationSpace, rng: np.random.Generator) -> Iterator[Node]:
    """One window at a time, longer, then shorter."""
    for path, part in places(node):
        if isinstance(part, Call):
            for factor in (2.0, 0.5):
                changed = _with_window(part, factor)
                if changed is not None:
                    yield replaced(node, path, changed)


def _with_window(call: Call, factor: float) -> Call | None:
    """The call with the usual window nearest to ``factor`` times its own, on that side of it."""
    window = dict(call.params).get("window")
    if not isinstance(window, int) or isinstance(window, bool):
        return None
    side = [w for w in WINDOWS if (w > window if factor > 1 else w < window)]
    if not side:
        return None
    chosen = min(side, key=lambda w: abs(w - factor * window))
    params = tuple((name, chosen if name == "window" else value) for name, value in call.params)
    return Call(call.op, call.args, params)


def _trade_when(node: Node, space: MutationSpace, rng: np.random.Generator) -> Iterator[Node]:
    """Trade on days of much volume, or else of much movement of the signal itself."""
    root = _root(node)
    if isinstance(root, Call) and root.op == "trade_when":
        return
    if space.has("volume"):
        yield filled("trade_when(y > ts_mean(y, 20), x, -1)", x=node, y=Field("volume"))
    yield filled("trade_when(abs(ts_delta(x, 1)) > ts_std_dev(x, 20), x, -1)", x=node)


def _risk_scale(node: Node, space: MutationSpace, rng: np.random.Generator) -> Iterator[Node]:
    if space.has("returns"):
        yield filled("x / ts_std_dev(y, 63)", x=node, y=Field("returns"))


def _size_neutral(node: Node, space: MutationSpace, rng: np.random.Generator) -> Iterator[Node]:
    if space.has("cap"):
        yield filled('group_neutralize(x, bucket(rank(y), range="0,1,0.1"))', x=node, y=Field("cap"))
    elif space.has("volume"):
        pattern = 'group_neutralize(x, bucket(rank(ts_mean(y, 21)), range="0,1,0.1"))'
        yield filled(pattern, x=node, y=Field("volume"))


def _backfill(node: Node, space: MutationSpace, rng: np.random.Generator) -> Iterator[Node]:
    """Carry on the last value of every field of numbers that no market data is."""
    known = {n for n, info in space.fields.items() if info.kind == "number" and not info.unit}

    def change(part: Node) -> Node:
        if isinstance(part, Field):
            return filled("ts_backfill(x, 63)", x=part) if part.name in known else part
        if not isinstance(part, Call) or part.op == "ts_backfill":
            return part
        return Call(part.op, tuple(change(arg) for arg in part.args), part.params)

    yield change(node)


def _unwrap(node: Node, space: MutationSpace, rng: np.random.Generator) -> Iterator[Node]:
    """The outermost op taken off, its largest input of numbers kept."""
    if not isinstance(node, Call):
        return
    inner = [arg for arg in node.args if isinstance(arg, Call) and op_table()[arg.op].result == "number"]
    if inner:
        yield max(inner, key=lambda arg: arg.size)


def _combine(node: Node, space: MutationSpace, rng: np.random.Generator) -> Iterator[Node]:
    """With each expression that does well: the sum, then the product, of ranks."""
    for text in space.partners:
        try:
            other = parse(text, "fastexpr", fields=space.fields).node
        except ExpressionError:
            continue  # what another platform or another set of fields took
        if other != node:
            yield filled("rank(x) + rank(y)", x=node, y=other)
            yield filled("rank(x) * rank(y)", x=node, y=other)


def _random(node: Node, space: MutationSpace, rng: np.random.Generator) -> Iterator[Node]:
    """Random steps in the typed space of ops that every user may write."""
    drawn = _random_space(space)
    for _ in range(_RANDOM_DRAWS):
        try:
            yield random_mutation(rng, node, drawn)
        except Refusal:
            return


def _random_space(space: MutationSpace) -> Space:
    defaults = Space()
    forms = {name: op_table()[name].form("fastexpr") for name in defaults.ops}
    ops = tuple(name for name, form in forms.items() if form is not None and form.level == "user")
    return Space(
        fields=space.fields, ops=ops, windows=WINDOWS, nodes=60, depth=12, lookback=1260, adjustment=False
    )


EXPRESSION_RULES: Final[Mapping[str, Rule]] = {
    "flip": _flip,
    "ts_mean": _wrap("ts_mean(x, 5)", "ts_mean"),
    "ts_mean_21": _wrap("ts_mean(x, 21)", "ts_mean"),
    "ts_decay_linear": _wrap("ts_decay_linear(x, 5)", "ts_decay_linear"),
    "ts_zscore": _wrap("ts_zscore(x, 21)", "ts_zscore"),
    "ts_delta": _wrap("ts_delta(x, 5)", "delta"),
    "rank": _wrap("rank(x)", "rank"),
    "zscore": _wrap("zscore(x)", "zscore"),
    "winsorize": _wrap("winsorize(x, std=4)", "winsorize"),
    "quantile": _wrap("quantile(x)", "rank_gaussian"),
    "group_rank": _grouped("group_rank(x, g)", "group_rank", "sector"),
    "group_neutralize": _grouped("group_neutralize(x, g)", "group_neutralize", "industry"),
    "group_zscore": _grouped("group_zscore(x, g)", "group_zscore", "industry"),
    "ts_rank_for_mean": _exchange("ts_mean", "ts_rank(x, {})"),
    "ts_zscore_for_mean": _exchange("ts_mean", "ts_zscore(x, {})"),
    "log": _log,
    "longer": _longer,
    "shorter": _shorter,
    "window": _window,
    "hump": _wrap("hump(x, hump=0.01)", "hump"),
    "trade_when": _trade_when,
    "risk_scale": _risk_scale,
    "size_neutral": _size_neutral,
    "backfill": _backfill,
    "unwrap": _unwrap,
    "combine": _combine,
    "random": _random,
}
"""By name. The first of several trees of a rule is the likeliest."""
