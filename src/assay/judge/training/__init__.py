"""The training segment: scores of candidates, the gate before them, and admission after.

Loaded when it is asked for: the judge itself starts without it.
"""

from assay.judge.training._admission import (
    Admission,
    admit,
    residual,
    sidak,
)
from assay.judge.training._admission_reasons import ADMISSION_REASONS
from assay.judge.training._cells import Cells, Ranks, rank_correlations
from assay.judge.training._gate import CandidateGate, GatePassed, GateRefused, GateVerdict
from assay.judge.training._gate_reasons import GATE_REASONS, DuplicateOf
from assay.judge.training._judge import TrainingJudge
from assay.judge.training._null import PermutedReturns
from assay.judge.training._order_effect import OrderEffect, order_effect
from assay.judge.training._pool import (
    Nearest,
    Pool,
    PoolMember,
    Residual,
    pool_of,
)
from assay.judge.training._rule import AdmissionRule
from assay.judge.training._score import TrainingScore
from assay.judge.training._segment import training_end
from assay.judge.training._settings import TrainingSettings
from assay.judge.training._trials import TrialCount

__all__ = [
    "ADMISSION_REASONS",
    "GATE_REASONS",
    "Admission",
    "AdmissionRule",
    "CandidateGate",
    "Cells",
    "DuplicateOf",
    "GatePassed",
    "GateRefused",
    "GateVerdict",
    "Nearest",
    "OrderEffect",
    "PermutedReturns",
    "Pool",
    "PoolMember",
    "Ranks",
    "Residual",
    "TrainingJudge",
    "TrainingScore",
    "TrainingSettings",
    "TrialCount",
    "admit",
    "order_effect",
    "pool_of",
    "rank_correlations",
    "residual",
    "sidak",
    "training_end",
]
