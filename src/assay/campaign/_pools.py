from __future__ import annotations

import json
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from assay.base import json_hash
from assay.campaign._config import read_text, read_toml, unknown_name
from assay.campaign._settings import CampaignConfig
from assay.campaign._types import PoolFactor
from assay.errors import AssayError, ConfigProblems, Problem, Refusal
from assay.expr import DIALECTS, Expression, parse

_KEYS = ("expression", "dialect", "family")


@dataclass(frozen=True)
class Pools:
    """The reference set and the known factors, as they were read at a start."""

    reference: tuple[PoolFactor, ...] = ()
    known: tuple[PoolFactor, ...] = ()

    @property
    def hashes(self) -> dict[str, str]:
        """SHA-256 of the content of each, by name."""
        return {"reference": _digest(self.reference), "known": _digest(self.known)}

    def to_json(self) -> str:
        """All that :meth:`from_json` needs."""
        return json.dumps({"reference": _rows(self.reference), "known": _rows(self.known)}, indent=1)

    @classmethod
    def from_json(cls, text: str) -> Pools:
        """The pools that :meth:`to_json` wrote."""
        data = json.loads(text)
        return cls(
            *(
                tuple(
                    PoolFactor(name, family, parse(formula, dialect), key == "known")
                    for name, family, formula, dialect in data[key]
                )
                for key in ("reference", "known")
            )
        )


def read_pools(config: CampaignConfig) -> Pools:
    """The pools of a config, read now.

    Raises
    ------
    ConfigProblems
        A set is unknown, a file cannot be read, or a formula in it cannot be parsed; all at once.
    """
    problems: list[Problem] = []
    reference = [factor for name in config.pools.reference for factor in _set(name, problems)]
    reference += _file(config, config.pools.reference_file, "reference_file", problems)
    known = _file(config, config.pools.known_file, "known_file", problems)
    if problems:
        raise ConfigProblems(problems, where="pools")
    return Pools(tuple(reference), tuple(known))


def usable_factors(pools: Pools, fields: Collection[str]) -> dict[str, Expression]:
    """The factors of all pools that data with these fields can evaluate, by name."""
    return {
        item.name: item.expression
        for item in (*pools.reference, *pools.known)
        if set(item.expression.fields) <= set(fields)
    }


def _set(name: str, problems: list[Problem]) -> list[PoolFactor]:
    from assay.library import reference_factors, sets

    if name not in sets():
        problems.append(unknown_name(f"pools.reference: {name!r}", name, sets(), "set in the library"))
        return []
    return [PoolFactor(item.id, item.set, item.expression) for item in reference_factors(name)]


def _file(config: CampaignConfig, path: Path | None, key: str, problems: list[Problem]) -> list[PoolFactor]:
    if path is None:
        return []
    try:
        tables = read_toml(read_text(config.folder / path), str(path))
    except ConfigProblems as error:
        problems += [Problem(f"pools.{key}", f"{path} {item.message}", item.fix) for item in error.problems]
        return []
    found = []
    for name, table in tables.items():
        factor = _factor(name, table, f"pools.{key}: {name}", key == "known_file", problems)
        found += [factor] if factor else []
    return found


def _factor(name: str, table: Any, where: str, known: bool, problems: list[Problem]) -> PoolFactor | None:
    if not isinstance(table, Mapping) or not isinstance(table.get("expression"), str):
        problems.append(Problem(where, "has no expression", 'write expression = "..."'))
        return None
    problems += [unknown_name(f"{where}.{key}", key, _KEYS) for key in table if key not in _KEYS]
    dialect = table.get("dialect", "core")
    if dialect not in DIALECTS:
        problems.append(unknown_name(f"{where}.dialect", str(dialect), DIALECTS, "dialect"))
        return None
    family = str(table.get("family", "known" if known else "reference"))
    try:
        return PoolFactor(name, family, parse(table["expression"], dialect), known)
    except (Refusal, AssayError) as error:
        problems.append(Problem(where, error.message, error.fix or "mend the formula"))
        return None


def _rows(factors: tuple[PoolFactor, ...]) -> list[list[str]]:
    return [[item.name, item.family, item.expression.text, item.expression.dialect] for item in factors]


def _digest(factors: tuple[PoolFactor, ...]) -> str:
    return json_hash(_rows(factors))
