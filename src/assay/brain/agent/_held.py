"""Figures in the year that is kept from the agent."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from assay.brain._settings import SimulationRequest
from assay.brain._wire import Stats
from assay.brain.agent._criteria import unmet
from assay.brain.agent._state import State
from assay.brain.agent._types import HeldFigures

Held = Callable[[SimulationRequest], Stats]
"""Figures of a request in the year that is kept from the agent."""

SHOWN: Final = 10
"""Alphas, at most, whose held figures the report has."""


def held_figures(state: State, held: Held) -> dict[str, HeldFigures]:
    """Of the alphas that meet the criteria, or of the best one; to be asked after the policy's last word."""
    good = [result for result in state.results if not unmet(result, state.settings)]
    good.sort(key=lambda result: -(result.sharpe or 0.0))
    best = state.best
    shown = good[:SHOWN] or ([best] if best is not None else [])
    return {
        result.job: HeldFigures(result.stats, held(result.proposal.request))
        for result in shown
        if result.stats is not None
    }
