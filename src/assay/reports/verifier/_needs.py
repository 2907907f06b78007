"""What a formula needs from the text: each number in its role, each op, each field."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Final, Literal

from assay.expr import Call, Constant, Field, Node, op_table, walk
from assay.spec import whitelist

Role = Literal["window", "lag", "weight", "threshold"]

_LAGS: Final = frozenset({"delay"})
_SUMS: Final = frozenset({"add", "sub"})
_GUARD: Final = 1e-6
"""A constant up to this size only keeps a division from zero."""


@dataclass(frozen=True, slots=True)
class NumberNeed:
    """A number of the formula. ``op`` is the word of the op that takes it, ``terms`` the words around it."""

    role: Role
    value: float
    op: str
    terms: tuple[str, ...]

    def __str__(self) -> str:
        return f"{self.role} {self.value:g} of {self.op}"


def op_word(call: Call) -> str:
    """How the report dialect writes an op: its name or its symbol. Empty for one that lowering added, as the
    comparison with 0 that makes a number a condition."""
    return _op_words().get(call.op, "")


def field_word(field: Field) -> str:
    """How the report dialect writes a field, without ``$``."""
    return "return" if field.name == "returns" else field.name


def ops_of(node: Node) -> tuple[str, ...]:
    """Words of the ops of a tree, each once; a factor of 1 or -1 is no product, but perhaps a minus."""
    words: dict[str, None] = {}
    for part in walk(node):
        if isinstance(part, Call):
            ones = [arg.value for arg in part.args if isinstance(arg, Constant) and abs(arg.value) == 1.0]
            if part.op != "mul" or not ones:
                words[op_word(part)] = None
            elif -1.0 in ones:
                words["-"] = None
    words.pop("", None)
    return tuple(words)


def fields_used(node: Node) -> tuple[str, ...]:
    """Words of the fields of a tree, each once."""
    return tuple(dict.fromkeys(field_word(part) for part in walk(node) if isinstance(part, Field)))


def numbers_of(node: Node) -> tuple[NumberNeed, ...]:
    """The numbers that the text has to state; 0, 1, -1 and guards of divisions need nobody's word.

    The divisor of a mean written out, ``(a + b) / 2``, is the number of its terms and needs none either.
    """
    return tuple(dict.fromkeys(_numbers(node)))


def _numbers(node: Node) -> Iterator[NumberNeed]:
    if not isinstance(node, Call):
        return
    word = op_word(node)
    if not word:
        for arg in node.args:
            yield from _numbers(arg)
        return
    terms = (*ops_of(node), *fields_used(node))
    for name, value in node.params:
        if name == "window" and isinstance(value, int):
            yield NumberNeed("lag" if node.op in _LAGS else "window", float(value), word, terms)
    for arg in node.args:
        if isinstance(arg, Constant):
            if not _needless(arg.value) and not _counts_terms(node, arg):
                role: Role = "threshold" if node.op in _SUMS else "weight"
                yield NumberNeed(role, abs(arg.value), word, terms)
        else:
            yield from _numbers(arg)


def _needless(value: float) -> bool:
    return abs(value) in (0.0, 1.0) or abs(value) <= _GUARD


def _counts_terms(call: Call, constant: Constant) -> bool:
    if call.op != "div" or call.args[1] is not constant:
        return False
    return constant.value == float(_terms(call.args[0]))


def _terms(node: Node) -> int:
    if isinstance(node, Call) and node.op == "add":
        return _terms(node.args[0]) + _terms(node.args[1])
    return 1


@lru_cache(maxsize=1)
def _op_words() -> Mapping[str, str]:
    words: dict[str, str] = {}
    for op in op_table().values():
        form = op.form("report")
        if form is not None:
            words[op.name] = form.symbol or form.names[0]
    assert set(whitelist().ops) <= set(words.values())
    return words
