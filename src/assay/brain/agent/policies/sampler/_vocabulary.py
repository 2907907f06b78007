"""What a platform offers to the sampler: a bounded choice of fields, its operators, its settings."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import Final

from assay.brain._platform import Platform
from assay.brain._settings import SettingsChoices, SimulationSettings
from assay.brain._wire import DataFieldInfo, DataSetInfo, OperatorInfo
from assay.brain.fastexpr import check_program
from assay.brain.search import MutationSpace

_ALL_BELOW: Final = 8
_CATEGORIES: Final = ("pv", "fundamental", "group", "event", "news", "sentiment")
_MOST_FIELDS: Final = 1500
_GROUPS: Final = ("subindustry", "industry", "sector", "market")
_BOOKKEEPING: Final = frozenset({"factor", "is_st", "suspended", "limit_up_price", "limit_down_price"})
_RAW: Final = "raw_"


def is_bookkeeping(field: str) -> bool:
    """Whether a field keeps a data set's books; as a signal it would only tell of that."""
    return field in _BOOKKEEPING or field.startswith(_RAW)


@dataclass(frozen=True)
class Vocabulary:
    """Fields, operators and choices of a platform.

    ``required``: names one of which each expression has to use; empty: any will do.
    """

    fields: tuple[DataFieldInfo, ...]
    operators: tuple[OperatorInfo, ...]
    choices: SettingsChoices
    required: frozenset[str] = frozenset()

    @classmethod
    def of(cls, platform: Platform, data_set: str = "") -> Vocabulary:
        """The vocabulary of a session; with a data set its fields come first and have to be used."""
        found: dict[str, DataFieldInfo] = {}
        for name in _chosen(platform.data_sets(), data_set):
            for info in platform.data_fields(name):
                if len(found) < _MOST_FIELDS and not is_bookkeeping(info.id):
                    found.setdefault(info.id, info)
        own = [info for info in found.values() if info.type != "GROUP" and _is_of(info, data_set)]
        required = frozenset(info.id for info in own) if data_set else frozenset()
        return cls(tuple(found.values()), platform.operators(), platform.choices(), required)

    @cached_property
    def by_name(self) -> dict[str, DataFieldInfo]:
        return {info.id: info for info in self.fields}

    @cached_property
    def numbers(self) -> tuple[DataFieldInfo, ...]:
        """Fields of numbers, those that have to be used first."""
        found = [info for info in self.fields if info.type == "MATRIX"]
        return tuple(sorted(found, key=lambda info: info.id not in self.required))

    @cached_property
    def vectors(self) -> tuple[DataFieldInfo, ...]:
        return tuple(info for info in self.fields if info.type == "VECTOR")

    @cached_property
    def group(self) -> str | None:
        """The group field to compare within: neither the finest nor the coarsest."""
        have = [info.id for info in self.fields if info.type == "GROUP"]
        usual = [name for name in ("industry", "sector", "subindustry") if name in have]
        return next(iter((*usual, *(name for name in have if name not in _GROUPS))), None)

    def takes(self, text: str) -> bool:
        """Whether the platform would take an expression."""
        return check_program(text, self.by_name, self.operators) is None

    def space(self, partners: Iterable[str] = ()) -> MutationSpace:
        """What mutations may use."""
        return MutationSpace.of(self.fields, self.choices, partners)

    def settings(self, wanted: SimulationSettings) -> SimulationSettings:
        """The wanted settings; what the platform does not offer is the usual value, or its first choice."""
        choices = self.choices
        if not choices.problems(wanted):
            return wanted
        region = wanted.region if wanted.region in choices.regions else choices.regions[0]
        offered = (
            ("instrument_type", choices.instrument_types),
            ("region", (region,)),
            ("universe", choices.universes.get(region, ())),
            ("delay", choices.delays.get(region, ())),
            ("neutralization", choices.neutralizations.get(region, ())),
        )
        given, usual = wanted.model_dump(), SimulationSettings()
        for name, values in offered:
            if values and given[name] not in values:
                given[name] = getattr(usual, name) if getattr(usual, name) in values else values[0]
        return SimulationSettings.model_validate(given)


def _chosen(listed: tuple[DataSetInfo, ...], data_set: str) -> list[str]:
    """The data set asked for, then all where there are few, else one of each of the usual categories."""
    names = [info.id for info in listed]
    first = [data_set] if data_set else []
    if len(listed) <= _ALL_BELOW:
        return [*first, *(name for name in names if name != data_set)]
    by_category: dict[str, list[str]] = {}
    for info in listed:
        by_category.setdefault("" if info.category is None else info.category.id, []).append(info.id)
    usual = [min(by_category[name], key=lambda n: (len(n), n)) for name in _CATEGORIES if name in by_category]
    return [*first, *(name for name in usual if name != data_set)]


def _is_of(info: DataFieldInfo, data_set: str) -> bool:
    return info.dataset is not None and info.dataset.id == data_set
