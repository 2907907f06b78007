"""Finding what cannot be true in market data, all at once; nothing is repaired."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final, Literal

import numpy as np
from numpy.typing import NDArray

from assay.errors import DataError
from assay.market._data import FloatPanel, MarketData, Quarantined
from assay.market._fields import BAR_FIELDS
from assay.market._manifest import read_manifest
from assay.market._panel import Panel
from assay.market._store import open_panel, verify
from assay.market._trading import age_in_bars, forward_fill, limit_prices

Severity = Literal["serious", "warning", "note"]
Mask = NDArray[np.bool_]

LARGE_MOVE: Final = 0.4
"""Without price limits: a move of the adjusted close in one bar that is worth a look."""
_SPLITS: Final = (2, 3, 4, 5, 6, 7, 8, 10, 15, 20, 25, 50, 100)
_SPLIT_TOLERANCE: Final = 0.02
_LARGE_STEP: Final = 0.18
LONGEST_GAP_DAYS: Final = 14
_SHOWN = 5
_LARGEST_RATE = 100.0
"""Of turnover in percent: a median above it is no rate."""
_OFF_TICK = 0.05
_MANY_OFF_TICK = 0.01
_RELATIVE = 1e-4
_SETTLING_BARS = 6


@dataclass(frozen=True, slots=True)
class Finding:
    """One kind of fault: how often, and where for example. ``serious`` ones make results wrong."""

    check: str
    severity: Severity
    count: int
    message: str
    examples: tuple[str, ...] = ()

    def as_dict(self) -> dict[str, Any]:
        """JSON-ready."""
        return {
            "check": self.check,
            "severity": self.severity,
            "count": self.count,
            "message": self.message,
            "examples": list(self.examples),
        }


def doctor(target: Panel | MarketData | Path) -> tuple[Finding, ...]:
    """Every fault found in a data set; for a stored one its files are checked against their hashes as well.

    Raises
    ------
    DataError
        ``target`` is a folder that is not a data set.
    """
    if isinstance(target, Panel):
        return examine(target.data)
    if isinstance(target, MarketData):
        return examine(target)
    folder = Path(target)
    manifest = read_manifest(folder)
    altered = verify(folder)
    if any("is missing" in sentence for sentence in altered):
        return (_files_finding(altered),)
    found = _examine_altered(folder, altered) if altered else list(examine(open_panel(folder).data))
    if manifest.quarantine.count:
        parts = ", ".join(f"{reason} {count}" for reason, count in manifest.quarantine.by_reason.items())
        found.append(
            Finding("quarantine", "note", manifest.quarantine.count, f"bars already set missing: {parts}")
        )
    return tuple(found)


def _examine_altered(folder: Path, altered: tuple[str, ...]) -> list[Finding]:
    found = [_files_finding(altered)]
    try:
        found += examine(open_panel(folder).data)
    except DataError as error:
        # what a damaged file says is a finding too: a doctor does not stop at the first fault
        found.append(Finding("unreadable", "serious", 1, error.message))
    return found


def _files_finding(sentences: tuple[str, ...]) -> Finding:
    return Finding(
        "files", "serious", len(sentences), "stored files differ from the manifest", tuple(sentences[:_SHOWN])
    )


def examine(data: MarketData) -> tuple[Finding, ...]:
    """Every fault found in the arrays of a data set."""
    found: list[Finding] = []
    for name, check in BAR_CHECKS.items():
        mask = check.find(data)
        if mask is not None and mask.any():
            found.append(_cells(data, name, check, mask))
    for section in (
        _no_market,
        _factor_gaps,
        _off_tick,
        _still_bars,
        _no_record,
        _missing_fields,
        _calendar,
        _spans,
    ):
        found += section(data)
    order = {"serious": 0, "warning": 1, "note": 2}
    return tuple(sorted(found, key=lambda finding: order[finding.severity]))


@dataclass(frozen=True, slots=True)
class BarCheck:
    """A test of single bars; ``quarantined`` ones are set missing on import."""

    severity: Severity
    message: str
    find: Callable[[MarketData], Mask | None]
    shows: tuple[str, ...]
    quarantined: bool


def _prices(data: MarketData) -> dict[str, FloatPanel]:
    return {
        name: data.fields[name] for name in ("open", "high", "low", "close", "vwap") if name in data.fields
    }


def _non_positive(data: MarketData) -> Mask | None:
    out = np.zeros(data.shape, dtype=np.bool_)
    for values in _prices(data).values():
        out |= values <= 0
    return out


def _outside_range(data: MarketData) -> Mask | None:
    if "high" not in data.fields or "low" not in data.fields:
        return None
    high = data.fields["high"] * (1 + _RELATIVE)
    low = data.fields["low"] * (1 - _RELATIVE)
    out = np.asarray(data.fields["high"] < low)
    for name in ("open", "close"):
        if name in data.fields:
            out |= (data.fields[name] > high) | (data.fields[name] < low)
    return out


def _negative_volume(data: MarketData) -> Mask | None:
    names = [name for name in ("volume", "amount", "turn") if name in data.fields]
    out = np.zeros(data.shape, dtype=np.bool_)
    for name in names:
        out |= data.fields[name] < 0
    return out


def adjusted_moves(data: MarketData) -> NDArray[np.float64]:
    """Adjusted close over the adjusted close of the bar before, less 1; only where both bars traded."""
    close = np.asarray(data.fields["close"], dtype=np.float64)
    close = np.where(close > 0, close, np.nan)
    factor = data.fields.get("factor")
    if factor is not None:
        close = close * factor
    out = np.full(data.shape, np.nan)
    with np.errstate(invalid="ignore", divide="ignore"):
        out[1:] = close[1:] / close[:-1] - 1
    return out


def _jumps(data: MarketData) -> Mask | None:
    moves = adjusted_moves(data)
    with np.errstate(invalid="ignore"):
        if data.limits.rule == "none":
            return _looks_like_split(moves) | _unanswered_steps(data, moves)
        st = np.nan_to_num(data.fields["is_st"]) > 0 if "is_st" in data.fields else np.zeros(data.shape, bool)
        upper, lower = limit_prices(data, np.asarray(st))
        # beyond the limit by more than rounding and by more than small corrections of the reference price
        close = data.fields["close"]
        beyond = (close > upper * 1.05) | (close < lower * 0.95)
        # the first days after a listing, and what the age does not tell, move freely
        return np.asarray(beyond & np.isfinite(moves) & (age_in_bars(data) >= _SETTLING_BARS))


def _looks_like_split(moves: NDArray[np.float64]) -> Mask:
    """Moves within 2% of a whole ratio, 2 for 1 and beyond: a split without a step of the factor."""
    ratio = np.exp(np.abs(np.log(np.maximum(1 + moves, 1e-12))))
    out = np.zeros(moves.shape, dtype=np.bool_)
    for split in _SPLITS:
        out |= np.abs(ratio / split - 1) < _SPLIT_TOLERANCE
    return out


def _unanswered_steps(data: MarketData, moves: NDArray[np.float64]) -> Mask:
    """A large step of the factor without a move of the traded price: adjusted twice, or on the wrong day."""
    out = np.zeros(data.shape, dtype=np.bool_)
    if "factor" not in data.fields:
        return out
    factor = np.asarray(data.fields["factor"], dtype=np.float64)
    with np.errstate(invalid="ignore", divide="ignore"):
        step = np.log(factor[1:] / factor[:-1])
        adjusted = np.log1p(moves[1:])
        out[1:] = (np.abs(step) > _LARGE_STEP) & (np.abs(adjusted - step) < np.abs(step) / 2)
    return out


def _large_moves(data: MarketData) -> Mask | None:
    if data.limits.rule != "none":
        return None
    moves = adjusted_moves(data)
    with np.errstate(invalid="ignore"):
        faulty = _looks_like_split(moves) | _unanswered_steps(data, moves)
        return np.asarray((np.abs(moves) > LARGE_MOVE) & ~faulty)


def _factor_falls(data: MarketData) -> Mask | None:
    if "factor" not in data.fields:
        return None
    factor = forward_fill(np.asarray(data.fields["factor"], dtype=np.float64))
    out = np.zeros(data.shape, dtype=np.bool_)
    with np.errstate(invalid="ignore"):
        out[1:] = factor[1:] < factor[:-1] * (1 - 1e-6)
    return out


BAR_CHECKS: Final[Mapping[str, BarCheck]] = {
    "non_positive_price": BarCheck(
        "serious", "a price is zero or negative", _non_positive, ("close", "low"), True
    ),
    "outside_range": BarCheck(
        "serious", "close or open lies outside low to high", _outside_range, ("low", "close", "high"), True
    ),
    "negative_volume": BarCheck(
        "serious", "volume, amount or turnover is negative", _negative_volume, ("volume",), True
    ),
    "unexplained_jump": BarCheck(
        "serious",
        "the adjusted close moves beyond its limit, or as by a split that factor and price do not share",
        _jumps,
        ("close", "factor"),
        True,
    ),
    "large_move": BarCheck(
        "warning",
        f"the adjusted close moves by more than {LARGE_MOVE:.0%}",
        _large_moves,
        ("close", "factor"),
        False,
    ),
    "factor_falls": BarCheck(
        "warning",
        "the adjustment factor falls: a reverse split, or factors of two downloads mixed",
        _factor_falls,
        ("factor",),
        False,
    ),
}


def impossible_bars(data: MarketData) -> Iterator[tuple[str, Mask]]:
    """What cannot be true of prices and volume of one bar alone, and where."""
    for name in ("non_positive_price", "outside_range", "negative_volume"):
        check = BAR_CHECKS[name]
        mask = check.find(data)
        if mask is not None and mask.any():
            yield check.message, mask


def _cells(data: MarketData, name: str, check: BarCheck, mask: Mask) -> Finding:
    rows, columns = np.nonzero(mask)
    examples = []
    for row, column in zip(rows[:_SHOWN].tolist(), columns[:_SHOWN].tolist(), strict=True):
        shown = [
            _value(data, field, row, column, with_before=name != "outside_range")
            for field in check.shows
            if field in data.fields
        ]
        examples.append(f"{data.dates[row]} {data.instruments[column]} {', '.join(shown)}")
    return Finding(name, check.severity, len(rows), check.message, tuple(examples))


def _value(data: MarketData, field: str, row: int, column: int, *, with_before: bool) -> str:
    text = f"{field} {float(data.fields[field][row, column]):.6g}"
    if with_before and row:
        text += f" (before {float(data.fields[field][row - 1, column]):.6g})"
    return text


def _no_market(data: MarketData) -> list[Finding]:
    if data.market is not None or data.source.kind not in ("table", "qlib"):
        return []
    message = (
        "no market: costs and price limits are unknown; judge will ask for --costs or --market; "
        "import with --market CN or --market US"
    )
    return [Finding("no_market", "warning", 1, message)]


def _factor_gaps(data: MarketData) -> list[Finding]:
    if "factor" not in data.fields:
        return [
            Finding(
                "missing_factor",
                "warning",
                1,
                "there is no adjustment factor: splits and dividends look like losses",
            )
        ]
    with np.errstate(invalid="ignore"):
        bad = np.isfinite(data.fields["close"]) & ~(data.fields["factor"] > 0)
    return _where(data, "missing_factor", "serious", bad, "a traded bar has no positive adjustment factor")


def _off_tick(data: MarketData) -> list[Finding]:
    """Where prices move in cents, raw prices between cents mean that the factor is not the source's own."""
    if data.limits.rule == "none":
        return []
    cents = np.asarray(data.fields["close"], dtype=np.float64) * 100
    off = np.isfinite(cents) & (np.abs(cents - np.round(cents)) > _OFF_TICK + cents * 1e-6)
    if off.sum() <= _MANY_OFF_TICK * max(int(np.isfinite(cents).sum()), 1):
        return []
    message = "raw closes lie between cents: they are adjusted already, or the factor is not theirs"
    return _where(data, "off_tick", "warning", off, message)


