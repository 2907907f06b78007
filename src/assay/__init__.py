"""Assay: prove or reject alpha factors.

The names below are loaded when first used, so that ``import assay`` stays fast.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from assay._version import __version__

_HOMES = {
    "assay.engine": ("evaluate_formulas",),
    "assay.expr": ("Expression", "check", "convert", "explain", "parse"),
    "assay.judge": ("JudgeSettings", "Verdict", "Verdicts", "judge"),
    "assay.market": ("Panel", "import_table", "open_panel", "simulate", "write_dataset"),
    "assay.views": (
        "batch_report",
        "plot_book",
        "plot_coverage",
        "plot_ic_decay",
        "plot_ic_heatmap",
        "plot_ic_histogram",
        "plot_ic_series",
        "plot_neutral_rank_ic",
        "plot_quantile_returns",
        "plot_quantiles",
        "plot_robustness",
        "plot_sub_periods",
        "plot_turnover",
        "tear_sheet",
    ),
}
# the engine's own `evaluate` takes trees alone; to a caller the name means the one that reads formulas too
_PUBLIC_NAMES = {"evaluate_formulas": "evaluate"}
_EXPORTS = {
    _PUBLIC_NAMES.get(name, name): (module, name) for module, names in _HOMES.items() for name in names
}

__all__ = ["__version__", *sorted(_EXPORTS)]

if TYPE_CHECKING:
    from assay.engine import evaluate_formulas
    from assay.expr import Expression as Expression
    from assay.expr import check as check
    from assay.expr import convert as convert
    from assay.expr import explain as explain
    from assay.expr import parse as parse
    from assay.judge import JudgeSettings as JudgeSettings
    from assay.judge import Verdict as Verdict
    from assay.judge import Verdicts as Verdicts
    from assay.judge import judge as judge
    from assay.market import Panel as Panel
    from assay.market import import_table as import_table
    from assay.market import open_panel as open_panel
    from assay.market import simulate as simulate
    from assay.market import write_dataset as write_dataset
    from assay.views import batch_report as batch_report
    from assay.views import plot_book as plot_book
    from assay.views import plot_coverage as plot_coverage
    from assay.views import plot_ic_decay as plot_ic_decay
    from assay.views import plot_ic_heatmap as plot_ic_heatmap
    from assay.views import plot_ic_histogram as plot_ic_histogram
    from assay.views import plot_ic_series as plot_ic_series
    from assay.views import plot_neutral_rank_ic as plot_neutral_rank_ic
    from assay.views import plot_quantile_returns as plot_quantile_returns
    from assay.views import plot_quantiles as plot_quantiles
    from assay.views import plot_robustness as plot_robustness
    from assay.views import plot_sub_periods as plot_sub_periods
    from assay.views import plot_turnover as plot_turnover
    from assay.views import tear_sheet as tear_sheet

    evaluate = evaluate_formulas


def __getattr__(name: str) -> Any:
    if name == "judge":
        return importlib.import_module("assay.judge")  # the package, which can be called: see there
    if name in _EXPORTS:
        module, own_name = _EXPORTS[name]
        return getattr(importlib.import_module(module), own_name)
    raise AttributeError(f"module 'assay' has no attribute {name!r}")


def __dir__() -> list[str]:
    return __all__
