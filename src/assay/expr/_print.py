"""Syntax tree to text, with the fewest brackets; ``parse_syntax(write(p)) == p``."""

from __future__ import annotations

from assay.expr._grammar import GRAMMARS, POWER, PREFIX, TERNARY, Grammar
from assay.expr._op import DialectName
from assay.expr._syntax import Apply, Binary, Conditional, Name, Number, Program, Syntax, Text, Unary

_ATOM = 100


def number_text(value: float) -> str:
    """The shortest text that reads back as the same number."""
    return str(int(value)) if abs(value) < 1e15 and value == int(value) else repr(value)


def write(program: Program, dialect: DialectName = "core") -> str:
    """The program as text of its dialect."""
    grammar = GRAMMARS[dialect]
    parts = []
    for statement in program.statements:
        text = _write(statement.value, 0, grammar)
        parts.append(text if statement.target is None else f"{statement.target} = {text}")
    return "; ".join(parts)


def _write(node: Syntax, least: int, grammar: Grammar) -> str:
    """``least`` is the binding power the text must exceed to stand without brackets."""
    text, power = _bare(node, grammar)
    return f"({text})" if power <= least else text


def _bare(node: Syntax, grammar: Grammar) -> tuple[str, int]:
    if isinstance(node, Number):
        return number_text(node.value), _ATOM
    if isinstance(node, Name):
        return node.name, _ATOM
    if isinstance(node, Apply):
        inside = [_write(arg, 0, grammar) for arg in node.args]
        inside += [f"{name}={_write(value, 0, grammar)}" for name, value in node.named]
        return f"{node.name}({', '.join(inside)})", _ATOM
    if isinstance(node, Binary):
        power = grammar.infix[node.op]
        right_first = node.op in ("^", "**")
        left = _write(node.left, power if right_first else power - 1, grammar)
        right = _write(node.right, power - 1 if right_first else power, grammar)
        return f"{left}{node.op}{right}" if power == POWER else f"{left} {node.op} {right}", power
    if isinstance(node, Unary):
        return f"{node.op}{_write(node.operand, PREFIX - 1, grammar)}", PREFIX
    if isinstance(node, Conditional):
        condition = _write(node.condition, TERNARY, grammar)
        return (
            f"{condition} ? {_write(node.yes, 0, grammar)} : {_write(node.no, TERNARY - 1, grammar)}",
            TERNARY,
        )
    assert isinstance(node, Text)
    quote = "'" if '"' in node.value else '"'
    return f"{quote}{node.value}{quote}", _ATOM
