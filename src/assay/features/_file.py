"""Features that a person writes into a file: named formulas."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from assay.base import TomlFault, read_toml_file
from assay.errors import DataError, ExpressionError, Problem
from assay.expr import DIALECTS, FieldInfo, parse
from assay.features._feature import LAG, TIERS, Feature, formula_feature
from assay.features._graph import FeatureProblems

_KEYS = {"expression": str, "dialect": str, "doc": str, "lag": int, "namespace": str, "license_tier": str}


def read_features(path: Path, fields: Mapping[str, FieldInfo], *, lag: int = LAG) -> tuple[Feature, ...]:
    """The features of a TOML file; none where it does not exist.

    Each table is one feature: its name, and ``expression`` with, if wanted, ``dialect``, ``doc``, ``lag``,
    ``namespace`` and ``license_tier``.

    Parameters
    ----------
    fields : what the formulas may name besides each other.
    lag : where a table has none.

    Raises
    ------
    DataError
        The file is no TOML.
    FeatureProblems
        A table cannot be used; all problems at once.
    """
    try:
        _, tables = read_toml_file(path)
    except FileNotFoundError:
        return ()
    except TomlFault as fault:
        raise _unreadable(path, f"it {fault}") from fault
    except OSError as error:
        raise _unreadable(path, error.strerror or str(error)) from error
    known = {**fields, **{name: FieldInfo(name, "number", None, "", "") for name in tables}}
    inputs = frozenset(name for name, info in fields.items() if info.kind in ("group", "vector"))
    problems: list[Problem] = []
    found: list[Feature] = []
    for name, table in tables.items():
        wrong = list(_wrong(name, table))
        problems += wrong
        if wrong:
            continue
        try:
            expression = parse(
                table["expression"], table.get("dialect", "core"), fields=known, adjustment="warn"
            )
        except ExpressionError as error:
            problems.append(Problem(name, f"{error.message} ({error.where})", error.fix or ""))
            continue
        given = {key: table[key] for key in ("doc", "namespace", "license_tier") if key in table}
        found.append(formula_feature(name, expression, lag=table.get("lag", lag), inputs=inputs, **given))
    if problems:
        raise FeatureProblems(problems)
    return tuple(found)


def _unreadable(path: Path, what: str) -> DataError:
    return DataError(f"cannot read {path.name}: {what}", where=str(path), fix="mend the file")


def _wrong(name: str, table: Any) -> Iterator[Problem]:
    if not isinstance(table, dict):
        yield Problem(name, "is no table", f"write [{name}] and below it expression = ...")
        return
    if "expression" not in table:
        yield Problem(name, "has no expression", "give its formula")
    for key, value in table.items():
        wanted = _KEYS.get(key)
        if wanted is None:
            yield Problem(f"{name}.{key}", "is not a setting", f"use {', '.join(_KEYS)}")
        elif not isinstance(value, wanted) or isinstance(value, bool):
            yield Problem(
                f"{name}.{key}", f"is {value!r}"[:80], f"give {'text' if wanted is str else 'a number'}"
            )
    if table.get("dialect", "core") not in DIALECTS:
        yield Problem(f"{name}.dialect", "is no dialect", f"use {', '.join(DIALECTS)}")
    if table.get("license_tier", "open") not in TIERS:
        yield Problem(f"{name}.license_tier", "is no tier", f"use {', '.join(TIERS)}")
