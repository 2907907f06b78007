"""Downloading a data set: item by item into a partial folder, published when each symbol is accounted for."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date, timedelta
from pathlib import Path
from typing import Any, TypeVar

import numpy as np

from assay.base import Clock, SystemClock, check_id
from assay.errors import (
    AssayError,
    ProviderAuth,
    ProviderBadReply,
    ProviderError,
    ProviderQuotaExhausted,
    ProviderTransient,
)
from assay.market._assemble import Grid, assemble
from assay.market._attach import Sides, SideTables, attach
from assay.market._bar_checks import quarantine
from assay.market._data import FloatPanel, MarketData, Source
from assay.market._doctor import examine
from assay.market._fetch_client import UNREACHABLE, BarClient, Bars, Snapshot
from assay.market._fetch_partial import FetchPlan, Outcome, Partial, open_partial, partial_folder
from assay.market._fetch_sides import industry_of, members_ever, quarter_days, snapshot_days, universe_of
from assay.market._findings import Finding
from assay.market._panel import Panel
from assay.market._store import write_dataset
from assay.market._universe import Dates

T = TypeVar("T")

Progress = Callable[[int, int, Outcome], None]
"""Called with how many items are done, how many there are, and how it went with the last."""

FAILURES_IN_A_ROW = 5
"""After so many symbols that a source could not answer for, it is left alone."""
_TOO_MANY_REQUESTS = 429
_SHOWN = 10
_CALENDAR = "calendar"
UNKNOWN_DAY_RULE = "a day without a row between an instrument's first and last is unknown, not suspended"


@dataclass(frozen=True, slots=True)
class Fetched:
    """A published download: how it went with each symbol, and what the doctor found in the bars."""

    panel: Panel
    outcomes: Mapping[str, Outcome]
    findings: tuple[Finding, ...]


@dataclass(frozen=True, slots=True)
class Collected:
    """Everything that a plan asks for, tried; bars lie in the partial folder."""

    outcomes: Mapping[str, Outcome]
    calendar: Dates | None
    members: Mapping[str, Sequence[Snapshot]] = field(default_factory=dict)
    industries: Sequence[Snapshot] = ()

    def of(self, status: str) -> dict[str, Outcome]:
        """Outcomes of that status, by symbol."""
        return {symbol: outcome for symbol, outcome in self.outcomes.items() if outcome.status == status}


class FetchIncomplete(ProviderError):
    """Some symbols did not arrive, so nothing was published; what has arrived is kept."""

    kind = "fetch_incomplete"

    def __init__(self, outcomes: Mapping[str, Outcome], *, where: str, kept: Path) -> None:
        self.outcomes = dict(outcomes)
        self.kept = kept
        failed = {symbol: item for symbol, item in outcomes.items() if item.status == "failed"}
        shown = "; ".join(f"{symbol}: {item.reason}" for symbol, item in list(failed.items())[:_SHOWN])
        more = f"; and {len(failed) - _SHOWN} more" if len(failed) > _SHOWN else ""
        super().__init__(
            f"{len(failed)} of {len(outcomes)} symbols did not arrive, nothing was published: {shown}{more}",
            where=where,
            fix="run the same command again to try these again (the others are kept), or publish without "
            "them, by name, with --allow-missing",
        )

    def as_dict(self) -> dict[str, Any]:
        return {**super().as_dict(), **outcome_summary(self.outcomes), "kept": str(self.kept)}


def outcome_summary(outcomes: Mapping[str, Outcome]) -> dict[str, Any]:
    """How it went with each symbol, JSON-ready: how many arrived, the others with their reasons."""
    return {
        "arrived": sum(item.status == "ok" for item in outcomes.values()),
        "empty": {symbol: item.reason for symbol, item in outcomes.items() if item.status == "empty"},
        "failed": {symbol: item.reason for symbol, item in outcomes.items() if item.status == "failed"},
        "notes": {symbol: list(item.notes) for symbol, item in outcomes.items() if item.notes},
    }


def fetch(
    client: BarClient,
    plan: FetchPlan,
    folder: Path,
    *,
    sides: Sides | None = None,
    allow_missing: bool = False,
    restart: bool = False,
    quarantine_bars: bool = True,
    progress: Progress | None = None,
    clock: Clock | None = None,
) -> Fetched:
    """Download a data set into ``folder``, or continue a download that was interrupted.

    What has arrived lies in a hidden folder beside it, one file an item, and is not asked for again. The
    data set appears whole, and only when each symbol has arrived or the source explains why it has no bars.

    Parameters
    ----------
    sides : further tables from files.
    allow_missing : publish without the symbols that failed; the manifest names them and why.
    restart : drop what has arrived before.
    quarantine_bars : set bars missing that cannot be true, and list them.

    Raises
    ------
    FetchIncomplete
        Symbols failed and ``allow_missing`` is not set.
    ProviderError
        The source cannot be reached, refuses, or fails for one symbol after the other: the run stopped.
    AssayError
        The folder exists, the plan cannot be, or the disk is full.
    """
    folder = Path(folder)
    clock = clock or SystemClock()
    check_id(folder.name, "data set name")
    if folder.exists():
        raise AssayError(
            f"data set {folder.name!r} exists already",
            where=str(folder),
            fix="bring it up to date with 'assay data update', choose another name, or remove that folder",
        )
    check_plan(client, plan, clock.now().date())
    with open_partial(partial_folder(folder), plan, restart=restart) as partial:
        collected = collect(client, plan, partial, progress)
        accounted(client, collected, partial, allow_missing=allow_missing)
        data = gathered(client, plan, partial, collected, folder.name)
        if sides:
            data = attach(data, sides)
        found = examine(data)
        panel = write_dataset(quarantine(data) if quarantine_bars else data, folder, clock=clock)
        partial.remove()
    return Fetched(panel, collected.outcomes, found)


def check_plan(client: BarClient, plan: FetchPlan, today: date) -> None:
    """Refuse a plan that cannot be carried out.

    Raises
    ------
    AssayError
        Dates in the wrong order or in the future, an index that the source does not have, nothing to ask for.
    """
    if plan.start > plan.end:
        raise AssayError(
            f"the first date {plan.start} lies after the last {plan.end}", where="--start", fix="swap them"
        )
    if plan.end > today + timedelta(days=1):
        raise AssayError(
            f"{plan.end} lies in the future", where="--end", fix="leave it out: it is today then"
        )
    unknown = [name for name in plan.universes if name not in client.universes]
    if unknown:
        has = ", ".join(client.universes) or "none"
        raise AssayError(
            f"{client.name} has no members of {unknown[0]!r}; it has: {has}",
            where="--universe",
            fix="give the members from a file, with --membership",
        )
    if plan.industry and not client.has_industry:
        raise AssayError(
            f"{client.name} has no industries by date", where="--industry", fix="give a file with --groups"
        )
    if not plan.symbols and not plan.universes:
        raise AssayError(
            "a download needs symbols or an index",
            where="--symbols",
            fix="give symbols with commas, a file with one a line, or --universe",
        )


def collect(client: BarClient, plan: FetchPlan, partial: Partial, progress: Progress | None) -> Collected:
    """Ask for everything of the plan that has not arrived yet.

    Raises
    ------
    ProviderError
        A list could not be had, or the source is not worth asking further.
    """
    run = _Run(client, partial, progress)
    lists = snapshot_days(plan.first, plan.end) if plan.universes else []
    quarters = quarter_days(plan.first, plan.end) if plan.industry else []
    run.total = 1 + len(lists) * len(plan.universes) + len(quarters) + len(plan.symbols)
    calendar = run.calendar(plan.first, plan.end)
    members = {
        name: [run.snapshot(f"members/{name}/{day}", client.members, name, day) for day in lists]
        for name in plan.universes
    }
    industries = [run.snapshot(f"industry/{day}", _by_day(client), "", day) for day in quarters]
    ever = {symbol for snapshots in members.values() for symbol in members_ever(snapshots)}
    added = sorted(ever.difference(plan.symbols, plan.known))
    run.total += len(added)
    outcomes = {
        symbol: run.bars(symbol, plan.start if symbol in plan.symbols else plan.first, plan.end, calendar)
        for symbol in (*plan.symbols, *added)
    }
    return Collected(outcomes, calendar, members, industries)


def _by_day(client: BarClient) -> Callable[[str, date], Snapshot]:
    return lambda _, day: client.industries(day)


def bars_item(symbol: str) -> str:
    """The journal's name for the bars of a symbol."""
    return f"bars/{symbol}"


