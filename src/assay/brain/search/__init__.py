"""What helps a search: mutations, settings, fingerprints, results, filters, the submission planner."""

from assay.brain._fingerprint import Likeness, TrialId, field_fingerprint, fingerprint, structure_distance
from assay.brain.search._aggregate import Group, GroupBy, ResultFilter, aggregate, as_csv, keep
from assay.brain.search._batch import BATCH_BUSY, Batch, BatchProgress, BatchReport, BatchStop
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
from assay.brain.search._joint import Sampler
from assay.brain.search._mutate import MODEL, RULE_NAMES, Rejected, Suggest, mutate
from assay.brain.search._optimize import ORIGIN as SETTINGS_ORIGIN
from assay.brain.search._optimize import Goal, OptimizeSettings, SettingsOptimizer, Tested, optimize
from assay.brain.search._plan import plan_submissions
from assay.brain.search._plan_inputs import PlanInputs, plan_inputs
from assay.brain.search._plan_types import Candidate, Exclusion, Step, SubmissionPlan
from assay.brain.search._search_run import SearchRun
from assay.brain.search._settings_rules import DECAYS, TRUNCATIONS
from assay.brain.search._space import MutationSpace
from assay.brain.search._stability import YEARLY, Perturbation, Stability, YearLine, perturbed, stability
from assay.brain.search._store import NAME as RESULTS_NAME
from assay.brain.search._store import PlatformSummary, ResultStore, set_aside
from assay.brain.search._stored import FIGURES, StoredResult

__all__ = [
    "BATCH_BUSY",
    "Batch",
    "BatchProgress",
    "BatchReport",
    "BatchStop",
    "Candidate",
    "Commentator",
    "DECAYS",
    "Diagnosis",
    "Exclusion",
    "FIGURES",
    "Finding",
    "FindingName",
    "Goal",
    "Group",
    "GroupBy",
    "Likeness",
    "MIN_NAMES",
    "MODEL",
    "MutationSpace",
    "OptimizeSettings",
    "Perturbation",
    "PlanInputs",
    "PlatformSummary",
    "RESULTS_NAME",
    "RULES",
    "RULE_NAMES",
    "Rejected",
    "ResultFilter",
    "ResultStore",
    "Sampler",
    "SETTINGS_ORIGIN",
    "SearchRun",
    "SettingsOptimizer",
    "Severity",
    "Stability",
    "Step",
    "StoredResult",
    "SubmissionPlan",
    "Suggest",
    "TRUNCATIONS",
    "Tested",
    "TrialId",
    "YEARLY",
    "YearLine",
    "aggregate",
    "as_csv",
    "diagnose",
    "field_fingerprint",
    "fingerprint",
    "keep",
    "mutate",
    "optimize",
    "perturbed",
    "plan_inputs",
    "plan_submissions",
    "set_aside",
    "stability",
    "structure_distance",
]
