from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeAlias

from assay.expr import ParamValue

Params: TypeAlias = Mapping[str, Any]
"""The literals of a step by name; each op knows the types of its own."""

Runner: TypeAlias = Callable[[Sequence[Any], Params, Any], None]
"""Fills the last argument from read-only panels and literals. Results may still be infinite only where a
runner cleans.
"""

__all__ = ["ParamValue", "Params", "Runner"]
