"""The offline policy: hypotheses in English and Chinese, typed forms, mutations by diagnosis."""

from assay.brain.agent.policies.sampler._families import FAMILIES, WINDOWS, Family
from assay.brain.agent.policies.sampler._forms import build, worn
from assay.brain.agent.policies.sampler._lexicon import families_in, findings_in
from assay.brain.agent.policies.sampler._policy import SamplerPolicy
from assay.brain.agent.policies.sampler._vocabulary import Vocabulary, is_bookkeeping

__all__ = [
    "FAMILIES",
    "WINDOWS",
    "Family",
    "SamplerPolicy",
    "Vocabulary",
    "build",
    "families_in",
    "findings_in",
    "is_bookkeeping",
    "worn",
]
