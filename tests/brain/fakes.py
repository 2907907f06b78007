"""A platform of which only the catalogue exists: data sets, fields, operators, choices."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from assay.brain import DataFieldInfo, DataIdentity, DataSetInfo, OperatorInfo, SettingsChoices
from assay.brain.fastexpr import operators

CHOICES = SettingsChoices(
    instrument_types=("EQUITY",),
    regions=("USA",),
    universes={"USA": ("TOP3000", "TOP1000", "TOP500")},
    delays={"USA": (1, 0)},
    neutralizations={"USA": ("NONE", "MARKET", "SECTOR", "INDUSTRY", "SUBINDUSTRY")},
)
MATRICES = ("open", "high", "low", "close", "vwap", "volume", "amount", "returns", "cap", "turn")
GROUPS = ("sector", "industry", "subindustry", "market")


def field_info(name: str, data_set: str = "pv1", kind: str = "MATRIX") -> DataFieldInfo:
    given = {"id": name, "type": kind, "description": f"the {name}", "coverage": 0.9}
    return DataFieldInfo.model_validate({**given, "dataset": {"id": data_set, "name": data_set}})


FIELDS = (
    *(field_info(name) for name in MATRICES),
    *(field_info(name, kind="GROUP") for name in GROUPS),
    field_info("equity", "fundamental6"),
    field_info("event_score", "news3", "VECTOR"),
)


@dataclass
class Catalogue:
    """The part of a :class:`~assay.brain.Platform` that lists; all else is not there."""

    fields: tuple[DataFieldInfo, ...] = FIELDS
    choice: SettingsChoices = CHOICES
    name: str = "catalogue"
    simulated: bool = True
    slots: int = 3
    asked: list[tuple[str | None, str]] = field(default_factory=list)

    @property
    def data(self) -> DataIdentity:
        return DataIdentity(self.name)

    def choices(self) -> SettingsChoices:
        return self.choice

    def operators(self) -> tuple[OperatorInfo, ...]:
        return operators()

    def data_sets(self, search: str = "") -> tuple[DataSetInfo, ...]:
        names = dict.fromkeys(item.dataset.id for item in self.fields if item.dataset)
        rows = (self._data_set(name) for name in names)
        return tuple(row for row in rows if search in row.id)

    def data_fields(self, data_set: str | None = None, search: str = "") -> tuple[DataFieldInfo, ...]:
        self.asked.append((data_set, search))
        return tuple(
            item
            for item in self.fields
            if (data_set is None or (item.dataset and item.dataset.id == data_set)) and search in item.id
        )

    def _data_set(self, name: str) -> DataSetInfo:
        count = sum(bool(item.dataset and item.dataset.id == name) for item in self.fields)
        given: dict[str, Any] = {"id": name, "name": name.upper(), "fieldCount": count}
        category = {"id": "pv" if name == "pv1" else name.rstrip("0123456789"), "name": name}
        return DataSetInfo.model_validate({**given, "category": category, "description": f"data of {name}"})
