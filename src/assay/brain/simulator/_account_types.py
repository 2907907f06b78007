"""What an account consists of."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from datetime import datetime, timedelta, timezone
from typing import Any, Final, Literal

import numpy as np

from assay.base import generator
from assay.brain._settings import SimulationRequest
from assay.config import Secret

EST: Final = timezone(timedelta(hours=-5), "EST")
"""The platform's day, all the year round."""

_LETTERS: Final = np.array(list("0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"))

JobStatus = Literal["WAITING", "COMPLETE", "WARNING", "ERROR", "CANCELLED", "FAIL"]


@dataclass(frozen=True, slots=True)
class Login:
    """Name and password that the account is opened with."""

    username: str
    password: Secret


@dataclass(frozen=True, slots=True)
class Job:
    """A simulation that was posted. A parent of several has ``children`` and no ``request``.

    ``number`` counts the posted ones; ids are drawn from it, so what they are has nothing to do with when
    a simulation is computed.
    """

    id: str
    number: int
    posted: datetime
    request: dict[str, Any] | None
    parent: str | None = None
    children: tuple[str, ...] = ()
    status: JobStatus = "WAITING"
    alpha: str | None = None
    message: str | None = None
    location: dict[str, Any] | None = None

    @property
    def done(self) -> bool:
        return self.status != "WAITING"

    @property
    def asked(self) -> SimulationRequest:
        """The request of one that is no parent."""
        return SimulationRequest.model_validate(self.request)

    def document(self) -> dict[str, Any]:
        """For the store."""
        return {**asdict(self), "posted": self.posted.isoformat()}

    @classmethod
    def of(cls, document: dict[str, Any]) -> Job:
        """From the store."""
        posted = datetime.fromisoformat(document["posted"])
        return cls(**{**document, "posted": posted, "children": tuple(document["children"])})


class QuotaExhausted(Exception):
    """No simulation is left today."""


class NoSlot(Exception):
    """As many simulations run as may."""


def draw_id(seed: int, what: str, number: int, length: int) -> str:
    """The id of the ``number``-th of something: the same for the same seed."""
    drawn = generator(seed, what, number).integers(0, len(_LETTERS), length)
    return "".join(_LETTERS[drawn])


def platform_time(moment: datetime) -> str:
    """A moment as the platform writes it."""
    return moment.astimezone(EST).isoformat(timespec="seconds")