def _where(data: MarketData, name: str, severity: Severity, mask: Mask, message: str) -> list[Finding]:
    rows, columns = np.nonzero(mask)
    if rows.size == 0:
        return []
    shown = tuple(
        f"{data.dates[row]} {data.instruments[column]}"
        for row, column in zip(rows[:_SHOWN].tolist(), columns[:_SHOWN].tolist(), strict=True)
    )
    return [Finding(name, severity, int(rows.size), message, shown)]


def _still_bars(data: MarketData) -> list[Finding]:
    found: list[Finding] = []
    if "suspended" in data.fields:
        paused = np.nan_to_num(data.fields["suspended"]) > 0
        if paused.any():
            found += _where(data, "suspended", "note", paused, "bars of suspended days, held as missing")
    if "volume" in data.fields:
        still = (data.fields["volume"] == 0) & np.isfinite(data.fields["close"])
        found += _where(data, "zero_volume", "serious", still, "a bar without volume still has a price")
    return found


def _no_record(data: MarketData) -> list[Finding]:
    rows = np.arange(data.shape[0])[:, None]
    listed = (rows > data.first_row) & (rows < data.last_row)
    present = np.isfinite(data.fields["close"])
    if "suspended" in data.fields:
        present = present | np.isfinite(data.fields["suspended"])
    absent = listed & ~present
    quarantined = {(item.date, item.symbol) for item in data.quarantined}
    if quarantined:
        for row, column in np.argwhere(absent):
            if (str(data.dates[row]), data.instruments[column]) in quarantined:
                absent[row, column] = False
    message = "days without any record between an instrument's first and last; not the same as a suspension"
    return _where(data, "no_record", "note", absent, message)


