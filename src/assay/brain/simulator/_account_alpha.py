"""The document of an alpha, as the platform shows it."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from assay.brain._wire import Check, Stats
from assay.brain.simulator._outcome import Outcome


def alpha_document(name: str, author: str, created: str, outcome: Outcome) -> dict[str, Any]:
    """A new alpha, unsubmitted."""
    request = outcome.request
    return {
        "id": name,
        "type": request.type,
        "author": author,
        "settings": {
            **request.settings.wire(),
            "startDate": outcome.start_date,
            "endDate": outcome.end_date,
        },
        "regular": {
            "code": request.regular,
            "description": None,
            "operatorCount": outcome.operator_count,
        },
        "dateCreated": created,
        "dateSubmitted": None,
        "dateModified": created,
        "name": None,
        "favorite": False,
        "hidden": False,
        "color": None,
        "category": None,
        "tags": [],
        "classifications": [],
        "grade": outcome.grade,
        "stage": "IS",
        "status": "UNSUBMITTED",
        "is": _stats(outcome.stats),
        "os": None,
        "train": None if outcome.train is None else _stats(outcome.train),
        "test": None if outcome.test is None else _stats(outcome.test),
        "prod": None,
        "competitions": None,
        "themes": None,
        "pyramids": None,
        "team": None,
    }


def checks_of(document: dict[str, Any]) -> tuple[Check, ...]:
    """The checks that an alpha's document holds."""
    return tuple(Check.model_validate(check) for check in document["is"]["checks"])


def wire_checks(checks: Iterable[Check]) -> list[dict[str, Any]]:
    """Checks as the platform lists them."""
    return [check.wire() for check in checks]


def _stats(stats: Stats) -> dict[str, Any]:
    # a figure that there is none of is null, not absent
    return {**stats.model_dump(by_alias=True), "checks": wire_checks(stats.checks)}
