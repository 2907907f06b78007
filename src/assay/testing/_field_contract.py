from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from assay.base import generator
from assay.expr import FieldInfo
from assay.testing._report import ClauseResult, Report, broken, kept, not_applicable
from assay.testing._trial import DATES, NAMES, first_place, nearly, same_bits

Build: TypeAlias = Callable[[Mapping[str, NDArray[np.float32]]], NDArray[Any]]

_NAME = re.compile(r"[a-z][a-z0-9_]{0,63}\Z")
_FACTORS = 2.0 ** np.array([0, 1, -1, 3, -2, 2, 1])


def market(factor: NDArray[np.float64] | float = 1.0, seed: int = 0) -> dict[str, NDArray[np.float32]]:
    """Adjusted bars as a source would give them: prices times ``factor``, volume over it; a few gaps."""
    rng = generator(seed, "field contract")
    close = 20.0 * np.exp(np.cumsum(rng.normal(0.0, 0.02, (DATES, NAMES)), axis=0))
    spread = np.abs(rng.normal(0.0, 0.01, (3, DATES, NAMES)))
    volume = np.exp(rng.normal(12.0, 0.5, (DATES, NAMES)))
    raw = {"open": close * (1 + spread[0] - spread[1]), "high": close * (1 + spread[0] + spread[2])}
    raw |= {"low": close * (1 - spread[1] - spread[2]), "close": close, "vwap": close * (1 + spread[0] / 2)}
    gaps = rng.random((DATES, NAMES)) < 0.05
    bars = {name: np.where(gaps, np.nan, values * factor) for name, values in raw.items()}
    bars |= {
        "volume": np.where(gaps, np.nan, volume / factor),
        "amount": np.where(gaps, np.nan, close * volume),
    }
    bars["factor"] = np.ones((DATES, NAMES)) * factor
    return {name: values.astype(np.float32) for name, values in bars.items()}


def check_field(info: FieldInfo, build: Build) -> Report:
    """Hold a field of one's own to its description.

    Parameters
    ----------
    info : the description: name, kind, exponent.
    build : makes the field (dates, instruments) from adjusted bars by name (open, high, low, close, vwap,
        volume, amount, factor); lists of a vector field are (values, dates, instruments).

    Returns
    -------
    A result for each clause: declaration, kinds, and when both are kept causality and exponent.
    """
    results = [_declaration(info), _kinds(info, build)]
    if all(result.passed for result in results):
        results += [_causality(info, build), _exponent(info, build)]
    return Report(f"field {info.name}", tuple(results))


def _declaration(info: FieldInfo) -> ClauseResult:
    if not _NAME.match(info.name):
        return broken(
            "declaration", f"the name {info.name!r} is not lower case letters, digits and _, at most 64"
        )
    if info.kind not in ("number", "group", "vector"):
        return broken(
            "declaration", f"{info.name}: a field is a number, a group or a vector, not {info.kind!r}"
        )
    return kept("declaration")


def _kinds(info: FieldInfo, build: Build) -> ClauseResult:
    values = build(market())
    shape = (DATES, NAMES)
    if values.shape[-2:] != shape or values.ndim != (3 if info.kind == "vector" else 2):
        return broken("kinds", f"{info.name}: shape {values.shape} for {DATES} dates of {NAMES} instruments")
    if info.kind == "group" and (values.dtype.kind not in "iu" or values.min() < -1):
        return broken("kinds", f"{info.name}: a group holds whole codes from 0, and -1 for none")
    if info.kind != "group" and values.dtype.kind != "f":
        return broken("kinds", f"{info.name}: numbers are floats, not {values.dtype}")
    return kept("kinds", info.kind)


def _causality(info: FieldInfo, build: Build) -> ClauseResult:
    whole = build(market())
    for stop in (DATES // 3, DATES - 1):
        cut = build({name: values[:stop] for name, values in market().items()})
        differ = ~same_bits(cut, whole[..., :stop, :])
        if differ.any():
            place = first_place(differ.reshape(-1, *differ.shape[-2:]).any(axis=0))
            return broken(
                "causality",
                f"{info.name}: with only the first {stop} dates given, the value at {place} is another",
            )
    return kept("causality")


def _exponent(info: FieldInfo, build: Build) -> ClauseResult:
    if info.kind == "group" or info.exponent is None:
        return not_applicable("exponent", "not declared; formulas that use the field are called unknown")
    expected = build(market()).astype(float) * _FACTORS**info.exponent
    differ = ~nearly(build(market(_FACTORS)), expected, 1e-4, 1e-9)
    if differ.any():
        return broken(
            "exponent",
            f"{info.name}: declares exponent {info.exponent:g}, yet adjustment factors that are powers of "
            "two do not multiply the values by their powers of that exponent",
        )
    return kept("exponent", f"{info.exponent:g}")