def _missing_fields(data: MarketData) -> list[Finding]:
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
        names = tuple(data.instruments[column] for column in never[:_SHOWN])
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


def _calendar(data: MarketData) -> list[Finding]:
    found: list[Finding] = []
    steps = np.diff(data.dates).astype(int)
    wide = np.flatnonzero(steps > LONGEST_GAP_DAYS)
    if wide.size:
        shown = tuple(
            f"{data.dates[row]} to {data.dates[row + 1]} ({steps[row]} days)" for row in wide[:_SHOWN]
        )
        message = f"the dates leave out more than {LONGEST_GAP_DAYS} days"
        found.append(Finding("calendar_gap", "warning", int(wide.size), message, shown))
    weekend = np.flatnonzero(~np.is_busday(data.dates))
    if weekend.size:
        shown = tuple(str(data.dates[row]) for row in weekend[:_SHOWN])
        found.append(Finding("weekend", "warning", int(weekend.size), "dates on a Saturday or Sunday", shown))
    return found + _thin_days(data)


def _thin_days(data: MarketData) -> list[Finding]:
    traded = np.isfinite(data.fields["close"]).sum(axis=1).astype(np.float64)
    if len(traded) < 3:
        return []
    neighbours = np.minimum(traded[:-2], traded[2:])
    thin = np.flatnonzero(traded[1:-1] < 0.5 * neighbours) + 1
    if thin.size == 0:
        return []
    shown = tuple(f"{data.dates[row]} ({int(traded[row])} instruments)" for row in thin[:_SHOWN])
    message = "dates with less than half the instruments of the days around them"
    return [Finding("thin_day", "warning", int(thin.size), message, shown)]


