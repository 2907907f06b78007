"""A print as a file, and what must be true of one that is read."""

from __future__ import annotations

import json
from typing import NoReturn

from pydantic import ValidationError

from assay.base import DAMAGED_STATE, unique_keys
from assay.errors import Refusal
from assay.thermometer._component import Rules
from assay.thermometer._make import assemble
from assay.thermometer._print import ComponentReading, ThermometerPrint
from assay.thermometer._reading import component_of, reading_of


def print_text(made: ThermometerPrint) -> str:
    """The file of a print."""
    held = made.model_dump(mode="json")
    return json.dumps(held, indent=1, sort_keys=True, ensure_ascii=False, allow_nan=False) + "\n"


def parsed_print(name: str, data: bytes) -> ThermometerPrint:
    """The print that a file holds, whose figures are those that follow from its readings."""
    try:
        json.loads(data, object_pairs_hook=unique_keys)
        held = ThermometerPrint.model_validate_json(data)
        follows = follows_from_readings(held)
    except (ValueError, RecursionError, ValidationError, Refusal):
        damaged(name, "it is no print")
    if not follows:
        damaged(name, "its figures do not follow from its components")
    return held


def follows_from_readings(held: ThermometerPrint) -> bool:
    """Whether all figures of a print are those that its day, rules and readings give.

    Raises
    ------
    Refusal
        ``no_reading``: they give none.
    """
    rules = Rules(**held.rules.model_dump())

    def again(item: ComponentReading) -> ComponentReading:
        return reading_of(
            component_of(item), held.as_of, rules, item.last, item.reference, item.values, item.series_hash
        )

    return held == assemble(held.as_of, rules, [again(item) for item in held.components], held.supersedes)


def damaged(name: str, what: str) -> NoReturn:
    """Refuse what cannot have been written here, by its name."""
    raise Refusal(DAMAGED_STATE, f"the print {name} cannot be used: {what}", where=name)
