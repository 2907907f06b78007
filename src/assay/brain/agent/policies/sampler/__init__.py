"""The offline policy: hypotheses in English and Chinese, typed forms, mutations by diagnosis."""

from assay.brain.agent.policies.sampler._families import FAMILIES, WINDOWS, Family
from assay.brain.agent.policies.sampler._lexicon import families_in, findings_in
from assay.brain.agent.policies.sampler._policy import SamplerPolicy

__all__ = ["FAMILIES", "WINDOWS", "Family", "SamplerPolicy", "families_in", "findings_in"]
