"""The reference page of a registry, made from the registry itself."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from assay.tools._outcome import ILLEGAL_KINDS
from assay.tools._reasons import COMMON
from assay.tools._registry import Registry
from assay.tools._tool import EVERYBODY, Tool

_HEAD = """\
# Tools

What agents, models and scripts can call. Every call ends in one of four ways: `ok` with a result, which is
always an object; `refused` with a reason from the closed list of the tool; `illegal`, shown as a refusal and
counted by kind; or `failed`, which is never the caller's fault and never counted against it. Tools see a data
set up to the end of its `search` period and name no later date.

Arguments are one JSON object with exactly the keys listed. A faulty argument `X` is refused with `missing_X`
or `bad_X` where the tool lists it, else with `bad_arguments`; the audit counts both as `schema_invalid`.
Texts are read up to 1,000,000 characters and 32 levels of nesting; double keys, NaN and halves of surrogate
pairs are not JSON here.
"""


def tools_markdown(registry: Registry, note: str = "") -> str:
    """The page ``docs/reference/tools.md``: every tool with arguments, result and reasons.

    ``note`` stands below what is said of all tools.
    """
    lines = [_HEAD, *([note, ""] if note else []), *_kinds(), *_common()]
    for tool in registry.tools():
        lines += _tool(tool)
    return "\n".join(lines).rstrip() + "\n"


def _kinds() -> Iterator[str]:
    yield "## Illegal calls"
    yield ""
    yield "Kinds in order of precedence; a call with several faults counts under the first:"
    yield ""
    yield from (f"{number}. `{kind}`" for number, kind in enumerate(ILLEGAL_KINDS, 1))
    yield ""


def _common() -> Iterator[str]:
    yield "## Reasons that every tool may give"
    yield ""
    yield "| reason | meaning | what to do |"
    yield "|---|---|---|"
    yield from (f"| `{item.code}` | {_cell(item.summary)} | {_cell(item.fix)} |" for item in COMMON)
    yield ""


def _tool(tool: Tool) -> Iterator[str]:
    yield f"## {tool.id}"
    yield ""
    yield tool.summary
    yield ""
    if tool.callers != EVERYBODY:
        yield f"May be called by: {', '.join(sorted(tool.callers))}."
        yield ""
    yield from _table("argument", tool.input_schema, defaults=True)
    yield from _table("result", tool.output_schema, defaults=False)
    if tool.reasons:
        yield "| reason | meaning | what to do |"
        yield "|---|---|---|"
        for reason in sorted(tool.reasons, key=lambda item: item.code):
            mark = " (reserved)" if reason.code in tool.reserved else ""
            yield f"| `{reason.code}`{mark} | {_cell(reason.summary)} | {_cell(reason.fix)} |"
        yield ""


def _table(heading: str, schema: Mapping[str, Any], *, defaults: bool) -> Iterator[str]:
    properties: Mapping[str, Any] = schema.get("properties", {})
    if not properties:
        yield "Takes no arguments."
        yield ""
        return
    required = schema.get("required", ())
    yield f"| {heading} | type | meaning |" + (" default |" if defaults else "")
    yield "|---|---|---|" + ("---|" if defaults else "")
    for name, item in properties.items():
        row = f"| `{name}` | {_type(item, schema)} | {_cell(item.get('description', ''))} |"
        if defaults:
            row += " required |" if name in required else f" `{item.get('default')}` |"
        yield row
    yield ""


def _type(item: Mapping[str, Any], schema: Mapping[str, Any]) -> str:
    """A JSON schema in few words, with its bounds."""
    if "anyOf" in item:
        return " or ".join(_type(part, schema) for part in item["anyOf"])
    if "$ref" in item:
        named: Mapping[str, Any] = schema["$defs"][item["$ref"].rpartition("/")[2]]
        return f"object ({', '.join(named.get('properties', ()))})"
    if "enum" in item:
        return ", ".join(f"`{value}`" for value in item["enum"])
    if item.get("type") == "array":
        return f"list of {_type(item.get('items', {}), schema)}"
    return f"{item.get('type', 'any')}{_bounds(item)}"


def _bounds(item: Mapping[str, Any]) -> str:
    low = item.get("minimum", item.get("minLength"))
    high = item.get("maximum", item.get("maxLength"))
    unit = " characters" if item.get("type") == "string" else ""
    if low is None and high is None:
        return ""
    if low is None or high is None:
        return f", at {'most' if low is None else 'least'} {high if low is None else low}{unit}"
    return f", {low} to {high}{unit}"


def _cell(text: str) -> str:
    return " ".join(text.split()).replace("|", "\\|")