class _Run:
    """One pass over a plan: counts, and stops when the source is not worth asking further."""

    def __init__(self, client: BarClient, partial: Partial, progress: Progress | None) -> None:
        self.total = 0
        self._client = client
        self._partial = partial
        self._progress = progress
        self._done = 0
        self._in_a_row = 0

    def calendar(self, start: date, end: date) -> Dates | None:
        outcome = self._partial.outcome(_CALENDAR)
        if outcome is None or outcome.status != "ok":
            dates = self._needed(lambda: self._client.calendar(start, end))
            if dates is None:
                self._tell(Outcome(_CALENDAR, "empty", reason="the source does not tell its trading days"))
                return None
            outcome = self._partial.keep_dates(_CALENDAR, dates)
        self._tell(outcome)
        return self._partial.dates(_CALENDAR)

    def snapshot(self, item: str, ask: Callable[[str, date], Snapshot], name: str, day: date) -> Snapshot:
        outcome = self._partial.outcome(item)
        if outcome is None or outcome.status != "ok":
            outcome = self._partial.keep_snapshot(item, self._needed(lambda: ask(name, day)))
        self._tell(outcome)
        return self._partial.snapshot(item)

    def bars(self, symbol: str, start: date, end: date, calendar: Dates | None) -> Outcome:
        item = bars_item(symbol)
        outcome = self._partial.outcome(item)
        if outcome is None or outcome.status == "failed":
            outcome = self._ask_bars(item, symbol, start, end, calendar)
        self._tell(outcome)
        return outcome

    def _ask_bars(self, item: str, symbol: str, start: date, end: date, calendar: Dates | None) -> Outcome:
        try:
            bars = self._client.pace.persistently(lambda: self._client.fetch(symbol, start, end))
        except ProviderError as error:
            self._in_a_row += isinstance(error, ProviderTransient)
            outcome = self._partial.note(Outcome(item, "failed", reason=error.message))
            if _hopeless(error) or self._in_a_row >= FAILURES_IN_A_ROW:
                raise self._stopped(error) from error
            return outcome
        self._in_a_row = 0
        if not len(bars.dates):
            if bars.why_none:
                return self._partial.note(Outcome(item, "empty", reason=bars.why_none))
            reason = "the source has no bars and does not say why"
            return self._partial.note(Outcome(item, "failed", reason=reason))
        stray = bars.dates[~np.isin(bars.dates, calendar)] if calendar is not None else bars.dates[:0]
        if stray.size:
            reason = f"it has a bar on {stray[0]}, which is no trading day"
            return self._partial.note(Outcome(item, "failed", reason=reason))
        return self._partial.keep_bars(item, bars)

    def _needed(self, action: Callable[[], T]) -> T:
        try:
            return self._client.pace.persistently(action)
        except ProviderError as error:
            raise self._stopped(error) from error

    def _stopped(self, error: ProviderError) -> ProviderError:
        return type(error)(
            f"{error.message}; stopped after {self._done} of {self.total} items, nothing was published",
            where=error.where,
            fix=f"{error.fix or 'try again later'}; the same command goes on where this one stopped",
            status=error.status,
            code=error.code,
            retry_after=error.retry_after,
        )

    def _tell(self, outcome: Outcome) -> None:
        self._done += 1
        if self._progress is not None:
            self._progress(self._done, self.total, outcome)


