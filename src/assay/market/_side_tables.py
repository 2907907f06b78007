"""Tables beside the bars: membership, groups, event series, trading days."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING, Literal, get_args

import numpy as np
from numpy.typing import NDArray

from assay.errors import DataError
from assay.market._columns import BAR_SYNONYMS, EVENT_SYNONYMS, SPAN_SYNONYMS, choose_columns, plain
from assay.market._data import EVENT_DTYPE, Group
from assay.market._problems import Collector
from assay.market._tables import as_dates, as_numbers, as_text, as_times, read_table
from assay.market._universe import Dates, Span, Universe, merged_spans, overlapping, universe_from_spans

if TYPE_CHECKING:
    import polars as pl

UnknownStart = Literal["refuse", "leave_out", "from_first_date"]
Overlaps = Literal["refuse", "merge"]
UNKNOWN_START_RULES: tuple[str, ...] = get_args(UnknownStart)
OVERLAP_RULES: tuple[str, ...] = get_args(Overlaps)

_LONG_AGO = np.datetime64("1900-01-01")
_DAY = np.timedelta64(1, "D")
_CLOSE_OF_DAY = np.timedelta64(15 * 3600, "s")
_SHOWN = 5
_DATES = frozenset(plain(name) for name in BAR_SYNONYMS["date"])


@dataclass(frozen=True, slots=True)
class MembershipSource:
    """A table of spans (symbol, in, out).

    ``known_until``: last date for which the membership is known; by default the latest date in the table.
    ``end_inclusive``: the out date is the last day as a member (else the first as none).
    ``unknown_start``: what to do with a span without an in date: refuse the table, leave it out, or hold
    the symbol to be a member from the first date.
    ``overlaps``: refuse a table in which spans of a symbol overlap, or merge them to one.
    """

    path: Path
    known_until: str | None = None
    end_inclusive: bool = False
    aliases: tuple[str, ...] = ()
    unknown_start: UnknownStart = "refuse"
    overlaps: Overlaps = "refuse"

    def describe(self) -> str:
        """One sentence for the manifest."""
        rule = {
            "refuse": "",
            "leave_out": "; spans without an in date are left out",
            "from_first_date": "; spans without an in date begin with the first date",
        }[self.unknown_start]
        merged = "; overlapping spans are merged" if self.overlaps == "merge" else ""
        return f"members by date from {self.path.name}{rule}{merged}"


@dataclass(frozen=True, slots=True)
class GroupSource:
    """A table (symbol, label), labels in ``column``.

    Labels that change have columns in and out, or a date alone: then each label holds from its date until the
    symbol's next row, and an empty one ends it. A table of bars is one, with the labels of each day.
    """

    path: Path
    column: str | None = None


def read_spans(
    source: MembershipSource, problems: Collector, *, encoding: str = "utf-8", symbol: str | None = None
) -> list[Span] | None:
    """The spans of a membership table; None when it cannot be used.

    An open end (an empty out date) means that the symbol is still a member.
    """
    where = str(source.path)
    frame = read_table(source.path, problems, encoding=encoding)
    if frame is None:
        return None
    columns = frame.columns
    if len(columns) >= 3 and columns[0].startswith("column_"):
        chosen = {"symbol": columns[0], "in": columns[1], "out": columns[2]}
    else:
        told = _told(columns, symbol)
        chosen = choose_columns(
            columns, SPAN_SYNONYMS, told, ("symbol", "in"), where=where, problems=problems
        )
    if not {"symbol", "in"} <= chosen.keys():
        return None
    symbols = as_text(frame, chosen["symbol"], where, problems).to_list()
    tolerant = source.unknown_start != "refuse"
    start = as_dates(frame, chosen["in"], where, problems, empty_ok=tolerant).to_list()
    stop = [None] * len(symbols)
    if "out" in chosen:
        stop = as_dates(frame, chosen["out"], where, problems, empty_ok=True).to_list()
    spans: list[Span] = []
    for symbol, begin, end in zip(symbols, start, stop, strict=True):
        if begin is None and source.unknown_start == "from_first_date":
            begin = _LONG_AGO
        if symbol is None or begin is None:
            continue
        last = None if end is None else np.datetime64(end, "D") + (_DAY if source.end_inclusive else 0)
        spans.append(Span(symbol, np.datetime64(begin, "D"), last))
    if source.overlaps == "merge":
        spans = merged_spans(spans)
    _span_problems(spans, where, problems)
    if not spans:
        problems.add(where, "no row gives a usable span", "each needs a symbol and an in date")
        return None
    return spans


def _told(columns: Sequence[str], symbol: str | None) -> dict[str, str]:
    """The column of the symbol, where the table has the one that the user named for the bars."""
    return {"symbol": symbol} if symbol in columns and symbol is not None else {}


def _span_problems(spans: Sequence[Span], where: str, problems: Collector) -> None:
    overlaps = overlapping(spans)
    for first, second in overlaps[:_SHOWN]:
        problems.add(
            where,
            f"the spans of {second.symbol} from {first.start} and from {second.start} overlap",
            "a symbol is a member once at a time: mend them, or choose to merge overlaps",
        )
    if len(overlaps) > _SHOWN:
        problems.add(where, f"{len(overlaps) - _SHOWN} more spans overlap")
    backward = [span for span in spans if span.stop is not None and span.stop < span.start]
    for span in backward[:_SHOWN]:
        problems.add(where, f"{span.symbol} leaves on {span.stop}, before it enters on {span.start}")


def read_membership(
    name: str,
    source: MembershipSource,
    dates: Dates,
    instruments: Sequence[str],
    problems: Collector,
    *,
    encoding: str = "utf-8",
    symbol: str | None = None,
) -> Universe | None:
    """A universe from a membership table; None when problems were found."""
    had = len(problems)
    spans = read_spans(source, problems, encoding=encoding, symbol=symbol)
    if spans is None or len(problems) > had:
        return None
    known = _known_until(source, spans, problems)
    if known is None or dates.size == 0:
        return None
    try:
        return universe_from_spans(
            spans,
            dates,
            instruments,
            known_until=known,
            aliases=source.aliases,
            description=source.describe(),
        )
    except DataError as error:
        if not problems:
            problems.add(f"universe {name}", error.message)
        return None


def _known_until(
    source: MembershipSource, spans: Sequence[Span], problems: Collector
) -> np.datetime64 | None:
    if source.known_until is None:
        last_day = _DAY if source.end_inclusive else np.timedelta64(0, "D")
        ends = [span.stop - last_day for span in spans if span.stop is not None]
        return max([*ends, *(span.start for span in spans)])
    try:
        return np.datetime64(source.known_until, "D")
    except ValueError:
        problems.add(str(source.path), f"known until {source.known_until!r} is not a date", "give YYYY-MM-DD")
        return None


def read_group(
    name: str,
    source: GroupSource,
    dates: Dates,
    instruments: Sequence[str],
    problems: Collector,
    *,
    encoding: str = "utf-8",
    symbol: str | None = None,
) -> Group | None:
    """A classification of the instruments; None when problems were found."""
    where = str(source.path)
    frame = read_table(source.path, problems, encoding=encoding)
    if frame is None:
        return None
    told = _told(frame.columns, symbol)
    chosen = choose_columns(frame.columns, SPAN_SYNONYMS, told, ("symbol",), where=where, problems=problems)
    column = _label_column(name, source, frame, chosen, problems)
    if column is None or "symbol" not in chosen:
        return None
    symbols = as_text(frame, chosen["symbol"], where, problems).to_list()
    texts = [None if text is None else text.strip() for text in frame[column].cast(_string()).to_list()]
    labels = tuple(sorted({text for text in texts if text}))
    code = {label: number for number, label in enumerate(labels)}
    place = {symbol: number for number, symbol in enumerate(instruments)}
    since = chosen.get("in") or _date_column(frame.columns, column, symbols)
    if since is None:
        return _snapshot(symbols, texts, code, labels, place, where, problems)
    start = as_dates(frame, since, where, problems).to_list()
    if "out" not in chosen:
        found = _until_next(symbols, texts, start, code, place, dates, where, problems)
        return Group(found, labels, f"from {source.path.name}, a label until the symbol's next row")
    stop = as_dates(frame, chosen["out"], where, problems, empty_ok=True).to_list()
    codes = np.full((len(dates), len(instruments)), -1, dtype=np.int32)
    for symbol, text, begin, end in zip(symbols, texts, start, stop, strict=True):
        if symbol not in place or not text or begin is None:
            continue
        low = int(np.searchsorted(dates, np.datetime64(begin, "D")))
        high = len(dates) if end is None else int(np.searchsorted(dates, np.datetime64(end, "D")))
        if (codes[low:high, place[symbol]] >= 0).any():
            problems.add(
                where, f"two labels of {symbol} overlap from {begin}", "a symbol has one label at a time"
            )
        codes[low:high, place[symbol]] = code[text]
    return Group(codes, labels, f"from {source.path.name}, by date")


def _string() -> type[pl.String]:
    import polars as pl

    return pl.String


def _label_column(
    name: str, source: GroupSource, frame: pl.DataFrame, chosen: dict[str, str], problems: Collector
) -> str | None:
    rest = [column for column in frame.columns if column not in chosen.values()]
    if source.column is not None:
        if source.column in frame.columns:
            return source.column
        problems.add(
            str(source.path), f"there is no column {source.column!r}", f"it has: {', '.join(frame.columns)}"
        )
        return None
    named = [column for column in rest if plain(column) == plain(name)]
    beside = {"name", "title", "名称", *_DATES}
    rest = named or [column for column in rest if plain(column) not in beside]
    if len(rest) == 1:
        return rest[0]
    problems.add(
        str(source.path),
        f"which column holds the labels of {name}? It has: {', '.join(frame.columns)}",
        f"say so as {name}=FILE:COLUMN",
    )
    return None


def _date_column(columns: Sequence[str], labels: str, symbols: Sequence[str | None]) -> str | None:
    """The column of dates from which labels hold; None where each symbol has one row, as in a snapshot."""
    if len(set(symbols)) == len(symbols):
        return None
    return next((column for column in columns if column != labels and plain(column) in _DATES), None)


def _until_next(
    symbols: Sequence[str | None],
    texts: Sequence[str | None],
    start: Sequence[date | None],
    code: dict[str, int],
    place: dict[str, int],
    dates: Dates,
    where: str,
    problems: Collector,
) -> NDArray[np.int32]:
    """Codes ``(T, N)`` of labels that hold until the symbol's next row, -1 where there is none."""
    changes: dict[str, dict[date, str | None]] = {}
    for symbol, text, begin in zip(symbols, texts, start, strict=True):
        if symbol is None or begin is None:
            continue
        known = changes.setdefault(symbol, {})
        if begin in known and known[begin] != (text or None):
            problems.add(
                where, f"two labels of {symbol} on {begin}: {known[begin]} and {text}", "keep one of them"
            )
        known[begin] = text or None
    codes = np.full((len(dates), len(place)), -1, dtype=np.int32)
    for symbol in changes.keys() & place.keys():
        days = sorted(changes[symbol])
        rows = np.searchsorted(dates, np.array(days, dtype="datetime64[D]"))
        for row, day in zip(rows, days, strict=True):
            text = changes[symbol][day]
            codes[row:, place[symbol]] = -1 if text is None else code[text]
    return codes


