"""Finished data in; figures, HTML pages and terminal tables out. Views compute no metric."""

from __future__ import annotations

from typing import TYPE_CHECKING

from assay.base import lazy_names

# the command line needs the tables without the templates or the charts
_HOMES = {
    "._batch": ("batch_report",),
    "._brain": ("brain_report",),
    "._campaign": ("campaign_report",),
    "._ic_charts": (
        "plot_ic_decay",
        "plot_ic_heatmap",
        "plot_ic_histogram",
        "plot_ic_series",
        "plot_neutral_rank_ic",
    ),
    "._report": ("report_page",),
    "._return_charts": ("plot_book", "plot_quantile_returns", "plot_quantiles"),
    "._robustness_charts": ("plot_robustness", "plot_sub_periods"),
    "._sheet": ("tear_sheet",),
    "._signal_charts": ("plot_coverage", "plot_turnover"),
    "._svg": ("to_svg",),
    "._thermometer": ("thermometer_page",),
    "._thermometer_charts": ("plot_diffusion", "plot_gauge", "plot_heat"),
    "._terminal": ("batch_lines", "batch_table", "verdict_lines"),
}

__all__ = [
    "batch_lines",
    "batch_report",
    "batch_table",
    "brain_report",
    "campaign_report",
    "plot_book",
    "plot_coverage",
    "plot_diffusion",
    "plot_gauge",
    "plot_heat",
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
    "report_page",
    "tear_sheet",
    "thermometer_page",
    "to_svg",
    "verdict_lines",
]

if TYPE_CHECKING:
    from assay.views._batch import batch_report as batch_report
    from assay.views._brain import brain_report as brain_report
    from assay.views._campaign import campaign_report as campaign_report
    from assay.views._ic_charts import plot_ic_decay as plot_ic_decay
    from assay.views._ic_charts import plot_ic_heatmap as plot_ic_heatmap
    from assay.views._ic_charts import plot_ic_histogram as plot_ic_histogram
    from assay.views._ic_charts import plot_ic_series as plot_ic_series
    from assay.views._ic_charts import plot_neutral_rank_ic as plot_neutral_rank_ic
    from assay.views._report import report_page as report_page
    from assay.views._return_charts import plot_book as plot_book
    from assay.views._return_charts import plot_quantile_returns as plot_quantile_returns
    from assay.views._return_charts import plot_quantiles as plot_quantiles
    from assay.views._robustness_charts import plot_robustness as plot_robustness
    from assay.views._robustness_charts import plot_sub_periods as plot_sub_periods
    from assay.views._sheet import tear_sheet as tear_sheet
    from assay.views._signal_charts import plot_coverage as plot_coverage
    from assay.views._signal_charts import plot_turnover as plot_turnover
    from assay.views._svg import to_svg as to_svg
    from assay.views._terminal import batch_lines as batch_lines
    from assay.views._terminal import batch_table as batch_table
    from assay.views._terminal import verdict_lines as verdict_lines
    from assay.views._thermometer import thermometer_page as thermometer_page
    from assay.views._thermometer_charts import plot_diffusion as plot_diffusion
    from assay.views._thermometer_charts import plot_gauge as plot_gauge
    from assay.views._thermometer_charts import plot_heat as plot_heat


__getattr__ = lazy_names(__name__, _HOMES)


def __dir__() -> list[str]:
    return __all__
