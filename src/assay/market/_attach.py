"""Membership, groups and events for a data set: read beside the bars, or attached later."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from assay.expr import FieldInfo
from assay.market._data import Group, MarketData, event_vector
from assay.market._problems import Collector
from assay.market._side_tables import (
    GroupSource,
    MembershipSource,
    read_events,
    read_group,
    read_membership,
)
from assay.market._universe import Dates, Universe


@dataclass(frozen=True, slots=True, kw_only=True)
class Sides:
    """Tables beside the bars, by the name of the universe, group or event series.

    ``symbol`` is the column of the instrument in those that have one of this name; others are guessed.
    """

    membership: Mapping[str, MembershipSource] = field(default_factory=dict)
    groups: Mapping[str, GroupSource] = field(default_factory=dict)
    events: Mapping[str, Path] = field(default_factory=dict)
    encoding: str = "utf-8"
    symbol: str | None = None

    def __bool__(self) -> bool:
        return bool(self.membership or self.groups or self.events)


@dataclass(frozen=True, slots=True)
class SideTables:
    """What the further tables hold, on the panel's dates and instruments."""

    universes: Mapping[str, Universe] = field(default_factory=dict)
    groups: Mapping[str, Group] = field(default_factory=dict)
    events: Mapping[str, NDArray[np.void]] = field(default_factory=dict)
    rules: tuple[str, ...] = ()


def read_sides(sides: Sides, dates: Dates, instruments: tuple[str, ...], problems: Collector) -> SideTables:
    """All further tables on these dates and instruments; what is wrong with any goes to ``problems``."""
    rules: list[str] = []
    universes: dict[str, Universe] = {}
    for name, membership in sides.membership.items():
        universe = read_membership(
            name, membership, dates, instruments, problems, encoding=sides.encoding, symbol=sides.symbol
        )
        if universe is not None:
            universes[name] = universe
    groups: dict[str, Group] = {}
    for name, source in sides.groups.items():
        group = read_group(
            name, source, dates, instruments, problems, encoding=sides.encoding, symbol=sides.symbol
        )
        if group is not None:
            groups[name] = group
            if group.codes.ndim == 1:
                rules.append(f"{name} is one snapshot for all dates, not point in time")
    events: dict[str, NDArray[np.void]] = {}
    for name, path in sides.events.items():
        table = read_events(
            name, path, dates, instruments, problems, encoding=sides.encoding, symbol=sides.symbol
        )
        if table is not None:
            events[name] = table
            rules.append(f"{name}: an event may be used from the first close (15:00) after it was known")
    return SideTables(universes, groups, events, tuple(rules))


def vector_info(name: str) -> FieldInfo:
    """The description of an event series as a vector field."""
    return FieldInfo(name, "vector", 0.0, "", "scores of the events known that day")


def attach(data: MarketData, sides: Sides) -> MarketData:
    """``data`` with further tables read onto it; one of a name that exists takes its place.

    Raises
    ------
    DataProblems
        Everything that is wrong with any of the tables.
    """
    problems = Collector()
    tables = read_sides(sides, data.dates, data.instruments, problems)
    problems.raise_any()
    vectors = {name: event_vector(table, data.shape) for name, table in tables.events.items()}
    return replace(
        data,
        universes={**data.universes, **tables.universes},
        groups={**data.groups, **tables.groups},
        events={**data.events, **tables.events},
        vectors={**data.vectors, **vectors},
        infos={**data.infos, **{name: vector_info(name) for name in vectors}},
        rules=tuple(dict.fromkeys((*data.rules, *tables.rules))),
    )
