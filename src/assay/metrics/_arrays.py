from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from assay.errors import DataError

Floats = NDArray[np.float64]
Singles = NDArray[np.float32]
Bools = NDArray[np.bool_]
Ints = NDArray[np.int64]
AnyArray = NDArray[Any]


def panel32(values: AnyArray, what: str, shape: tuple[int, int] | None = None) -> Singles:
    """``values`` as a float32 C-order array of two dimensions.

    Raises
    ------
    DataError
        It has another number of dimensions, no columns, or another shape than ``shape``.
    """
    array = np.ascontiguousarray(values, dtype=np.float32)
    _check_shape(array, what, shape)
    return array


def panel64(values: AnyArray, what: str, shape: tuple[int, int] | None = None) -> Floats:
    """``values`` as a float64 C-order array of two dimensions; errors as in :func:`panel32`."""
    array = np.ascontiguousarray(values, dtype=np.float64)
    _check_shape(array, what, shape)
    return array


def mask2(values: AnyArray | None, what: str, shape: tuple[int, int], default: bool) -> Bools:
    """``values`` as a bool array of ``shape``, or that shape filled with ``default``."""
    if values is None:
        return np.full(shape, default)
    array = np.ascontiguousarray(values)
    if array.dtype != np.bool_:
        raise DataError(f"{what} has type {array.dtype}", where=what, fix="give an array of bool")
    _check_shape(array, what, shape)
    return array


def series64(values: AnyArray, what: str) -> Floats:
    """``values`` as a float64 vector.

    Raises
    ------
    DataError
        It is not one-dimensional.
    """
    array = np.asarray(values, dtype=np.float64)
    if array.ndim != 1:
        raise DataError(f"{what} has {array.ndim} dimensions", where=what, fix="give one value per date")
    return array


def require(condition: bool, message: str, where: str, fix: str) -> None:
    """Raise a :class:`DataError` unless ``condition`` holds."""
    if not condition:
        raise DataError(message, where=where, fix=fix)


def _check_shape(array: AnyArray, what: str, shape: tuple[int, int] | None) -> None:
    if array.ndim != 2 or array.shape[1] == 0:
        raise DataError(
            f"{what} has shape {array.shape}", where=what, fix="give an array of dates by instruments"
        )
    if shape is not None and array.shape != shape:
        raise DataError(
            f"{what} has shape {array.shape}, expected {shape}", where=what, fix="align the arrays first"
        )
