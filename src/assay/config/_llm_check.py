"""Checks that tie several keys of the ``[llm]`` tables together, on the raw tables."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from assay.base import ID_PATTERN, did_you_mean
from assay.config._llm import BACKEND_KINDS, NEEDS_NO_SERVICE
from assay.errors import Problem

_NEEDED = {"replay": "run", "scripted": "script"}
_OF_SERVICES = ("base_url", "key")


def table(value: object) -> Mapping[str, Any]:
    """``value`` if it is a table, else an empty one: what is no table is reported with the key itself."""
    return value if isinstance(value, dict) else {}


def llm_checks(raw: Mapping[str, Any]) -> Iterator[Problem]:
    """Problems between the keys: backends without what their kind needs, roles without backend or price."""
    backends = table(raw.get("backends"))
    for name, entry in backends.items():
        yield from _backend_problems(f"llm.backends.{name}", name, table(entry))
    money = table(raw.get("budget")).get("money") is not None
    prices = table(raw.get("prices"))
    for role, entry in table(raw.get("roles")).items():
        where, chosen = f"llm.roles.{role}", table(entry).get("backend")
        if not isinstance(chosen, str):
            continue  # reported with the key itself
        if chosen not in backends:
            yield _no_backend(f"{where}.backend", chosen, backends)
            continue
        backend = table(backends[chosen])
        if backend.get("kind") in NEEDS_NO_SERVICE:
            continue
        model = table(entry).get("model") or backend.get("model")
        if not model:
            yield Problem(f"{where}.model", "is required", f"name it here or in [llm.backends.{chosen}]")
        elif money and model not in prices:
            yield Problem(
                f'llm.prices."{model}"',
                f"is missing: {where} uses this model and [llm.budget] sets money",
                "add its prices for a million tokens; 0 is fine for a local model",
            )


def _backend_problems(where: str, name: str, backend: Mapping[str, Any]) -> Iterator[Problem]:
    if not ID_PATTERN.fullmatch(name):
        yield Problem(where, "cannot be the name of a backend", "use a-z, 0-9, '_' and '-'")
    kind = backend.get("kind")
    if kind not in BACKEND_KINDS:
        return  # reported with the key itself
    for other, key in _NEEDED.items():
        if kind == other and key not in backend:
            yield Problem(f"{where}.{key}", f"is required for kind {kind!r}", "add it")
        if kind != other and key in backend:
            yield Problem(f"{where}.{key}", f"has no meaning for kind {kind!r}", f"it is for kind {other!r}")
    if kind in NEEDS_NO_SERVICE:
        for key in _OF_SERVICES:
            if key in backend:
                yield Problem(f"{where}.{key}", f"has no meaning for kind {kind!r}", "take it out")
    elif "key" not in backend and "base_url" not in backend:
        yield Problem(
            f"{where}.key",
            "is required",
            "name the variable that holds the key, or set base_url for another server",
        )


def _no_backend(where: str, chosen: str, backends: Mapping[str, Any]) -> Problem:
    close = did_you_mean(chosen, backends)
    fix = f"did you mean {close[0]!r}?" if close else f"add [llm.backends.{chosen}]"
    return Problem(where, f"no [llm.backends.{chosen}] here", fix)
