"""Checks that tie several keys together. They read the raw tables, so one bad key does not hide another."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import pairwise
from typing import Any

import numpy as np
from pydantic_core import PydanticCustomError

from assay.base import ID_PATTERN, did_you_mean
from assay.config._llm_check import llm_checks
from assay.config._llm_check import table as _table
from assay.config._models import parse_range
from assay.config._plan import DateRange, longest_label
from assay.config._workspace import DEFAULT_HORIZONS
from assay.errors import Problem


def cross_checks(raw: Mapping[str, Any]) -> Iterator[Problem]:
    """Problems between keys: names of data sets, order and overlap of periods, embargoes."""
    data = _table(raw.get("data"))
    defaults = _table(raw.get("defaults"))
    for name, entry in data.items():
        where = f"data.{name}"
        if not ID_PATTERN.fullmatch(name):
            yield Problem(where, "cannot be the name of a data set", "use a-z, 0-9, '_' and '-'")
        periods = _table(_table(entry).get("periods"))
        ranges = _valid_ranges(periods)
        yield from _order_problems(f"{where}.periods", ranges)
        horizons = _table(entry).get("horizons", defaults.get("horizons", list(DEFAULT_HORIZONS)))
        yield from _embargo_problems(f"{where}.periods", ranges, periods.get("embargo_bars"), horizons)
    yield from llm_checks(_table(raw.get("llm")))
    chosen = defaults.get("data")
    if data and isinstance(chosen, str) and chosen not in data:
        close = did_you_mean(chosen, data)
        if close:
            yield Problem("defaults.data", f"no [data.{chosen}] here", f"did you mean {close[0]!r}?")


def _valid_ranges(periods: Mapping[str, Any]) -> list[tuple[str, DateRange]]:
    ranges = []
    for name in ("search", "score", "eval"):
        if name in periods:
            try:
                ranges.append((name, parse_range(periods[name])))
            except PydanticCustomError:
                continue  # reported with the key itself
    return sorted(ranges, key=lambda item: item[1])


def _order_problems(where: str, ranges: list[tuple[str, DateRange]]) -> Iterator[Problem]:
    for i, (name, period) in enumerate(ranges):
        for other, earlier in ranges[:i]:
            if period.meets(earlier):
                yield Problem(
                    f"{where}.{name}", f"{period} overlaps {other} ({earlier})", "leave the embargo between"
                )
    names = [name for name, _ in ranges]
    if "search" in names and names[0] != "search":
        yield Problem(
            f"{where}.search",
            f"begins after {names[0]!r}, which is hidden",
            "put search before the hidden periods",
        )


def _embargo_problems(
    where: str, ranges: list[tuple[str, DateRange]], embargo: object, horizons: object
) -> Iterator[Problem]:
    known = [h for h in horizons if type(h) is int] if isinstance(horizons, list) else []
    needed = longest_label(known)
    if type(embargo) is int and 0 <= embargo < needed and len(ranges) > 1:
        yield Problem(
            f"{where}.embargo_bars",
            f"is {embargo}, but the label of the longest horizon reaches {needed} bars",
            f"give at least {needed}",
        )
    bars = max(embargo if type(embargo) is int else 0, needed)
    for (before, left), (after, right) in pairwise(ranges):
        # weekdays bound the trading days from above; the data's own calendar is not known here
        between = int(np.busday_count(np.datetime64(left.end) + 1, np.datetime64(right.start)))
        if left.end < right.start and between < bars:
            yield Problem(
                f"{where}.{after}",
                f"begins {between} weekdays after {before} ends; the embargo is {bars} bars",
                f"begin {after} later or end {before} earlier",
            )
