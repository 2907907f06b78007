from __future__ import annotations

from numba import njit

_COMMON = {"nogil": True, "error_model": "numpy"}
_INNER = {**_COMMON, "no_cpython_wrapper": True, "no_cfunc_wrapper": True}

kernel = njit(cache=True, **_COMMON)
"""Called from Python; its compiled form is kept on disk."""

part = njit(**_INNER)
"""Called from kernels only: without the wrappers that Python would need, it compiles faster."""

# only sums are reordered, so that they run in vector registers; NaN and inf keep their meaning
sums = njit(fastmath={"reassoc", "nsz", "contract"}, **_INNER)
"""As ``part``, for sums over a row."""
