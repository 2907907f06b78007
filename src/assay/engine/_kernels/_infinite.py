from __future__ import annotations

import numpy as np

from assay.engine._kernels._jit import kernel


@kernel
def count_infinite(x):
    """Number of infinite values of a flat array."""
    top = np.float32(np.inf)
    count = 0
    for i in range(x.shape[0]):
        count += 1 if abs(x[i]) == top else 0
    return count
