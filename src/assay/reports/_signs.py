"""The signs with which a formula puts its quantities together."""

from __future__ import annotations

from typing import Final

from assay.expr import Call, Constant, Field, Node, walk

_INFIX: Final = {"add": "+", "sub": "-", "mul": "*", "div": "/"}


def top(node: Node) -> str | None:
    """The sign that puts the formula's quantities together, under its wrappers; None of one quantity alone.

    Wrappers are ops of one quantity (a rank, a mean over time, a logarithm) and sums and products with a
    constant.
    """
    call = _outermost(node)
    return None if call is None else _INFIX[call.op]


def operands(node: Node) -> tuple[Node, ...]:
    """The quantities that the sign on top puts together; none of one quantity alone."""
    call = _outermost(node)
    return () if call is None else call.args


def _outermost(node: Node) -> Call | None:
    while isinstance(node, Call):
        varying = [arg for arg in node.args if _varies(arg)]
        if len(varying) > 1 and node.op in _INFIX:
            return node
        if not varying:
            return None
        node = varying[0]
    return None


def signs(node: Node) -> frozenset[str]:
    """Every sign in the formula that puts two quantities together."""
    return frozenset(
        _INFIX[part.op]
        for part in walk(node)
        if isinstance(part, Call) and part.op in _INFIX and sum(_varies(arg) for arg in part.args) > 1
    )


def _varies(node: Node) -> bool:
    return any(isinstance(part, Field) for part in walk(node)) and not isinstance(node, Constant)
