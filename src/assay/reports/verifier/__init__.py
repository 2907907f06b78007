"""The verifier: predictions against gold, and the gate where there is none. Rules alone, no model."""

from assay.reports.verifier._gate import gate
from assay.reports.verifier._grounding import Grounding, Need, ground
from assay.reports.verifier._score import Prediction, Scored, read_prediction, score
from assay.reports.verifier._table import CAPS, GATE, SCORED_FIELDS, WEIGHTS, verifier_markdown
from assay.reports.verifier._tape import why_not_executable

__all__ = [
    "CAPS",
    "GATE",
    "SCORED_FIELDS",
    "WEIGHTS",
    "Grounding",
    "Need",
    "Prediction",
    "Scored",
    "gate",
    "ground",
    "read_prediction",
    "score",
    "verifier_markdown",
    "why_not_executable",
]
