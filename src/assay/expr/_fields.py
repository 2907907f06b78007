from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final

from assay.expr._op import Kind

ADV_PATTERN: Final = re.compile(r"adv([1-9][0-9]{0,3})\Z")
"""``adv20``: the mean traded amount (in BRAIN: volume) of the last 20 bars."""


@dataclass(frozen=True, slots=True)
class FieldInfo:
    """What a field is.

    Parameters
    ----------
    kind : number, group or vector.
    exponent : power of a stock's adjustment factor in the value (price 1, volume -1, amount 0);
        None = unknown.
    """

    name: str
    kind: Kind = "number"
    exponent: float | None = None
    unit: str = ""
    description: str = ""


def _fields() -> dict[str, FieldInfo]:
    adjusted = {
        "open": "first traded price",
        "high": "highest traded price",
        "low": "lowest traded price",
        "close": "last traded price",
        "vwap": "mean price weighted by volume",
    }
    infos = [FieldInfo(n, "number", 1.0, "price", f"{d}, adjusted") for n, d in adjusted.items()]
    infos += [FieldInfo(f"raw_{n}", "number", 0.0, "price", f"{d}, as traded") for n, d in adjusted.items()]
    infos += [
        FieldInfo("volume", "number", -1.0, "shares", "shares traded, adjusted"),
        FieldInfo("raw_volume", "number", 0.0, "shares", "shares traded, as traded"),
        FieldInfo("amount", "number", 0.0, "currency", "traded value"),
        FieldInfo("returns", "number", 0.0, "1", "close / previous close - 1"),
        FieldInfo("cap", "number", 0.0, "currency", "market value"),
        FieldInfo("turn", "number", 0.0, "1", "share of the float that traded"),
        FieldInfo("factor", "number", 1.0, "1", "cumulative adjustment factor: adjusted = raw x factor"),
    ]
    groups = ("market", "sector", "industry", "subindustry", "exchange", "country", "currency")
    infos += [FieldInfo(name, "group", 0.0, "", f"the {name} of an instrument") for name in groups]
    return {info.name: info for info in infos}


STANDARD_FIELDS: Final[Mapping[str, FieldInfo]] = MappingProxyType(_fields())
"""The field names that every part of Assay understands alike; ``adv{d}`` is written out as a mean."""
