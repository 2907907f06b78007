"""The platform's fields as the expression language describes fields."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Final, Literal

from assay.brain._wire import DataFieldInfo
from assay.expr import STANDARD_FIELDS, FieldInfo, Kind

_KINDS: Final[Mapping[str, Kind]] = {"MATRIX": "number", "VECTOR": "vector", "GROUP": "group"}
_TYPES: Final[Mapping[Kind, Literal["VECTOR", "GROUP"]]] = {"vector": "VECTOR", "group": "GROUP"}


def known_fields(fields: Mapping[str, DataFieldInfo] | None) -> Mapping[str, FieldInfo] | None:
    """Fields by name in lower case, as names are read without regard to case; None stays None."""
    return None if fields is None else _ByLowerName(fields)


def field_infos(fields: Iterable[DataFieldInfo]) -> Mapping[str, FieldInfo]:
    """What the factor language has to know of a platform's fields, by id.

    A standard name (``close``, ``sector``) keeps its unit and its behaviour under adjustment.
    """
    return {field.id: _described(field.id, field) for field in fields}


class _ByLowerName(Mapping[str, FieldInfo]):
    """Described when asked for: a platform has tens of thousands, and a program names a few."""

    def __init__(self, fields: Mapping[str, DataFieldInfo]) -> None:
        self._fields = fields
        self._ids = {name.lower(): name for name in fields}

    def __getitem__(self, name: str) -> FieldInfo:
        return _described(name, self._fields[self._ids[name]])

    def __contains__(self, name: object) -> bool:
        return name in self._ids

    def __iter__(self) -> Iterator[str]:
        return iter(self._ids)

    def __len__(self) -> int:
        return len(self._ids)


def _described(name: str, info: DataFieldInfo) -> FieldInfo:
    kind = _KINDS[info.type]
    standard = STANDARD_FIELDS.get(name)
    if standard is not None and standard.kind == kind:
        return standard
    return FieldInfo(name, kind, 0.0 if kind == "group" else None, description=info.description)


def as_listed(fields: Mapping[str, FieldInfo]) -> dict[str, DataFieldInfo]:
    """The fields of a data set as the platform would list them, by id."""
    return {
        name: DataFieldInfo(id=name, type=_TYPES.get(info.kind, "MATRIX"), description=info.description)
        for name, info in fields.items()
    }
