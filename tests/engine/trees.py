"""Expressions for the tests that compare the two engines: every op with many settings, and random trees."""

from __future__ import annotations

import itertools
from collections.abc import Iterator

import numpy as np

from assay.expr import Arg, Call, Constant, Field, Node, Op, op_table

NUMBERS = ("close", "open", "high", "low", "volume", "vwap", "amount", "returns", "mixed", "wild")
GROUPS = ("sector", "industry", "market")

WINDOWS = (1, 2, 5, 20)
MIN_PERIODS = (0, 1, 3)
TEXTS = {
    "edges": ("0", "-1,0,0.3,1", "5,10,20"),
    "ignore": ("NaN", "NaN 0", "NAN 0 1.5", ""),
}
FLOATS = {
    "span": (1.0, 2.5, 10.0),
    "q": (0.0, 0.3, 0.5, 1.0),
    "factor": (0.0, 0.5, 1.0),
    "sensitivity": (0.0, 0.5, 1.7),
    "force": (0.1, 1.0),
    "hump": (0.0, 0.001, 0.05),
    "low": (-0.5,),
    "high": (0.5, 10.0),
    "std": (0.0, 1.0, 4.0),
    "max_percent": (0.01, 0.2),
    "longscale": (0.0, 2.0),
    "shortscale": (0.0, 3.0),
    "limit": (0.0, 0.7),
    "sigma": (1.0, 0.5),
    "tolerance": (0.01, 5.0),
    "constant": (0.0, 1.0),
    "value": (0.0, 2.5),
    "scale": (1.0, 3.0),
    "p": (0.0, 0.3),
}
INTS = {
    "k": (1, 2, 4),
    "lag": (0, 1, 3),
    "ddof": (0, 1),
    "m": (1, 2),
    "buckets": (1, 5, 10),
    "start": (1, 7),
    "nth": (0, 2),
}


def settings_of(op: Op) -> Iterator[dict[str, object]]:
    """Every combination of the values tried for each parameter."""
    choices: list[tuple[object, ...]] = []
    for param in op.params:
        if param.choices:
            choices.append(param.choices)
        elif param.type == "bool":
            choices.append((False, True))
        elif param.name == "window":
            choices.append(tuple(w for w in WINDOWS if w >= (param.low or 1)))
        elif param.name == "min_periods":
            choices.append(MIN_PERIODS)
        else:
            choices.append({**TEXTS, **FLOATS, **INTS}[param.name])
    for values in itertools.product(*choices):
        given = dict(zip((p.name for p in op.params), values, strict=True))
        if given.get("m", 0) > given.get("window", 99):  # type: ignore[operator]
            continue
        yield given


def leaf(arg: Arg, place: int) -> Node:
    """An input that suits an argument; ``place`` varies the choice."""
    if arg.kind == "group":
        return Field(GROUPS[place % 2])
    if arg.kind == "vector":
        return Field("news")
    if arg.kind == "bool":
        return Call("gt", (Field("mixed"), Constant(0.1 * place)))
    return Field(("mixed", "close", "returns", "volume", "wild")[place % 5])


def calls_of(op: Op, variants: int = 3) -> Iterator[Call]:
    """The op on a few choices of inputs with every setting."""
    for given in settings_of(op):
        for variant in range(variants):
            args = tuple(leaf(arg, i + 2 * variant) for i, arg in enumerate(op.args))
            yield Call(op.name, args, op.fill(given))


def examples() -> Iterator[Call]:
    """One call of each op."""
    for op in op_table().values():
        yield next(calls_of(op))


def random_call(rng: np.random.Generator, op: Op, args: tuple[Node, ...]) -> Call:
    """The op with settings drawn at random."""
    possible = list(settings_of(op))
    return Call(op.name, args, op.fill(possible[rng.integers(len(possible))]))


def random_tree(rng: np.random.Generator, depth: int, kind: str = "number") -> Node:
    """A typed tree of at most ``depth`` levels."""
    table = [op for op in op_table().values() if op.evaluate is None]
    if kind == "vector":
        return Field("news")
    if depth <= 1 or rng.random() < 0.1:
        if kind == "group":
            return Field(GROUPS[rng.integers(len(GROUPS))])
        if kind == "bool":
            return Call("gt", (Field("mixed"), Constant(0.0)))
        if rng.random() < 0.1:
            return Constant(float(rng.choice([0.0, 0.5, 1.0, 2.0, -1.0])))
        return Field(NUMBERS[rng.integers(len(NUMBERS))])
    fitting = [op for op in table if op.result == kind or (kind == "number" and op.result == "bool")]
    op = fitting[rng.integers(len(fitting))]
    return random_call(rng, op, tuple(random_tree(rng, depth - 1, arg.kind) for arg in op.args))
