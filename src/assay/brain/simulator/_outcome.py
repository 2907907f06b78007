from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields

import numpy as np
from numpy.typing import NDArray

from assay.brain._settings import SimulationRequest
from assay.brain._wire import Check, Correlations, Place, Recordset, Stats
from assay.config import DEFAULT_ORDER, BrainStage

Dates = NDArray[np.datetime64]
Floats = NDArray[np.float64]
Counts = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Daily:
    """Series by date, all of one length.

    Parameters
    ----------
    dates : datetime64[D].
    pnl : dollars.
    traded : dollars bought and sold.
    held : dollars held, long and short added.
    largest : largest position in dollars, without its sign.
    long_count, short_count : names held.
    """

    dates: Dates
    pnl: Floats
    traded: Floats
    held: Floats
    largest: Floats
    long_count: Counts
    short_count: Counts

    @classmethod
    def joined(cls, parts: Sequence[Daily]) -> Daily:
        """Parts that follow each other, as one."""
        names = [item.name for item in fields(cls)]
        return cls(*(np.concatenate([getattr(part, name) for part in parts]) for name in names))

    def between(self, start: int, stop: int) -> Daily:
        """The days from row ``start`` up to, not including, ``stop``."""
        rows = slice(start, stop)
        return Daily(
            self.dates[rows], self.pnl[rows], self.traded[rows], self.held[rows], self.largest[rows],
            self.long_count[rows], self.short_count[rows],
        )  # fmt: skip


@dataclass(frozen=True, slots=True)
class Outcome:
    """A simulation that ran to its end.

    ``stats`` are those of the whole in-sample window, with the checks; ``train`` and ``test`` are there with
    a test period. ``order`` are the stages between values and positions. ``recordsets`` are by name (``pnl``,
    ``yearly-stats``, ...).
    """

    request: SimulationRequest
    stats: Stats
    daily: Daily = field(repr=False)
    train: Stats | None = None
    test: Stats | None = None
    order: tuple[BrainStage, ...] = DEFAULT_ORDER
    grade: str = "INFERIOR"
    operator_count: int = 0
    recordsets: Mapping[str, Recordset] = field(default_factory=dict, repr=False)

    @property
    def start_date(self) -> str:
        return str(self.daily.dates[0])

    @property
    def end_date(self) -> str:
        return str(self.daily.dates[-1])


@dataclass(frozen=True, slots=True)
class CodeError:
    """An expression that the simulator does not take: the message, and where in the text."""

    message: str
    place: Place | None = None


@dataclass(frozen=True, slots=True)
class HeldFigures:
    """How an alpha fared on the held days, which no simulation and no reply shows."""

    stats: Stats
    daily: Daily = field(repr=False)


@dataclass(frozen=True, slots=True)
class Peer:
    """An alpha to correlate with."""

    id: str
    request: SimulationRequest
    stats: Stats
    daily: Daily = field(repr=False)
    name: str | None = None


@dataclass(frozen=True, slots=True)
class Correlated:
    """Correlations with other alphas, and the check that they decide."""

    correlations: Correlations
    check: Check
