"""What runs each op: a function of read-only panels and literals that fills a panel.

Ops that look along an instrument's own past run over a range of columns, so that a block of instruments
can pass through many of them while it is in the cache; the others run over the whole panel. Kernels are
imported by the runner that needs them, so that a batch compiles only what it uses.
"""

from assay.engine._ops import _cross_section, _group, _seldom, _stateful, _time_series, _vector
from assay.engine._ops._types import ColumnRunner, Params, Runner

__all__ = ["COLUMN_RUNNERS", "RUNNERS", "ColumnRunner", "Params", "Runner"]

COLUMN_RUNNERS: dict[str, ColumnRunner] = dict(_time_series.RUNNERS)

RUNNERS: dict[str, Runner] = {
    **_seldom.RUNNERS,
    **_stateful.RUNNERS,
    **_cross_section.RUNNERS,
    **_group.RUNNERS,
    **_vector.RUNNERS,
}
