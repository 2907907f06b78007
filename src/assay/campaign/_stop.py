from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Final, Literal

from assay.campaign._settings import StopSettings
from assay.campaign._types import History
from assay.errors import ProviderQuotaExhausted, Refusal
from assay.llm import CALL_BUDGET_EXHAUSTED, MONEY_BUDGET_EXHAUSTED, TOKEN_BUDGET_EXHAUSTED

StopCause = Literal["max_rounds", "max_trials", "patience", "provider_quota", "budget", "deadline"]

_BUDGETS: Final = frozenset(
    reason.code for reason in (CALL_BUDGET_EXHAUSTED, MONEY_BUDGET_EXHAUSTED, TOKEN_BUDGET_EXHAUSTED)
)


@dataclass(frozen=True, slots=True)
class Stop:
    """Why a campaign stopped. The last three causes drop the round in progress and can be resumed."""

    by: StopCause
    message: str


class RoundDropped(Exception):
    """The round in progress ends here, without a result."""

    def __init__(self, stop: Stop, stage: str) -> None:
        super().__init__(stop.message)
        self.stop = stop
        self.stage = stage


def stop_before_round(settings: StopSettings, history: History) -> Stop | None:
    """The limit that keeps the next round from beginning; the first that holds, in the order of the file."""
    done = len(history.rounds)
    if settings.max_rounds is not None and done >= settings.max_rounds:
        return Stop("max_rounds", f"{done} rounds are done; the limit is {settings.max_rounds}")
    trials = sum(trial.evaluated for trial in history.trials)
    if settings.max_trials is not None and trials >= settings.max_trials:
        return Stop("max_trials", f"{trials} trials were evaluated; the limit is {settings.max_trials}")
    barren = _barren(history)
    if settings.patience is not None and barren >= settings.patience:
        return Stop(
            "patience", f"{barren} rounds in a row admitted nothing; the limit is {settings.patience}"
        )
    return None


def deadline_passed(settings: StopSettings, now: datetime) -> Stop | None:
    """The stop of a deadline, once it is over."""
    if settings.deadline is None or now < settings.deadline:
        return None
    return Stop("deadline", f"the deadline was {settings.deadline.isoformat()}")


def stop_of(error: Exception) -> Stop | None:
    """The stop that an error of a call stands for; None: it is none."""
    if isinstance(error, ProviderQuotaExhausted):
        return Stop("provider_quota", error.message)
    if isinstance(error, Refusal) and error.reason.code in _BUDGETS:
        return Stop("budget", error.message)
    return None


def _barren(history: History) -> int:
    count = 0
    for item in reversed(history.rounds):
        if item.admitted:
            break
        count += 1
    return count
