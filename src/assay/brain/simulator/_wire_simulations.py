"""``/simulations``: choices, start, progress."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from assay.brain.simulator._account import Account
from assay.brain.simulator._account_types import Job, NoSlot, QuotaExhausted
from assay.brain.simulator._wire_settings import SHARED, read_requests
from assay.brain.simulator._wire_types import (
    Reply,
    Request,
    detail,
    json_reply,
    not_found,
    retry_after,
)

QUOTA_TEXT = "Daily simulation limit reached. Please try tomorrow (EST time zone)."


def options(request: Request, account: Account) -> Reply:
    """``OPTIONS /simulations``: every setting with its choices, those of a region nested under it."""
    choices = account.market.choices()

    def nested(by_region: dict[str, Iterable[Any]]) -> dict[str, Any]:
        regions = {region: _choices(values) for region, values in by_region.items()}
        return {"instrumentType": {kind: {"region": regions} for kind in choices.instrument_types}}

    children = {
        "instrumentType": _field("choice", "Instrument type", _choices(choices.instrument_types)),
        "region": _field(
            "choice",
            "Region",
            {"instrumentType": {kind: _choices(choices.regions) for kind in choices.instrument_types}},
        ),
        "universe": _field("choice", "Universe", nested(dict(choices.universes))),
        "delay": _field("choice", "Delay", nested(dict(choices.delays))),
        "decay": {**_field("integer", "Decay"), "minValue": 0, "maxValue": 512},
        "neutralization": _field("choice", "Neutralization", nested(dict(choices.neutralizations))),
        "truncation": {**_field("float", "Truncation"), "minValue": 0.0, "maxValue": 1.0},
        "pasteurization": _field("choice", "Pasteurization", _choices(("ON", "OFF"))),
        "unitHandling": _field("choice", "Unit handling", _choices(("VERIFY",))),
        "nanHandling": _field("choice", "NaN handling", _choices(("ON", "OFF"))),
        "language": _field("choice", "Language", _choices(("FASTEXPR",))),
        "visualization": _field("boolean", "Visualization"),
        "testPeriod": _field("string", "Test period", required=False),
        "maxTrade": _field("choice", "Max trade", _choices(("ON", "OFF")), required=False),
        "maxPosition": _field("choice", "Max position", _choices(("ON", "OFF")), required=False),
        "simulationMode": _field("choice", "Simulation mode", _choices(("FULL", "QUICK")), required=False),
    }
    post = {
        "type": _field("choice", "Type", _choices(("REGULAR",))),
        "settings": {**_field("nested object", "Settings"), "children": children},
        "regular": _field("string", "Regular"),
    }
    return json_reply({"name": "Simulation List", "description": "", "actions": {"POST": post}})


def start(request: Request, account: Account) -> Reply:
    """``POST /simulations``."""
    body = request.json()
    if isinstance(body, list) and "MULTI_SIMULATION" not in account.permissions:
        return detail(403, "You do not have permission to perform this action.")
    requests = read_requests(body, account.market)
    wait = account.settings.retry_after
    try:
        job = account.simulations.post(requests)
    except NoSlot:
        return detail(429, "CONCURRENT_SIMULATION_LIMIT_EXCEEDED")
    except QuotaExhausted:
        said = {"detail": "SIMULATION_LIMIT_EXCEEDED", "message": QUOTA_TEXT}
        return json_reply(said, 429).with_headers(*_quota(account))
    location = f"{request.base}/simulations/{job.id}"
    return Reply(201, headers=(("Location", location), retry_after(wait), *_quota(account)))


def progress(request: Request, account: Account, name: str) -> Reply:
    """``GET /simulations/{id}``."""
    job = account.simulations.get(name)
    if job is None:
        raise not_found()
    finished = account.simulations.finished(name)
    if finished is None:
        running = {"progress": account.simulations.progress(job)}
        return json_reply(running).with_headers(retry_after(account.settings.retry_after))
    return json_reply(_ended(finished, account))


def _ended(job: Job, account: Account) -> dict[str, Any]:
    """A simulation that is done; what it has not, is absent."""
    if job.children:
        first = account.simulations.get(job.children[0])
        assert first is not None
        shared = {key: first.asked.settings.wire()[key] for key in SHARED}
        about = {"children": list(job.children), "type": first.asked.type, "settings": shared}
        return {**about, "id": job.id, "status": job.status}
    asked = job.asked.wire()
    found = {
        "id": job.id,
        "parent": job.parent,
        "type": asked["type"],
        "settings": asked["settings"],
        "regular": asked["regular"],
        "status": job.status,
        "alpha": job.alpha,
        "message": job.message,
        "location": job.location,
    }
    return {key: value for key, value in found.items() if value is not None}


def _quota(account: Account) -> tuple[tuple[str, str], ...]:
    quota = account.simulations.quota()
    return (
        ("X-Ratelimit-Limit", str(quota.limit)),
        ("X-Ratelimit-Remaining", str(quota.remaining)),
        ("X-Ratelimit-Reset", str(round(quota.reset_seconds or 0.0))),
    )


def _field(kind: str, label: str, choices: Any = None, *, required: bool = True) -> dict[str, Any]:
    field = {"type": kind, "required": required, "read_only": False, "label": label}
    return field if choices is None else {**field, "choices": choices}


def _choices(values: Iterable[Any]) -> list[dict[str, Any]]:
    return [{"value": value, "label": str(value)} for value in values]
