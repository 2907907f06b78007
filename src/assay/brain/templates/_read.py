"""Templates from files: TOML or JSON, all problems at once."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Final

from pydantic import ValidationError

from assay.base import MAX_TOML, TomlFault, did_you_mean, read_toml_file, toml_of, unique_keys
from assay.brain.templates._template import Template, template_problems
from assay.errors import AssayError, ConfigProblems, Problem

MAX_TEMPLATES: Final = 500
_KEY: Final = "templates"


def read_templates(path: Path) -> tuple[Template, ...]:
    """The templates of a file; ``.json`` is JSON, anything else TOML.

    Raises
    ------
    AssayError
        The file cannot be read.
    ConfigProblems
        All that is wrong with it.
    """
    try:
        data = _json(path) if path.suffix.lower() == ".json" else read_toml_file(path)[1]
    except TomlFault as fault:
        raise AssayError(f"{path.name} {fault}", where=str(path), fix="mend the file") from fault
    except OSError as error:
        raise AssayError(
            f"cannot read {path}: {error.strerror or error}", where=str(path), fix="name a file of templates"
        ) from error
    return templates_of(data, where=str(path))


def parse_templates(text: str, *, where: str = "templates") -> tuple[Template, ...]:
    """The templates of a TOML text; raises as :func:`read_templates`."""
    try:
        data = toml_of(text)
    except TomlFault as fault:
        raise AssayError(f"the text {fault}", where=where, fix="mend it") from fault
    return templates_of(data, where=where)


def templates_of(data: Any, *, where: str) -> tuple[Template, ...]:
    """The templates of data such as ``{"templates": [...]}``.

    Raises
    ------
    ConfigProblems
        All that is wrong with it.
    """
    found: list[Template] = []
    problems = list(_read(data, found))
    if problems:
        raise ConfigProblems(problems, where=where)
    return tuple(found)


def _json(path: Path) -> Any:
    with path.open("rb") as file:
        data = file.read(MAX_TOML + 1)
    if len(data) > MAX_TOML:
        raise TomlFault("is longer than 1 MiB")
    try:
        return json.loads(data.decode("utf-8"), object_pairs_hook=unique_keys)
    except (ValueError, RecursionError) as error:
        raise TomlFault(f"is not JSON: {str(error)[:200]}") from error


def _read(data: Any, found: list[Template]) -> Iterator[Problem]:
    if not isinstance(data, Mapping) or not isinstance(data.get(_KEY), list):
        yield Problem(_KEY, "is no list of templates", "begin each template with [[templates]]")
        return
    for key in data:
        if key != _KEY:
            yield Problem(str(key), "is no key of such a file", f"the only one is {_KEY}")
    if len(data[_KEY]) > MAX_TEMPLATES:
        yield Problem(_KEY, f"are more than {MAX_TEMPLATES}", "use several files")
        return
    names: set[str] = set()
    for number, item in enumerate(data[_KEY], 1):
        where = _place(item, number)
        try:
            template = Template.model_validate(item)
        except ValidationError as error:
            yield from shape_problems(error, where)
            continue
        if template.name in names:
            yield Problem(f"{where}.name", "was used before", "give each template a name of its own")
        names.add(template.name)
        yield from (Problem(f"{where}.{p.where}", p.message, p.fix) for p in template_problems(template))
        found.append(template)


def _place(item: Any, number: int) -> str:
    name = item.get("name") if isinstance(item, Mapping) else None
    return name if isinstance(name, str) and re.fullmatch(r"[A-Z0-9_]{1,80}", name) else f"{_KEY}[{number}]"


def shape_problems(error: ValidationError, where: str) -> Iterator[Problem]:
    """What does not fit the form of a template, key by key."""
    for item in error.errors(include_url=False, include_input=False):
        parts = [str(part) for part in item["loc"]]
        place = ".".join([where, *parts])
        message = item["msg"][:1].lower() + item["msg"][1:]
        fix = ""
        if item["type"] == "extra_forbidden":
            message = "is no key of a template"
            near = did_you_mean(parts[-1], _known_keys())
            fix = f"did you mean {near[0]!r}?" if near else "see 'assay brain template list --json'"
        elif item["type"] == "missing":
            message = "is missing"
        yield Problem(place, message, fix)


def _known_keys() -> set[str]:
    from assay.brain.templates import _template as shapes

    models = (shapes.Template, shapes.SearchDomain, shapes.FieldSlot, shapes.OperatorSlot, shapes.ValueSlot)
    return {name for model in models for name in model.model_fields}
