"""The built-in templates."""

from __future__ import annotations

from collections.abc import Iterable
from importlib.resources import files

from assay.base import did_you_mean
from assay.brain.templates._read import parse_templates
from assay.brain.templates._template import Template
from assay.errors import AssayError


def catalogue() -> tuple[Template, ...]:
    """All built-in templates, by name."""
    folder = files(__package__) / "catalogue"
    found = [
        template
        for file in folder.iterdir()
        if file.name.endswith(".toml")
        for template in parse_templates(file.read_text(encoding="utf-8"), where=file.name)
    ]
    return tuple(sorted(found, key=lambda template: template.name))


def pick(names: Iterable[str]) -> tuple[Template, ...]:
    """Built-in templates by name, or by the beginning of a name (``TPL_REVERSAL``), in the given order.

    Raises
    ------
    AssayError
        There is no such template.
    """
    known = catalogue()
    found: dict[str, Template] = {}
    for name in names:
        wanted = name.upper()
        fitting = [item for item in known if item.name == wanted or item.name.startswith(f"{wanted}_")]
        if not fitting:
            near = did_you_mean(wanted, [item.name for item in known])
            raise AssayError(
                f"there is no template {name[:80]!r}",
                where="TEMPLATES",
                fix=f"did you mean {near[0]!r}?" if near else "list them: assay brain template list",
            )
        found.update((item.name, item) for item in fitting)
    return tuple(found.values())
