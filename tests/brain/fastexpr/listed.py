"""Fields as a platform lists them."""

from __future__ import annotations

from assay.brain import DataFieldInfo

NUMBERS = ("close", "open", "high", "low", "volume", "vwap", "returns", "cap", "x", "y")
GROUPS = ("sector", "industry", "subindustry", "market")
FIELDS = (
    {name: DataFieldInfo(id=name) for name in NUMBERS}
    | {name: DataFieldInfo(id=name, type="GROUP") for name in GROUPS}
    | {"news": DataFieldInfo(id="news", type="VECTOR")}
)