def _hopeless(error: ProviderError) -> bool:
    """Whether the next symbol would fail in the same way, or asking on would be rude."""
    if isinstance(error, ProviderAuth | ProviderQuotaExhausted):
        return True
    return error.code == UNREACHABLE or error.status == _TOO_MANY_REQUESTS


def accounted(client: BarClient, collected: Collected, partial: Partial, *, allow_missing: bool) -> None:
    """Hold a download to the rule that each symbol has arrived or is explained.

    Raises
    ------
    FetchIncomplete
        Symbols failed, and that is not allowed.
    ProviderBadReply
        No symbol has a bar.
    """
    if collected.of("failed") and not allow_missing:
        raise FetchIncomplete(collected.outcomes, where=client.name, kept=partial.folder)
    if not collected.of("ok"):
        shown = "; ".join(
            f"{symbol}: {item.reason}" for symbol, item in list(collected.outcomes.items())[:_SHOWN]
        )
        raise ProviderBadReply(
            f"no symbol has a bar from {partial.plan.start} to {partial.plan.end}: {shown}",
            where=client.name,
            fix="check symbols and dates",
        )


def gathered(
    client: BarClient, plan: FetchPlan, partial: Partial, collected: Collected, name: str
) -> MarketData:
    """The arrived bars as one data set, with membership and industries by date."""
    kept = [partial.bars(symbol, bars_item(symbol)) for symbol in collected.of("ok")]
    dates = _axis(kept, collected.calendar)
    names = tuple(bars.symbol for bars in kept)
    record = np.zeros((len(dates), len(names)), dtype=np.bool_)
    wide: dict[str, FloatPanel] = {}
    for column, bars in enumerate(kept):
        rows = np.searchsorted(dates, bars.dates)
        record[rows, column] = True
        for key, values in bars.columns.items():
            if key not in wide:
                wide[key] = np.full(record.shape, np.nan, dtype=np.float32)
            wide[key][rows, column] = values
    data = assemble(
        name,
        Grid.of(dates, names, record),
        wide,
        source=Source(client.name),
        sides=side_tables(collected, dates, names),
        market=client.market,
        rules=(*client.rules, UNKNOWN_DAY_RULE),
    )
    detail = {**source_detail(plan, collected), "days_without_row": days_without_row(data)}
    return replace(data, source=Source(client.name, detail))


