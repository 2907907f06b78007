from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from importlib.metadata import entry_points
from typing import Any

import numpy as np
from numpy.typing import NDArray

from assay.errors import ConfigProblems, DataError, Problem
from assay.expr import FieldInfo, listed_problems, load_plugins, plugin_error
from assay.market._data import FloatPanel
from assay.market._fields import STANDARD_FIELDS

ENTRY_POINT_GROUP = "assay.fields"

Bars = Mapping[str, FloatPanel]


@dataclass(frozen=True, slots=True)
class OwnField:
    """A field that an installed package adds to every data set with the fields it needs.

    Parameters
    ----------
    info : name, kind (number or bool), adjustment exponent, unit, description.
    build : makes the array ``(T, N)`` from adjusted arrays by name. Row t may use rows <= t only;
        ``assay.testing.check_field`` holds it to that and to the exponent.
    needs : names of the fields it reads; a data set without them does not get the field.
    """

    info: FieldInfo
    build: Callable[[Bars], NDArray[Any]]
    needs: tuple[str, ...] = ("close",)


@lru_cache(maxsize=1)
def own_fields() -> tuple[OwnField, ...]:
    """Fields of installed packages (entry points of the group ``assay.fields``); read once.

    An entry point names an :class:`OwnField` or a sequence of them.

    Raises
    ------
    AssayError
        A package cannot be loaded, a name is taken, or a kind is not number or bool.
    """
    found: list[OwnField] = []
    for point, fields in load_plugins(entry_points(group=ENTRY_POINT_GROUP), OwnField, "fields"):
        found.extend(fields)
        try:
            checked_fields(found)
        except ConfigProblems as error:
            raise plugin_error(point, "fields", listed_problems(error)) from error
    return tuple(found)


def checked_fields(fields: Sequence[OwnField]) -> tuple[OwnField, ...]:
    """The same fields, if they may stand beside each other and the standard ones.

    Raises
    ------
    ConfigProblems
        A name is taken, or a kind is not number or bool; every problem is listed.
    """
    problems: list[Problem] = []
    names: set[str] = set()
    for item in fields:
        where = f"field {item.info.name}"
        if item.info.name in STANDARD_FIELDS or item.info.name in names:
            problems.append(Problem(where, "the name is taken", "choose another name"))
        if item.info.kind not in {"number", "bool"}:
            problems.append(Problem(where, f"its kind is {item.info.kind}", "use number or bool"))
        names.add(item.info.name)
    if problems:
        raise ConfigProblems(problems, where=f"entry points of group {ENTRY_POINT_GROUP}")
    return tuple(fields)


class LazyBars(Mapping[str, FloatPanel]):
    """Adjusted arrays by name, made when asked for."""

    def __init__(self, names: Sequence[str], read: Callable[[str], FloatPanel]) -> None:
        self._names = tuple(names)
        self._read = read

    def __getitem__(self, name: str) -> FloatPanel:
        if name not in self._names:
            raise KeyError(name)
        return self._read(name)

    def __iter__(self) -> Iterator[str]:
        return iter(self._names)

    def __len__(self) -> int:
        return len(self._names)


def build_own(item: OwnField, bars: Bars, shape: tuple[int, int]) -> FloatPanel:
    """The array of an own field, float32, ±inf as missing.

    Raises
    ------
    DataError
        The result does not have the panel's shape.
    """
    with np.errstate(all="ignore"):
        values = np.array(item.build(bars), dtype=np.float32)
    if values.shape != shape:
        raise DataError(
            f"the field {item.info.name!r} has shape {values.shape}, the panel {shape}",
            where=f"entry points of group {ENTRY_POINT_GROUP}",
            fix="let its build function give one value a date and instrument",
        )
    values[~np.isfinite(values)] = np.nan
    return values
