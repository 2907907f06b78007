"""Arithmetic and logic, value by value. A missing input gives a missing output unless the sentence
says otherwise.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from assay.engine.reference._storage import Values


def _strict(result: Values, *inputs: Values) -> Values:
    """``result``, missing wherever an input is missing (numpy gives 1 for NaN**0 and 1**NaN)."""
    missing = np.isnan(inputs[0])
    for other in inputs[1:]:
        missing = missing | np.isnan(other)
    return np.where(missing, np.nan, result)


def add(x: Values, y: Values) -> Values:
    """x + y."""
    return x + y


def sub(x: Values, y: Values) -> Values:
    """x - y."""
    return x - y


def mul(x: Values, y: Values) -> Values:
    """x times y."""
    return x * y


def div(x: Values, y: Values) -> Values:
    """x over y; missing when y is 0."""
    return np.where(y == 0, np.nan, x / np.where(y == 0, np.nan, y))


def neg(x: Values) -> Values:
    """-x."""
    return -x


def absolute(x: Values) -> Values:
    """The magnitude of x."""
    return np.abs(x)


def sign(x: Values) -> Values:
    """-1, 0 or 1."""
    return np.sign(x)


def log(x: Values) -> Values:
    """The natural logarithm; missing when x <= 0."""
    return np.log(np.where(x > 0, x, np.nan))


def exp(x: Values) -> Values:
    """e to the x."""
    return np.exp(x)


def sqrt(x: Values) -> Values:
    """The square root; missing when x < 0."""
    return np.sqrt(np.where(x >= 0, x, np.nan))


def floor(x: Values) -> Values:
    """The largest whole number not above x."""
    return np.floor(x)


def ceil(x: Values) -> Values:
    """The smallest whole number not below x."""
    return np.ceil(x)


def round_half_even(x: Values) -> Values:
    """The nearest whole number; halves go to the even one."""
    return np.rint(x)


def tanh(x: Values) -> Values:
    """The hyperbolic tangent."""
    return np.tanh(x)


def sigmoid(x: Values) -> Values:
    """1 / (1 + e^-x)."""
    return 1.0 / (1.0 + np.exp(-x))


def arctan(x: Values) -> Values:
    """The angle whose tangent is x, in radians."""
    return np.arctan(x)


def signed_log1p(x: Values) -> Values:
    """sign(x) log(1 + |x|)."""
    return np.sign(x) * np.log1p(np.abs(x))


def power(x: Values, y: Values) -> Values:
    """x to the y; missing for a negative x with a fractional y and for 0 to a negative y."""
    return _strict(np.power(x, y), x, y)


def signed_power(x: Values, y: Values) -> Values:
    """sign(x) |x|^y."""
    return _strict(np.sign(x) * np.power(np.abs(x), y), x, y)


def maximum(x: Values, y: Values) -> Values:
    """The larger of two."""
    return np.maximum(x, y)


def minimum(x: Values, y: Values) -> Values:
    """The smaller of two."""
    return np.minimum(x, y)


def clip(x: Values, *, low: float, high: float) -> Values:
    """x, raised to ``low`` and lowered to ``high``."""
    return np.where(x < low, low, np.where(x > high, high, x))


def fill_missing(x: Values, *, value: float = 0.0) -> Values:
    """x, or ``value`` where x is missing."""
    return np.where(np.isnan(x), value, x)


def fraction(x: Values) -> Values:
    """sign(x) (|x| - floor(|x|))."""
    return np.asarray(np.sign(x) * (np.abs(x) - np.floor(np.abs(x))))


def greater(x: Values, y: Values) -> Values:
    """1 where x > y."""
    return _strict((x > y).astype(float), x, y)


def greater_equal(x: Values, y: Values) -> Values:
    """1 where x >= y."""
    return _strict((x >= y).astype(float), x, y)


def less(x: Values, y: Values) -> Values:
    """1 where x < y."""
    return _strict((x < y).astype(float), x, y)


def less_equal(x: Values, y: Values) -> Values:
    """1 where x <= y."""
    return _strict((x <= y).astype(float), x, y)


def equal(x: Values, y: Values) -> Values:
    """1 where x equals y."""
    return _strict((x == y).astype(float), x, y)


def not_equal(x: Values, y: Values) -> Values:
    """1 where x differs from y."""
    return _strict((x != y).astype(float), x, y)


def logical_and(x: Values, y: Values) -> Values:
    """1 where both are nonzero."""
    return _strict(((x != 0) & (y != 0)).astype(float), x, y)


def logical_or(x: Values, y: Values) -> Values:
    """1 where one is nonzero."""
    return _strict(((x != 0) | (y != 0)).astype(float), x, y)


def logical_not(x: Values) -> Values:
    """1 where x is 0."""
    return _strict((x == 0).astype(float), x)


def is_missing(x: Values) -> Values:
    """1 where x is missing, else 0; never missing."""
    return np.isnan(x).astype(float)


def where(condition: Values, x: Values, y: Values) -> Values:
    """x where the condition is nonzero, y where it is 0, missing where it is missing; the other
    branch is not read.
    """
    return np.where(np.isnan(condition), np.nan, np.where(condition != 0, x, y))


ELEMENTWISE: dict[str, Callable[..., Any]] = {
    "add": add,
    "sub": sub,
    "mul": mul,
    "div": div,
    "neg": neg,
    "abs": absolute,
    "sign": sign,
    "log": log,
    "exp": exp,
    "sqrt": sqrt,
    "floor": floor,
    "ceil": ceil,
    "round": round_half_even,
    "tanh": tanh,
    "sigmoid": sigmoid,
    "arctan": arctan,
    "signed_log1p": signed_log1p,
    "power": power,
    "signed_power": signed_power,
    "maximum": maximum,
    "minimum": minimum,
    "clip": clip,
    "fill_missing": fill_missing,
    "fraction": fraction,
    "gt": greater,
    "ge": greater_equal,
    "lt": less,
    "le": less_equal,
    "eq": equal,
    "ne": not_equal,
    "and": logical_and,
    "or": logical_or,
    "not": logical_not,
    "is_missing": is_missing,
    "where": where,
}
