from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Values = NDArray[np.float64]
Codes = NDArray[np.int64]
Mask = NDArray[np.bool_]


def stored(values: Values) -> Values:
    """What a node keeps of a result: rounded to float32, infinities made missing; widened again
    for the next node.
    """
    with np.errstate(over="ignore", invalid="ignore"):
        narrow = np.asarray(values, dtype=np.float64).astype(np.float32)
    narrow[~np.isfinite(narrow)] = np.nan
    return narrow.astype(np.float64)
