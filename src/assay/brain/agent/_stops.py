"""What ends a session, whatever its policy says."""

from __future__ import annotations

from typing import Final

from assay.brain.agent._criteria import unmet
from assay.brain.agent._state import State
from assay.brain.agent._types import StopReason

_PLATEAUS: Final = 2
_SAID: Final = 500


def limit_of(state: State) -> StopReason | None:
    """The limit that a session has reached; None while it may go on."""
    settings = state.settings
    if state.remaining <= 0:
        return "budget"
    if state.round >= settings.rounds:
        return "rounds"
    patience = settings.stall_rounds_given if state.task.expression else settings.stall_rounds
    if state.since_best >= patience:
        return "stalled"
    if state.plateaus >= _PLATEAUS:
        return "plateau"
    if not cannot_go_on(state):
        return None
    best = state.best
    return "forced" if best is None or unmet(best, settings) else "converged"


def cannot_go_on(state: State) -> bool:
    """Whether the policy has opened nothing that can be run for too long."""
    return state.phase == "creative" and state.counters.empty >= state.settings.empty_rounds


def nothing_to_run(state: State) -> str:
    """Why a session cannot go on, with the policy's own words."""
    said = "; ".join(filter(None, (state.lines[-1].note, *state.remarks)))
    empty = state.counters.empty
    return f"{empty} rounds on end had nothing to run: {said[:_SAID] or 'the policy proposed nothing'}"
