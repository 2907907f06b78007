"""Columns of the tables in a text: which header and which row label a number stands under."""

from __future__ import annotations

import re
from bisect import bisect_right
from dataclasses import dataclass

_LINE = re.compile(r"[^\n]+")
_LONGEST_ROW = 2000
"""Characters; a longer line is no row of a table."""
_RULE = re.compile(r"[\s|:\-]+")


@dataclass(frozen=True, slots=True)
class Cell:
    """The header of a number's column and the label of its row, empty where there are none."""

    header: str
    label: str


OUTSIDE = Cell("", "")


class Tables:
    """The tables of a text: neighbouring lines with cells between bars, the first of them the header."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._rows: list[tuple[int, int, tuple[str, ...]]] = []
        header: tuple[str, ...] = ()
        end = -2
        for found in _LINE.finditer(text):
            if "|" not in found[0] or len(found[0]) > _LONGEST_ROW:
                continue
            if found.start() != end + 1:
                header = _cells(found[0])
                self._rows.append((found.start(), found.end(), ()))
            elif not _RULE.fullmatch(found[0]):
                self._rows.append((found.start(), found.end(), header))
            end = found.end()
        self._starts = [start for start, _, _ in self._rows]

    def cell(self, place: int) -> Cell:
        """Header and row label of what stands at ``place``."""
        index = bisect_right(self._starts, place) - 1
        if index < 0 or place >= self._rows[index][1]:
            return OUTSIDE
        start, end, header = self._rows[index]
        row = self._text[start:end]
        column = row.count("|", 0, place - start) - row.startswith("|")
        label = _cells(row)[0] if column > 0 else ""
        return Cell(header[column] if 0 <= column < len(header) else "", label)


def _cells(row: str) -> tuple[str, ...]:
    return tuple(cell.strip() for cell in row.removeprefix("|").split("|"))
