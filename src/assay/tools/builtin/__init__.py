"""The tools that every desk has: formulas, the data that may be searched, scores on it, counts, the zoo."""

from assay.tools.builtin._bench import Workbench, builtin_registry, builtin_tools
from assay.tools.builtin._eval import EvalResult, eval_result
from assay.tools.builtin._judge import PanelJudge, SearchJudge, SearchScore
from assay.tools.builtin._judging import search_judging
from assay.tools.builtin._reasons import BAD_LIMIT, BAD_RUN, MISSING_RUN, NO_DATA, NO_FEATURE_STORE, NO_LEDGER
from assay.tools.builtin._search_features import search_features, workspace_features
from assay.tools.builtin._view import SearchView
from assay.tools.builtin._zoo import LedgerZoo, Zoo, ZooFactor

__all__ = [
    "BAD_LIMIT",
    "BAD_RUN",
    "MISSING_RUN",
    "NO_DATA",
    "NO_FEATURE_STORE",
    "NO_LEDGER",
    "EvalResult",
    "LedgerZoo",
    "PanelJudge",
    "SearchJudge",
    "SearchScore",
    "SearchView",
    "Workbench",
    "Zoo",
    "ZooFactor",
    "builtin_registry",
    "builtin_tools",
    "eval_result",
    "search_features",
    "workspace_features",
    "search_judging",
]
