from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from itertools import pairwise
from typing import Any, Literal, NamedTuple

import numpy as np

from assay.base import canonical_json, did_you_mean
from assay.errors import DataError, Reason, Refusal

DateLike = date | np.datetime64 | str
HiddenPeriod = Literal["score", "eval"]

PERIOD_NAMES = ("search", "score", "eval", "all")

UNKNOWN_PERIOD = Reason(
    "unknown_period",
    "no period has this name",
    "use search, score, eval or all, and set it in assay.toml",
)


class DateRange(NamedTuple):
    """First and last day, both included."""

    start: date
    end: date

    def meets(self, other: DateRange) -> bool:
        """Whether the two ranges share a day."""
        return self.start <= other.end and other.start <= self.end

    def __str__(self) -> str:
        return f"{self.start} to {self.end}"


ALL_DATES = DateRange(date.min, date.max)


def as_date(value: DateLike) -> date:
    """A calendar day from a date, a datetime, a numpy datetime64 or ``YYYY-MM-DD``.

    Raises
    ------
    DataError
        The value is not a day.
    """
    if isinstance(value, datetime):
        return value.date()
    if isinstance(value, date):
        return value
    text = str(value.astype("datetime64[D]")) if isinstance(value, np.datetime64) else str(value)
    try:
        return date.fromisoformat(text)
    except ValueError as error:
        raise DataError(f"{text!r} is not a date", where="date", fix="write it as YYYY-MM-DD") from error


def longest_label(horizons: Sequence[int]) -> int:
    """Bars after ``t`` that the longest label needs: ``close[t+1+h]/close[t+1]-1`` reaches ``h + 1`` bars."""
    return max(horizons, default=0) + 1


