"""Simulations as trials of the ledger, and the daily PnL that they carry."""

from __future__ import annotations

import math
from typing import Any, Final

import numpy as np

from assay.base import json_hash
from assay.brain._errors import fault_of
from assay.brain._platform import DataIdentity, Platform
from assay.brain._result import DailyPnl, JobResult
from assay.brain._settings import SimulationRequest
from assay.brain._wire import Recordset
from assay.errors import ProviderBadReply, Refusal
from assay.ledger import Draft, Ledger, TrialKey, encode_series

DESK: Final = "brain"
PERIOD: Final = "in-sample"
DAILY_PNL: Final = "daily-pnl"
BOOK: Final = 20e6
"""Dollars of the platform's constant book, where an alpha does not tell its own."""
_DAYS_A_YEAR: Final = 252


def daily_pnl(records: Recordset) -> DailyPnl:
    """Daily PnL in dollars from the record set ``daily-pnl``; dates without a value are left out.

    Raises
    ------
    ProviderBadReply
        It has no column ``date`` with a column of numbers beside it.
    """
    names = [column.name for column in records.columns]
    value = next((name for name in names if name != "date"), None)
    if "date" not in names or value is None:
        raise ProviderBadReply(
            f"a record set with the columns {', '.join(names) or 'none'} is no daily PnL", where=records.name
        )
    day, place = names.index("date"), names.index(value)
    rows = [(str(row[day]), float(row[place])) for row in records.records if row[place] is not None]
    return DailyPnl(tuple(date for date, _ in rows), tuple(number for _, number in rows))


def read_pnl(platform: Platform, alpha_id: str) -> DailyPnl:
    """The daily PnL of an alpha; empty where the platform keeps none."""
    try:
        records = platform.recordset(alpha_id, DAILY_PNL)
    except Refusal as refusal:
        if fault_of(refusal) == "stop":
            raise
        return DailyPnl((), ())
    return daily_pnl(records) if records.columns else DailyPnl((), ())


def trial_key(fingerprint: str, request: SimulationRequest, data: DataIdentity) -> TrialKey:
    """What makes two simulations one trial: the formula, the settings, and the data."""
    content = {"data": data.name, "digest": data.digest, "settings": request.settings.wire()}
    return TrialKey(fingerprint, json_hash(content))


def put_series(ledger: Ledger, pnl: DailyPnl, book: float = BOOK) -> str | None:
    """Store a daily PnL as daily returns on the book; gives the object's name, None of an empty one."""
    if not pnl.values:
        return None
    days = np.array(pnl.dates, dtype="datetime64[D]")
    return ledger.put([encode_series(days, np.array(pnl.values) / book)])[0]


def trial_draft(
    ledger: Ledger, result: JobResult, pnl: DailyPnl, *, data: DataIdentity, run: str | None = None
) -> Draft:
    """The trial of a completed simulation, its daily returns stored in the ledger.

    The Sharpe ratio is per day, of the daily PnL, as the figure that the platform tells is rounded; where
    there is no daily PnL it is that figure over the square root of 252.
    """
    request, stats = result.proposal.request, result.stats
    book = BOOK if stats is None or not stats.book_size else stats.book_size
    body: dict[str, Any] = {
        **trial_key(result.fingerprint, request, data).as_body(),
        "expression": request.regular,
        "data": data.name,
        "universe": f"{request.settings.region} {request.settings.universe}",
        "period": PERIOD,
        "bars": len(pnl.values) or None,
        "sharpe": _daily_sharpe(pnl, result.sharpe),
        "series": put_series(ledger, pnl, book),
        "desk": DESK,
        "control": False,
    }
    return Draft("trial", body, run)


def _daily_sharpe(pnl: DailyPnl, annual: float | None) -> float | None:
    values = np.array(pnl.values)
    if len(values) >= 2:
        spread = float(np.std(values, ddof=1))
        mean = float(np.mean(values))
        return mean / spread if spread > 1e-12 * max(1.0, abs(mean)) else None
    return None if annual is None else annual / math.sqrt(_DAYS_A_YEAR)
