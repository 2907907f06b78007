"""A strong negative signal is a strong signal: the same with the other sign."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from assay.brain._result import JobResult, Proposal
from assay.brain._sign import negated
from assay.config import BrainAgentSettings
from assay.errors import ExpressionError

FLIP: Final = "flip"


def wants_flip(result: JobResult, settings: BrainAgentSettings) -> bool:
    """Whether the Sharpe ratio is beyond the limit on the wrong side, and nobody has turned it round yet."""
    return (
        result.sharpe is not None and result.sharpe <= -settings.min_sharpe and result.proposal.origin != FLIP
    )


def flipped(result: JobResult) -> Proposal:
    """The proposal with the sign of its last statement turned."""
    request = result.proposal.request
    return replace(
        result.proposal,
        request=request.model_copy(update={"regular": negated(request.regular)}),
        rationale=f"{result.job} has a Sharpe ratio of {result.sharpe}: the other sign",
        replaces=result.job,
        origin=FLIP,
    )


def flip_of(result: JobResult, settings: BrainAgentSettings) -> Proposal | None:
    """The flip of a result, where it wants one and can be read."""
    if not wants_flip(result, settings):
        return None
    try:
        return flipped(result)
    except ExpressionError:
        return None  # a platform may take what we cannot read; it stays as it is
