"""What OpenAPI says of the paths, which take queries and bodies that FastAPI does not read itself."""

from __future__ import annotations

import re
from typing import Any, Final

from assay.brain import SimulationSettings
from assay.brain.simulator import Route

_SIMULATION: Final[dict[str, Any]] = {
    "type": "object",
    "required": ["type", "settings", "regular"],
    "properties": {
        "type": {"enum": ["REGULAR"]},
        "settings": SimulationSettings.model_json_schema(),
        "regular": {"type": "string", "example": "rank(close)"},
    },
}
_BODIES: Final[dict[tuple[str, str], dict[str, Any]]] = {
    ("POST", "/authentication"): {
        "type": "object",
        "properties": {"expiry": {"type": "number", "minimum": 1, "maximum": 14400}},
    },
    ("POST", "/simulations"): {
        "oneOf": [_SIMULATION, {"type": "array", "minItems": 2, "maxItems": 10, "items": _SIMULATION}]
    },
    ("PATCH", "/alphas/{id}"): {
        "type": "object",
        "properties": {
            "name": {"type": ["string", "null"]},
            "color": {"type": ["string", "null"]},
            "tags": {"type": "array", "items": {"type": "string"}},
            "category": {"type": ["string", "null"]},
            "favorite": {"type": "boolean"},
            "hidden": {"type": "boolean"},
            "regular": {"type": "object", "properties": {"description": {"type": ["string", "null"]}}},
        },
    },
}
_LISTED: Final = ("limit", "offset", "order", "search")
_QUERIES: Final[dict[str, tuple[str, ...]]] = {
    "/users/self/alphas": (
        *_LISTED, "status", "stage", "hidden", "name", "settings.region", "is.sharpe>", "dateCreated>",
    ),
    "/data-sets": (*_LISTED, "instrumentType", "region", "delay", "universe", "category", "theme"),
    "/data-fields": (
        *_LISTED, "instrumentType", "region", "delay", "universe", "category", "theme", "dataset.id", "type",
    ),
    "/authentication/persona": ("inquiry",),
    "/authentication/persona/complete": ("inquiry",),
}  # fmt: skip


def described(route: Route) -> dict[str, Any]:
    """Parameters and body of a path."""
    names = [(name, "path", True) for name in re.findall(r"{(\w+)}", route.path)]
    names += [(name, "query", False) for name in _QUERIES.get(route.path, ())]
    about: dict[str, Any] = {
        "parameters": [
            {"name": name, "in": place, "required": required, "schema": {"type": "string"}}
            for name, place, required in names
        ]
    }
    body = _BODIES.get((route.method, route.path))
    if body is not None:
        about["requestBody"] = {
            "required": route.path != "/authentication",
            "content": {"application/json": {"schema": body}},
        }
    return about
