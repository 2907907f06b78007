"""What helps a search: mutations, settings, fingerprints, results, filters, the submission planner."""

from assay.brain.search._diagnose import (
    MIN_NAMES,
    RULES,
    Commentator,
    Diagnosis,
    Finding,
    FindingName,
    Severity,
    diagnose,
)
from assay.brain.search._fields import field_infos
from assay.brain.search._fingerprint import Likeness, field_fingerprint, fingerprint, structure_distance
from assay.brain.search._mutate import MODEL, RULE_NAMES, Rejected, Suggest, TrialId, mutate
from assay.brain.search._settings_rules import DECAYS, TRUNCATIONS
from assay.brain.search._space import MutationSpace

__all__ = [
    "Commentator",
    "DECAYS",
    "Diagnosis",
    "Finding",
    "FindingName",
    "Likeness",
    "MIN_NAMES",
    "MODEL",
    "MutationSpace",
    "RULES",
    "RULE_NAMES",
    "Rejected",
    "Severity",
    "Suggest",
    "TRUNCATIONS",
    "TrialId",
    "diagnose",
    "field_fingerprint",
    "field_infos",
    "fingerprint",
    "mutate",
    "structure_distance",
]
