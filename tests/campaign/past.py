"""Trials and histories for tests of what a campaign makes of its past."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from hypothesis import strategies as st

from assay.campaign._records import round_body
from assay.campaign._records import with_rounds as history
from assay.campaign._types import Candidate, Direction, Outcome, RoundRecord, TrialRecord, trial_id
from assay.ledger import Entry

MECHANISMS = ("momentum", "reversal", "liquidity")
OUTCOMES: tuple[Outcome, ...] = ("admitted", "rejected", "review_rejected", "gate_refused", "no_candidate")

__all__ = ["MECHANISMS", "FixedCorrelations", "entries", "entry", "history", "histories", "rounds", "trial"]


def trial(
    number: int, slot: int, outcome: Outcome = "rejected", *, t: float | None = 2.0, **changes: Any
) -> TrialRecord:
    """A trial of a round. ``parent``, ``kind``, ``text``, ``mechanism`` and ``expression`` may be given."""
    parent = changes.pop("parent", None)
    kind = changes.pop("kind", "new" if parent is None else "refinement")
    mechanism = changes.pop("mechanism", MECHANISMS[slot % len(MECHANISMS)])
    text = changes.pop("text", f"idea {number}.{slot}")
    formula = changes.pop("expression", f"rank(ts_return(close, {number * 20 + slot + 1}))")
    candidate = None if outcome == "no_candidate" else Candidate(slot, f"n{slot}", formula, "why", "what")
    figures = {"rank_ic": 0.01, "t": t} if outcome in ("admitted", "rejected") else {}
    direction = Direction(slot, mechanism, kind, text, parent)
    return TrialRecord(
        trial_id(number, slot), number, slot, direction, candidate, outcome,
        **{"figures": figures, "reason": "" if outcome == "admitted" else f"why_{outcome}", **changes},
    )  # fmt: skip


def rounds(*groups: Sequence[TrialRecord], memory: Mapping[int, str] | None = None) -> list[RoundRecord]:
    """Rounds of these trials, counted from 1."""
    kept = memory or {}
    return [
        RoundRecord(number, dict.fromkeys(MECHANISMS, 1), {}, tuple(group), kept.get(number))
        for number, group in enumerate(groups, 1)
    ]


def entries(items: Sequence[RoundRecord]) -> list[Entry]:
    """The ledger's records of rounds."""
    return [entry("round", round_body(item, {}), line) for line, item in enumerate(items, 2)]


def entry(kind: str, body: Mapping[str, Any], line: int = 1) -> Entry:
    """A record of a ledger, as far as a history reads it."""
    return Entry(line, kind, "r", dict(body), {}, "", 0)


class FixedCorrelations:
    """Tried trials whose correlations are given; those not given are 0."""

    def __init__(self, pairs: Mapping[tuple[str, str], float | None]) -> None:
        self._pairs = dict(pairs)

    def correlation(self, left: str, right: str) -> float | None:
        if left == right:
            return 1.0
        return self._pairs.get((left, right), self._pairs.get((right, left), 0.0))

    def correlations(self, ids: Sequence[str]) -> np.ndarray:
        found = [self.correlation(a, b) for a in ids for b in ids]
        return np.array([np.nan if x is None else x for x in found]).reshape(len(ids), len(ids))


@st.composite
def histories(draw: st.DrawFn, most_rounds: int = 6) -> list[RoundRecord]:
    """Rounds in which directions build on earlier evaluated trials, or on none."""
    groups: list[list[TrialRecord]] = []
    known: list[str] = []
    for number in range(1, draw(st.integers(0, most_rounds)) + 1):
        group = []
        for slot in range(draw(st.integers(1, 4))):
            parent = draw(st.none() | st.sampled_from(known)) if known else None
            outcome = draw(st.sampled_from(OUTCOMES))
            t = draw(st.none() | st.floats(-9, 9).map(lambda x: round(x, 3)))
            group.append(trial(number, slot, outcome, t=t, parent=parent))
        groups.append(group)
        known += [item.id for item in group if item.evaluated]
    memory = {n: f"memory {n}" for n in range(2, len(groups) + 1) if draw(st.booleans())}
    return rounds(*groups, memory=memory)
