"""The one evaluator: from formulas or values and a panel to verdicts with certificates.

``import assay; assay.judge(...)`` works too: the package itself can be called, since its name and that of its
one main function are the same word.
"""

import sys
from types import ModuleType
from typing import Any

from assay.judge._certificate import certificate_schema, verify_certificate
from assay.judge._judge import judge, panel_fields
from assay.judge._kin import Kin, kin_of, planned_kin
from assay.judge._measuring import Progress
from assay.judge._moved import PLAN_MOVED, Moved, moved_plan
from assay.judge._permit import EVAL_SEALED, issue_eval_token
from assay.judge._recording import Recording, recording_in, recording_of
from assay.judge._results import (
    SUMMARY,
    BookCurve,
    Column,
    CoverageRow,
    Criterion,
    DataUsed,
    DecayRow,
    Decision,
    Identity,
    Interval,
    LeakCheck,
    MonthlyTable,
    QuantileRow,
    Quantiles,
    Robustness,
    ShuffleControl,
    Significance,
    SubPeriod,
)
from assay.judge._reward import (
    EvalFigures,
    EvalReport,
    Floor,
    Reward,
    eval_report,
    reference_expressions,
    score_reward,
)
from assay.judge._settings import COSTS, Costs, Filters, JudgeSettings, SettingProblems, Thresholds
from assay.judge._spec_settings import UNSUPPORTED_FREQUENCY, UNSUPPORTED_UNIVERSE, SpecTerms, spec_settings
from assay.judge._verdict import BatchStatistics, Refused, Verdict, Verdicts
from assay.market import data_digest

__all__ = [
    "COSTS",
    "EVAL_SEALED",
    "PLAN_MOVED",
    "SUMMARY",
    "UNSUPPORTED_FREQUENCY",
    "UNSUPPORTED_UNIVERSE",
    "BatchStatistics",
    "BookCurve",
    "Column",
    "Costs",
    "CoverageRow",
    "Criterion",
    "DataUsed",
    "DecayRow",
    "Decision",
    "EvalFigures",
    "EvalReport",
    "Filters",
    "Floor",
    "Identity",
    "Interval",
    "JudgeSettings",
    "Kin",
    "LeakCheck",
    "MonthlyTable",
    "Moved",
    "QuantileRow",
    "Progress",
    "Quantiles",
    "Recording",
    "Refused",
    "Reward",
    "Robustness",
    "SettingProblems",
    "ShuffleControl",
    "Significance",
    "SpecTerms",
    "SubPeriod",
    "Thresholds",
    "Verdict",
    "Verdicts",
    "certificate_schema",
    "data_digest",
    "eval_report",
    "issue_eval_token",
    "judge",
    "kin_of",
    "moved_plan",
    "panel_fields",
    "planned_kin",
    "recording_in",
    "recording_of",
    "reference_expressions",
    "score_reward",
    "spec_settings",
    "verify_certificate",
]


class _CallablePackage(ModuleType):
    def __call__(self, *args: Any, **kwargs: Any) -> Verdicts:
        return judge(*args, **kwargs)


sys.modules[__name__].__class__ = _CallablePackage
