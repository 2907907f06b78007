"""The built-in ops, a module for each category."""

from assay.expr._op import Composite, Op
from assay.expr._ops import arithmetic, cross_section, group, logic, pairs, stateful, time_series, vector

__all__ = ["BUILTIN_COMPOSITES", "BUILTIN_OPS"]

_MODULES = (arithmetic, logic, time_series, pairs, stateful, cross_section, group, vector)

BUILTIN_OPS: tuple[Op, ...] = tuple(op for module in _MODULES for op in module.OPS)
BUILTIN_COMPOSITES: tuple[Composite, ...] = tuple(c for module in _MODULES for c in module.COMPOSITES)
