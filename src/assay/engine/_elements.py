"""Element-wise ops: those a fused program runs, and those numpy's own SIMD functions do better."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from assay.engine._inputs import Panel
from assay.expr import ParamValue

Operand = Panel | np.float32

# the numbers of assay.engine._kernels._elementwise, written out so that importing this module loads no
# compiler
ELEMENT_CODES: dict[str, int] = {
    "add": 0, "sub": 1, "mul": 2, "div": 3, "maximum": 4, "minimum": 5,
    "gt": 6, "ge": 7, "eq": 8, "ne": 9, "and": 10, "or": 11,
    "neg": 12, "abs": 13, "sign": 14, "sqrt": 15, "floor": 16, "ceil": 17, "round": 18, "fraction": 19,
    "not": 20, "is_missing": 21, "fill": 22, "where": 23,
}  # fmt: skip

_BLOCK = 32768
"""Cells worked on at a time, so that a second look at the result finds it in the cache."""

_Function = Callable[[Sequence[Any], Mapping[str, ParamValue], Any], None]


def _log(x: Sequence[Any], params: Mapping[str, ParamValue], out: Any) -> None:
    np.log(x[0], out=out)


def _exp(x: Sequence[Any], params: Mapping[str, ParamValue], out: Any) -> None:
    np.exp(x[0], out=out)


def _tanh(x: Sequence[Any], params: Mapping[str, ParamValue], out: Any) -> None:
    np.tanh(x[0], out=out)


def _arctan(x: Sequence[Any], params: Mapping[str, ParamValue], out: Any) -> None:
    np.arctan(x[0], out=out)


def _sigmoid(x: Sequence[Any], params: Mapping[str, ParamValue], out: Any) -> None:
    np.negative(x[0], out=out)
    np.exp(out, out=out)
    np.add(out, np.float32(1), out=out)
    np.reciprocal(out, out=out)


def _signed_log1p(x: Sequence[Any], params: Mapping[str, ParamValue], out: Any) -> None:
    np.abs(x[0], out=out)
    np.log1p(out, out=out)
    np.copysign(out, x[0], out=out)


def _power(x: Sequence[Any], params: Mapping[str, ParamValue], out: Any) -> None:
    base, exponent = x
    np.power(base, exponent, out=out)
    # numpy takes anything to the power 0, and 1 to any power, as 1, also what is missing
    missing = np.isnan(base) | np.isnan(exponent)
    np.copyto(out, np.float32(np.nan), where=missing)


def _signed_power(x: Sequence[Any], params: Mapping[str, ParamValue], out: Any) -> None:
    _power((np.abs(x[0]), x[1]), params, out)
    np.multiply(out, np.sign(x[0]), out=out)


def _inverse_distribution(x: Sequence[Any], params: Mapping[str, ParamValue], out: Any) -> None:
    window = int(params["window"])
    # a rank is a multiple of one half: taking it back from r/w undoes the rounding to float32
    rank = np.rint(2.0 * window * x[0].astype(np.float64)) / 2.0
    out[...] = inverse_distribution((rank - 0.5) / window, str(params["driver"]))


def inverse_distribution(p: Any, driver: str) -> Any:
    """Inverse distribution function at `p`: standard normal, standard Cauchy, or uniform less its mean."""
    if driver == "gaussian":
        from scipy.special import ndtri

        return ndtri(p)
    if driver == "cauchy":
        return np.tan(np.pi * (p - 0.5))
    return p - 0.5


NUMPY_ELEMENTS: dict[str, _Function] = {
    "log": _log,
    "exp": _exp,
    "tanh": _tanh,
    "arctan": _arctan,
    "sigmoid": _sigmoid,
    "signed_log1p": _signed_log1p,
    "power": _power,
    "signed_power": _signed_power,
    "inverse_distribution": _inverse_distribution,
}


def run_numpy_element(
    name: str, inputs: Sequence[Operand], params: Mapping[str, ParamValue], out: Panel
) -> None:
    """Run one numpy op, a block of rows at a time; infinite results become missing."""
    function = NUMPY_ELEMENTS[name]
    nan = np.float32(np.nan)
    height = max(1, _BLOCK // max(1, out.shape[1]))
    for start in range(0, out.shape[0], height):
        rows = slice(start, start + height)
        part = out[rows]
        function([x[rows] if isinstance(x, np.ndarray) else x for x in inputs], params, part)
        np.copyto(part, nan, where=np.isinf(part))
