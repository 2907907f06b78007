"""Fields of a platform as the factor language knows fields."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Final

from assay.brain._wire import DataFieldInfo
from assay.expr import STANDARD_FIELDS, FieldInfo, Kind

_KINDS: Final[dict[str, Kind]] = {"MATRIX": "number", "VECTOR": "vector", "GROUP": "group"}


def field_infos(fields: Iterable[DataFieldInfo]) -> Mapping[str, FieldInfo]:
    """What the factor language has to know of a platform's fields, by name.

    A standard name (``close``, ``sector``) keeps its unit and its behaviour under adjustment.
    """
    return {field.id: _info(field) for field in fields}


def _info(field: DataFieldInfo) -> FieldInfo:
    kind = _KINDS[field.type]
    standard = STANDARD_FIELDS.get(field.id)
    if standard is not None and standard.kind == kind:
        return standard
    return FieldInfo(field.id, kind, 0.0 if kind == "group" else None, description=field.description)
