"""Whose proposal is next: the sides by weight, the agents of a side in turn."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Final, Literal

from assay.brain._result import Proposal
from assay.config import BrainSlotMode

Side = Literal["explorer", "optimizer"]
SIDES: Final[tuple[Side, ...]] = ("explorer", "optimizer")

_WEIGHTS: Final[Mapping[str, Mapping[Side, int]]] = {
    "1:2": {"explorer": 1, "optimizer": 2},
    "2:1": {"explorer": 2, "optimizer": 1},
}
MAX_WEIGHT: Final = 3
"""In the mode ``dynamic`` a side weighs as much as it has waiting, up to this: the other is never starved."""


@dataclass(frozen=True, slots=True)
class Waiting:
    """A proposal in the line of an agent; ``place`` is its number within what the agent asked for."""

    agent: str
    place: int
    proposal: Proposal


@dataclass
class FairQueues:
    """A line of proposals for each agent.

    Of the sides that have something waiting, each gets its share of the slots by smooth weighted round robin:
    in any ``n`` that are taken while it waits, a side of weight ``w`` gets at least ``n * w // W`` less one,
    with ``W`` the sum of the weights. A side whose lines are empty leaves its share to the other, so a slot
    is never idle while anything waits.
    """

    mode: BrainSlotMode = "1:2"
    _lines: dict[Side, dict[str, deque[Waiting]]] = field(default_factory=dict)
    _credit: dict[Side, int] = field(default_factory=lambda: dict.fromkeys(SIDES, 0))

    def put(self, side: Side, items: Iterable[Waiting]) -> None:
        """Let proposals wait in the lines of their agents."""
        lines = self._lines.setdefault(side, {})
        for item in items:
            lines.setdefault(item.agent, deque()).append(item)

    def take(self) -> Waiting | None:
        """The next proposal; None when nothing waits."""
        waiting = [side for side in SIDES if self.waiting(side)]
        if not waiting:
            return None
        weights = {side: self._weight(side) for side in waiting}
        for side in waiting:
            self._credit[side] += weights[side]
        chosen = max(waiting, key=lambda side: self._credit[side])
        self._credit[chosen] -= sum(weights.values())
        for side in SIDES:
            if side not in waiting:
                self._credit[side] = 0  # who had nothing to do has saved up nothing
        return self._next_of(chosen)

    def waiting(self, side: Side | None = None) -> int:
        """How many proposals wait, of a side or of all."""
        sides = SIDES if side is None else (side,)
        return sum(len(line) for name in sides for line in self._lines.get(name, {}).values())

    def _next_of(self, side: Side) -> Waiting:
        lines = self._lines[side]
        agent = next(name for name, line in lines.items() if line)
        line = lines.pop(agent)
        found = line.popleft()
        lines[agent] = line  # to the end: the others of its side come first
        return found

    def _weight(self, side: Side) -> int:
        if self.mode == "dynamic":
            return min(self.waiting(side), MAX_WEIGHT)
        return _WEIGHTS[self.mode][side]
