"""Reference factors: published formulas as typed definitions, and how near a formula is to them."""

from assay.library._factor import Factor, Gap
from assay.library._nearest import Match, Neighbour, nearest
from assay.library._sets import DEMO_FIELDS, UNKNOWN_FACTOR, demo_set, factor, gaps, reference_factors, sets
from assay.library._similarity import Similarity, similarity

__all__ = [
    "DEMO_FIELDS",
    "UNKNOWN_FACTOR",
    "Factor",
    "Gap",
    "Match",
    "Neighbour",
    "Similarity",
    "demo_set",
    "factor",
    "gaps",
    "nearest",
    "reference_factors",
    "sets",
    "similarity",
]
