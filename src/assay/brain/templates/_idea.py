"""Templates from an idea in words, without a model: the families that it names, their numbers left open."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from itertools import combinations
from typing import Any, Final

from assay.brain._wire import DataFieldInfo
from assay.brain.agent.policies import language_of
from assay.brain.agent.policies.sampler import FAMILIES, WINDOWS, Family, families_in
from assay.brain.templates._instances import Expansion
from assay.brain.templates._inventory import Inventory
from assay.brain.templates._pattern import MAX_PATTERN
from assay.brain.templates._template import Template
from assay.errors import AssayError

MOST: Final = 12
_MOST_FIELDS: Final = 8
_HOLE: Final = re.compile(r"\{([a-z]+)\}( \* 2)?")
_SECTIONS: Final = {"source": "operator", "kind": "section", "operators": ["rank", "zscore"]}
_GROUP_OPS: Final = {"source": "operator", "kind": "group", "operators": ["group_rank", "group_zscore"]}


def templates_from_idea(idea: str, inventory: Inventory, *, most: int = MOST) -> tuple[Template, ...]:
    """Templates for what the words of an idea name, English or Chinese; at most ``most``, each usable here.

    Two families together come first, as the idea wants them; then each family by itself.

    Raises
    ------
    AssayError
        The idea names nothing that is known, or nothing of it can be made from the platform's fields.
    """
    families = families_in(idea)
    if not families:
        known = ", ".join(f"{family.name['en']} ({family.name['zh']})" for family in FAMILIES)
        raise AssayError(
            f"the idea names nothing that is known: {idea[:80]!r}",
            where="--idea",
            fix=f"use words of these: {known}; or let a model write templates (role researcher)",
        )
    made: list[Template] = []
    for template in _made(idea, families, inventory):
        if len(made) == most:
            break
        if next(iter(Expansion(template, inventory)), None) is not None:
            made.append(template)
    if not made:
        raise AssayError(
            "this platform has no field for the idea",
            where="--idea",
            fix="name another data set, or see 'assay brain fields'",
        )
    return tuple(made)


def _made(idea: str, families: tuple[Family, ...], inventory: Inventory) -> Iterator[Template]:
    language = language_of(idea)
    for one, other in combinations(families, 2):
        for number, (first, second) in enumerate(zip(one.forms, other.forms, strict=False), 1):
            slots: dict[str, Any] = {"section": _SECTIONS}
            left = _opened(first, one, inventory, slots, "first_")
            right = _opened(second, other, inventory, slots, "second_")
            core = [name for name in slots if name != "section"]
            yield _template(
                f"{one.id}_{other.id}",
                number,
                f"{one.hypothesis[language]} {other.hypothesis[language]}",
                f"{{section}}({left}) + {{section}}({right})",
                slots,
                core,
            )
    for family in families:
        for number, form in enumerate(family.forms, 1):
            slots = {"group_op": _GROUP_OPS, "group": _group(inventory)}
            inner = _opened(form, family, inventory, slots, "")
            core = [name for name in slots if name not in ("group_op", "group")]
            expression = f"{{group_op}}({inner}, {{group}})"
            yield _template(family.id, number, family.hypothesis[language], expression, slots, core)


def _template(
    families: str, number: int, idea: str, expression: str, slots: Mapping[str, Any], core: list[str]
) -> Template:
    return Template.model_validate(
        {
            "name": f"TPL_IDEA_{families.upper()}_V{number}",
            "family": families.replace("_", " "),
            "idea": idea,
            "expression": expression,
            "slots": slots,
            "core_slots": core,
        }
    )


def _opened(form: str, family: Family, inventory: Inventory, slots: dict[str, Any], prefix: str) -> str:
    """A form with its holes as slots, which are added to ``slots`` under names that begin with ``prefix``."""

    def slot(found: re.Match[str]) -> str:
        name = prefix + found[1] + ("_twice" if found[2] else "")
        slots[name] = _slot(found[1], family, inventory, times=2 if found[2] else 1)
        return f"{{{name}}}"

    return _HOLE.sub(slot, form)


def _slot(hole: str, family: Family, inventory: Inventory, times: int) -> dict[str, Any]:
    if hole in WINDOWS:
        sizes = [times * size for size in WINDOWS[hole]]
        return {"source": "values", "values": sorted(sizes), "representative_values": [sizes[0]]}
    domain: dict[str, Any] = {"max_candidates": _MOST_FIELDS}
    if hole == "vector":
        return {"source": "dataset_field", "type": "VECTOR", "search_domain": domain}
    ids = [field.id for field in inventory.fields if field.type == "MATRIX" and _is_kind(field, family)]
    domain["include_regex"] = _any_of(ids[:_MOST_FIELDS])
    return {"source": "dataset_field", "search_domain": domain}


def _any_of(ids: list[str]) -> str:
    """A pattern for as many of the ids as one has room for; for none, one that fits nothing."""
    while ids:
        pattern = f"^({'|'.join(map(re.escape, ids))})$"
        if len(pattern) <= MAX_PATTERN:
            return pattern
        ids = ids[:-1]
    return "^$"


def _is_kind(field: DataFieldInfo, family: Family) -> bool:
    said = f"{field.id} {field.description}".lower()
    return not family.kinds or any(word in said for word in family.kinds)


def _group(inventory: Inventory) -> dict[str, Any]:
    groups = [field.id for field in inventory.fields if field.type == "GROUP"]
    usual = [name for name in ("industry", "sector", "subindustry", "market") if name in groups]
    values = usual or groups[:4] or ["market"]
    return {"source": "values", "values": values, "representative_values": values[:2]}
