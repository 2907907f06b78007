"""Small markets made by hand."""

from __future__ import annotations

from typing import Any

import numpy as np

from assay.market import EVENT_DTYPE, Group, MarketData, PriceLimits, field_info, universe_from_mask

NAN = np.nan


def panel_array(rows: Any) -> np.ndarray:
    return np.array(rows, dtype=np.float32)


def tape(**changes: Any) -> MarketData:
    """Four days, three stocks: A splits 2 for 1 on day 2, B is suspended on day 1, C ends after day 2."""
    dates = np.array(["2020-01-02", "2020-01-03", "2020-01-06", "2020-01-07"], dtype="datetime64[D]")
    close = panel_array([[10, 20, 5], [11, NAN, 5.5], [6, 22, 4.95], [6.6, 21, NAN]])
    factor = panel_array([[1, 1, 1], [1, 1, 1], [2, 1, 1], [2, 1, NAN]])
    suspended = panel_array([[0, 0, 0], [0, 1, 0], [0, 0, 0], [0, 0, NAN]])
    volume = panel_array([[100, 10, 7], [100, NAN, 7], [200, 10, 7], [200, 10, NAN]])
    fields = {
        "open": close.copy(),
        "high": close * np.float32(1.01),
        "low": close * np.float32(0.99),
        "close": close,
        "volume": volume,
        "factor": factor,
        "suspended": suspended,
    }
    members = np.array([[1, 1, 0], [1, 1, 0], [1, 0, 1], [1, 0, 0]], dtype=bool)
    events = np.array([(0, "2020-01-02T10:00:00", "2020-01-02T16:00:00", 1, 0.5)], dtype=EVENT_DTYPE)
    score = np.full((1, 4, 3), NAN, dtype=np.float32)
    score[0, 1, 0] = 0.5
    base: dict[str, Any] = {
        "name": "tape",
        "dates": dates,
        "instruments": ("A", "B", "C"),
        "fields": fields,
        "infos": {name: field_info(name) for name in fields},
        "first_row": np.array([0, 0, 0], dtype=np.int32),
        "last_row": np.array([3, 3, 2], dtype=np.int32),
        "groups": {"industry": Group(np.array([0, 1, -1], dtype=np.int32), ("bank", "steel"))},
        "universes": {
            "index": universe_from_mask(members, known_until=np.datetime64("2020-01-06"), aliases=("idx",))
        },
        "vectors": {"score": score},
        "events": {"news": events},
        "limits": PriceLimits("flat", 0.1),
    }
    return MarketData(**{**base, **changes})
