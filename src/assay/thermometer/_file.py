"""``components.toml``: what a person watches, and by what rules."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any, Final

from assay.base import ID_PATTERN, TomlFault, did_you_mean, read_toml_file
from assay.errors import Problem
from assay.thermometer._component import (
    AXES,
    Component,
    ComponentSeries,
    Rules,
    ThermometerProblems,
)
from assay.thermometer._series import read_series

FILE: Final = "components.toml"
MAX_COMPONENTS: Final = 200
_MAX_SOURCE: Final = 200
_MAX_DAYS: Final = 3660

Check = tuple[Callable[[Any], bool], str]


def _whole(low: int) -> Check:
    def good(value: Any) -> bool:
        return isinstance(value, int) and not isinstance(value, bool) and low <= value <= _MAX_DAYS

    return good, f"give a whole number of days from {low} to {_MAX_DAYS}"


def _line(value: Any) -> bool:
    return isinstance(value, str) and 0 < len(value.strip()) <= _MAX_SOURCE and value.isprintable()


def _band(value: Any) -> bool:
    number = isinstance(value, int | float) and not isinstance(value, bool)
    return number and math.isfinite(value) and 0 <= value < 0.5


_RULES: Final[Mapping[str, Check]] = {
    "lookback_days": _whole(1),
    "neutral_band": (_band, "give a number from 0 to less than 0.5"),
    "stale_after_days": _whole(0),
}
_REQUIRED: Final[Mapping[str, Check]] = {
    "axis": (lambda value: value in AXES, 'give "supply" or "demand"'),
    "direction": (
        lambda value: type(value) is int and value in (1, -1),
        "give 1 where a rising series means more of the axis, -1 where a falling one does",
    ),
    "source": (_line, f"say in one line of at most {_MAX_SOURCE} characters who publishes the series"),
    "release_lag_days": _whole(0),
}
_OPTIONAL: Final[Mapping[str, Check]] = {
    "file": (_line, "give the name of a .csv or .parquet file"),
    "simulated": (lambda value: isinstance(value, bool), "give true or false"),
}


def read_components(folder: Path) -> tuple[tuple[ComponentSeries, ...], Rules]:
    """The components of ``components.toml`` in a folder with their series, and the rules.

    Each table ``[components.NAME]`` has ``axis``, ``direction``, ``source`` and ``release_lag_days``;
    ``file`` is NAME.csv where it is not said, and counts from the folder. ``[rules]`` may change the rules.

    Raises
    ------
    ThermometerProblems
        Whatever is wrong with the file or with a series, all at once: path and line, what, and what to do.
    """
    path = Path(folder) / FILE
    text, tables = _read(path)
    lines = _Lines(path, text)
    problems = [Problem(lines.of(key), f"{key!r} is not known here", "use [rules] and [components.NAME]")
                for key in tables if key not in ("rules", "components")]  # fmt: skip
    rules = _rules(tables.get("rules", {}), lines, problems)
    found = _components(tables.get("components", {}), folder, lines, problems)
    if problems:
        raise ThermometerProblems(problems, where=str(path))
    return found, rules


class _Lines:
    """Places in a TOML file: the line of a key where it stands as a key of its table, else of the table."""

    def __init__(self, path: Path, text: str) -> None:
        self._path = path
        self._places: dict[tuple[str, ...], int] = {}
        table: tuple[str, ...] = ()
        for number, line in enumerate(text.splitlines(), 1):
            if header := re.match(r"\s*\[([^\[\]]+)\]\s*(?:#.*)?$", line):
                table = tuple(part.strip().strip("\"'") for part in header[1].split(".", 1))
                self._places.setdefault(table, number)
            elif key := re.match(r"\s*[\"']?([\w-]+)[\"']?\s*=", line):
                self._places.setdefault((*table, key[1]), number)

    def of(self, *keys: str) -> str:
        """``path:line``; the path alone where no line can be told."""
        for end in range(len(keys), 0, -1):
            if (number := self._places.get(keys[:end])) is not None:
                return f"{self._path}:{number}"
        return str(self._path)


def _read(path: Path) -> tuple[str, dict[str, Any]]:
    try:
        return read_toml_file(path)
    except TomlFault as fault:
        raise _one(path, str(fault), "mend the file") from fault
    except OSError as error:
        raise _one(path, f"cannot be read: {error.strerror or error}", "check the path") from error


def _one(path: Path, what: str, fix: str) -> ThermometerProblems:
    return ThermometerProblems([Problem(str(path), what, fix)], where=str(path))


def _rules(table: Any, lines: _Lines, problems: list[Problem]) -> Rules:
    if not isinstance(table, dict):
        problems.append(Problem(lines.of("rules"), "rules is no table", "write it below [rules]"))
        return Rules()
    faults = list(_faults(("rules",), table, {}, _RULES, lines))
    problems += faults
    if faults:
        return Rules()
    band = table.get("neutral_band", Rules().neutral_band)
    return Rules(**{**table, "neutral_band": float(band)})


def _components(
    tables: Any, folder: Path, lines: _Lines, problems: list[Problem]
) -> tuple[ComponentSeries, ...]:
    if not isinstance(tables, dict) or not 0 < len(tables) <= MAX_COMPONENTS:
        problems.append(
            Problem(
                lines.of("components"),
                f"there are no tables [components.NAME], or more than {MAX_COMPONENTS}",
                "write one below each other",
            )
        )
        return ()
    found = []
    for name, table in tables.items():
        faults = list(_component_faults(name, table, lines))
        problems += faults
        if faults:
            continue
        component = Component(
            name,
            table["axis"],
            table["direction"],
            table["source"].strip(),
            table["release_lag_days"],
            table.get("simulated", False),
        )
        series = Path(folder) / table.get("file", f"{name}.csv")
        found.append(ComponentSeries(component, read_series(series, component.release_lag_days, problems)))
    present = {table.get("axis") for table in tables.values() if isinstance(table, dict)}
    for axis in AXES:
        if axis not in present:
            fix = "give each axis a component"
            problems.append(Problem(lines.of("components"), f"no component tells of {axis}", fix))
    return tuple(found)


def _component_faults(name: str, table: Any, lines: _Lines) -> Iterator[Problem]:
    if not isinstance(table, dict):
        yield Problem(
            lines.of("components", name), f"{name!r} is no table", f"write it below [components.{name}]"
        )
        return
    if not ID_PATTERN.fullmatch(name):
        fix = "use a-z, 0-9, '_' and '-', at most 64"
        yield Problem(lines.of("components", name), f"{name[:80]!r} cannot be a name", fix)
    yield from _faults(("components", name), table, _REQUIRED, _OPTIONAL, lines)


def _faults(
    place: tuple[str, ...],
    table: Mapping[str, Any],
    required: Mapping[str, Check],
    optional: Mapping[str, Check],
    lines: _Lines,
) -> Iterator[Problem]:
    known = {**required, **optional}
    for key in required:
        if key not in table:
            yield Problem(lines.of(*place), f"{'.'.join(place)} has no {key}", known[key][1])
    for key, value in table.items():
        where = lines.of(*place, key)
        if key not in known:
            near = did_you_mean(key, known) or tuple(known)
            yield Problem(where, f"{key[:80]!r} is no setting of {'.'.join(place)}", f"use {', '.join(near)}")
        elif not known[key][0](value):
            yield Problem(where, f"{key} is {value!r}"[:120], known[key][1])
