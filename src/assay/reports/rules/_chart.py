"""A chart parser: every way in which a row of tokens can be read by a table of rules, cheapest first."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Final, TypeAlias

from assay.reports.rules._limits import CELLS, BeyondLimitError
from assay.reports.rules._tree import Tree

Builder: TypeAlias = Callable[..., Tree | None]

Sense: TypeAlias = tuple[str, Any, float]
"""Category, value and cost of what a word may mean."""

BEAM: Final = 4
"""Different readings kept of one category over one stretch."""


@dataclass(frozen=True, slots=True)
class Token:
    """A word of the tables at ``[start, end)`` of the document."""

    start: int
    end: int
    senses: tuple[Sense, ...]


@dataclass(frozen=True, slots=True)
class Rule:
    """``result -> parts``; ``build`` gets the values of the parts that carry one (particles have None).

    Parameters
    ----------
    cost : more for a rarer or looser way to say it.
    """

    result: str
    parts: tuple[str, ...]
    build: Builder
    cost: float = 1.0


@dataclass(frozen=True, slots=True)
class Reading:
    """One meaning of a stretch of tokens."""

    value: Tree
    cost: float


_Cell: TypeAlias = dict[str, list[tuple[float, Any]]]


class Grammar:
    """Rules made binary, ready to parse with."""

    def __init__(self, rules: Iterable[Rule]) -> None:
        self._unary: dict[str, list[tuple[str, Builder, float]]] = defaultdict(list)
        self._binary: dict[str, list[tuple[str, str, Builder | None, float]]] = defaultdict(list)
        for rule in rules:
            self._add(rule)

    def _add(self, rule: Rule) -> None:
        if len(rule.parts) == 1:
            self._unary[rule.parts[0]].append((rule.result, rule.build, rule.cost))
            return
        left = rule.parts[0]
        for count in range(2, len(rule.parts)):
            name = " ".join(rule.parts[:count])
            entry = (rule.parts[count - 1], name, None, 0.0)
            if entry not in self._binary[left]:
                self._binary[left].append(entry)
            left = name
        self._binary[left].append((rule.parts[-1], rule.result, rule.build, rule.cost))

    def parse(self, tokens: Sequence[Token]) -> Chart:
        """All stretches of the tokens that mean something."""
        size = len(tokens)
        cells: list[list[_Cell]] = [[{} for _ in range(size + 1)] for _ in range(size)]
        starts: list[list[int]] = [
            [] for _ in range(size + 1)
        ]  # per end, the starts of cells that hold something
        for end in range(1, size + 1):
            for start in range(end - 1, -1, -1):
                cell = cells[start][end]
                if end - start == 1:
                    for category, value, cost in tokens[start].senses:
                        self._enter(cell, category, value, cost)
                for middle in starts[end]:
                    left, right = cells[start][middle], cells[middle][end]
                    if left:
                        self._join(left, right, cell)
                if cell:
                    starts[end].append(start)
        return Chart(cells, size)

    def _join(self, left: _Cell, right: _Cell, cell: _Cell) -> None:
        for category, lefts in list(left.items()):
            for wanted, result, build, cost in self._binary.get(category, ()):
                rights = right.get(wanted)
                if not rights:
                    continue
                for left_cost, first in lefts:
                    for right_cost, second in rights:
                        # a partial rule carries the values of its parts in a list
                        values = first if isinstance(first, list) else [] if first is None else [first]
                        if second is not None:
                            values = [*values, second]
                        value = values if build is None else build(*values)
                        if value is None:  # the parts do not go together
                            continue
                        self._enter(cell, result, value, left_cost + right_cost + cost)

    def _enter(self, cell: _Cell, category: str, value: Any, cost: float) -> None:
        found = cell.setdefault(category, [])
        for index, (known_cost, known) in enumerate(found):
            if known == value:
                if cost >= known_cost:
                    return
                del found[index]
                break
        found.append((cost, value))
        found.sort(key=lambda item: item[0])
        if len(found) > BEAM:
            del found[BEAM:]
            if all(item[1] is not value for item in found):
                return
        for result, build, more in self._unary.get(category, ()):
            built = build() if value is None else build(value)
            if built is not None:
                self._enter(cell, result, built, cost + more)


@dataclass(frozen=True, slots=True)
class Chart:
    """What :meth:`Grammar.parse` found."""

    cells: list[list[_Cell]]
    size: int

    def readings(self, start: int, end: int, category: str) -> tuple[Reading, ...]:
        """Readings of tokens ``[start, end)`` as a category, cheapest first."""
        return tuple(Reading(value, cost) for cost, value in self.cells[start][end].get(category, ()))


class Charts:
    """Charts made so far: a stretch that ends one parsed before is looked up in it.

    Parameters
    ----------
    cells : stretches of tokens that were looked at before, of the :data:`CELLS` that a document may take.
    """

    def __init__(self, grammar: Grammar, cells: int = 0) -> None:
        self._grammar = grammar
        self._made: dict[int, tuple[list[Token], Chart]] = {}
        self.cells = cells

    def renewed(self) -> Charts:
        """Without a chart, as words may mean something else now; what was spent stays spent."""
        return Charts(self._grammar, self.cells)

    def of(self, tokens: Sequence[Token]) -> tuple[Chart, int]:
        """The chart that holds the tokens, and where in it they begin."""
        wanted = list(tokens)
        known = self._made.get(wanted[-1].end)
        if known is not None and known[0][-len(wanted) :] == wanted:
            return known[1], len(known[0]) - len(wanted)
        self.cells += len(wanted) * (len(wanted) + 1) // 2
        if self.cells > CELLS:
            what = f"the words that may say a formula take more than the {CELLS:,} steps that are done"
            raise BeyondLimitError(what, wanted[0].start)
        chart = self._grammar.parse(wanted)
        self._made[wanted[-1].end] = (wanted, chart)
        return chart, 0
