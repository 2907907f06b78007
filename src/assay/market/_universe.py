from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from assay.errors import DataError

Dates = NDArray[np.datetime64]


@dataclass(frozen=True, slots=True)
class Universe:
    """Membership by date.

    ``spans`` is int32 ``(K, 3)``: instrument, first row, row after the last; rows of the panel's dates.
    ``known_until`` is the last date for which the membership is known; later use is refused.
    """

    spans: NDArray[np.int32]
    known_until: np.datetime64
    aliases: tuple[str, ...] = ()
    description: str = ""
    unknown_members: tuple[str, ...] = ()

    def mask(self, shape: tuple[int, int]) -> NDArray[np.bool_]:
        """Members by date, bool ``(T, N)``."""
        out = np.zeros(shape, dtype=np.bool_)
        for instrument, start, stop in self.spans:
            out[start:stop, instrument] = True
        return out


@dataclass(frozen=True, slots=True)
class Span:
    """A membership from ``start`` up to, not including, ``stop`` (None: still a member)."""

    symbol: str
    start: np.datetime64
    stop: np.datetime64 | None


def overlapping(spans: Sequence[Span]) -> list[tuple[Span, Span]]:
    """Pairs of spans of one symbol that share a date."""
    pairs: list[tuple[Span, Span]] = []
    ordered = sorted(spans, key=lambda span: (span.symbol, span.start))
    for previous, span in pairwise(ordered):
        if previous.symbol != span.symbol:
            continue
        if previous.stop is None or span.start < previous.stop:
            pairs.append((previous, span))
    return pairs


def merged_spans(spans: Sequence[Span]) -> list[Span]:
    """The same membership with one span where several of a symbol overlap."""
    out: list[Span] = []
    for span in sorted(spans, key=lambda span: (span.symbol, span.start)):
        last = out[-1] if out else None
        if last is None or last.symbol != span.symbol or (last.stop is not None and span.start >= last.stop):
            out.append(span)
        elif last.stop is not None:
            stop = None if span.stop is None else max(span.stop, last.stop)
            out[-1] = Span(last.symbol, last.start, stop)
    return out


def universe_from_spans(
    spans: Sequence[Span],
    dates: Dates,
    instruments: Sequence[str],
    *,
    known_until: np.datetime64,
    aliases: Sequence[str] = (),
    description: str = "",
) -> Universe:
    """Membership on the panel's own dates; symbols without data are kept by name in ``unknown_members``.

    Raises
    ------
    DataError
        Two spans of one symbol overlap, or a span ends before it starts.
    """
    overlaps = overlapping(spans)
    if overlaps:
        first, second = overlaps[0]
        raise DataError(
            f"{len(overlaps)} membership spans overlap, e.g. {first.symbol} from {first.start} "
            f"and from {second.start}",
            where=f"symbol {first.symbol}",
            fix="a symbol may be a member once at a time: mend the spans",
        )
    backward = [span for span in spans if span.stop is not None and span.stop < span.start]
    if backward:
        raise DataError(
            f"a membership ends before it starts: {backward[0].symbol} {backward[0].start} "
            f"to {backward[0].stop}",
            where=f"symbol {backward[0].symbol}",
            fix="mend the dates of the span",
        )
    index = {symbol: column for column, symbol in enumerate(instruments)}
    rows: list[tuple[int, int, int]] = []
    unknown: set[str] = set()
    for span in spans:
        start = int(np.searchsorted(dates, span.start))
        stop = len(dates) if span.stop is None else int(np.searchsorted(dates, span.stop))
        if start >= stop:
            continue
        if span.symbol not in index:
            unknown.add(span.symbol)
            continue
        rows.append((index[span.symbol], start, stop))
    return Universe(
        spans=np.array(sorted(rows), dtype=np.int32).reshape(-1, 3),
        known_until=known_until,
        aliases=tuple(aliases),
        description=description,
        unknown_members=tuple(sorted(unknown)),
    )


def universe_from_mask(
    mask: NDArray[np.bool_], *, known_until: np.datetime64, aliases: Sequence[str] = (), description: str = ""
) -> Universe:
    """Spans of a bool ``(T, N)`` membership."""
    padded = np.zeros((mask.shape[0] + 2, mask.shape[1]), dtype=np.int8)
    padded[1:-1] = mask
    steps = np.diff(padded, axis=0).T
    starts = np.argwhere(steps == 1)
    stops = np.argwhere(steps == -1)
    spans = np.column_stack([starts, stops[:, 1]]).astype(np.int32).reshape(-1, 3)
    return Universe(spans, known_until, tuple(aliases), description)
