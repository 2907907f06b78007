"""How the series of an alpha are kept: text that is read back to the same bits."""

from __future__ import annotations

from typing import Any

import numpy as np

from assay.brain.simulator._outcome import Daily

_COLUMNS = ("pnl", "traded", "held", "largest", "long_count", "short_count")


def pack_daily(daily: Daily) -> dict[str, Any]:
    """A document of daily series; shortest decimals, so nothing of a float is lost."""
    columns = {name: getattr(daily, name).tolist() for name in _COLUMNS}
    return {"dates": daily.dates.astype(str).tolist(), **columns}


def unpack_daily(document: dict[str, Any]) -> Daily:
    """The inverse of :func:`pack_daily`."""
    return Daily(
        dates=np.array(document["dates"], "datetime64[D]"),
        pnl=np.array(document["pnl"], float),
        traded=np.array(document["traded"], float),
        held=np.array(document["held"], float),
        largest=np.array(document["largest"], float),
        long_count=np.array(document["long_count"], np.int64),
        short_count=np.array(document["short_count"], np.int64),
    )
