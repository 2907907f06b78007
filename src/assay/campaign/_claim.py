from __future__ import annotations

from collections.abc import Mapping, Sequence

from assay.campaign._types import SlotPlan, TrialRecord


def claim(
    slots: Sequence[SlotPlan], picks: Sequence[str], trials: Mapping[str, TrialRecord]
) -> dict[int, str]:
    """Parents by slot: each pick, in order, takes a slot of its mechanism type while one is free.

    Slots that no pick takes stay free.
    """
    free: dict[str, list[int]] = {}
    for item in slots:
        free.setdefault(item.mechanism, []).append(item.slot)
    claims: dict[int, str] = {}
    for name in picks:
        open_slots = free.get(trials[name].mechanism)
        if open_slots:
            claims[open_slots.pop(0)] = name
    return dict(sorted(claims.items()))
