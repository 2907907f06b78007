"""The syntax tree: what is written, before names mean anything. Spans take no part in comparison."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TypeAlias

# Not frozen: a corpus makes some hundred thousand of these, and a frozen dataclass takes three times as
# long to make. Nothing changes them after the parser.


@dataclass(slots=True)
class Number:
    value: float
    start: int = 0
    end: int = 0

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Number) and self.value == other.value


@dataclass(slots=True)
class Text:
    value: str
    start: int = 0
    end: int = 0

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Text) and self.value == other.value


@dataclass(slots=True)
class Name:
    name: str
    start: int = 0
    end: int = 0

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Name) and self.name == other.name


@dataclass(slots=True)
class Unary:
    op: str
    operand: Syntax
    start: int = 0
    end: int = 0

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Unary) and self.op == other.op and self.operand == other.operand


@dataclass(slots=True)
class Binary:
    op: str
    left: Syntax
    right: Syntax
    start: int = 0
    end: int = 0

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Binary):
            return False
        return self.op == other.op and self.left == other.left and self.right == other.right


@dataclass(slots=True)
class Conditional:
    condition: Syntax
    yes: Syntax
    no: Syntax
    start: int = 0
    end: int = 0

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Conditional):
            return False
        return (self.condition, self.yes, self.no) == (other.condition, other.yes, other.no)


@dataclass(slots=True)
class Apply:
    name: str
    args: tuple[Syntax, ...]
    named: tuple[tuple[str, Syntax], ...] = ()
    start: int = 0
    end: int = 0

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Apply):
            return False
        return self.name == other.name and self.args == other.args and self.named == other.named


Syntax: TypeAlias = Number | Text | Name | Unary | Binary | Conditional | Apply


@dataclass(slots=True)
class Statement:
    """``target = value``, or a bare ``value``."""

    target: str | None
    value: Syntax
    start: int = 0
    end: int = 0

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Statement) and (self.target, self.value) == (other.target, other.value)


@dataclass(slots=True)
class Program:
    """Statements of which the last gives the result."""

    statements: tuple[Statement, ...]

    @property
    def fragment(self) -> bool:
        """True when the program is one lone assignment."""
        return len(self.statements) == 1 and self.statements[0].target is not None


def parts_of(program: Program) -> Iterator[Syntax]:
    """Every part of a program, in the order of the text."""
    return (part for part, _ in levels_of(program))


def levels_of(program: Program) -> Iterator[tuple[Syntax, int]]:
    """Every part with its level, from 1; without recursion, as a chain of sums is as deep as it is long."""
    waiting: list[tuple[Syntax, int]] = [(statement.value, 1) for statement in reversed(program.statements)]
    while waiting:
        part, level = waiting.pop()
        yield part, level
        waiting.extend((inner, level + 1) for inner in reversed(_inside(part)))


def _inside(part: Syntax) -> tuple[Syntax, ...]:
    if isinstance(part, Apply):
        return (*part.args, *(value for _, value in part.named))
    if isinstance(part, Binary):
        return part.left, part.right
    if isinstance(part, Conditional):
        return part.condition, part.yes, part.no
    return (part.operand,) if isinstance(part, Unary) else ()
