from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from assay.brain._platform import Platform
from assay.brain.agent._types import Policy
from assay.brain.agent.policies.sampler import SamplerPolicy
from assay.config import BrainSettings
from assay.errors import Refusal
from assay.llm import ROLE_NOT_CONFIGURED

if TYPE_CHECKING:
    from assay.base import Operator
    from assay.brain.tools import KnowledgeStore
    from assay.llm import Roles

PolicyName = Literal["sampler", "llm", "replay"]


def make_policy(
    name: PolicyName,
    platform: Platform,
    settings: BrainSettings,
    *,
    seed: int = 0,
    roles: Roles | None = None,
    knowledge: KnowledgeStore | None = None,
    operator: Operator | None = None,
) -> Policy:
    """The policy of a session.

    Parameters
    ----------
    seed : of the sampler's draws.
    roles : clients of the run's models; their settings as of :func:`with_researcher`. For ``replay`` they
        answer from recorded calls.
    knowledge : what the model's tools search, and add to.
    operator : who calls the tools.

    Raises
    ------
    Refusal
        ``role_not_configured``: a model is to decide, and there is none.
    """
    if name == "sampler":
        return SamplerPolicy(platform, settings.agent, seed)
    if roles is None:
        raise Refusal(ROLE_NOT_CONFIGURED, f"the policy {name!r} needs a model", where="policy")
    from assay.brain.agent.policies.model import ROLE, ModelPolicy
    from assay.brain.tools import BrainDesk

    desk = BrainDesk.of(platform, knowledge, settings.web_hosts)
    return ModelPolicy(roles.client(ROLE), desk, settings.agent, name=name, operator=operator)
