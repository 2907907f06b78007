from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeAlias

from assay.expr import ParamValue

Params: TypeAlias = Mapping[str, Any]
"""The literals of a step by name; each op knows the types of its own."""

Runner: TypeAlias = Callable[[Sequence[Any], Params, Any], None]
"""Fills the last argument, a panel, from read-only panels and literals."""

ColumnRunner: TypeAlias = Callable[[Sequence[Any], Params, int, int, Any], None]
"""The same for the columns from a first to below a last one; the others stay as they are."""

__all__ = ["ColumnRunner", "ParamValue", "Params", "Runner"]
