from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeAlias

from assay.engine._program import Place

Params: TypeAlias = Mapping[str, Any]
"""The literals of a step by name; each op knows the types of its own."""

Runner: TypeAlias = Callable[[Sequence[Any], Params, Any], None]
"""Fills the last argument, a panel, from read-only panels and literals."""

ColumnRunner: TypeAlias = Callable[[Sequence[Place], Params, int, int, Place], None]
"""The same by place, for panels or ranges of their columns: inputs, literals, rows, columns, result."""

__all__ = ["ColumnRunner", "Params", "Runner"]
