from __future__ import annotations

from collections.abc import Iterable

from assay.campaign._ports import Judging, Near
from assay.campaign._types import Direction, Gated


def repeats(passed: Iterable[tuple[Direction, Gated]], judging: Judging, threshold: float) -> dict[int, Near]:
    """New directions' candidates that are as near to an earlier trial as a theme, by slot.

    Directions that build on a trial are meant to be near to one, and are left alone.
    """
    fresh = [(direction.slot, gated.expression) for direction, gated in passed if direction.kind == "new"]
    found = judging.nearest([expression for _, expression in fresh]) if fresh else ()
    return {
        slot: near
        for (slot, _), near in zip(fresh, found, strict=True)
        if near is not None and abs(near.correlation) >= threshold
    }


def repeat_text(near: Near) -> str:
    """What the proposer is told."""
    return (
        f"its values correlate {near.correlation:+.2f} with the trial {near.trial}, which was tried before: "
        "write a formula for this direction that measures something else"
    )
