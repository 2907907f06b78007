from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from assay.expr._canonical import canonical
from assay.expr._check import Expression
from assay.expr._convert import to_text
from assay.expr._exponent import Exponent, exponents
from assay.expr._fields import STANDARD_FIELDS
from assay.expr._lookback import lookback
from assay.expr._lower import kind_of
from assay.expr._table import op_table
from assay.expr._tree import Call, Constant, Field, Node


def explain(expression: Expression) -> dict[str, Any]:
    """All that can be said of a formula without data, JSON-ready.

    Keys: ``text dialect core canonical fingerprint signature kind lookback size depth fields exponent
    invariant breaks_at ops warnings tree``; each node of ``tree`` has ``text kind lookback exponent`` and,
    for ops, ``op params args``.
    """
    node = expression.node
    parts = exponents(node, expression.known)
    whole = expression.exponent
    return {
        "text": expression.text,
        "dialect": expression.dialect,
        "core": to_text(node),
        "canonical": to_text(canonical(node)),
        "fingerprint": expression.fingerprint,
        "signature": expression.signature,
        "kind": expression.kind,
        "lookback": expression.lookback,
        "size": expression.size,
        "depth": expression.depth,
        "fields": [_field(name, expression) for name in expression.fields],
        "exponent": whole.text,
        "invariant": None if whole.unknown else whole.invariant,
        "breaks_at": None if whole.culprit is None else {"text": to_text(whole.culprit), "why": whole.why},
        "ops": _ops(node),
        "warnings": [
            {"code": w.code, "message": w.message, "line": w.line, "column": w.column}
            for w in expression.warnings
        ],
        "tree": _tree(node, expression, parts),
    }


def _field(name: str, expression: Expression) -> dict[str, Any]:
    info = (expression.known or {}).get(name) or STANDARD_FIELDS.get(name)
    if info is None:
        return {"name": name, "kind": "any", "exponent": None, "unit": "", "description": "not described"}
    return {
        "name": name,
        "kind": info.kind,
        "exponent": info.exponent,
        "unit": info.unit,
        "description": info.description,
    }


def _ops(node: Node) -> list[dict[str, str]]:
    names = sorted({part.op for part in _calls(node)})
    return [{"name": name, "definition": op_table()[name].definition} for name in names]


def _calls(node: Node) -> list[Call]:
    if not isinstance(node, Call):
        return []
    return [node, *(call for arg in node.args for call in _calls(arg))]


def _tree(node: Node, expression: Expression, parts: Mapping[Node, Exponent]) -> dict[str, Any]:
    shown: dict[str, Any] = {
        "text": to_text(node),
        "kind": kind_of(node, expression.known),
        "lookback": lookback(node),
        "exponent": parts[node].text,
    }
    if isinstance(node, Constant):
        return {"constant": None if node.value != node.value else node.value, **shown}
    if isinstance(node, Field):
        return {"field": node.name, **shown}
    args = [_tree(arg, expression, parts) for arg in node.args]
    return {"op": node.op, **shown, "params": dict(node.params), "args": args}
