from __future__ import annotations

import struct
from collections.abc import Sequence
from dataclasses import dataclass
from functools import reduce
from typing import Any

import numpy as np
import numpy.typing as npt

from assay.errors import DataError

Days = npt.NDArray[np.datetime64]
Floats = npt.NDArray[np.float64]

_MAGIC = b"ASSAYSR1"
_HEADER = struct.Struct("<8sQ")


@dataclass(frozen=True, slots=True)
class DailySeries:
    """One value a day: ``days`` (datetime64[D]) strictly ascending, ``values`` (float64) finite."""

    days: Days
    values: Floats


@dataclass(frozen=True, slots=True)
class SeriesMatrix:
    """Several series side by side: row ``i`` is ``days[i]``, column ``j`` the series of ``keys[j]``.

    Only days on which every series has a value are rows, so nothing is missing.
    """

    keys: tuple[Any, ...]
    days: Days
    matrix: Floats


def encode_series(days: npt.ArrayLike, values: npt.ArrayLike) -> bytes:
    """A daily series as the payload that a trial names: header, days since 1970, values, little-endian.

    Days without a value (NaN) are left out, and zero has one sign, so equal series are equal bytes.

    Raises
    ------
    DataError
        The lengths differ, the days do not ascend, or a value is infinite.
    """
    dates = np.asarray(days, dtype="datetime64[D]")
    numbers = np.asarray(values, dtype=np.float64)
    if dates.ndim != 1 or dates.shape != numbers.shape:
        raise DataError(
            f"days of shape {dates.shape} and values of shape {numbers.shape}",
            where="series",
            fix="give one value for each day",
        )
    known = ~np.isnan(numbers)
    dates, numbers = dates[known], numbers[known] + 0.0
    _check(dates, numbers)
    body = dates.astype(np.int64).astype("<i8").tobytes() + numbers.astype("<f8").tobytes()
    return _HEADER.pack(_MAGIC, len(dates)) + body


def decode_series(payload: bytes) -> DailySeries:
    """The series that :func:`encode_series` wrote.

    Raises
    ------
    DataError
        The payload is something else.
    """
    if len(payload) < _HEADER.size or payload[: len(_MAGIC)] != _MAGIC:
        raise DataError("the object is not a daily series", where="series", fix="name the object of a trial")
    _, n = _HEADER.unpack_from(payload)
    if len(payload) != _HEADER.size + 16 * n:
        raise DataError(
            f"a series of {n} days cannot have {len(payload)} bytes", where="series", fix="record it again"
        )
    days = np.frombuffer(payload, "<i8", n, _HEADER.size).astype("datetime64[D]")
    values = np.frombuffer(payload, "<f8", n, _HEADER.size + 8 * n).astype(np.float64)
    _check(days, values)
    return DailySeries(days, values)


def _check(days: Days, values: Floats) -> None:
    # NaT compares false with everything, so a missing day is refused here too
    if len(days) and (np.isnat(days[0]) or not (np.diff(days) > np.timedelta64(0, "D")).all()):
        raise DataError("the days of a series do not ascend", where="series", fix="sort them, each day once")
    if not np.isfinite(values).all():
        raise DataError("a value of the series is infinite or missing", where="series", fix="mend the value")


def on_common_days(keys: Sequence[Any], series: Sequence[DailySeries]) -> SeriesMatrix:
    """The series as columns over the days that all of them have."""
    if not series:
        return SeriesMatrix((), np.empty(0, "datetime64[D]"), np.empty((0, 0)))
    days = reduce(_meet, (one.days for one in series))
    columns = [one.values[np.searchsorted(one.days, days)] for one in series]
    return SeriesMatrix(tuple(keys), days, np.column_stack(columns))


def on_all_days(series: Sequence[DailySeries]) -> Floats:
    """The series as columns over the days that any of them has; NaN where one has none."""
    days = np.unique(np.concatenate([one.days for one in series]))
    matrix = np.full((len(days), len(series)), np.nan)
    for column, one in enumerate(series):
        matrix[np.searchsorted(days, one.days), column] = one.values
    return matrix


def _meet(left: Days, right: Days) -> Days:
    if np.array_equal(left, right):
        return left
    return np.intersect1d(left, right, assume_unique=True)
