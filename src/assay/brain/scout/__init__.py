"""Where to look next: data that is covered, used by few, and hardly tried; with ideas on it."""

from assay.brain.scout._rank import Ranked, Tried, rank_data_sets, rank_fields, tried_fields
from assay.brain.scout._scout import Idea, ScoutReport, scout

__all__ = [
    "Idea",
    "Ranked",
    "ScoutReport",
    "Tried",
    "rank_data_sets",
    "rank_fields",
    "scout",
    "tried_fields",
]
