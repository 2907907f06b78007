from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from assay.errors import AssayError

Stop = Literal["answered", "finished", "turns", "tokens", "money", "seconds"]
"""Why an episode ended: a turn without calls, the task's own end, or a budget."""


@dataclass(frozen=True, slots=True)
class Spent:
    """What an episode has used so far. ``calls`` counts every call made, legal or not."""

    turns: int = 0
    calls: int = 0
    tokens: int = 0
    money: float = 0.0
    seconds: float = 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Budget:
    """Hard limits of one episode; ``None`` sets none, but turns always end.

    Turns, tokens, money and seconds are checked before each turn, so the last turn may overshoot what it
    could not know before. A call beyond ``calls`` is the illegal kind ``budget_exceeded``; the episode goes
    on, so that the policy can still answer.

    Raises
    ------
    AssayError
        A limit is negative, or there is no turn.
    """

    turns: int = 12
    calls: int | None = None
    tokens: int | None = None
    money: float | None = None
    seconds: float | None = None

    def __post_init__(self) -> None:
        if self.turns < 1:
            raise AssayError("an episode needs a turn", where="budget.turns", fix="give at least 1")
        for name in ("calls", "tokens", "money", "seconds"):
            limit = getattr(self, name)
            if limit is not None and not limit >= 0:
                raise AssayError(f"the limit is {limit}", where=f"budget.{name}", fix="give 0 or more")

    def exhausted(self, spent: Spent) -> Stop | None:
        """The first limit that leaves no room for a further turn."""
        if spent.turns >= self.turns:
            return "turns"
        if self.tokens is not None and spent.tokens >= self.tokens:
            return "tokens"
        if self.money is not None and spent.money >= self.money:
            return "money"
        if self.seconds is not None and spent.seconds >= self.seconds:
            return "seconds"
        return None
