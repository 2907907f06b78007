"""The gold set: reports written for it, what an annotator says they state, and the checks of its splits."""

from assay.reports.gold._batch import AssetBatch, asset_batch, export_batch, read_batch
from assay.reports.gold._records import (
    ANNOTATOR,
    GoldCandidate,
    GoldRecord,
    gold_case,
    gold_cases,
    gold_records,
)
from assay.reports.gold._split import (
    CONTAINED,
    NEAR_DUPLICATE,
    Similarity,
    check_split,
    require_annotated,
    require_trainable,
    similarity,
)

__all__ = [
    "ANNOTATOR",
    "CONTAINED",
    "NEAR_DUPLICATE",
    "AssetBatch",
    "GoldCandidate",
    "GoldRecord",
    "Similarity",
    "asset_batch",
    "check_split",
    "export_batch",
    "gold_case",
    "gold_cases",
    "gold_records",
    "read_batch",
    "require_annotated",
    "require_trainable",
    "similarity",
]
