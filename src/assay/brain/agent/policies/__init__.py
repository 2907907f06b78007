"""Who decides in a session: the sampler, a model, or a replay."""

from assay.brain.agent.policies._choice import PolicyName, make_policy
from assay.brain.agent.policies._language import Language, language_of
from assay.brain.agent.policies.model import with_researcher

__all__ = ["Language", "PolicyName", "language_of", "make_policy", "with_researcher"]
