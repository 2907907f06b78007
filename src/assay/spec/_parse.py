"""Strict reading of a spec: everything that is wrong with it at once."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from pydantic import ValidationError

from assay.base import unique_keys
from assay.errors import Refusal
from assay.spec._reasons import BAD_SPEC
from assay.spec._spec import FactorSpec
from assay.spec._universe import universe_of

SIZE_LIMIT = 1_000_000
"""Characters of a spec as JSON; a spec at all its limits is shorter."""


def parse_spec(source: str | bytes | Mapping[str, Any]) -> FactorSpec:
    """A spec from JSON text or from a mapping of JSON values.

    No field is coerced or ignored; only an alias of a universe is replaced by its name.

    Raises
    ------
    Refusal
        ``bad_spec``; ``details["problems"]`` lists every problem as ``{where, message}``.
    """
    data = dict(source) if isinstance(source, Mapping) else _object(source)
    _name_universe(data)
    try:
        text = json.dumps(data, allow_nan=False)
    except (TypeError, ValueError) as error:
        raise _refusal([("spec", f"not JSON: {error}")]) from error
    try:
        return FactorSpec.model_validate_json(text)
    except ValidationError as error:
        raise _refusal(
            [(".".join(map(str, item["loc"])) or "spec", item["msg"]) for item in error.errors()]
        ) from error


def _name_universe(data: dict[str, Any]) -> None:
    if isinstance(data.get("universe"), str):
        try:
            data["universe"] = universe_of(data["universe"])
        except Refusal:
            return  # the schema refuses it, together with whatever else is wrong


def _object(source: str | bytes) -> dict[str, Any]:
    if len(source) > SIZE_LIMIT:
        raise _refusal([("spec", f"longer than {SIZE_LIMIT} characters")])
    try:
        data = json.loads(source, object_pairs_hook=unique_keys, parse_constant=_no_constant)
    except (ValueError, RecursionError) as error:
        raise _refusal([("spec", f"not JSON: {error}")]) from error
    if not isinstance(data, dict):
        raise _refusal([("spec", "not a JSON object")])
    return data


def _no_constant(name: str) -> None:
    raise ValueError(f"{name} is not a JSON number")


def _refusal(problems: list[tuple[str, str]]) -> Refusal:
    message = "; ".join(f"{where}: {what}" for where, what in problems)
    listed = [{"where": where, "message": what} for where, what in problems]
    return Refusal(BAD_SPEC, message, where="spec", details={"problems": listed})