def _axis(kept: Sequence[Bars], calendar: Dates | None) -> Dates:
    """Trading days from the first bar to the last: days on which nobody has a row are kept, as they are."""
    own = np.unique(np.concatenate([bars.dates for bars in kept])).astype("datetime64[D]")
    if calendar is None:
        return own
    return np.asarray(calendar[(calendar >= own[0]) & (calendar <= own[-1])]).astype("datetime64[D]")


def days_without_row(data: MarketData) -> dict[str, int]:
    """How many days between an instrument's first and last row have none, for those that have such days."""
    rows = np.arange(data.shape[0])[:, None]
    inside = (rows >= data.first_row) & (rows <= data.last_row)
    counts = (inside & np.isnan(data.fields["suspended"])).sum(axis=0)
    return {data.instruments[place]: int(counts[place]) for place in np.flatnonzero(counts)}


def source_detail(plan: FetchPlan, collected: Collected) -> dict[str, Any]:
    """What the manifest says of the source: what was asked for and how it went, by symbol."""
    lists = {name: len({item.taken for item in items}) for name, items in collected.members.items()}
    return {
        "start": str(plan.first),
        "end": str(plan.end),
        "symbols": {symbol: item.rows for symbol, item in collected.of("ok").items()},
        "without_bars": {symbol: item.reason for symbol, item in collected.of("empty").items()},
        "missing": {symbol: item.reason for symbol, item in collected.of("failed").items()},
        "notes": {symbol: list(item.notes) for symbol, item in collected.outcomes.items() if item.notes},
        "universes": lists,
        "industry": plan.industry,
    }


def side_tables(collected: Collected, dates: Dates, instruments: tuple[str, ...]) -> SideTables:
    """Membership and industries by date on a panel's axes."""
    groups = {}
    if collected.industries:
        groups["industry"] = industry_of(collected.industries, dates, instruments)
    universes = {
        name: universe_of(name, items, dates, instruments) for name, items in collected.members.items()
    }
    return SideTables(universes=universes, groups=groups)
