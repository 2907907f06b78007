from __future__ import annotations

from typing import Any, Literal

from pydantic import BaseModel

from assay.errors import AssayError


def closed_schema(
    model: type[BaseModel], mode: Literal["validation", "serialization"], *, where: str
) -> dict[str, Any]:
    """The JSON schema of a model in which every object is closed, without the titles that pydantic adds.

    Raises
    ------
    AssayError
        An object takes keys that are not named, or the whole is not an object.
    """
    schema = model.model_json_schema(mode=mode)
    _drop_titles(schema)
    top = schema
    if "$ref" in schema:  # a model that contains itself
        top = schema["$defs"][schema["$ref"].rpartition("/")[2]]
        schema = {**top, "$defs": schema["$defs"]}
    if top.get("type") != "object":
        raise AssayError(
            f"the schema of {model.__name__} is not an object", where=where, fix="wrap it in a model"
        )
    _check_closed(schema, model.__name__, where)
    return schema


def _drop_titles(schema: Any, *, names: bool = False) -> None:
    """Remove the key ``title`` from schemas; ``names`` says that the keys of ``schema`` name properties."""
    if isinstance(schema, dict):
        if not names and isinstance(schema.get("title"), str):
            del schema["title"]
        for key, value in schema.items():
            if key not in ("default", "const", "enum", "examples") or names:
                _drop_titles(value, names=not names and key in ("properties", "$defs"))
    elif isinstance(schema, list):
        for item in schema:
            _drop_titles(item)


def _check_closed(schema: Any, name: str, where: str) -> None:
    if isinstance(schema, dict):
        if schema.get("type") == "object" and schema.get("additionalProperties") is not False:
            raise AssayError(
                f"{name} has an object that takes keys which are not named",
                where=where,
                fix="use models with extra='forbid', and a list of {name, value} for a mapping",
            )
        for value in schema.values():
            _check_closed(value, name, where)
    elif isinstance(schema, list):
        for item in schema:
            _check_closed(item, name, where)
