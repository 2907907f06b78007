from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

FieldKind = Literal["number", "bool", "group", "vector"]


@dataclass(frozen=True, slots=True)
class FieldInfo:
    """What an expression may know about a field.

    ``exponent`` is the power of the adjustment factor by which the adjusted value exceeds the raw one:
    1 for a price, -1 for a share count, 0 for money and ratios, None when nobody has said.
    """

    name: str
    kind: FieldKind = "number"
    exponent: float | None = 0.0
    unit: str = ""
    description: str = ""


_STANDARD = (
    FieldInfo("open", "number", 1.0, "currency/share", "price of the first trade"),
    FieldInfo("high", "number", 1.0, "currency/share", "highest price"),
    FieldInfo("low", "number", 1.0, "currency/share", "lowest price"),
    FieldInfo("close", "number", 1.0, "currency/share", "price of the last trade"),
    FieldInfo("vwap", "number", 1.0, "currency/share", "volume-weighted average price"),
    FieldInfo("volume", "number", -1.0, "shares", "shares traded"),
    FieldInfo("amount", "number", 0.0, "currency", "value traded"),
    FieldInfo("returns", "number", 0.0, "1", "close / previous close - 1"),
    FieldInfo("turn", "number", 0.0, "1", "shares traded / shares that may be traded"),
    FieldInfo("cap", "number", 0.0, "currency", "market value of all shares"),
    FieldInfo("shares", "number", -1.0, "shares", "shares outstanding"),
    FieldInfo("equity", "number", 0.0, "currency", "last reported book value of equity"),
    FieldInfo("suspended", "bool", 0.0, "", "no trading that day"),
    FieldInfo("is_st", "bool", 0.0, "", "under special treatment"),
    FieldInfo("limit_up_price", "number", 1.0, "currency/share", "highest price allowed"),
    FieldInfo("limit_down_price", "number", 1.0, "currency/share", "lowest price allowed"),
    FieldInfo("factor", "number", 1.0, "1", "adjustment factor: adjusted price = raw price x factor"),
)

STANDARD_FIELDS: Mapping[str, FieldInfo] = {info.name: info for info in _STANDARD}

BAR_FIELDS = ("open", "high", "low", "close", "vwap", "volume", "amount", "turn")
"""Fields that describe the trading of one bar; all are missing when there was none."""

PRICE_FIELDS = ("open", "high", "low", "close", "vwap")

DERIVED_RULES: Mapping[str, str] = {
    "returns": "close / previous close - 1, missing when either is",
    "vwap": "(high + low + close) / 3",
    "amount": "vwap x volume",
}


def field_info(name: str) -> FieldInfo:
    """The standard description of a field, or one whose exponent is unknown."""
    return STANDARD_FIELDS.get(name, FieldInfo(name, "number", None, "", ""))
