"""Random trees: sampling, mutation and crossover that can only make valid, typed trees."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from types import MappingProxyType
from typing import Final, TypeAlias, TypeVar

import numpy as np

from assay.errors import Refusal
from assay.expr import _reasons as reasons
from assay.expr._exponent import exponent
from assay.expr._fields import STANDARD_FIELDS, FieldInfo
from assay.expr._lookback import lookback
from assay.expr._lower import kind_of
from assay.expr._op import Kind, Op, Param
from assay.expr._table import op_table
from assay.expr._tree import Call, Constant, Field, Node, ParamValue
from assay.expr._validate import accepts

_T = TypeVar("_T")

_FIELDS: Final = ("open", "high", "low", "close", "vwap", "volume", "amount", "returns")
_OPS: Final = (
    "add", "sub", "mul", "div", "neg", "abs", "sign", "log", "maximum", "minimum", "signed_log1p", "gt",
    "lt", "and", "or", "not", "where", "delay", "delta", "ts_return", "ts_sum", "ts_mean", "ts_max",
    "ts_min", "ts_median", "ts_mad", "ts_std", "ts_var", "ts_zscore", "ts_skew", "ts_kurt", "ts_argmax",
    "ts_argmin", "ts_rank", "ts_quantile", "ts_decay_linear", "ts_ema", "ts_wma", "ts_scale",
    "ts_count", "ts_sum_if", "ts_mean_deviation", "ts_slope", "ts_rsquare", "ts_resid", "ts_corr",
    "ts_cov", "ts_regression", "rank", "zscore", "demean", "winsorize", "group_neutralize",
    "group_zscore", "group_rank", "group_mean", "vec_avg", "vec_sum",
)  # fmt: skip
_TRIES: Final = 200
_INNER_TRIES: Final = 6


@dataclass(frozen=True)
class Space:
    """The trees that may be made.

    Parameters
    ----------
    fields : fields by name; ops that need a group or a vector are drawn only when there is one.
    ops : canonical names.
    windows, constants : values to draw from.
    nodes, depth, lookback : most that a tree may have.
    adjustment : only trees whose value does not depend on a stock's adjustment factor.
    """

    fields: Mapping[str, FieldInfo] = field(
        default_factory=lambda: MappingProxyType({n: STANDARD_FIELDS[n] for n in (*_FIELDS, "industry")})
    )
    ops: tuple[str, ...] = _OPS
    windows: tuple[int, ...] = (3, 5, 10, 20, 40, 60, 120)
    constants: tuple[float, ...] = (0.5, 1.0, 2.0)
    nodes: int = 30
    depth: int = 8
    lookback: int = 504
    adjustment: bool = True

    @cached_property
    def by_kind(self) -> Mapping[Kind, tuple[Op, ...]]:
        """Ops that can be drawn for each kind of result."""
        kinds: set[Kind] = {"number", "bool", *(info.kind for info in self.fields.values())}
        table = op_table()
        usable = [table[name] for name in self.ops if all(arg.kind in kinds for arg in table[name].args)]
        names: tuple[Kind, ...] = ("number", "bool", "group")
        return {kind: tuple(op for op in usable if op.result == kind) for kind in names}

    def allows(self, node: Node) -> bool:
        """Whether a valid tree keeps to the bounds of this space."""
        if node.size > self.nodes or node.depth > self.depth or lookback(node) > self.lookback:
            return False
        if not self.adjustment:
            return True
        found = exponent(node, self.fields)
        return found.invariant or found.unknown


def sample(rng: np.random.Generator, space: Space | None = None) -> Node:
    """A random tree of kind number; equal generators draw equal trees.

    Raises
    ------
    Refusal
        Reason ``no_valid_change``: nothing was found, as with fields of one exponent and no ratio op.
    """
    chosen = space or Space()
    grower = _Grower(rng, chosen)
    want = 0.0 if chosen.adjustment else None
    for _ in range(_TRIES):
        node = grower.grow("number", int(rng.integers(2, chosen.depth + 1)), want)
        if isinstance(node, Call) and chosen.allows(node):
            return node
    raise Refusal(reasons.NO_CHANGE, f"no tree within {chosen.nodes} nodes was drawn in {_TRIES} attempts")


def mutate(rng: np.random.Generator, node: Node, space: Space | None = None) -> Node:
    """A tree one step away: a part regrown, an op, parameter or field exchanged, a level taken out or put in.

    Raises
    ------
    Refusal
        Reason ``no_valid_change``.
    """
    chosen = space or Space()
    grower = _Grower(rng, chosen)
    steps = (_regrow, _exchange_op, _exchange_param, _exchange_field, _hoist, _wrap)
    for _ in range(_TRIES):
        path, part = _pick(rng, list(_places(node)))
        changed = _pick(rng, steps)(rng, part, grower)
        if changed is None or changed == part:
            continue
        result = _replaced(node, path, changed)
        if (
            isinstance(result, Call)
            and result.size
            and chosen.allows(result)
            and _kinds_fit(result, chosen.fields)
        ):
            return result
    raise Refusal(reasons.NO_CHANGE, f"no valid mutation was found in {_TRIES} attempts")


def crossover(rng: np.random.Generator, a: Node, b: Node, space: Space | None = None) -> Node:
    """``a`` with one of its parts exchanged for a part of ``b`` of the same kind.

    Raises
    ------
    Refusal
        Reason ``no_valid_change``.
    """
    chosen = space or Space()
    places, donors = list(_places(a)), list(_places(b))
    for _ in range(_TRIES):
        path, part = _pick(rng, places)
        _, donor = _pick(rng, donors)
        if donor == part or kind_of(donor, chosen.fields) != kind_of(part, chosen.fields):
            continue
        result = _replaced(a, path, donor)
        if isinstance(result, Call) and chosen.allows(result) and _kinds_fit(result, chosen.fields):
            return result
    raise Refusal(reasons.NO_CHANGE, f"no valid crossover was found in {_TRIES} attempts")


_Path: TypeAlias = tuple[int, ...]


def _pick(rng: np.random.Generator, items: tuple[_T, ...] | list[_T]) -> _T:
    return items[int(rng.integers(len(items)))]


def _places(node: Node, path: _Path = ()) -> Iterator[tuple[_Path, Node]]:
    yield path, node
    if isinstance(node, Call):
        for i, arg in enumerate(node.args):
            yield from _places(arg, (*path, i))


def _replaced(node: Node, path: _Path, part: Node) -> Node:
    if not path:
        return part
    assert isinstance(node, Call)
    args = list(node.args)
    args[path[0]] = _replaced(args[path[0]], path[1:], part)
    return Call(node.op, tuple(args), node.params)


def _kinds_fit(node: Node, fields: Mapping[str, FieldInfo]) -> bool:
    if not isinstance(node, Call):
        return True
    slots = op_table()[node.op].args
    for slot, arg in zip(slots, node.args, strict=True):
        if not accepts(slot.kind, kind_of(arg, fields)) or not _kinds_fit(arg, fields):
            return False
    return True


class _Grower:
    """Grows trees of a wanted kind and, when adjustment matters, of a wanted exponent."""

    def __init__(self, rng: np.random.Generator, space: Space) -> None:
        self.rng = rng
        self.space = space

    def grow(self, kind: Kind, depth: int, want: float | None = None) -> Node | None:
        """A tree of at most ``depth`` levels, or None when none was found."""
        if kind in ("group", "vector"):
            return self._leaf(kind, None)
        if depth <= 1:
            return self._leaf(kind, want)
        if kind == "number" and self.rng.random() < 0.15:
            return self._leaf(kind, want)
        ops = self.space.by_kind[kind]
        for _ in range(_INNER_TRIES if ops else 0):
            node = self.apply(_pick(self.rng, ops), depth - 1, want)
            if node is not None:
                return node
        return self._leaf(kind, want)

    def apply(self, op: Op, depth: int, want: float | None) -> Node | None:
        """One op on grown inputs; None when the exponents do not come out."""
        args: list[Node] = []
        inner = 0.0 if op.exponent in ("cross", "dimensionless", "exponential") else None
        for slot in op.args:
            target = inner
            if (
                args
                and self.space.adjustment
                and op.exponent in ("same", "sum", "difference", "compare", "select")
            ):
                target = (
                    self._exponent(args[-1])
                    if slot.kind == "number" and op.args[0].kind == "number"
                    else None
                )
                if op.exponent == "select" and len(args) == 2:
                    target = self._exponent(args[1])
            if (
                slot.kind == "number"
                and len(op.args) == 2
                and args
                and self.rng.random() < 0.1
                and op.exponent == "product"
            ):
                args.append(Constant(_pick(self.rng, self.space.constants)))
                continue
            arg = self.grow(slot.kind, depth, target if self.space.adjustment else None)
            if arg is None:
                return None
            args.append(arg)
        node = Call(op.name, tuple(args), self.params(op))
        if not self.space.adjustment:
            return node
        found = exponent(node, self.space.fields)
        if found.kind in ("broken", "log"):
            return None
        if want is not None and not found.unknown and found.kind == "power" and found.value != want:
            return None
        return node

    def params(self, op: Op) -> tuple[tuple[str, ParamValue], ...]:
        """Windows drawn, the other parameters at or near their defaults."""
        return tuple((param.name, self.param(param)) for param in op.params)

    def param(self, param: Param) -> ParamValue:
        if param.name == "window":
            return int(_pick(self.rng, self.space.windows))
        if param.name == "span":
            return float(_pick(self.rng, self.space.windows))
        if param.name == "output":
            return _pick(self.rng, ("residual", "beta", "r2"))
        if param.default is not None:
            return param.default
        if param.type == "int":
            return max(1, int(param.low or 1))
        low = 0.0 if param.low is None else param.low
        high = 1.0 if param.high is None else param.high
        return round(float(self.rng.uniform(low, high)), 2)

    def _exponent(self, node: Node) -> float | None:
        found = exponent(node, self.space.fields)
        return found.value if found.kind == "power" else None

    def _leaf(self, kind: Kind, want: float | None) -> Node | None:
        fields = self.space.fields
        fitting = [n for n, info in fields.items() if info.kind == kind and want in (None, info.exponent)]
        if fitting:
            return Field(_pick(self.rng, fitting))
        numbers = [n for n, info in fields.items() if info.kind == "number"]
        if kind == "number" and want == 0.0 and numbers:
            window = int(_pick(self.rng, self.space.windows))
            return Call("ts_return", (Field(_pick(self.rng, numbers)),), (("window", window),))
        if kind == "bool" and numbers:
            first = Field(_pick(self.rng, numbers))
            return Call(
                "gt",
                (first, Call("delay", (first,), (("window", int(_pick(self.rng, self.space.windows))),))),
            )
        return None


_Step: TypeAlias = Callable[[np.random.Generator, Node, _Grower], Node | None]


def _regrow(rng: np.random.Generator, part: Node, grower: _Grower) -> Node | None:
    return grower.grow(kind_of(part, grower.space.fields), int(rng.integers(1, 4)))


def _exchange_op(rng: np.random.Generator, part: Node, grower: _Grower) -> Node | None:
    """Another op with the same inputs, keeping the parameters that both have."""
    if not isinstance(part, Call):
        return None
    own = op_table()[part.op]
    kinds = [arg.kind for arg in own.args]
    others = [
        op
        for op in grower.space.by_kind.get(own.result, ())
        if [arg.kind for arg in op.args] == kinds and op.name != part.op
    ]
    if not others:
        return None
    op = _pick(rng, others)
    kept = {
        p.name: value
        for p in op.params
        for name, value in part.params
        if p.name == name and any(p == q for q in own.params)
    }
    params = tuple((p.name, kept.get(p.name, grower.param(p))) for p in op.params)
    return Call(op.name, part.args, params)


def _exchange_param(rng: np.random.Generator, part: Node, grower: _Grower) -> Node | None:
    if not isinstance(part, Call) or not part.params:
        return None
    op = op_table()[part.op]
    place = int(rng.integers(len(op.params)))
    name = op.params[place].name
    if name not in ("window", "span", "output") and op.params[place].default is not None:
        return None
    params = list(part.params)
    params[place] = (name, grower.param(op.params[place]))
    return Call(part.op, part.args, tuple(params))


def _exchange_field(rng: np.random.Generator, part: Node, grower: _Grower) -> Node | None:
    fields = grower.space.fields
    if not isinstance(part, Field):
        return None
    kind = kind_of(part, fields)
    others = [name for name, info in fields.items() if info.kind == kind and name != part.name]
    return Field(_pick(rng, others)) if others else None


def _hoist(rng: np.random.Generator, part: Node, grower: _Grower) -> Node | None:
    """An input in place of its op."""
    if not isinstance(part, Call) or not part.args:
        return None
    kind = kind_of(part, grower.space.fields)
    inner = [arg for arg in part.args if kind_of(arg, grower.space.fields) == kind]
    return _pick(rng, inner) if inner else None


def _wrap(rng: np.random.Generator, part: Node, grower: _Grower) -> Node | None:
    """One more op around a part."""
    kind = kind_of(part, grower.space.fields)
    ops = [op for op in grower.space.by_kind.get(kind, ()) if len(op.args) == 1 and op.args[0].kind == kind]
    if not ops:
        return None
    op = _pick(rng, ops)
    return Call(op.name, (part,), grower.params(op))
