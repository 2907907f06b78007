from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any, NoReturn, TypeAlias

ParamValue: TypeAlias = int | float | bool | str
Params: TypeAlias = tuple[tuple[str, ParamValue], ...]


class _Frozen:
    """Nodes are compared by value and never change; slots are written once, through their descriptors."""

    __slots__ = ()

    def __setattr__(self, name: str, value: object) -> NoReturn:
        raise AttributeError(f"{type(self).__name__} is immutable: cannot set {name!r}")

    def __delattr__(self, name: str) -> NoReturn:
        raise AttributeError(f"{type(self).__name__} is immutable: cannot delete {name!r}")


class Constant(_Frozen):
    """A number. NaN is written ``nan`` and equals itself here, so that trees compare by value."""

    __match_args__ = ("value",)
    __slots__ = ("_hash", "value")
    value: float
    _hash: int
    size = 1
    depth = 1

    def __init__(self, value: float) -> None:
        number = float(value) + 0.0  # -0.0 becomes 0.0: the two print alike
        _constant_value(self, number)
        _constant_hash(self, hash(("constant", "nan" if number != number else number)))

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Constant):
            return NotImplemented
        return self.value == other.value or (math.isnan(self.value) and math.isnan(other.value))

    def __hash__(self) -> int:
        return self._hash

    def __repr__(self) -> str:
        return f"Constant({self.value!r})"

    def __reduce__(self) -> tuple[Any, ...]:
        return Constant, (self.value,)


class Field(_Frozen):
    """A named input series, group or vector; lower case, without ``$``."""

    __match_args__ = ("name",)
    __slots__ = ("_hash", "name")
    name: str
    _hash: int
    size = 1
    depth = 1

    def __init__(self, name: str) -> None:
        _field_name(self, name)
        _field_hash(self, hash(("field", name)))

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Field):
            return NotImplemented
        return self.name == other.name

    def __hash__(self) -> int:
        return self._hash

    def __repr__(self) -> str:
        return f"Field({self.name!r})"

    def __reduce__(self) -> tuple[Any, ...]:
        return Field, (self.name,)


class Call(_Frozen):
    """An op of the table applied to data inputs ``args`` with literal ``params``.

    ``params`` holds every parameter of the op, defaults filled, in declared order. ``size`` counts the
    nodes of the tree written out, ``depth`` its levels; both and the hash are computed once.
    """

    __match_args__ = ("op", "args", "params")
    __slots__ = ("_hash", "args", "depth", "op", "params", "size")
    op: str
    args: tuple[Node, ...]
    params: Params
    size: int
    depth: int
    _hash: int

    def __init__(self, op: str, args: tuple[Node, ...] = (), params: Params = ()) -> None:
        size = 1
        depth = 0
        for arg in args:
            size += arg.size
            if arg.depth > depth:
                depth = arg.depth
        _call_op(self, op)
        _call_args(self, args)
        _call_params(self, params)
        _call_size(self, size)
        _call_depth(self, depth + 1)
        _call_hash(self, hash((op, args, params)))

    def param(self, name: str) -> Any:
        """The value of one parameter; ``KeyError`` when the op has none of that name."""
        for key, value in self.params:
            if key == name:
                return value
        raise KeyError(f"op {self.op!r} has no parameter {name!r}")

    def __eq__(self, other: object) -> bool:
        if self is other:
            return True
        if not isinstance(other, Call):
            return NotImplemented
        return (
            self._hash == other._hash
            and self.op == other.op
            and self.params == other.params
            and self.args == other.args
        )

    def __hash__(self) -> int:
        return self._hash

    def __repr__(self) -> str:
        inside = [*map(repr, self.args), *(f"{name}={value!r}" for name, value in self.params)]
        return f"{self.op}({', '.join(inside)})"

    def __reduce__(self) -> tuple[Any, ...]:
        return Call, (self.op, self.args, self.params)


Node: TypeAlias = Constant | Field | Call

_constant_value: Any = Constant.__dict__["value"].__set__
_constant_hash: Any = Constant.__dict__["_hash"].__set__
_field_name: Any = Field.__dict__["name"].__set__
_field_hash: Any = Field.__dict__["_hash"].__set__
_call_op: Any = Call.__dict__["op"].__set__
_call_args: Any = Call.__dict__["args"].__set__
_call_params: Any = Call.__dict__["params"].__set__
_call_size: Any = Call.__dict__["size"].__set__
_call_depth: Any = Call.__dict__["depth"].__set__
_call_hash: Any = Call.__dict__["_hash"].__set__


def walk(node: Node) -> Iterator[Node]:
    """Every node of the tree, parents before children, left to right; repeats included."""
    stack: list[Node] = [node]
    while stack:
        current = stack.pop()
        yield current
        if isinstance(current, Call):
            stack.extend(reversed(current.args))


def distinct(node: Node) -> list[Node]:
    """Every distinct node, children before parents: the order in which a graph can be evaluated."""
    seen: dict[Node, None] = {}
    if node.depth > _RECURSION:
        return _distinct_deep(node)

    def visit(part: Node) -> None:
        if type(part) is Call:
            for arg in part.args:
                if arg not in seen:
                    visit(arg)
        seen[part] = None

    visit(node)
    return list(seen)


_RECURSION = 200
"""Deeper trees, which no parser makes, are walked without recursion."""


def _distinct_deep(node: Node) -> list[Node]:
    seen: dict[Node, None] = {}
    stack: list[tuple[Node, bool]] = [(node, False)]
    while stack:
        current, ready = stack.pop()
        if current in seen:
            continue
        if ready or not isinstance(current, Call):
            seen[current] = None
            continue
        stack.append((current, True))
        stack.extend((arg, False) for arg in reversed(current.args))
    return list(seen)


def fields_of(node: Node) -> tuple[str, ...]:
    """The names of the fields used, sorted."""
    return tuple(sorted({n.name for n in distinct(node) if isinstance(n, Field)}))
