"""Membership and industries by date, from lists that a source had on single days."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import date, timedelta

import numpy as np

from assay.market._data import Group
from assay.market._fetch_client import Snapshot
from assay.market._universe import Dates, Span, Universe, universe_from_spans

REVIEW_SLACK_DAYS = 45
"""How late after an index review a list may come and still stand for it."""
_FRIDAY = 4


def index_reviews(start: date, end: date) -> list[date]:
    """Days from ``start`` to ``end`` on which reviews of CSI 300 and CSI 500 take effect.

    The Monday after the second Friday of June and December.
    """
    out: list[date] = []
    for year in range(start.year, end.year + 1):
        for month in (6, 12):
            first = date(year, month, 1)
            second_friday = first + timedelta(days=(_FRIDAY - first.weekday()) % 7 + 7)
            out.append(second_friday + timedelta(days=3))
    return [day for day in out if start <= day <= end]


def snapshot_days(start: date, end: date) -> list[date]:
    """Days on which a source's lists are asked for: both ends, each first of a month, each index review."""
    months = [
        date(start.year + (start.month + i) // 12, (start.month + i) % 12 + 1, 1)
        for i in range(_months(start, end))
    ]
    inside = [day for day in (*months, *index_reviews(start, end)) if start <= day <= end]
    return sorted({start, end, *inside})


def quarter_days(start: date, end: date) -> list[date]:
    """Those of the days above that begin a quarter, and both ends."""
    return [
        day
        for day in snapshot_days(start, end)
        if day in (start, end) or (day.day == 1 and day.month % 3 == 1)
    ]


def _months(start: date, end: date) -> int:
    return (end.year - start.year) * 12 + end.month - start.month


def members_ever(snapshots: Sequence[Snapshot]) -> set[str]:
    """Symbols that any of the lists has."""
    return {symbol for snapshot in snapshots for symbol in snapshot.labels}


def universe_of(
    name: str, snapshots: Sequence[Snapshot], dates: Dates, instruments: Sequence[str]
) -> Universe:
    """Membership by date: each list holds from its own date up to that of the next.

    It is known until the day the source was last asked, or until the eve of the first index review for
    which no list came within 45 days.
    """
    lists = _by_taken(snapshots)
    open_since: dict[str, date] = {}
    spans: list[Span] = []
    for snapshot in lists:
        left = [symbol for symbol in open_since if symbol not in snapshot.labels]
        stop = np.datetime64(snapshot.taken)
        spans += [Span(symbol, np.datetime64(open_since.pop(symbol)), stop) for symbol in left]
        for symbol in snapshot.labels:
            open_since.setdefault(symbol, snapshot.taken)
    spans += [Span(symbol, np.datetime64(since), None) for symbol, since in open_since.items()]
    return universe_from_spans(
        spans,
        dates,
        instruments,
        known_until=np.datetime64(_known_until(lists, max(item.asked for item in snapshots))),
        description=f"{name} by {len(lists)} lists of the source, each from its own date on",
    )


def _by_taken(snapshots: Sequence[Snapshot]) -> list[Snapshot]:
    """One list a date, in order."""
    return [item for _, item in sorted({item.taken: item for item in snapshots}.items())]


def _known_until(lists: Sequence[Snapshot], asked: date) -> date:
    taken = [item.taken for item in lists]
    for review in index_reviews(taken[0], asked):
        if not any(review <= day <= review + timedelta(days=REVIEW_SLACK_DAYS) for day in taken):
            return review - timedelta(days=1)
    return asked


def industry_of(snapshots: Sequence[Snapshot], dates: Dates, instruments: Sequence[str]) -> Group:
    """Industries by date: each list holds from its own date to that of the next, none before the first."""
    lists = _by_taken(snapshots)
    labels = tuple(sorted({label for item in lists for label in item.labels.values() if label}))
    code = {label: number for number, label in enumerate(labels)}
    codes = np.full((len(dates), len(instruments)), -1, dtype=np.int32)
    for item, stop in _with_next(lists):
        low = int(np.searchsorted(dates, np.datetime64(item.taken)))
        high = len(dates) if stop is None else int(np.searchsorted(dates, np.datetime64(stop)))
        row = [code.get(item.labels.get(symbol, ""), -1) for symbol in instruments]
        codes[low:high] = np.array(row, dtype=np.int32)
    return Group(codes, labels, f"{len(lists)} lists of the source, each from its own date on")


def _with_next(lists: Sequence[Snapshot]) -> Iterator[tuple[Snapshot, date | None]]:
    for place, item in enumerate(lists):
        yield item, lists[place + 1].taken if place + 1 < len(lists) else None
