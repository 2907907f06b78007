from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from pydantic import BaseModel

from assay.config._brain_models import WholeConfigFile
from assay.config._llm import LLM_ROLES
from assay.config._llm_models import BackendTable, LlmBudgetTable, PriceTable, RoleTable
from assay.config._models import PeriodsTable

# what stands for a name that the user chooses
_NAMES = {"data": "NAME", "llm.backends": "NAME", "llm.roles": "ROLE", "llm.prices": '"MODEL"'}


class Key(NamedTuple):
    """One key of a TOML file: its table, name, kind, default and example (as TOML text), description."""

    table: str
    name: str
    kind: str
    default: str
    example: str
    description: str


class _Section(NamedTuple):
    table: str
    model: type[BaseModel]


def _sections(
    model: type[BaseModel] = WholeConfigFile, names: Mapping[str, str] = _NAMES, table: str = ""
) -> Iterator[_Section]:
    """The table of a model and those below it, in the order of the file."""
    yield _Section(table, model)
    for name, field in model.model_fields.items():
        inner = f"{table}.{name}" if table else name
        for found in _models(field.annotation):
            yield from _sections(found, names, f"{inner}.{names[inner]}" if inner in names else inner)


def _models(annotation: Any) -> list[type[BaseModel]]:
    parts: tuple[Any, ...] = getattr(annotation, "__args__", None) or (annotation,)
    return [part for part in parts if isinstance(part, type) and issubclass(part, BaseModel)]


def table_summaries(model: type[BaseModel], names: Mapping[str, str]) -> dict[str, str]:
    """What each table of a file is about, by its name, in the order of the file."""
    return {section.table: _summary(section.model) for section in _sections(model, names)}


def keys_of(place: Sequence[str | int]) -> tuple[str, ...]:
    """The keys that the table at ``place`` knows."""
    table = ""
    for part in place:
        part = _NAMES.get(table, part)
        table = f"{table}.{part}" if table else str(part)
    return next(tuple(section.model.model_fields) for section in _sections() if section.table == table)


def config_keys(model: type[BaseModel] = WholeConfigFile, names: Mapping[str, str] = _NAMES) -> Iterator[Key]:
    """Every key of a file, that of ``assay.toml`` if none is named, in the order of the file.

    ``names`` says what stands for a name of the user's own, by the table that such names are in.
    """
    for section in _sections(model, names):
        properties = section.model.model_json_schema()["properties"]
        for name, field in section.model.model_fields.items():
            if _models(field.annotation):
                continue
            required = field.is_required()
            default = "" if required or field.default is None else json.dumps(field.default)
            kind = _kind(properties[name])
            example = str(field.examples[0]) if field.examples else default
            if field.examples and _is_text(properties[name]):
                example = json.dumps(field.examples[0])
            yield Key(
                section.table,
                name,
                kind,
                "required" if required else default or "unset",
                example,
                field.description or "",
            )


def _is_text(schema: dict[str, Any]) -> bool:
    # TOML writes a date and time without quotes
    return any(
        option.get("type") == "string" and option.get("format") != "date-time"
        for option in schema.get("anyOf", [schema])
    )


def _kind(schema: dict[str, Any]) -> str:
    for option in schema.get("anyOf", [schema]):
        if "enum" in option:
            return ", ".join(str(value) for value in option["enum"])
        if option.get("title") == "first and last day":
            return "two dates"
        if option.get("format") == "date-time":
            return "date and time"
        if option.get("type") == "array":
            return f"list of {_kind(option['items']).replace('number', 'numbers')}"
        names = {"integer": "whole number", "number": "number", "string": "text", "boolean": "true or false"}
        if option.get("type") in names:
            return names[option["type"]] + _bounds(option)
    return "table"


def _bounds(schema: dict[str, Any]) -> str:
    low, high = schema.get("minimum"), schema.get("maximum")
    if low is None and high is not None:
        return f", up to {high:,.12g}"
    if low is not None and high is not None:
        return f", {low:,.12g} to {high:,.12g}"
    return f", at least {low:,.12g}" if low is not None else ""


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
    lines += ["", *_role_note(), "", *_hidden_note(), "", "## Example", "", "```toml", *_example(), "```", ""]
    return "\n".join(lines)


def _summary(model: type[BaseModel]) -> str:
    return " ".join((model.__doc__ or "").split())


def _role_note() -> list[str]:
    return [
        "## Roles of models",
        "",
        "Nothing needs a model: a role without a table is not available, and what asks for it says so.",
        "",
        "| role | what it does |",
        "|---|---|",
        *(f"| `{name}` | {text} |" for name, text in LLM_ROLES.items()),
    ]


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
    lines += ["", "[llm.backends.deepseek]", *_set(BackendTable, ("kind", "base_url", "key"))]
    lines += ["", "[llm.roles.proposer]", *_set(RoleTable, ("backend", "model", "temperature"))]
    lines += ["", "[llm.budget]", *_set(LlmBudgetTable, ("calls", "money"))]
    return [*lines, "", "[llm.prices.deepseek-chat]", *_set(PriceTable, ("input", "cached_input", "output"))]


def _set(model: type[BaseModel], names: Sequence[str]) -> list[str]:
    return [f"{name} = {json.dumps((model.model_fields[name].examples or [''])[0])}" for name in names]


def template(data: str | None = None) -> str:
    """A commented ``assay.toml``: every key with meaning and default; ``data`` sets ``[defaults] data``."""
    lines = ["# Assay workspace. Every key is optional; the values shown are the defaults or examples."]
    sections = {section.table: section.model for section in _sections()}
    current = ""
    for key in config_keys():
        if key.table != current:
            current = key.table
            lines += ["", f"# {_summary(sections[current])}"]
            header = f"[{current}]"
            # without [llm] and [brain] a file is read faster, and a name is the user's to give
            optional = current.split(".")[0] in ("llm", "brain") or any(
                part in current for part in _NAMES.values()
            )
            lines.append(f"# {header}" if optional else header)
        lines.append(f"# {key.description}")
        chosen = data is not None and (key.table, key.name) == ("defaults", "data")
        lines.append(
            f"data = {json.dumps(data, ensure_ascii=False)}" if chosen else f"# {key.name} = {key.example}"
        )
    return "\n".join(lines) + "\n"
