"""Backends of a campaign without a model: forms are filled, trials changed, the best of each niche kept."""

from assay.campaign.sampler._archive import Archive, Elite, Niche, Reader, fitness
from assay.campaign.sampler._backends import SamplerBackends
from assay.campaign.sampler._forms import FORMS, Behaviour, behaviours
from assay.campaign.sampler._grammar import Grammar
from assay.campaign.sampler._space import FieldClass, SamplerSpace

__all__ = [
    "FORMS",
    "Archive",
    "Behaviour",
    "Elite",
    "FieldClass",
    "Grammar",
    "Niche",
    "Reader",
    "SamplerBackends",
    "SamplerSpace",
    "behaviours",
    "fitness",
]
