"""A small deterministic market on which a formula must run before it counts as executable."""

from __future__ import annotations

from functools import lru_cache
from typing import Final

import numpy as np
import numpy.typing as npt

from assay.base import generator
from assay.errors import AssayError
from assay.spec import ReportExpr

BARS: Final = 560
"""More than the longest lookback of the report dialect, so that every legal formula has values at the end."""

NAMES: Final = 12
SECTORS: Final = 3


class Tape:
    """Prices, volumes and industries as an engine reads them."""

    def __init__(self) -> None:
        rng = generator(0, "verifier tape")
        shape = (BARS, NAMES)
        close = 20.0 * np.exp(np.cumsum(rng.normal(0.0, 0.02, shape), axis=0))
        opened = close * np.exp(rng.normal(0.0, 0.005, shape))
        volume = np.exp(rng.normal(12.0, 0.5, shape))
        values = {
            "open": opened,
            "high": np.maximum(opened, close) * 1.01,
            "low": np.minimum(opened, close) * 0.99,
            "close": close,
            "volume": volume,
            "amount": volume * close,
            "returns": np.vstack([np.full((1, NAMES), np.nan), close[1:] / close[:-1] - 1.0]),
        }
        self._fields = {name: np.ascontiguousarray(array, np.float32) for name, array in values.items()}
        self._industry = np.tile(np.arange(NAMES, dtype=np.int32) % SECTORS, (BARS, 1))

    @property
    def shape(self) -> tuple[int, int]:
        """Bars and names."""
        return BARS, NAMES

    def field(self, name: str) -> npt.NDArray[np.float32]:
        """A number for each bar and name."""
        return self._fields[name]

    def group(self, name: str) -> npt.NDArray[np.int32]:
        """The industries."""
        return self._industry

    def vector(self, name: str) -> npt.NDArray[np.float32]:
        """There are none."""
        raise KeyError(name)


@lru_cache(maxsize=1)
def tape() -> Tape:
    """The tape; made once."""
    return Tape()


@lru_cache(maxsize=4096)
def why_not_executable(expr: ReportExpr) -> str:
    """What stops a formula from giving numbers on the tape; empty where nothing does."""
    if expr.refusal is not None:
        return f"{expr.refusal.reason.code}: {expr.refusal.message}"
    assert expr.expression is not None
    from assay.engine import evaluate  # compiles kernels when first imported

    try:
        values = evaluate({"factor": expr.expression.node}, tape())["factor"]
    except AssayError as error:
        return error.message
    return "" if np.isfinite(values[-1]).any() else "the formula has no value on the tape"
