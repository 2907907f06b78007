"""The specification curve: every reading that the cited text allows, evaluated, and how far they agree."""

from assay.reports.readings._evaluate import Curve, CurvePoint, backtest, evaluate_readings
from assay.reports.readings._rule import AGREES_T, SIGNIFICANT_T, single_reading
from assay.reports.readings._sign import against_direction, signs_told
from assay.reports.readings._variants import MOST_READINGS, Variant, Variants, variants_of

__all__ = [
    "AGREES_T",
    "MOST_READINGS",
    "SIGNIFICANT_T",
    "Curve",
    "CurvePoint",
    "Variant",
    "Variants",
    "against_direction",
    "backtest",
    "evaluate_readings",
    "signs_told",
    "single_reading",
    "variants_of",
]
