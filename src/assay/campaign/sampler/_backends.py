from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from assay.campaign._types import Team
from assay.campaign.sampler._archive import Reader
from assay.campaign.sampler._distiller import SamplerDistiller
from assay.campaign.sampler._grammar import Grammar
from assay.campaign.sampler._planner import SamplerPlanner
from assay.campaign.sampler._proposer import SamplerProposer
from assay.campaign.sampler._reviewer import SamplerReviewer
from assay.campaign.sampler._space import SamplerSpace


@dataclass(frozen=True)
class SamplerBackends:
    """Planner, proposer, reviewer and distiller that need no model.

    Everything drawn comes from ``generator(seed, role, round, slot)`` of the context, so that a resumed or
    replayed run proposes the same; nothing is read but the context.

    Parameters
    ----------
    space : what formulas may be made of.

    Examples
    --------
    >>> from assay.campaign.sampler import SamplerBackends, SamplerSpace
    >>> from assay.expr import STANDARD_FIELDS
    >>> fields = {name: STANDARD_FIELDS[name] for name in ("close", "volume", "returns")}
    >>> team = SamplerBackends(SamplerSpace(fields)).team()
    """

    space: SamplerSpace

    def team(self) -> Team:
        """For calls one after the other."""
        return self._team

    def lanes(self, n: int) -> tuple[Team, ...]:
        """For groups side by side; each has a reader of its own."""
        return tuple(_team(self.space) for _ in range(n))

    @cached_property
    def _team(self) -> Team:
        return _team(self.space)


def _team(space: SamplerSpace) -> Team:
    grammar, reader = Grammar(space), Reader(space)
    return Team(
        SamplerPlanner(grammar, reader),
        SamplerProposer(grammar, reader),
        SamplerReviewer(reader),
        SamplerDistiller(),
    )
