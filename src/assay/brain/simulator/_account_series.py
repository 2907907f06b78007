"""How the series of an alpha are kept: columns that are read back to the same bits.

Long columns of numbers and dates are kept as their bytes in base64: to write them as decimals took a fifth of
the time of a simulation.
"""

from __future__ import annotations

import base64
from collections.abc import Mapping, Sequence
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from assay.brain._wire import Column, Recordset
from assay.brain.simulator._outcome import Daily

_COLUMNS: Final = ("pnl", "traded", "held", "largest", "long_count", "short_count")
_STORED: Final = {"days": np.dtype("<i8"), "whole": np.dtype("<i8"), "floats": np.dtype("<f8")}
_READ: Final = {"days": np.dtype("datetime64[D]"), "whole": np.dtype(np.int64), "floats": np.dtype(float)}
_LONG: Final = 50
"""Rows from which on a record set of dates and figures is kept as bytes."""


def pack_daily(daily: Daily) -> dict[str, Any]:
    """A document of daily series."""
    return {name: _packed(getattr(daily, name)) for name in ("dates", *_COLUMNS)}


def unpack_daily(document: dict[str, Any]) -> Daily:
    """The inverse of :func:`pack_daily`."""
    return Daily(**{name: _unpacked(document[name]) for name in ("dates", *_COLUMNS)})


def pack_recordsets(found: Mapping[str, Recordset]) -> dict[str, Any]:
    """A document of record sets."""
    return {name: {"columns": _columns(one), "rows": _rows(one)} for name, one in found.items()}


def unpack_recordsets(document: dict[str, Any]) -> dict[str, Recordset]:
    """The inverse of :func:`pack_recordsets`."""
    return {
        name: Recordset(
            name=name,
            columns=tuple(Column.model_validate(column) for column in kept["columns"]),
            records=_records(kept["rows"]),
        )
        for name, kept in document.items()
    }


def _columns(found: Recordset) -> list[dict[str, Any]]:
    return [column.wire() for column in found.columns]


def _rows(found: Recordset) -> Any:
    """Rows as they are; a long series of figures by date as two columns."""
    if len(found.records) < _LONG or [column.type for column in found.columns][:1] != ["date"]:
        return found.records
    dates, *figures = zip(*found.records, strict=True)
    if not all(type(value) is float for column in figures for value in column):
        return found.records
    return {
        "dates": _packed(np.array(dates, _READ["days"])),
        "figures": [_packed(np.array(column, float)) for column in figures],
    }


def _records(kept: Any) -> tuple[tuple[Any, ...], ...]:
    if isinstance(kept, Sequence):
        return tuple(tuple(row) for row in kept)
    dates = _unpacked(kept["dates"]).astype(str).tolist()
    figures = [_unpacked(column).tolist() for column in kept["figures"]]
    return tuple(zip(dates, *figures, strict=True))


def _packed(values: NDArray[Any]) -> dict[str, str]:
    kind = "days" if values.dtype.kind == "M" else "whole" if values.dtype.kind in "iu" else "floats"
    raw = values.astype(_STORED[kind]).tobytes()
    return {kind: base64.b64encode(raw).decode("ascii")}


def _unpacked(kept: dict[str, str]) -> NDArray[Any]:
    [(kind, text)] = kept.items()
    stored = np.frombuffer(base64.b64decode(text), _STORED[kind])
    return stored.astype(_READ[kind])
