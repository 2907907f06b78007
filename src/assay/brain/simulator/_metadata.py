"""Data sets and fields as the platform lists them, made from the manifest and measured in sample."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final, Literal

import numpy as np
from numpy.typing import NDArray

from assay.brain._wire import DataFieldInfo, DataSetInfo, Named
from assay.expr import STANDARD_FIELDS as LANGUAGE_FIELDS
from assay.market import BAR_FIELDS, STANDARD_FIELDS, Panel

FieldType = Literal["MATRIX", "VECTOR", "GROUP"]


@dataclass(frozen=True, slots=True)
class _Set:
    id: str
    name: str
    category: str
    description: str


_PV: Final = _Set("pv1", "Price Volume Data", "pv", "prices, volume, traded value and what follows from them")
_FUNDAMENTAL: Final = _Set(
    "fundamental1", "Fundamental Data", "fundamental", "reported figures of the companies"
)
_EVENT: Final = _Set(
    "event1", "Event Data", "event", "up to several values a day: reduce them with vec_ operators"
)
_GROUP: Final = _Set("group1", "Classifications", "group", "groups of instruments")
_OTHER: Final = _Set("other1", "Further Data", "other", "fields that only this data set or a package has")
_SETS: Final = (_PV, _FUNDAMENTAL, _EVENT, _GROUP, _OTHER)
_CATEGORIES: Final = {
    "pv": "Price Volume", "fundamental": "Fundamental", "event": "Event", "group": "Group", "other": "Other",
}  # fmt: skip
_FUNDAMENTALS: Final = frozenset({"equity"})
"""Standard fields that companies report; all other standard ones come from trading."""


@dataclass(frozen=True, slots=True)
class Listed:
    """For whom metadata is: the region, the universe with its members, and the delay."""

    region: str
    universe: str
    delay: int
    members: NDArray[np.bool_]


def fields_of(panel: Panel, listed: Listed) -> tuple[DataFieldInfo, ...]:
    """Every field, by data set and name, with its coverage over the universe.

    ``coverage`` is the share of members and dates with a value, ``date_coverage`` that of dates with any.
    """
    found = []
    for name, info in panel.fields.items():
        kind: FieldType = "VECTOR" if info.kind == "vector" else "GROUP" if info.kind == "group" else "MATRIX"
        owner = _owner(name, kind)
        present = _present(panel, name, kind) & listed.members
        members = int(listed.members.sum())
        found.append(
            DataFieldInfo(
                id=name,
                description=info.description or name,
                dataset=Named(id=owner.id, name=owner.name),
                category=_category(owner),
                subcategory=_category(owner),
                region=listed.region,
                delay=listed.delay,
                universe=listed.universe,
                type=kind,
                coverage=round(float(present.sum()) / members, 4) if members else 0.0,
                date_coverage=round(float(present.any(axis=1).mean()), 4),
            )
        )
    order = [item.id for item in _SETS]
    return tuple(sorted(found, key=lambda item: (order.index(_dataset(item)), item.id)))


def data_sets_of(fields: tuple[DataFieldInfo, ...], listed: Listed) -> tuple[DataSetInfo, ...]:
    """The data sets of these fields, with the mean of their fields' coverage."""
    found = []
    for item in _SETS:
        own = [info for info in fields if _dataset(info) == item.id]
        if own:
            found.append(
                DataSetInfo(
                    id=item.id,
                    name=item.name,
                    description=item.description,
                    category=_category(item),
                    subcategory=_category(item),
                    region=listed.region,
                    delay=listed.delay,
                    universe=listed.universe,
                    coverage=_mean(info.coverage for info in own),
                    date_coverage=_mean(info.date_coverage for info in own),
                    field_count=len(own),
                )
            )
    return tuple(found)


def _owner(name: str, kind: FieldType) -> _Set:
    if kind != "MATRIX":
        return _EVENT if kind == "VECTOR" else _GROUP
    if name in _FUNDAMENTALS:
        return _FUNDAMENTAL
    if name in STANDARD_FIELDS or name in LANGUAGE_FIELDS or name in BAR_FIELDS:
        return _PV
    return _OTHER


def _present(panel: Panel, name: str, kind: FieldType) -> NDArray[np.bool_]:
    if kind == "GROUP":
        return panel.group(name) >= 0
    if kind == "VECTOR":
        return np.asarray(np.isfinite(panel.vector(name)).any(axis=0))
    return np.isfinite(panel.field(name))


def _dataset(info: DataFieldInfo) -> str:
    return info.dataset.id if info.dataset is not None else ""


def _category(item: _Set) -> Named:
    return Named(id=item.category, name=_CATEGORIES[item.category])


def _mean(values: Iterator[float | None]) -> float:
    return round(float(np.mean([value or 0.0 for value in values])), 4)
