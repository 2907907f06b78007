"""From columns on a grid to a data set: suspensions, factor, amounts, and the rules that say so."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final

import numpy as np
from numpy.typing import NDArray

from assay.expr import FieldInfo
from assay.market._attach import SideTables, vector_info
from assay.market._data import FloatPanel, Market, MarketData, PriceLimits, Source, event_vector
from assay.market._fields import BAR_FIELDS, field_info
from assay.market._universe import Dates

FULL_COVERAGE: Final = 0.95
SUSPENSION_RULE: Final = (
    "a bar is suspended where its row says so or its volume is 0; its prices and volume are missing"
)
MARKET_LIMITS: Final[Mapping[str | None, PriceLimits]] = MappingProxyType(
    {"CN": PriceLimits("cn"), "US": PriceLimits("none"), None: PriceLimits("none")}
)
_REPORTED = FieldInfo("amount_reported", "number", 0.0, "currency", "amount as the source has it")


@dataclass(frozen=True, slots=True)
class Grid:
    """Dates x instruments, which cells have a record, and the first and last row that has one."""

    dates: Dates
    instruments: tuple[str, ...]
    record: NDArray[np.bool_]
    first_row: NDArray[np.int32]
    last_row: NDArray[np.int32]

    @classmethod
    def of(cls, dates: Dates, instruments: tuple[str, ...], record: NDArray[np.bool_]) -> Grid:
        """The grid of these records."""
        some = record.any(axis=0)
        first = np.where(some, record.argmax(axis=0), len(dates)).astype(np.int32)
        last = np.where(some, len(dates) - 1 - record[::-1].argmax(axis=0), -1).astype(np.int32)
        return cls(dates, instruments, record, first, last)


def assemble(
    name: str,
    grid: Grid,
    wide: Mapping[str, FloatPanel],
    *,
    source: Source,
    infos: Mapping[str, FieldInfo] | None = None,
    sides: SideTables | None = None,
    market: Market | None = None,
    filters: tuple[str, ...] = (),
    rules: tuple[str, ...] = (),
) -> MarketData:
    """A data set from raw columns ``(T, N)``.

    ``wide`` may hold ``trading`` (1 traded, 0 suspended) and ``adj_close``, from which the factor is made
    when there is none; neither is stored.
    """
    sides = sides or SideTables()
    fields, own_rules = _settle(dict(wide), grid.record)
    told = dict(infos or {})
    known = {
        key: told.get(key) or (_REPORTED if key == _REPORTED.name else field_info(key)) for key in fields
    }
    for key in sides.events:
        known[key] = vector_info(key)
    shape = (len(grid.dates), len(grid.instruments))
    return MarketData(
        name=name,
        dates=grid.dates,
        instruments=grid.instruments,
        fields=fields,
        infos=known,
        first_row=grid.first_row,
        last_row=grid.last_row,
        source=source,
        groups=sides.groups,
        universes=sides.universes,
        vectors={key: event_vector(table, shape) for key, table in sides.events.items()},
        events=sides.events,
        market=market,
        limits=MARKET_LIMITS[market],
        rules=(*own_rules, *rules, *sides.rules),
        filters=filters,
    )


def _settle(
    wide: dict[str, FloatPanel], record: NDArray[np.bool_]
) -> tuple[dict[str, FloatPanel], list[str]]:
    """Stored fields from the columns as they came, and the rules that were applied."""
    rules = [SUSPENSION_RULE]
    fields = dict(wide)
    trading = fields.pop("trading", None)
    if trading is not None and "suspended" not in fields:
        fields["suspended"] = np.where(
            np.isfinite(trading), (trading == 0).astype(np.float32), np.float32(np.nan)
        )
    suspended = np.nan_to_num(fields.get("suspended", np.zeros(record.shape, dtype=np.float32))) > 0
    if "volume" in fields:
        suspended |= fields["volume"] == 0
    suspended &= record
    fields["suspended"] = np.where(record, suspended.astype(np.float32), np.float32(np.nan))
    for name in BAR_FIELDS:
        if name in fields:
            fields[name] = np.where(suspended, np.float32(np.nan), fields[name])
    adjusted = fields.pop("adj_close", None)
    if adjusted is not None and "factor" not in fields:
        with np.errstate(invalid="ignore", divide="ignore"):
            fields["factor"] = np.asarray(adjusted / wide["close"], dtype=np.float32)
        rules.append("factor = adjusted close / close")
    rules += _partial_amount(fields)
    return fields, rules


def _partial_amount(fields: dict[str, FloatPanel]) -> list[str]:
    if "amount" not in fields or not {"high", "low", "volume"} <= fields.keys():
        return []
    traded = np.isfinite(fields["close"])
    share = float((np.isfinite(fields["amount"]) & traded).sum() / max(int(traded.sum()), 1))
    if share >= FULL_COVERAGE:
        return []
    fields["amount_reported"] = fields.pop("amount")
    return [
        f"the source's amount covers {share:.0%} of traded bars: see amount_reported; amount is vwap x volume"
    ]
