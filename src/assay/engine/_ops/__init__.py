"""What runs each op: a function of read-only panels and literals that fills a panel.

Kernels are imported by the runner that needs them, so that a batch compiles only what it uses.
"""

from assay.engine._ops import _cross_section, _group, _seldom, _stateful, _time_series, _vector
from assay.engine._ops._types import Params, Runner

__all__ = ["RUNNERS", "Params", "Runner"]

RUNNERS: dict[str, Runner] = {
    **_time_series.RUNNERS,
    **_seldom.RUNNERS,
    **_stateful.RUNNERS,
    **_cross_section.RUNNERS,
    **_group.RUNNERS,
    **_vector.RUNNERS,
}