def _spans(data: MarketData) -> list[Finding]:
    found: list[Finding] = []
    for name, universe in data.universes.items():
        ordered = universe.spans[np.lexsort((universe.spans[:, 1], universe.spans[:, 0]))]
        clash = (ordered[1:, 0] == ordered[:-1, 0]) & (ordered[1:, 1] < ordered[:-1, 2])
        if clash.any():
            shown = tuple(
                f"{data.instruments[ordered[place + 1, 0]]} from {data.dates[ordered[place + 1, 1]]}"
                for place in np.flatnonzero(clash)[:_SHOWN]
            )
            found.append(
                Finding(
                    "overlapping_spans", "serious", int(clash.sum()), f"memberships of {name} overlap", shown
                )
            )
        if universe.unknown_members:
            count = len(universe.unknown_members)
            shown = universe.unknown_members[:_SHOWN]
            found.append(
                Finding("unknown_members", "note", count, f"members of {name} without any data", shown)
            )
        if universe.known_until < data.dates[-1]:
            message = f"membership of {name} is known until {universe.known_until}, before the data ends"
            found.append(Finding("outdated_universe", "warning", 1, message))
    return found


def quarantine(data: MarketData, checks: tuple[str, ...] | None = None) -> MarketData:
    """The same data with every bar missing that fails one of ``checks``, listed by row.

    By default all checks that quarantine; each looks at the data as those before it have left it.
    """
    chosen = (
        checks
        if checks is not None
        else tuple(name for name, check in BAR_CHECKS.items() if check.quarantined)
    )
    for name in chosen:
        mask = BAR_CHECKS[name].find(data)
        if mask is not None and mask.any():
            data = _set_missing(data, mask, name)
    return data


def _set_missing(data: MarketData, mask: Mask, reason: str) -> MarketData:
    fields: dict[str, FloatPanel] = {}
    for name, values in data.fields.items():
        if name in BAR_FIELDS:
            values = np.where(mask, np.float32(np.nan), values)
        fields[name] = values
    rows, columns = np.nonzero(mask)
    listed = tuple(
        Quarantined(str(data.dates[row]), data.instruments[column], reason)
        for row, column in zip(rows.tolist(), columns.tolist(), strict=True)
    )
    return replace(data, fields=fields, quarantined=data.quarantined + listed)
