"""What a finished or stopped run came to: plain values, for pages, tables and programs."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from assay.campaign._accept_types import OrderSpread
from assay.campaign._lineage import Lineage
from assay.campaign._stop import Stop
from assay.campaign._types import EVALUATED, TrialRecord

Days = npt.NDArray[np.datetime64]
Floats = npt.NDArray[np.float64]

RefusalStage = Literal["plan", "gate", "review", "admission"]
"""Where a candidate was refused; ``plan``: none came."""


@dataclass(frozen=True, slots=True)
class Funnel:
    """How many slots came how far.

    Parameters
    ----------
    slots : of the rounds that are done.
    candidates : for which a formula came.
    gated : whose formula passed the candidate gate.
    evaluated : that were scored, after the review; these are trials.
    admitted : that joined the zoo.
    """

    slots: int = 0
    candidates: int = 0
    gated: int = 0
    evaluated: int = 0
    admitted: int = 0

    @classmethod
    def of(cls, trials: Iterable[TrialRecord]) -> Funnel:
        """The funnel of these slots."""
        listed = list(trials)
        return cls(
            slots=len(listed),
            candidates=sum(trial.candidate is not None for trial in listed),
            gated=sum(trial.outcome in EVALUATED or trial.outcome == "review_rejected" for trial in listed),
            evaluated=sum(trial.evaluated for trial in listed),
            admitted=sum(trial.admitted for trial in listed),
        )


@dataclass(frozen=True, slots=True)
class RoleCost:
    """What a role took.

    ``money`` is in the currency of the price table and leaves out the ``unpriced`` calls; ``estimated`` calls
    are those whose service told no usage.
    """

    role: str
    calls: int = 0
    failed: int = 0
    input: int = 0
    cached: int = 0
    output: int = 0
    money: float = 0.0
    unpriced: int = 0
    estimated: int = 0
    seconds: float = 0.0

    @property
    def tokens(self) -> int:
        """In and out."""
        return self.input + self.output


@dataclass(frozen=True, slots=True)
class RoundRow:
    """One round; of one that was dropped, only why. ``n`` is the N that admission was held to."""

    number: int
    funnel: Funnel
    quota: Mapping[str, int]
    n: int | None
    dropped: str = ""


@dataclass(frozen=True, slots=True)
class MechanismRow:
    """One mechanism type; ``best_t`` is the greatest \\|t\\| of its trials."""

    name: str
    funnel: Funnel
    best_t: float | None


@dataclass(frozen=True, slots=True)
class RefusalRow:
    """How often something was refused for a reason.

    ``times`` counts each refusal, ``slots`` the slots that ended by it; the gate's others were mended.
    """

    stage: RefusalStage
    reason: str
    times: int
    slots: int
    example: str
    message: str


@dataclass(frozen=True, slots=True)
class TrialPoint:
    """One trial on the way of the run.

    Parameters
    ----------
    n : trials on the data set when its round was held to admission; None where the ledger could not say.
    sparse : it has a RankIC on too few dates to be told from luck, and is no part of ``best``.
    best : greatest \\|RankIC\\| of the trials so far.
    noise_t : \\|t\\| that the best of ``n`` factors without any information is expected to have.
    """

    trial: str
    n: int | None
    rank_ic: float | None
    t: float | None
    admitted: bool
    sparse: bool
    best: float | None
    noise_t: float | None


@dataclass(frozen=True, slots=True)
class GateAttempt:
    """One check of a slot's formula by the gate."""

    expression: str
    passed: bool
    reason: str
    message: str


@dataclass(frozen=True)
class ZooFactor:
    """An admitted factor.

    Parameters
    ----------
    folds, neutral_folds : mean RankIC, raw and neutral, of equal stretches of the training segment, in order.
    days, excess : the book's net excess return a bar on the training segment; empty where none is recorded.
    attempts : what the gate said of its formula before.
    """

    trial: TrialRecord
    lineage: Lineage
    n: int | None
    figures: Mapping[str, float | None]
    folds: tuple[float | None, ...]
    neutral_folds: tuple[float | None, ...]
    days: Days
    excess: Floats
    attempts: tuple[GateAttempt, ...] = ()


@dataclass(frozen=True)
class ZooCorrelations:
    """Correlation of the factors' net excess returns, ``(n, n)``, NaN where undefined."""

    ids: tuple[str, ...]
    values: Floats


@dataclass(frozen=True, slots=True)
class MemoryVersion:
    """The memory as it was written before a round."""

    round: int
    text: str


@dataclass(frozen=True, slots=True)
class NoiseRow:
    """Admissions of the run itself, or of its twins on markets without signal.

    ``low`` and ``high`` bound the admissions per 100 trials with 95% confidence.
    """

    label: str
    runs: int
    trials: int
    admitted: int
    per_hundred: float
    low: float
    high: float


@dataclass(frozen=True, slots=True)
class OutOfSample:
    """An admitted factor on dates that the campaign never read, with the sign of the formula as tried."""

    rank_ic: float | None
    neutral_rank_ic: float | None = None
    t: float | None = None


@dataclass(frozen=True)
class CampaignReport:
    """A run as its ledger and folder tell it; no hidden date is in it.

    Parameters
    ----------
    state : ``open``: going on, or killed; else how it ended: ``finished``, ``stopped``, ``failed``, ...
    stop : the limit that ended it or dropped its last round.
    data, universe, horizon : what it searched; ``simulated`` None: not known.
    started, ended : time of its first and last record.
    seconds : from the one to the other.
    n : trials on the data set at the last admission.
    config : settings that decide its course, by dotted name.
    inputs : content hashes of data, periods, files, pools and roles.
    trials : every slot of the rounds that are done.
    noise : the run beside its noise twins, where they were run; else empty.
    order : how much the order of admission decided, where the campaign was accepted.
    out_of_sample : of admitted factors by trial id, where the campaign was accepted.
    """

    run: str
    state: str
    stop: Stop | None
    operator: str
    data: str
    universe: str | None
    horizon: int | None
    simulated: bool | None
    started: str
    ended: str
    seconds: float
    n: int | None
    config: Mapping[str, Any]
    inputs: Mapping[str, str]
    commits: Sequence[str]
    digest: str
    funnel: Funnel
    rounds: tuple[RoundRow, ...]
    mechanisms: tuple[MechanismRow, ...]
    trials: tuple[TrialRecord, ...]
    points: tuple[TrialPoint, ...]
    zoo: tuple[ZooFactor, ...]
    correlations: ZooCorrelations
    lineages: Mapping[str, Lineage]
    refusals: tuple[RefusalRow, ...]
    memory: tuple[MemoryVersion, ...]
    costs: tuple[RoleCost, ...]
    noise: tuple[NoiseRow, ...] = ()
    order: OrderSpread | None = None
    out_of_sample: Mapping[str, OutOfSample] = field(default_factory=dict)

    @property
    def best(self) -> TrialRecord | None:
        """The trial of the greatest \\|t\\|: picked from all of them, so its figures are flattering."""
        return best_of(self.trials)

    @property
    def tokens(self) -> int:
        """Of all calls, in and out."""
        return sum(cost.tokens for cost in self.costs)

    @property
    def money(self) -> float:
        """Of all calls that have a price."""
        return sum(cost.money for cost in self.costs)


def best_of(trials: Iterable[TrialRecord]) -> TrialRecord | None:
    """The trial of the greatest \\|t\\|; the first of equal ones, None where none has a t."""
    from assay.campaign._lines import strength

    found = max(trials, key=strength, default=None)
    return found if found is not None and strength(found) > 0 else None
