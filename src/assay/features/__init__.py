"""Named features in a graph, materialised as of a date."""

from assay.features._feature import (
    LAG,
    TIERS,
    Base,
    Feature,
    Formula,
    Function,
    Label,
    LicenseTier,
    Rule,
    formula_feature,
    label_feature,
)
from assay.features._file import read_features
from assay.features._graph import FeatureGraph, FeatureProblems
from assay.features._python import feature, installed_features
from assay.features._reasons import AS_OF_IN_FUTURE, BROKEN_FEATURE, UNKNOWN_FEATURE
from assay.features._standard import HORIZONS, python_field, standard_graph
from assay.features._store import FeaturePanel, FeatureStore, label_values

__all__ = [
    "AS_OF_IN_FUTURE",
    "BROKEN_FEATURE",
    "HORIZONS",
    "LAG",
    "TIERS",
    "UNKNOWN_FEATURE",
    "Base",
    "Feature",
    "FeatureGraph",
    "FeaturePanel",
    "FeatureProblems",
    "FeatureStore",
    "Formula",
    "Function",
    "Label",
    "LicenseTier",
    "Rule",
    "feature",
    "formula_feature",
    "installed_features",
    "label_feature",
    "label_values",
    "python_field",
    "read_features",
    "standard_graph",
]