@dataclass(frozen=True, slots=True)
class PeriodPlan:
    """The named periods of one data set.

    ``search`` is open to everybody. ``score`` and ``eval`` are hidden: whether a read is hidden depends on
    its dates alone, whatever name it was asked under. ``embargo_bars`` bars lie between neighbouring periods,
    so that a label that begins in one never reaches into the next.
    """

    search: DateRange
    score: DateRange | None = None
    eval: DateRange | None = None
    embargo_bars: int = 0

    @property
    def clock(self) -> date:
        """The last day that an agent may know of: the end of ``search``."""
        return self.search.end

    @property
    def canonical(self) -> str:
        """The plan as canonical JSON; :meth:`from_dict` reads what it says."""
        body = {name: [str(day) for day in period] for name, period in self.periods()}
        return canonical_json({**body, "embargo_bars": self.embargo_bars})

    @property
    def digest(self) -> str:
        """SHA-256 of the plan, by which a record can show that the plan was not changed later."""
        return hashlib.sha256(self.canonical.encode()).hexdigest()

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> PeriodPlan:
        """The plan that :attr:`canonical` tells."""
        ranges = {name: DateRange(*map(as_date, data[name])) for name in ("score", "eval") if name in data}
        return cls(DateRange(*map(as_date, data["search"])), **ranges, embargo_bars=data["embargo_bars"])

    def periods(self) -> Iterator[tuple[str, DateRange]]:
        """The periods that are set, with their names."""
        for name, period in (("search", self.search), ("score", self.score), ("eval", self.eval)):
            if period is not None:
                yield name, period

    def resolve(self, name: str) -> DateRange:
        """The dates of ``search``, ``score``, ``eval`` or ``all`` (from the first day of time to the last).

        Raises
        ------
        Refusal
            ``unknown_period``: no period has this name, or the plan does not set it.
        """
        known = {"all": ALL_DATES, **dict(self.periods())}
        if name in known:
            return known[name]
        if name in PERIOD_NAMES:
            message, fix = f"the period {name!r} is not set", f"add {name} = [FROM, TO] to the periods"
        else:
            close = did_you_mean(name, PERIOD_NAMES)
            message = f"no period is named {name!r}"
            fix = f"did you mean {close[0]!r}?" if close else UNKNOWN_PERIOD.fix
        raise Refusal(UNKNOWN_PERIOD, message, where="period", fix=fix, details={"known": sorted(known)})

    def hidden(self, start: DateLike | None, end: DateLike | None) -> tuple[HiddenPeriod, ...]:
        """The hidden periods that the days ``start`` to ``end`` (included; None = without bound) meet.

        Days after the latest period belong to it, if it is hidden: nobody has looked at the newest bars yet.

        Raises
        ------
        DataError
            A bound is not a date, or ``start`` is after ``end``.
        """
        asked = DateRange(
            date.min if start is None else as_date(start), date.max if end is None else as_date(end)
        )
        if asked.start > asked.end:
            raise DataError(f"{asked} is an empty range", where="period", fix="give the earlier date first")
        return tuple(name for name, period in self.closed() if period.meets(asked))

    def closed(self) -> Iterator[tuple[HiddenPeriod, DateRange]]:
        """The hidden periods with the dates that they hide.

        The latest period, if hidden, has no end: bars appended later belong to it.
        """
        last = max(period.end for _, period in self.periods())
        names: tuple[HiddenPeriod, ...] = ("score", "eval")
        for name, period in zip(names, (self.score, self.eval), strict=True):
            if period is not None:
                yield name, period._replace(end=date.max) if period.end == last else period

    def embargo_gaps(self, dates: Sequence[date] | np.ndarray) -> list[EmbargoGap]:
        """The bars that lie between neighbouring periods on a calendar of trading days, in order of time.

        A gap is left out where the calendar does not reach both periods, so that its bars cannot be counted.
        """
        days = np.asarray(dates, dtype="datetime64[D]")
        ordered = sorted(self.periods(), key=lambda item: item[1].start)
        gaps = []
        for (before, left), (after, right) in pairwise(ordered):
            first = np.searchsorted(days, np.datetime64(left.end, "D"), side="right")
            last = np.searchsorted(days, np.datetime64(right.start, "D"), side="left")
            if first > 0 and last < len(days):
                gaps.append(EmbargoGap(before, after, int(last - first)))
        return gaps

    def check_calendar(self, dates: Sequence[date] | np.ndarray) -> None:
        """Refuse the plan where the data's own calendar leaves fewer bars between periods than the embargo.

        Raises
        ------
        DataError
            A gap is too short; both periods, its bars and the embargo are named.
        """
        for gap in self.embargo_gaps(dates):
            if gap.bars < self.embargo_bars:
                raise DataError(
                    f"{gap.bars} bars lie between {gap.before!r} and {gap.after!r}; the embargo is "
                    f"{self.embargo_bars}",
                    where=f"periods.{gap.after}",
                    fix=f"begin {gap.after!r} later or end {gap.before!r} earlier",
                )


class EmbargoGap(NamedTuple):
    """Bars strictly between two neighbouring periods."""

    before: str
    after: str
    bars: int


def propose_plan(dates: Sequence[date] | np.ndarray, horizons: Sequence[int]) -> PeriodPlan:
    """A plan for a calendar: 60% of the bars to search, 20% each to score and eval, the embargo taken out.

    Raises
    ------
    DataError
        The calendar is too short to leave 20 bars to each period.
    """
    days = np.asarray(dates, dtype="datetime64[D]")
    embargo = longest_label(horizons)
    usable = len(days) - 2 * embargo
    if usable < 100:
        raise DataError(
            f"{len(days)} bars are too few for three periods with an embargo of {embargo} bars",
            where="periods",
            fix="use a longer history or shorter horizons",
        )
    to_search, to_score = int(usable * 0.6), int(usable * 0.2)
    score_at = to_search + embargo
    eval_at = score_at + to_score + embargo

    def between(first: int, last: int) -> DateRange:
        return DateRange(as_date(days[first]), as_date(days[last]))

    return PeriodPlan(
        search=between(0, to_search - 1),
        score=between(score_at, score_at + to_score - 1),
        eval=between(eval_at, len(days) - 1),
        embargo_bars=embargo,
    )
