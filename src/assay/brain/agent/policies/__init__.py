"""Who decides in a session: the sampler, or a model (also one whose recorded replies are played again)."""

from assay.brain.agent.policies._language import Language, language_of

__all__ = ["Language", "language_of"]
