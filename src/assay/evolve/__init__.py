"""Evolution of a gated spec: typed edits of its formula, judged on search, rewarded on the hidden period."""

from assay.evolve._candidate import Candidate, CandidateArguments, Fault, merge
from assay.evolve._client import HttpWindows
from assay.evolve._evolve import (
    STEPS,
    Evolution,
    EvolveSearch,
    bounded,
    described_tools,
    evolve,
    require_gated,
)
from assay.evolve._notes import EVALUATE, VALIDATE, Evaluated, Notes
from assay.evolve._prompt import evolution_prompt
from assay.evolve._reasons import REASONS
from assay.evolve._record import EvolutionRecord
from assay.evolve._replay import replay_evolution
from assay.evolve._rewarder import JudgeRewarder, Rewarder
from assay.evolve._rewards import CAPS, MINIMUM_DELTA, WEIGHTS, Graded, Hidden, grade
from assay.evolve._run import resume_evolution, start_evolution
from assay.evolve._sampler import SAMPLER, sampler
from assay.evolve._search import DESK, PanelSearch, SearchFigures, SearchJudge
from assay.evolve._setup import EvolveSetup
from assay.evolve._terms import FROZEN, Terms, judge_settings
from assay.evolve._tools import EVALUATIONS, evolve_tools
from assay.evolve._windows import (
    METRICS,
    Compared,
    MetricRow,
    Pair,
    WindowReport,
    WindowService,
    markdown,
    read_pairs,
    window_reports,
)

__all__ = [
    "CAPS",
    "DESK",
    "EVALUATE",
    "EVALUATIONS",
    "FROZEN",
    "METRICS",
    "MINIMUM_DELTA",
    "REASONS",
    "SAMPLER",
    "STEPS",
    "VALIDATE",
    "WEIGHTS",
    "Candidate",
    "CandidateArguments",
    "Compared",
    "Evaluated",
    "Evolution",
    "EvolutionRecord",
    "EvolveSearch",
    "EvolveSetup",
    "Fault",
    "Graded",
    "Hidden",
    "HttpWindows",
    "JudgeRewarder",
    "MetricRow",
    "Notes",
    "Pair",
    "PanelSearch",
    "Rewarder",
    "SearchFigures",
    "SearchJudge",
    "Terms",
    "WindowReport",
    "WindowService",
    "bounded",
    "described_tools",
    "evolution_prompt",
    "evolve",
    "evolve_tools",
    "grade",
    "judge_settings",
    "markdown",
    "merge",
    "read_pairs",
    "replay_evolution",
    "require_gated",
    "resume_evolution",
    "sampler",
    "start_evolution",
    "window_reports",
]
