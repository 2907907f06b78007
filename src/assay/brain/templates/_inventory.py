"""What a platform has to put into slots."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from types import MappingProxyType
from typing import Final

from assay.base import did_you_mean
from assay.brain._platform import Platform
from assay.brain._require import require_fields
from assay.brain._wire import DataFieldInfo, OperatorInfo
from assay.brain.agent.policies.sampler import Vocabulary
from assay.brain.fastexpr import check_program
from assay.brain.templates._pattern import Pattern
from assay.brain.templates._template import FieldSlot, OperatorKind, Slot, Template, ValueSlot, written

OPERATORS_OF: Final[Mapping[OperatorKind, tuple[str, ...]]] = MappingProxyType(
    {
        "time": (
            "ts_mean", "ts_rank", "ts_zscore", "ts_delta", "ts_std_dev", "ts_decay_linear", "ts_sum",
            "ts_av_diff", "ts_scale", "ts_quantile", "ts_product", "ts_arg_max", "ts_arg_min", "ts_delay",
        ),
        "time_pair": ("ts_corr", "ts_covariance", "ts_regression"),
        "section": ("rank", "zscore", "normalize", "quantile", "scale", "winsorize"),
        "group": ("group_neutralize", "group_rank", "group_zscore", "group_scale"),
        "element": ("reverse", "abs", "sign", "log", "sqrt", "inverse"),
        "vector": ("vec_avg", "vec_sum"),
    }
)  # fmt: skip
"""The operators of each kind, the most usual first; all may be called with nothing but what the kind says."""


@dataclass(frozen=True)
class Inventory:
    """Fields and operators of a platform, in its order.

    ``data_set`` is the one that slots are filled from, group slots and those that name a data set aside; None
    = all. Expressions may name any of the fields.
    """

    fields: tuple[DataFieldInfo, ...]
    operators: tuple[OperatorInfo, ...]
    data_set: str | None = None

    @classmethod
    def of(
        cls, platform: Platform, data_set: str | None = None, templates: Iterable[Template] = ()
    ) -> Inventory:
        """What the platform lists: of a platform with many data sets the usual ones (prices, fundamentals,
        groups, events), ``data_set``, and those that the templates name.

        Raises
        ------
        Refusal
            ``unknown_data``: the data set has no fields.
        """
        found = {info.id: info for info in Vocabulary.of(platform, data_set or "").fields}
        slots = [slot for item in templates for slot in item.slots.values()]
        named = {slot.dataset for slot in slots if isinstance(slot, FieldSlot)}
        for name in sorted(filter(None, (*named, data_set))):
            for info in require_fields(platform, name) if name == data_set else platform.data_fields(name):
                found.setdefault(info.id, info)
        return cls(tuple(found.values()), platform.operators(), data_set)

    @cached_property
    def by_id(self) -> Mapping[str, DataFieldInfo]:
        return {field.id: field for field in self.fields}

    @cached_property
    def operator_names(self) -> frozenset[str]:
        return frozenset(info.name.lower() for info in self.operators)

    def candidates(self, slot: Slot) -> tuple[str, ...]:
        """What may stand in a slot: its representative values first, then the rest in the listed order."""
        if isinstance(slot, ValueSlot):
            listed: tuple[str, ...] = tuple(written(value) for value in slot.values)
        elif isinstance(slot, FieldSlot):
            listed = self._fields(slot)
        else:
            listed = tuple(
                name for name in slot.operators or OPERATORS_OF[slot.kind] if name in self.operator_names
            )
        first = [value for value in map(written, slot.representative_values) if value in listed]
        ordered = tuple(dict.fromkeys([*first, *listed]))
        return ordered[: slot.search_domain.max_candidates] if isinstance(slot, FieldSlot) else ordered

    def representatives(self, slot: Slot) -> tuple[str, ...]:
        """What stands for the slot in a probe: the values that it names and the platform has, else one."""
        candidates = self.candidates(slot)
        named = {written(value) for value in slot.representative_values}
        return tuple(value for value in candidates if value in named) or candidates[:1]

    def problem(self, text: str) -> str | None:
        """Why the platform would not simulate an expression, with the place; None where it would."""
        found = check_program(text, self.by_id, self.operators)
        return None if found is None else str(found)

    def near(self, name: str) -> tuple[str, ...]:
        """Fields that may have been meant."""
        return did_you_mean(name, self.by_id)

    def _fields(self, slot: FieldSlot) -> tuple[str, ...]:
        domain = slot.search_domain
        only = slot.dataset or (self.data_set if slot.type != "GROUP" else None)
        fitting = [field for field in self.fields if field.type == slot.type and _is_in(field, only)]
        wanted = Pattern.of(domain.include_regex)
        unwanted = None if domain.exclude_regex is None else Pattern.of(domain.exclude_regex)
        kept = [
            field.id
            for field in fitting
            if wanted.found_in(field.id) and not (unwanted and unwanted.found_in(field.id))
        ]
        if not kept and domain.fallback_to_all:
            kept = [field.id for field in fitting]
        return tuple(kept)


def _is_in(field: DataFieldInfo, data_set: str | None) -> bool:
    return data_set is None or (field.dataset is not None and field.dataset.id == data_set)
