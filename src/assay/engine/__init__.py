"""The engine: a batch of expressions becomes one graph of distinct steps, run by kernels over whole panels.

``engine.reference`` is the slow and obvious second engine that this one is held against.
"""

from assay.engine._coverage import Coverage, trace_coverage
from assay.engine._evaluate import evaluate
from assay.engine._formulas import evaluate_formulas
from assay.engine._inputs import Groups, Inputs, Mask, Panel
from assay.engine._ranking import RankScale, SortedRows, rank_rows, sorted_order

__all__ = [
    "Coverage",
    "Groups",
    "Inputs",
    "Mask",
    "Panel",
    "RankScale",
    "SortedRows",
    "evaluate",
    "evaluate_formulas",
    "rank_rows",
    "sorted_order",
    "trace_coverage",
]
