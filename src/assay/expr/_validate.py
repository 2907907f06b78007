from __future__ import annotations

from collections.abc import Mapping

from assay.base import did_you_mean
from assay.errors import Refusal
from assay.expr import _reasons as reasons
from assay.expr._fields import FieldInfo
from assay.expr._lower import kind_of
from assay.expr._op import Kind, Op, Param, coerce
from assay.expr._table import op_table
from assay.expr._tree import Call, Node, ParamValue, distinct

_ACCEPTED: Mapping[Kind, frozenset[Kind]] = {
    "number": frozenset({"number", "bool", "any"}),
    "bool": frozenset({"bool"}),
    "group": frozenset({"group", "any"}),
    "vector": frozenset({"vector", "any"}),
    "any": frozenset({"number", "bool", "group", "vector", "any"}),
}


def validate(node: Node, fields: Mapping[str, FieldInfo] | None = None) -> None:
    """Hold a tree made by hand to the op table: names, arity, kinds, parameters and their bounds.

    Raises
    ------
    Refusal
        Naming the op concerned.
    """
    for part in distinct(node):
        if isinstance(part, Call):
            _validate_call(part, fields)


def accepts(wanted: Kind, given: Kind) -> bool:
    """Whether an input of one kind may stand where another is wanted."""
    return given in _ACCEPTED[wanted]


def _validate_call(call: Call, fields: Mapping[str, FieldInfo] | None) -> None:
    op = op_table().get(call.op)
    if op is None:
        near = ", ".join(did_you_mean(call.op, op_table()))
        raise Refusal(
            reasons.UNKNOWN_OP, f"there is no op {call.op!r}", fix=f"did you mean {near}?" if near else None
        )
    if len(call.args) != len(op.args):
        raise Refusal(
            reasons.WRONG_ARITY, f"{op.name} takes {len(op.args)} inputs, not {len(call.args)}", where=op.name
        )
    for arg, slot in zip(call.args, op.args, strict=True):
        given = kind_of(arg, fields)
        if not accepts(slot.kind, given):
            message = f"the input {slot.name!r} of {op.name} is of kind {given}, {slot.kind} is needed"
            raise Refusal(reasons.WRONG_KIND, message, where=op.name)
    _validate_params(call, op)


def _validate_params(call: Call, op: Op) -> None:
    names = tuple(name for name, _ in call.params)
    if names != tuple(param.name for param in op.params):
        expected = ", ".join(param.name for param in op.params) or "no parameters"
        raise Refusal(reasons.BAD_PARAMETER, f"{op.name} takes {expected}, in this order", where=op.name)
    for param, (_, value) in zip(op.params, call.params, strict=True):
        problem = _problem(param, value)
        if problem:
            raise Refusal(reasons.BAD_PARAMETER, f"{param.name!r} of {op.name} {problem}", where=op.name)


def _problem(param: Param, value: ParamValue) -> str:
    kinds: dict[str, type] = {"int": int, "float": float, "bool": bool, "text": str}
    if type(value) is not kinds[param.type]:
        return f"must be of type {param.type}"
    if isinstance(value, str):
        return (
            f"must be one of {', '.join(param.choices)}"
            if param.choices and value not in param.choices
            else ""
        )
    if param.low is not None and value < param.low:
        return f"must be at least {param.low:g}"
    if param.high is not None and value > param.high:
        return f"must be at most {param.high:g}"
    return "" if coerce(param, value) == value else "must be finite"