def _snapshot(
    symbols: Sequence[str],
    texts: Sequence[str | None],
    code: dict[str, int],
    labels: tuple[str, ...],
    place: dict[str, int],
    where: str,
    problems: Collector,
) -> Group:
    codes = np.full(len(place), -1, dtype=np.int32)
    seen: dict[str, str | None] = {}
    for symbol, text in zip(symbols, texts, strict=True):
        if symbol in seen and seen[symbol] != text:
            problems.add(
                where,
                f"{symbol} has two labels: {seen[symbol]} and {text}",
                "keep one, or give the dates from which they hold: a column date, or in and out",
            )
        seen[symbol] = text
        if symbol in place and text:
            codes[place[symbol]] = code[text]
    return Group(codes, labels, "one snapshot for all dates, not point in time")


def read_events(
    name: str,
    path: Path,
    dates: Dates,
    instruments: Sequence[str],
    problems: Collector,
    *,
    encoding: str = "utf-8",
    symbol: str | None = None,
) -> NDArray[np.void] | None:
    """Events (symbol, event time, known time, score) in order of knowledge; None when they cannot be used."""
    where = str(path)
    frame = read_table(path, problems, encoding=encoding)
    if frame is None:
        return None
    told, needed = _told(frame.columns, symbol), ("symbol", "known_time", "score")
    chosen = choose_columns(frame.columns, EVENT_SYNONYMS, told, needed, where=where, problems=problems)
    if not {"symbol", "known_time", "score"} <= chosen.keys():
        return None
    symbols = as_text(frame, chosen["symbol"], where, problems).to_list()
    known = as_times(frame, chosen["known_time"], where, problems)
    happened = as_times(frame, chosen["event_time"], where, problems) if "event_time" in chosen else known
    score = as_numbers(frame, chosen["score"], where, problems)
    if score is None:
        return None
    late = np.flatnonzero(known < happened)
    if late.size and "event_time" in chosen:
        problems.add(
            where,
            f"events of {name} known before they happen: {late.size:,}, e.g. line {int(late[0]) + 2}",
        )
    place = {symbol: number for number, symbol in enumerate(instruments)}
    column = np.array([place.get(symbol, -1) for symbol in symbols])
    closes = dates.astype("datetime64[s]") + _CLOSE_OF_DAY
    row = np.searchsorted(closes, known)
    kept = (column >= 0) & (row < len(dates)) & np.isfinite(score) & ~np.isnat(known)
    # what was known before the first date belongs to no bar of this data
    if dates.size:
        kept &= known > dates[0].astype("datetime64[s]") - np.timedelta64(7 * 86_400, "s")
    table = np.zeros(int(kept.sum()), dtype=EVENT_DTYPE)
    table["instrument"] = column[kept]
    table["event_time"] = happened[kept]
    table["known_time"] = known[kept]
    table["row"] = row[kept]
    table["score"] = score[kept]
    return table[np.lexsort((table["event_time"], table["instrument"], table["row"]))]


def read_calendar(path: Path, problems: Collector) -> Dates | None:
    """Trading days from a text file, one ISO date a line."""
    path = Path(path)
    if not path.is_file():
        problems.add(str(path), "the calendar does not exist", "give a text file with one date a line")
        return None
    try:
        lines = path.read_text(encoding="utf-8-sig").split()
        days = np.array([date.fromisoformat(line) for line in lines], dtype="datetime64[D]")
    except (OSError, UnicodeDecodeError, ValueError) as error:
        problems.add(
            str(path), f"the calendar holds something that is not a date: {error}", "one YYYY-MM-DD a line"
        )
        return None
    if days.size == 0:
        problems.add(str(path), "the calendar is empty", "one YYYY-MM-DD a line")
        return None
    return np.unique(days)
