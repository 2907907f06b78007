from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from assay.base import generator
from assay.expr import Arg, Call, Field, Op, Param, ParamValue, added_bars

Array: TypeAlias = NDArray[Any]
Settings: TypeAlias = Mapping[str, ParamValue]

DATES = 48
NAMES = 7
LISTED = 4

_USUAL: Mapping[str, ParamValue] = {"window": 5, "span": 4.0, "lag": 2, "k": 2}


@dataclass(frozen=True)
class Trial:
    """An op with one choice of parameters, ready to be run on test data."""

    op: Op
    params: Settings

    @property
    def call(self) -> Call:
        """The op as a node over fields named like its arguments."""
        return Call(self.op.name, tuple(Field(arg.name) for arg in self.op.args), tuple(self.params.items()))

    @property
    def lookback(self) -> int:
        """Bars that the declaration says are needed, the current one included."""
        return 1 + added_bars(self.call, self.op.lookback)

    @property
    def label(self) -> str:
        shown = ", ".join(f"{name}={value!r}" for name, value in self.params.items())
        return f"{self.op.name}({shown})"

    def run(self, inputs: Sequence[Array]) -> Array:
        """The op's result as the engine stores it: float32 with infinities missing, or codes of a group."""
        assert self.op.evaluate is not None
        # columns without any value are ordinary here, and numpy warns of them
        with np.errstate(all="ignore"), warnings.catch_warnings():
            warnings.simplefilter("ignore", RuntimeWarning)
            result = np.asarray(self.op.evaluate([_read_only(a) for a in inputs], dict(self.params)))
            if self.op.result == "group" and result.dtype.kind in "iu":
                return result.astype(np.int64)
            stored = result.astype(np.float32)
        stored[np.isinf(stored)] = np.nan
        return stored


def trials(op: Op, settings: Sequence[Settings] = ()) -> list[Trial]:
    """The op with the given parameters, or with its defaults and usual values for those that have none."""
    chosen = settings or [{p.name: _usual(p) for p in op.params if p.default is None}]
    return [Trial(op, dict(op.fill(given))) for given in chosen]


def _usual(param: Param) -> ParamValue:
    if param.choices:
        return param.choices[0]
    if param.name in _USUAL:
        return _USUAL[param.name]
    if param.type == "text":
        return ""
    if param.type == "bool":
        return False
    low = param.low if param.low is not None else 0.0
    high = param.high if param.high is not None else low + 2.0
    middle = (low + high) / 2.0
    return round(middle) if param.type == "int" else middle


def ordinary(op: Op, seed: int = 0) -> list[Array]:
    """Inputs without gaps: positive numbers without ties, conditions, groups of several names, full lists."""
    return [_draw(arg, generator(seed, "ordinary", i), gaps=0.0) for i, arg in enumerate(op.args)]


def uneven(op: Op, seed: int = 0) -> list[Array]:
    """Inputs with gaps, ties and both signs; a late listing, an empty column, names without a group."""
    drawn = [_draw(arg, generator(seed, "uneven", i), gaps=0.15) for i, arg in enumerate(op.args)]
    for arg, values in zip(op.args, drawn, strict=True):
        if arg.kind in ("number", "any"):
            values[:, ::2] -= 1.0
            values[:, 3] = np.round(values[:, 3])
        if arg.kind != "group":
            values[..., : DATES // 3, 1] = np.nan
            values[..., 2] = np.nan
    return drawn


def _draw(arg: Arg, rng: np.random.Generator, gaps: float) -> Array:
    shape = (DATES, NAMES)
    if arg.kind == "group":
        codes = np.repeat(rng.permutation(np.arange(NAMES) % 3)[None, :], DATES, axis=0)
        return np.where(rng.random(shape) < gaps, -1, codes).astype(np.int32)
    if arg.kind == "bool":
        values = (rng.random(shape) < 0.5).astype(np.float32)
    elif arg.kind == "vector":
        values = np.exp(rng.normal(0.0, 0.3, (LISTED, *shape))).astype(np.float32)
    else:
        values = np.exp(rng.normal(0.0, 0.3, shape)).astype(np.float32)
    values[rng.random(values.shape) < gaps] = np.nan
    return values


def rows(inputs: Sequence[Array], stop: int) -> list[Array]:
    """The first ``stop`` dates of every input."""
    return [np.ascontiguousarray(a[..., :stop, :]) for a in inputs]


def other_values(inputs: Sequence[Array], where: Callable[[Array], None], op: Op, seed: int) -> list[Array]:
    """Copies with other values of their kind in the cells that ``where`` marks on a mask (dates, names)."""
    mask = np.zeros((inputs[0].shape[-2], inputs[0].shape[-1]), dtype=np.bool_)
    where(mask)
    fresh = uneven(op, seed)
    return [np.where(mask, b[..., : mask.shape[0], :], a) for a, b in zip(inputs, fresh, strict=True)]


def same_bits(a: Array, b: Array) -> Array:
    """Cell by cell: equal, or missing on both sides."""
    return np.asarray((a == b) | ((a != a) & (b != b)))


def nearly(a: Array, b: Array, relative: float, absolute: float = 0.0) -> Array:
    """Cell by cell: within the tolerance, or missing on both sides."""
    with np.errstate(invalid="ignore"):
        close = np.abs(a.astype(float) - b.astype(float)) <= relative * np.abs(b.astype(float)) + absolute
    return np.asarray(close | ((a != a) & (b != b)))


def first_place(wrong: Any) -> str:
    """The first marked cell, for a message."""
    date, name = np.argwhere(wrong)[0]
    return f"date {date}, instrument {name}"


def _read_only(values: Array) -> Array:
    view = values.view()
    view.flags.writeable = False
    return view
