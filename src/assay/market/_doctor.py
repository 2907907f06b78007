"""Finding what cannot be true in market data, all at once; nothing is repaired."""

from __future__ import annotations

from pathlib import Path

from assay.errors import DataError
from assay.market._bar_checks import examine_bars
from assay.market._data import MarketData
from assay.market._date_checks import calendar, no_record, spans, still_bars
from assay.market._field_checks import factor_gaps, missing_fields, no_market, off_tick
from assay.market._findings import SHOWN, Finding
from assay.market._manifest import read_manifest
from assay.market._panel import Panel
from assay.market._store import open_panel, verify

_SECTIONS = (no_market, factor_gaps, off_tick, still_bars, no_record, missing_fields, calendar, spans)


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
        "files", "serious", len(sentences), "stored files differ from the manifest", tuple(sentences[:SHOWN])
    )


def examine(data: MarketData) -> tuple[Finding, ...]:
    """Every fault found in the arrays of a data set."""
    found = examine_bars(data)
    for find in _SECTIONS:
        found += find(data)
    order = {"serious": 0, "warning": 1, "note": 2}
    return tuple(sorted(found, key=lambda finding: order[finding.severity]))
