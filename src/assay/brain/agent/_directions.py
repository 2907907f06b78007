"""Directions: what a round did to them, and what is to be said of them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Final

from assay.brain.agent._open_round import OpenRound
from assay.brain.agent._types import Direction
from assay.config import BrainAgentSettings

_ENOUGH: Final = 3


def after_round(directions: Mapping[str, Direction], done: OpenRound) -> dict[str, Direction]:
    """Directions after the results of a round: one more round for each that had any of its own."""
    found = dict(directions)
    for name in dict.fromkeys(result.proposal.direction for result in done.results.values()):
        if name not in found:
            continue
        own = [result for result in done.results.values() if result.proposal.direction == name]
        sharpes = [result.sharpe for result in own if result.sharpe is not None]
        best = found[name].best_sharpe
        found[name] = replace(
            found[name],
            rounds=found[name].rounds + 1,
            best_sharpe=max([*sharpes, *([] if best is None else [best])], default=None),
        )
    return found


def improved(directions: Mapping[str, Direction], asked: OpenRound) -> dict[str, Direction]:
    """Directions with the improvements that a round tries counted."""
    if asked.phase != "improvement":
        return dict(directions)
    counts = Counter(job.proposal.direction for job in asked.jobs)
    return {
        name: replace(item, improvement_count=item.improvement_count + counts[name])
        for name, item in directions.items()
    }


def may_abandon(direction: Direction, settings: BrainAgentSettings) -> bool:
    """Whether a direction has had its rounds."""
    return direction.rounds >= settings.abandon_after


def share_remarks(directions: Iterable[Direction], settings: BrainAgentSettings) -> tuple[str, ...]:
    """A remark on a direction that takes most of the improvements while others wait."""
    alive = [item for item in directions if not item.abandoned]
    total = sum(item.improvement_count for item in alive)
    if len(alive) < 2 or total < _ENOUGH:
        return ()
    return tuple(
        f"{item.id} took {item.improvement_count} of {total} improvements; look at the other directions too"
        for item in alive
        if item.improvement_count > settings.share_warning * total
    )
