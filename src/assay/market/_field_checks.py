"""Checks of what fields a data set has, and what they hold as a whole."""

from __future__ import annotations

from typing import Final

import numpy as np

from assay.market._data import MarketData
from assay.market._findings import SHOWN, Finding, bar_findings

_LARGEST_RATE: Final = 100.0
"""Of turnover in percent: a median above it is no rate."""
_OFF_TICK: Final = 0.05
_MANY_OFF_TICK: Final = 0.01


def no_market(data: MarketData) -> list[Finding]:
    if data.market is not None or data.source.kind not in ("table", "qlib"):
        return []
    message = (
        "no market: costs and price limits are unknown; judge will ask for --costs or --market; "
        "import with --market CN or --market US"
    )
    return [Finding("no_market", "warning", 1, message)]


def factor_gaps(data: MarketData) -> list[Finding]:
    if "factor" not in data.fields:
        message = "there is no adjustment factor: splits and dividends look like losses"
        return [Finding("missing_factor", "warning", 1, message)]
    with np.errstate(invalid="ignore"):
        bad = np.isfinite(data.fields["close"]) & ~(data.fields["factor"] > 0)
    message = "a traded bar has no positive adjustment factor"
    return bar_findings(data, "missing_factor", "serious", bad, message)


def off_tick(data: MarketData) -> list[Finding]:
    """Where prices move in cents, raw prices between cents mean that the factor is not the source's own."""
    if data.limits.rule == "none":
        return []
    cents = np.asarray(data.fields["close"], dtype=np.float64) * 100
    off = np.isfinite(cents) & (np.abs(cents - np.round(cents)) > _OFF_TICK + cents * 1e-6)
    if off.sum() <= _MANY_OFF_TICK * max(int(np.isfinite(cents).sum()), 1):
        return []
    message = "raw closes lie between cents: they are adjusted already, or the factor is not theirs"
    return bar_findings(data, "off_tick", "warning", off, message)


def missing_fields(data: MarketData) -> list[Finding]:
    found: list[Finding] = []
    absent = [name for name in ("open", "high", "low", "volume") if name not in data.fields]
    if absent:
        found.append(
            Finding("missing_fields", "warning", len(absent), f"usual fields are absent: {', '.join(absent)}")
        )
    hollow = [name for name, values in data.fields.items() if not np.isfinite(values).any()]
    if hollow:
        found.append(
            Finding("empty_fields", "serious", len(hollow), f"fields without any value: {', '.join(hollow)}")
        )
    never = np.flatnonzero(~np.isfinite(data.fields["close"]).any(axis=0))
    if never.size:
        names = tuple(data.instruments[column] for column in never[:SHOWN])
        found.append(
            Finding("never_traded", "warning", int(never.size), "instruments without any close", names)
        )
    found += _turnover_rate(data)
    traded = np.isfinite(data.fields["close"])
    total = int(traded.sum())
    for name, values in data.fields.items():
        have = int((np.isfinite(values) & traded).sum())
        if total and 0 < have < 0.95 * total:
            found.append(
                Finding("coverage", "note", total - have, f"{name} covers {have / total:.0%} of traded bars")
            )
    return found


def _turnover_rate(data: MarketData) -> list[Finding]:
    """A column that is called turnover may hold the traded value instead of a rate."""
    rates = data.fields.get("turn")
    if rates is None or not (np.nanmedian(rates) if np.isfinite(rates).any() else 0.0) > _LARGEST_RATE:
        return []
    message = (
        f"turn has a median of {np.nanmedian(rates):,.0f}: a traded value, not a rate (tell it with "
        "--column amount=COLUMN)"
    )
    return [Finding("turnover_rate", "serious", int(np.isfinite(rates).sum()), message)]
