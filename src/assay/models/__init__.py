"""Walk-forward models on features, and the one shape of an evaluation."""

from assay.models._book import StrategyBook, strategy_toml
from assay.models._estimators import Estimator, ModelMissing, Ridge, make_estimator
from assay.models._folds import Fold, folds_of
from assay.models._reasons import EMPTY_FOLD, NO_FOLDS, UNKNOWN_STRATEGY
from assay.models._report import EvalFold, EvalMetrics, EvalProvenance, EvalReport
from assay.models._scorer import ALL, Bars, Figures, SignalScorer, rounded
from assay.models._strategy import (
    PARAMETERS,
    ModelName,
    Parameter,
    Strategy,
    StrategyProblems,
    WalkForward,
)
from assay.models._trials import record_trials
from assay.models._walk import Evaluated, Fitted, Trainer, walk_forward

__all__ = [
    "ALL",
    "Bars",
    "EMPTY_FOLD",
    "NO_FOLDS",
    "PARAMETERS",
    "UNKNOWN_STRATEGY",
    "Estimator",
    "EvalFold",
    "EvalMetrics",
    "EvalProvenance",
    "EvalReport",
    "Evaluated",
    "Figures",
    "Fitted",
    "Fold",
    "ModelMissing",
    "ModelName",
    "Parameter",
    "Ridge",
    "SignalScorer",
    "Strategy",
    "StrategyBook",
    "StrategyProblems",
    "Trainer",
    "WalkForward",
    "folds_of",
    "make_estimator",
    "record_trials",
    "rounded",
    "strategy_toml",
    "walk_forward",
]
