"""The platform's fields as the expression language describes fields."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, Literal

from assay.brain._wire import DataFieldInfo
from assay.expr import STANDARD_FIELDS, FieldInfo, Kind

_KINDS: Final[Mapping[str, Kind]] = {"MATRIX": "number", "VECTOR": "vector", "GROUP": "group"}
_TYPES: Final[Mapping[Kind, Literal["VECTOR", "GROUP"]]] = {"vector": "VECTOR", "group": "GROUP"}


def known_fields(fields: Mapping[str, DataFieldInfo] | None) -> dict[str, FieldInfo] | None:
    """Fields by name in lower case, as names are read without regard to case; None stays None."""
    if fields is None:
        return None
    return {name.lower(): _described(name.lower(), info) for name, info in fields.items()}


def _described(name: str, info: DataFieldInfo) -> FieldInfo:
    kind = _KINDS[info.type]
    standard = STANDARD_FIELDS.get(name)
    if standard is not None and standard.kind == kind:
        return standard
    return FieldInfo(name, kind, description=info.description)


def as_listed(fields: Mapping[str, FieldInfo]) -> dict[str, DataFieldInfo]:
    """The fields of a data set as the platform would list them, by id."""
    return {
        name: DataFieldInfo(id=name, type=_TYPES.get(info.kind, "MATRIX"), description=info.description)
        for name, info in fields.items()
    }
