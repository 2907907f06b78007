"""The policy that is a model, with its prompts, the forms of its replies, and its usual backend."""

from assay.brain.agent.policies.model._backend import ROLE, with_researcher
from assay.brain.agent.policies.model._policy import ModelPolicy
from assay.brain.agent.policies.model._prompts import LANGUAGES, PLACEHOLDERS

__all__ = ["LANGUAGES", "PLACEHOLDERS", "ROLE", "ModelPolicy", "with_researcher"]
