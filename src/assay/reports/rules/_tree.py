"""What a phrase means: a formula as a tree, with the places of its windows in the text."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Final, TypeAlias


@dataclass(frozen=True, slots=True)
class Window:
    """A number of bars as the text writes it.

    Parameters
    ----------
    days : what it may mean, the convention first; empty for a symbol that the text defines elsewhere.
    start, end : its place in the document; 0, 0 where a word implies it ("the previous day").
    symbol : its name, where the text writes a letter (N 日, "N-day").
    """

    days: tuple[int, ...]
    start: int = 0
    end: int = 0
    symbol: str = ""

    @property
    def implied(self) -> bool:
        """Whether no numeral states it."""
        return self.end == 0


HOLE: Final = Window((), symbol="?")
"""Stands for the window that a noun still wants: *volatility*, *moving average*."""

SAME: Final = Window((), symbol="=")
"""Stands for the window that was said before: *over the same period*."""


@dataclass(frozen=True, slots=True)
class Field:
    """A field of the report dialect, without its dollar sign."""

    name: str


@dataclass(frozen=True, slots=True)
class Number:
    """A constant; ``start``, ``end`` are its place in the document, 0, 0 where the wording implies it."""

    text: str
    start: int = 0
    end: int = 0


@dataclass(frozen=True, slots=True)
class Apply:
    """An op or an infix symbol with its inputs."""

    op: str
    args: tuple[Tree, ...]


Tree: TypeAlias = Window | Field | Number | Apply

INFIX: Final = {"+": 1, "-": 1, "*": 2, "/": 2, "neg": 3}
WHITELIST: Final = frozenset(
    {"RANK", "TS_MEAN", "TS_STD", "TS_MIN", "TS_MAX", "TS_PCTCHANGE", "TS_SUM", "INDUSTRY_NEUTRALIZE",
     "DELAY", "DELTA", "LOG", "ABS", "SIGN"}
)  # fmt: skip
"""Ops of the report dialect that an engine evaluates; COUNT is listed there and has none."""

FIELDS: Final = frozenset({"open", "high", "low", "close", "volume", "amount", "return", "industry"})
"""Fields of the report dialect that have data; net_mf_amount is listed there and has none."""


def apply(op: str, *args: Tree) -> Apply:
    """Short for ``Apply(op, args)``."""
    return Apply(op, args)


def walk(tree: Tree) -> Iterator[Tree]:
    """Every node, in the order in which it is written."""
    yield tree
    if isinstance(tree, Apply):
        for arg in tree.args:
            yield from walk(arg)


def fill(tree: Tree, window: Window) -> Tree:
    """The tree with ``window`` in every hole."""
    return substitute(tree, {HOLE.symbol: window})


def substitute(tree: Tree, symbols: dict[str, Window]) -> Tree:
    """The tree with symbols of windows replaced by their values."""
    if isinstance(tree, Window):
        return symbols.get(tree.symbol, tree) if tree.symbol else tree
    if isinstance(tree, Apply):
        return replace(tree, args=tuple(substitute(arg, symbols) for arg in tree.args))
    return tree


def replaced(tree: Tree, part: Tree, by: Tree) -> Tree:
    """The tree with every ``part`` replaced."""
    if tree == part:
        return by
    if isinstance(tree, Apply):
        return replace(tree, args=tuple(replaced(arg, part, by) for arg in tree.args))
    return tree


def same_filled(tree: Tree, before: Tree | None = None) -> Tree | None:
    """The tree with the window that :data:`SAME` repeats; None where the text leaves open which one that is.

    Parameters
    ----------
    before : the formula said before, whose window is repeated where the tree states none.
    """
    if SAME not in windows_of(tree):
        return tree
    for source in (tree, before):
        stated = [w for w in windows_of(source) if w != SAME and not w.implied] if source is not None else []
        if len({(w.days, w.symbol) for w in stated}) == 1:
            return substitute(tree, {SAME.symbol: stated[0]})
        if stated:
            return None
    if has_hole(tree):
        return substitute(tree, {SAME.symbol: HOLE})
    return None


def has_hole(tree: Tree) -> bool:
    """Whether a window is still wanted."""
    return any(node is HOLE or node == HOLE for node in walk(tree))


def windows_of(tree: Tree) -> tuple[Window, ...]:
    """Its windows, in the order in which they are written."""
    return tuple(node for node in walk(tree) if isinstance(node, Window))


def windowed(tree: Tree) -> bool:
    """Whether the text states a window of it."""
    return any(not window.implied or window.symbol for window in windows_of(tree))


def unknown_names(tree: Tree) -> tuple[str, ...]:
    """Ops and fields that the report dialect lacks or cannot evaluate, in order."""
    found = []
    for node in walk(tree):
        if isinstance(node, Apply) and node.op not in INFIX and node.op not in WHITELIST:
            found.append(node.op)
        elif isinstance(node, Field) and node.name not in FIELDS:
            found.append("$" + node.name)
    return tuple(dict.fromkeys(found))


def text_of(tree: Tree) -> str:
    """The tree in the report dialect; a symbol stands as its letter."""
    return _write(tree, 0)


def shape_of(tree: Tree) -> str:
    """The tree with every window written alike: equal for formulas that differ in windows alone."""
    if isinstance(tree, Window):
        return "w"
    if isinstance(tree, Apply):
        return f"{tree.op}({','.join(shape_of(arg) for arg in tree.args)})"
    return text_of(tree)


def _write(tree: Tree, least: int) -> str:
    if isinstance(tree, Window):
        return str(tree.days[0]) if tree.days else tree.symbol
    if isinstance(tree, Field):
        return f"${tree.name}"
    if isinstance(tree, Number):
        return tree.text
    power = INFIX.get(tree.op)
    if power is None:
        return f"{tree.op}({', '.join(_write(arg, 0) for arg in tree.args)})"
    if tree.op == "neg":
        text = f"-{_write(tree.args[0], power)}"
    else:
        left, right = tree.args
        text = f"{_write(left, power - 1)} {tree.op} {_write(right, power)}"
    return f"({text})" if power <= least else text
