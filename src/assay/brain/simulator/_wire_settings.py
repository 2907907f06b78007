"""What ``POST /simulations`` takes: checked field by field, refused in the platform's words."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

from assay.brain._settings import SettingsChoices, SimulationRequest
from assay.brain.simulator._market import Market
from assay.brain.simulator._wire_types import Invalid, is_text

LONGEST_CODE: Final = 20_000
LEAST: Final = 2
MOST: Final = 10
SHARED: Final = ("instrumentType", "region", "delay", "language")

_REQUIRED: Final = "This field is required."
_KNOWN: Final = {
    "instrumentType": ("EQUITY", "CRYPTO"),
    "region": ("USA", "GLB", "EUR", "ASI", "CHN", "AMR", "IND", "JPN", "HKG", "TWN", "KOR"),
}
"""Words that the platform knows; those that this market has not are "not available", others "not valid"."""

Problems = dict[str, Any]
Read = Callable[[Any], str | None]
"""What is wrong with a value; None where it may pass."""


def read_requests(body: Any, market: Market) -> tuple[SimulationRequest, ...]:
    """One request, or the 2 to 10 of a list.

    Raises
    ------
    Invalid
        400, keyed by field; a list of such objects for a list.
    """
    if not isinstance(body, list):
        request, problems = _read(body, market)
        if request is None:
            raise Invalid(problems)
        return (request,)
    if not LEAST <= len(body) <= MOST:
        bound = f"at least {LEAST}" if len(body) < LEAST else f"no more than {MOST}"
        raise Invalid({"errors": [f"Ensure this field has {bound} elements."]})
    read = [_read(item, market) for item in body]
    if all(request is not None for request, _ in read):
        requests = tuple(request for request, _ in read if request is not None)
        unequal = [_unequal(requests[0], request) for request in requests]
        if not any(unequal):
            return requests
        raise Invalid(unequal)
    raise Invalid([problems for _, problems in read])


def _read(body: Any, market: Market) -> tuple[SimulationRequest | None, Problems]:
    if not isinstance(body, dict):
        return None, {"errors": [_not_a("dictionary", body)]}
    problems: Problems = {}
    kind = body.get("type")
    # clients have been seen to write it in lower case
    kind = kind.upper() if isinstance(kind, str) else kind
    _note(problems, "type", body, _choice(("REGULAR",)), kind)
    _note(problems, "regular", body, _code)
    found = _settings_problems(body, market)
    if found:
        problems["settings"] = found
    if problems:
        return None, problems
    given = body["settings"].items()
    settings = {key: value for key, value in given if value is not None and key in _FIELDS}
    asked = {"type": kind, "settings": settings, "regular": body["regular"]}
    request = SimulationRequest.model_validate(asked)
    offered = market.problems(request.settings)
    return (None, {"settings": {k: [v] for k, v in offered.items()}}) if offered else (request, {})


def _settings_problems(body: Mapping[str, Any], market: Market) -> Any:
    if "settings" not in body:
        return [_REQUIRED]
    settings = body["settings"]
    if not isinstance(settings, dict):
        return {"errors": [_not_a("dictionary", settings)]}
    problems: Problems = {}
    for key, read in _FIELDS.items():
        if key in settings or key not in _OPTIONAL:
            _note(problems, key, settings, read)
    _availability(problems, settings, market.choices())
    return problems


def _availability(problems: Problems, settings: Mapping[str, Any], choices: SettingsChoices) -> None:
    """Choices that depend on the market, and on one another."""
    instrument, region = settings.get("instrumentType"), settings.get("region")
    if "instrumentType" not in problems and instrument not in choices.instrument_types:
        problems["instrumentType"] = [f"Instrument type {instrument} is not available."]
    if "region" in problems:
        return
    if "instrumentType" in problems or region not in choices.regions:
        problems["region"] = [f"Region {region} is not available for instrument type {instrument}."]
        return
    by_region: dict[str, Sequence[Any]] = {
        "universe": choices.universes[region],
        "delay": choices.delays[region],
        "neutralization": choices.neutralizations[region],
    }
    for key, offered in by_region.items():
        if key not in problems:
            _note(problems, key, settings, _choice(offered))


def _unequal(first: SimulationRequest, other: SimulationRequest) -> Problems:
    one, two = first.settings.wire(), other.settings.wire()
    problems = {
        key: ["All simulations of a multi-simulation must have the same value."]
        for key in SHARED
        if one[key] != two[key]
    }
    return {"settings": problems} if problems else {}


def _note(problems: Problems, key: str, body: Mapping[str, Any], read: Read, value: Any = None) -> None:
    if key not in body:
        problems[key] = [_REQUIRED]
        return
    if body[key] is None:
        if key not in _OPTIONAL:
            problems[key] = ["This field may not be null."]
        return
    problem = read(body[key] if value is None else value)
    if problem is not None:
        problems[key] = [problem]


def _choice(values: Sequence[Any]) -> Read:
    def read(value: Any) -> str | None:
        # True is 1 to Python, and no delay to the platform
        known = not isinstance(value, bool) and isinstance(value, (str, int)) and value in values
        return None if known else f'"{_short(value)}" is not a valid choice.'

    return read


def _whole(low: int, high: int) -> Read:
    def read(value: Any) -> str | None:
        if isinstance(value, bool) or not isinstance(value, int):
            return "A valid integer is required."
        return _bounds(value, low, high)

    return read


def _number(low: float, high: float) -> Read:
    def read(value: Any) -> str | None:
        # math would not take an integer of hundreds of digits
        known = isinstance(value, int) or (isinstance(value, float) and math.isfinite(value))
        if isinstance(value, bool) or not known:
            return "A valid number is required."
        return _bounds(value, low, high)

    return read


def _bounds(value: float, low: float, high: float) -> str | None:
    if value < low:
        return f"Ensure this value is greater than or equal to {low}."
    return f"Ensure this value is less than or equal to {high}." if value > high else None


def _boolean(value: Any) -> str | None:
    return None if isinstance(value, bool) else "Must be a valid boolean."


def _code(value: Any) -> str | None:
    if not is_text(value):
        return "Not a valid string."
    if not value.strip():
        return "This field may not be blank."
    too_long = f"Ensure this field has no more than {LONGEST_CODE} characters."
    return too_long if len(value) > LONGEST_CODE else None


def _period(value: Any) -> str | None:
    fits = isinstance(value, str) and re.fullmatch(r"P\d{1,2}Y\d{1,2}M", value)
    return None if fits else f'"{_short(value)}" is not a valid choice.'


def _not_a(wanted: str, value: Any) -> str:
    return f"Invalid data. Expected a {wanted}, but got {type(value).__name__}."


def _short(value: Any) -> str:
    return str(value)[:100]


_SWITCH: Final = _choice(("ON", "OFF"))
_FIELDS: Final[dict[str, Read]] = {
    "instrumentType": _choice(_KNOWN["instrumentType"]),
    "region": _choice(_KNOWN["region"]),
    "universe": lambda value: None if isinstance(value, str) else "Not a valid string.",
    "delay": _whole(0, 1),
    "decay": _whole(0, 512),
    "neutralization": lambda value: None if isinstance(value, str) else "Not a valid string.",
    "truncation": _number(0, 1),
    "pasteurization": _SWITCH,
    "unitHandling": _choice(("VERIFY",)),
    "nanHandling": _SWITCH,
    "language": _choice(("FASTEXPR",)),
    "visualization": _boolean,
    "testPeriod": _period,
    "maxTrade": _SWITCH,
    "maxPosition": _SWITCH,
    "simulationMode": _choice(("FULL", "QUICK")),
}
_OPTIONAL: Final = frozenset({"testPeriod", "maxTrade", "maxPosition", "simulationMode"})
