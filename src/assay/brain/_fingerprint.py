"""Which simulations count as the same, and how far apart two expressions are."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from typing import Final, Literal

from assay.brain._settings import SimulationRequest
from assay.errors import ExpressionError
from assay.expr import Call, Constant, Field, Node, canonical, edit_distance, fields_of, parse
from assay.expr import fingerprint as tree_fingerprint
from assay.expr import signature as tree_signature

Likeness = Literal["exact", "scale", "windows", "constants", "shape"]
"""What is passed over, each with all before it: nothing; a constant factor; windows and other numbers among
the parameters; constants; which fields they are."""

_WINDOW: Final = 7
_ANY_FIELD: Final = Field("field")
_TEXT: Final = "text:"


@dataclass(frozen=True, slots=True)
class TrialId:
    """What makes two simulations one: the expression's fingerprint and the hash of its settings."""

    fingerprint: str
    settings_hash: str

    @classmethod
    def of(cls, request: SimulationRequest) -> TrialId:
        return cls(fingerprint(request.regular), request.settings_hash)


def fingerprint(text: str, likeness: Likeness = "exact") -> str:
    """Equal for FASTEXPR expressions that are alike at a level.

    A text that the factor language cannot read is told by its words alone (``text:`` and a hash), so that
    whatever a platform takes can be counted.
    """
    try:
        node = parse(text, "fastexpr", level="typed").node
    except ExpressionError:
        return _TEXT + hashlib.sha256(" ".join(text.split()).encode()).hexdigest()[:24]
    return node_fingerprint(node, likeness)


def node_fingerprint(node: Node, likeness: Likeness = "exact") -> str:
    """The same of a tree."""
    if likeness == "exact":
        return tree_fingerprint(node)
    if likeness == "scale":
        return tree_signature(node)
    return tree_signature(skeleton(node, likeness))


def skeleton(node: Node, likeness: Likeness = "constants") -> Node:
    """The canonical tree with what a level passes over made the same everywhere."""
    if likeness in ("exact", "scale"):
        return node
    return _bare(canonical(node), constants=likeness != "windows", fields=likeness == "shape")


def structure_distance(a: str, b: str, likeness: Likeness = "windows") -> float:
    """Edit distance of two trees as a share of the larger one: 0 = alike at the level, 1 = nothing in common.

    Raises
    ------
    ExpressionError
        One of them is no FASTEXPR.
    """
    x, y = (skeleton(parse(text, "fastexpr", level="typed").node, likeness) for text in (a, b))
    return edit_distance(x, y) / max(x.size, y.size)


def field_fingerprint(text: str) -> str:
    """The fields that an expression uses, sorted and joined by ``+``; empty where it cannot be read."""
    try:
        return "+".join(fields_of(parse(text, "fastexpr", level="typed").node))
    except ExpressionError:
        return ""


def _bare(node: Node, *, constants: bool, fields: bool) -> Node:
    if isinstance(node, Field):
        return _ANY_FIELD if fields else node
    if isinstance(node, Constant):
        return Constant(1.0) if constants else node
    params = tuple(
        (name, value if isinstance(value, bool | str) else type(value)(_WINDOW))
        for name, value in node.params
    )
    return Call(node.op, tuple(_bare(arg, constants=constants, fields=fields) for arg in node.args), params)
