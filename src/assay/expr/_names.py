"""What bare names mean in each dialect: fields, constants, and named quantities of published papers."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from types import MappingProxyType
from typing import Final

from assay.expr._fields import ADV_PATTERN
from assay.expr._op import DialectName
from assay.expr._tree import Call, Constant, Field, Node

REPORT_FIELDS: Final[Mapping[str, str]] = MappingProxyType(
    {
        **{name: name for name in ("open", "high", "low", "close", "volume", "amount", "industry")},
        "return": "returns",
        "net_mf_amount": "net_mf_amount",
    }
)
"""The nine fields of the report dialect, as written and as canonical names."""

REPORT_WITHOUT_DATA: Final = frozenset({"net_mf_amount"})

_CONSTANTS: Final[Mapping[str, float]] = MappingProxyType(
    {"nan": float("nan"), "null": float("nan"), "true": 1.0, "false": 0.0}
)

_ALIASES_191: Final[Mapping[str, str]] = MappingProxyType(
    {"ret": "returns", "vol": "volume", "o": "open", "h": "high", "l": "low", "c": "close", "v": "volume"}
)

# The quantities that the GTJA report defines once and uses by name.
_DEFINED_191: Final[Mapping[str, str]] = MappingProxyType(
    {
        "dtm": "where(open <= delay(open, 1), 0, maximum(high - open, open - delay(open, 1)))",
        "dbm": "where(open >= delay(open, 1), 0, maximum(open - low, open - delay(open, 1)))",
        "tr": "maximum(maximum(high - low, abs(high - delay(close, 1))), abs(low - delay(close, 1)))",
        "hd": "high - delay(high, 1)",
        "ld": "delay(low, 1) - low",
        "sequence": "ts_step()",
    }
)


def traded_mean(name: str, dialect: DialectName) -> Node | None:
    """``adv20`` written out: the mean traded value of 20 bars, in FASTEXPR the mean volume.

    The 2016 paper defines adv{d} as average daily dollar volume, BRAIN's field as average daily volume.
    """
    match = ADV_PATTERN.match(name)
    if match is None or dialect == "report":
        return None
    series = Field("volume" if dialect == "fastexpr" else "amount")
    return Call("ts_mean", (series,), (("window", int(match.group(1))), ("min_periods", 0)))


def constant(name: str, dialect: DialectName) -> Constant | None:
    """``nan``, ``true``, ``false`` where the dialect has them."""
    if dialect in ("core", "fastexpr"):
        value = _CONSTANTS.get(name.lower())
        if value is not None:
            return Constant(value)
    return None


def field_name(name: str, dialect: DialectName) -> str:
    """The canonical name of a field written in a dialect, without ``$``."""
    low = name.lower()
    if dialect in ("alpha101", "fastexpr", "alpha191") and low.startswith("indclass."):
        return low.removeprefix("indclass.")
    if dialect == "alpha191":
        return _ALIASES_191.get(low, low)
    if dialect == "report":
        return REPORT_FIELDS.get(low, low)
    return low


@lru_cache(maxsize=64)
def defined(name: str, dialect: DialectName) -> Node | None:
    """The tree of a quantity that the dialect's paper defines by name."""
    text = _DEFINED_191.get(name.lower()) if dialect == "alpha191" else None
    if text is None:
        return None
    from assay.expr._lower import lower_program  # the definitions are written in the core dialect
    from assay.expr._parser import parse_syntax

    return lower_program(parse_syntax(text), text, "core").node
