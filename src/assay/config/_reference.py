from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from pydantic import BaseModel

from assay.config._models import ConfigFile, DataTable, PeriodsTable

_EXAMPLE_NAME = "NAME"


class Key(NamedTuple):
    """One key of ``assay.toml``: its table, name, kind, default and example (as TOML text), description."""

    table: str
    name: str
    kind: str
    default: str
    example: str
    description: str


class _Section(NamedTuple):
    table: str
    model: type[BaseModel]


def _sections() -> list[_Section]:
    tables = [
        _Section(name, _models(field.annotation)[0])
        for name, field in ConfigFile.model_fields.items()
        if name != "data"
    ]
    name = f"data.{_EXAMPLE_NAME}"
    nested = [
        _Section(f"{name}.{key}", model)
        for key, field in DataTable.model_fields.items()
        for model in _models(field.annotation)
    ]
    return [*tables, _Section(name, DataTable), *nested]


def _models(annotation: Any) -> list[type[BaseModel]]:
    parts: tuple[Any, ...] = getattr(annotation, "__args__", None) or (annotation,)
    return [part for part in parts if isinstance(part, type) and issubclass(part, BaseModel)]


def keys_of(place: Sequence[str | int]) -> tuple[str, ...]:
    """The keys that the table at ``place`` knows."""
    parts = [str(part) for part in place]
    if parts[:1] == ["data"] and len(parts) > 1:
        parts[1] = _EXAMPLE_NAME
    table = ".".join(parts)
    models: dict[str, type[BaseModel]] = {
        "": ConfigFile,
        **{section.table: section.model for section in _sections()},
    }
    return tuple(models[table].model_fields)


def config_keys() -> Iterator[Key]:
    """Every key of ``assay.toml``, in the order of the file."""
    for section in _sections():
        properties = section.model.model_json_schema()["properties"]
        for name, field in section.model.model_fields.items():
            if _models(field.annotation):
                continue
            required = field.is_required()
            default = "" if required or field.default is None else json.dumps(field.default)
            example = str(field.examples[0]) if field.examples else default
            if field.examples and _kind(properties[name]) == "text":
                example = json.dumps(field.examples[0])
            kind = _kind(properties[name])
            yield Key(
                section.table,
                name,
                kind,
                "required" if required else default or "unset",
                example,
                field.description or "",
            )


def _kind(schema: dict[str, Any]) -> str:
    for option in schema.get("anyOf", [schema]):
        if "enum" in option:
            return ", ".join(str(value) for value in option["enum"])
        if option.get("title") == "first and last day":
            return "two dates"
        if option.get("type") == "array":
            return f"list of {_kind(option['items']).replace('number', 'numbers')}"
        names = {"integer": "whole number", "number": "number", "string": "text"}
        if option.get("type") in names:
            return names[option["type"]] + _bounds(option)
    return "table"


def _bounds(schema: dict[str, Any]) -> str:
    low, high = schema.get("minimum"), schema.get("maximum")
    if low is not None and high is not None:
        return f", {low:g} to {high:g}"
    return f", at least {low:g}" if low is not None else ""


def reference_markdown() -> str:
    """The page ``docs/reference/config.md``."""
    lines = [
        "# assay.toml",
        "",
        "A workspace is a folder with an `assay.toml`; commands find it from any folder below. A data set",
        "belongs to the workspace that its own folder lies in, wherever the command runs, and in Python too.",
        "`assay init` writes one with every key in a comment. No table is required. Every problem of",
        "the file is reported at once, before anything is written. This page is generated from the",
        "declaration of the keys.",
        "",
        "Secrets (API keys, tokens) are read from the environment or from a `.env` file beside",
        "`assay.toml`, never from `assay.toml` itself.",
    ]
    sections = {section.table: section.model for section in _sections()}
    current = ""
    for key in config_keys():
        if key.table != current:
            current = key.table
            lines += ["", f"## [{current}]", "", _summary(sections[current]), ""]
            lines += ["| key | kind | default | meaning |", "|---|---|---|---|"]
        default = key.default if key.default in ("required", "unset") else f"`{key.default}`"
        lines.append(f"| `{key.name}` | {key.kind} | {default} | {key.description} |")
    return "\n".join([*lines, "", *_hidden_note(), "", "## Example", "", "```toml", *_example(), "```", ""])


def _summary(model: type[BaseModel]) -> str:
    return " ".join((model.__doc__ or "").split())


def _hidden_note() -> list[str]:
    return [
        "## Hidden dates",
        "",
        "Whether a read is hidden depends on its dates alone: a range that meets `score` or `eval` is",
        "hidden, whatever name it was asked under. `search` comes first, and its end is the last day that",
        "an agent may know of. At least `embargo_bars` bars lie between neighbouring periods; this is",
        "checked by weekdays when `assay.toml` is read, and by the trading days of the data when it is",
        "judged or shown (`assay data show`), so leave a few more for holidays.",
        "",
        "The plan is found from the folder that the data set lies in. A copy of that folder outside the",
        "workspace has no plan, and nothing can hide its dates.",
    ]


def _example() -> list[str]:
    lines = ["[defaults]", 'data = "csi300"', 'universe = "csi300"', "", "[data.csi300.periods]"]
    for name, field in PeriodsTable.model_fields.items():
        lines.append(f"{name} = {(field.examples or [''])[0]}")
    return lines


def template() -> str:
    """A commented ``assay.toml``: every key with its meaning and its default."""
    lines = ["# Assay workspace. Every key is optional; the values shown are the defaults or examples."]
    sections = {section.table: section.model for section in _sections()}
    current = ""
    for key in config_keys():
        if key.table != current:
            current = key.table
            lines += ["", f"# {_summary(sections[current])}"]
            header = f"[{current}]"
            lines.append(header if not current.startswith("data.") else f"# {header}")
        lines.append(f"# {key.description}")
        lines.append(f"# {key.name} = {key.example}")
    return "\n".join(lines) + "\n"
