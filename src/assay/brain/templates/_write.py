"""Templates as the text of a file, which :func:`read_templates` reads back to the same templates."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import Any

from assay.brain.templates._template import Template


def toml_text(templates: Iterable[Template]) -> str:
    """The TOML file of templates, without what has its default."""
    blocks = []
    for template in templates:
        data = template.model_dump(mode="json", exclude_defaults=True)
        slots = data.pop("slots", {})
        lines = ["[[templates]]", *(f"{key} = {_value(value)}" for key, value in data.items())]
        for name, slot in slots.items():
            lines += [f"[templates.slots.{name}]", *(f"{key} = {_value(item)}" for key, item in slot.items())]
        blocks.append("\n".join(lines) + "\n")
    return "\n".join(blocks)


def _value(value: Any) -> str:
    if isinstance(value, Mapping):
        inside = ", ".join(f"{json.dumps(key)} = {_value(item)}" for key, item in value.items())
        return f"{{ {inside} }}"
    if isinstance(value, list | tuple):
        return f"[{', '.join(map(_value, value))}]"
    # the strings, numbers and booleans of JSON are those of TOML, but for one character
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
