"""Names that the platform writes in another way than the op table."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from assay.expr import op_table, words

_SYMBOLS: Final[Mapping[str, str]] = {
    "add": "add", "sub": "subtract", "mul": "multiply", "div": "divide", "pow": "power", "neg": "reverse",
}  # fmt: skip
"""Arithmetic is also written by words that take an option, so the symbols have no word of their own."""


def platform_name(op: str) -> str:
    """The platform's name of an op of the table; any other word is its own name."""
    if op in _SYMBOLS:
        return _SYMBOLS[op]
    found = op_table().get(op)
    form = None if found is None else found.form("fastexpr")
    return form.names[0] if form is not None and form.names else op


def attribute_name(word: str, parameter: str) -> str:
    """A parameter of a word as the platform's messages name it."""
    return (
        "lookback"
        if parameter == "window"
        else words("fastexpr")[word].platform_names.get(parameter, parameter)
    )
