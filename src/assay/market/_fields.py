from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from assay.expr import STANDARD_FIELDS as LANGUAGE_FIELDS
from assay.expr import FieldInfo

_MORE = (
    FieldInfo("shares", "number", -1.0, "shares", "shares outstanding, adjusted"),
    FieldInfo("equity", "number", 0.0, "currency", "last reported book value of equity"),
    FieldInfo("suspended", "bool", 0.0, "", "no trading that day"),
    FieldInfo("is_st", "bool", 0.0, "", "under special treatment"),
    FieldInfo("limit_up_price", "number", 1.0, "price", "highest price allowed, adjusted"),
    FieldInfo("limit_down_price", "number", 1.0, "price", "lowest price allowed, adjusted"),
)

STANDARD_FIELDS: Final[Mapping[str, FieldInfo]] = MappingProxyType(
    {**LANGUAGE_FIELDS, **{info.name: info for info in _MORE}}
)
"""Fields that a data set may hold under these names, with kind, adjustment exponent and unit."""

PRICE_FIELDS: Final = ("open", "high", "low", "close", "vwap")

BAR_FIELDS: Final = (*PRICE_FIELDS, "volume", "amount", "turn")
"""Fields that describe the trading of one bar; all are missing when there was none."""

RAW_PREFIX: Final = "raw_"

_NEEDS: Final[Mapping[str, tuple[frozenset[str], str]]] = MappingProxyType(
    {
        "returns": (frozenset({"close"}), "close / previous close - 1, missing when either is"),
        "vwap": (frozenset({"high", "low", "close"}), "(high + low + close) / 3"),
        "amount": (frozenset({"vwap", "volume"}), "vwap x volume"),
    }
)


def field_info(name: str) -> FieldInfo:
    """The standard description of a field, or one whose exponent is unknown."""
    return STANDARD_FIELDS.get(name, FieldInfo(name))


def derived_rules(stored: Mapping[str, object]) -> dict[str, str]:
    """Fields that are computed when read, because they are not stored, and the rule of each."""
    rules: dict[str, str] = {}
    for name, (needs, rule) in _NEEDS.items():
        if name not in stored and needs <= stored.keys() | rules.keys():
            rules[name] = rule
    for name in (*PRICE_FIELDS, "volume"):
        if name in stored and RAW_PREFIX + name not in stored:
            rules[RAW_PREFIX + name] = f"{name} as traded, not adjusted"
    return rules
