"""Which of the account's alphas are asked for."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Final

from assay.base import did_you_mean
from assay.brain._errors import BAD_SETTINGS
from assay.brain.client._http import Query
from assay.errors import Refusal

STATUSES: Final = ("UNSUBMITTED", "ACTIVE", "DECOMMISSIONED")
STAGES: Final = ("IS", "OS")
TYPES: Final = ("REGULAR", "SUPER")
_ORDERS: Final = ("dateCreated", "dateSubmitted", "dateModified", "is.sharpe", "is.fitness", "is.turnover")
ORDERS: Final = tuple(f"{sign}{name}" for name in _ORDERS for sign in ("", "-"))


@dataclass(frozen=True, slots=True)
class AlphaFilter:
    """A filter of the account's alphas; None filters nothing.

    Words are checked here, since the platform answers an unknown one with an empty list. ``order`` with a
    minus is descending. Dates must say their offset. ``limit`` bounds how many are given, None all.

    Raises
    ------
    Refusal
        ``bad_settings``: a word is none of the platform's, or a date has no offset.
    """

    status: str | None = None
    stage: str | None = None
    type: str | None = None
    region: str | None = None
    universe: str | None = None
    delay: int | None = None
    neutralization: str | None = None
    min_sharpe: float | None = None
    min_fitness: float | None = None
    min_turnover: float | None = None
    max_turnover: float | None = None
    created_from: datetime | None = None
    created_to: datetime | None = None
    name: str | None = None
    tag: str | None = None
    color: str | None = None
    favorite: bool | None = None
    hidden: bool | None = None
    order: str = "-dateCreated"
    limit: int | None = None

    def __post_init__(self) -> None:
        known = {"status": STATUSES, "stage": STAGES, "type": TYPES, "order": ORDERS}
        for key, words in known.items():
            value = getattr(self, key)
            if value is not None and value not in words:
                near = did_you_mean(value, words, 1)
                hint = f"did you mean {near[0]}? " if near else ""
                raise Refusal(
                    BAD_SETTINGS,
                    f"no alpha has the {key} {value!r}",
                    where=key,
                    fix=f"{hint}use one of {', '.join(words)}",
                )
        for key in ("created_from", "created_to"):
            value = getattr(self, key)
            if value is not None and value.tzinfo is None:
                raise Refusal(
                    BAD_SETTINGS,
                    f"the date {value.isoformat()} has no offset",
                    where=key,
                    fix="give it with an offset, such as +00:00",
                )

    def query(self) -> Query:
        """The parts of the query, named as the platform names them."""
        parts = (
            ("status", self.status),
            ("stage", self.stage),
            ("type", self.type),
            ("settings.region", self.region),
            ("settings.universe", self.universe),
            ("settings.delay", self.delay),
            ("settings.neutralization", self.neutralization),
            ("is.sharpe>", self.min_sharpe),
            ("is.fitness>", self.min_fitness),
            ("is.turnover>", self.min_turnover),
            ("is.turnover<", self.max_turnover),
            ("dateCreated>", None if self.created_from is None else self.created_from.isoformat()),
            ("dateCreated<", None if self.created_to is None else self.created_to.isoformat()),
            ("name", self.name),
            ("tag", self.tag),
            ("color", self.color),
            ("favorite", None if self.favorite is None else str(self.favorite).lower()),
            ("hidden", None if self.hidden is None else str(self.hidden).lower()),
            ("order", self.order),
        )
        return tuple((key, str(value)) for key, value in parts if value is not None)
