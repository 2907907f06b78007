"""Definitions that stand in tables: beside the key *Definition*, or in the column of that name."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from assay.reports.rules import _names as names
from assay.reports.rules._facts import Fact, facts_of
from assay.reports.rules._names import Name
from assay.reports.rules._sentences import Sentence

_KEY = re.compile(
    r"[*\s]*(?:(?:factor |signal )?(?:definition|formula|computation|construction|calculation"
    r"|expression)|how (?:it is )?computed"
    r"|(?:因子|指标|信号|计算)?口径|计算规则|(?:因子|指标)?(?:定义|公式|算法|计算(?:方法|方式|公式)?|构造(?:方法|方式)?|构建(?:方法|方式)?|表达式))[*\s]*",
    re.IGNORECASE,
)
_FORMULA = re.compile(r"[/÷*×]|\w\(|除以|减去|之比|\b(?:divided by|minus|over)\b", re.IGNORECASE)
"""A value that says how something is computed, and is no name."""
_NAME = re.compile(
    r"[*\s]*(?:factor|signal|indicator|name|(?:factor|signal) name|因子|指标|名称|因子名称|指标名称)[*\s]*",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Cell:
    """The words of a cell that defines, as a sentence, and the name that the table gives."""

    sentence: Sentence
    name: Name


@dataclass(frozen=True, slots=True)
class _Part:
    start: int
    text: str


def celled(sentences: Sequence[Sentence], first: int, index: int) -> Cell | None:
    """The definition in row ``index`` of the table that begins at ``first``; None where it holds none."""
    row = sentences[index]
    cells = list(_parts(row))
    keyed = len(cells) == 2 and (
        _KEY.fullmatch(cells[0].text) or (_NAME.fullmatch(cells[0].text) and _FORMULA.search(cells[1].text))
    )
    if keyed:
        return Cell(_sentence(row, cells[1]), _named(sentences, first))
    header = list(_parts(sentences[first]))
    column = next((i for i, cell in enumerate(header) if _KEY.fullmatch(cell.text)), None)
    if (
        column is None
        or len(cells) != len(header)
        or cells == header
        or not re.search(r"\w", cells[column].text)
    ):
        return None
    place = next((i for i, cell in enumerate(header) if _NAME.fullmatch(cell.text)), None)
    name = names.cleaned(cells[place].text, cells[place].start) if place is not None else names.NONE
    return Cell(_sentence(row, cells[column]), name)


def _named(sentences: Sequence[Sentence], place: int) -> Name:
    """The name in any row of the table of keys and values that begins at ``place``."""
    while place < len(sentences) and sentences[place].table_row:
        cells = list(_parts(sentences[place]))
        if len(cells) == 2 and _NAME.fullmatch(cells[0].text):
            return names.cleaned(cells[1].text, cells[1].start)
        place += 1
    return names.NONE


def _parts(row: Sentence) -> Iterator[_Part]:
    for match in re.finditer(r"[^|]+", row.text):
        text = match.group().strip()
        if text:
            yield _Part(row.start + match.start() + match.group().index(text), text)


def _sentence(row: Sentence, cell: _Part) -> Sentence:
    return Sentence(cell.start, cell.start + len(cell.text), row.paragraph, cell.text)


def settings(sentences: Sequence[Sentence]) -> Iterator[Fact]:
    """What the columns of a table with one row of values state: the place is the header with the row."""
    for index, row in enumerate(sentences):
        if not row.table_row or (index and sentences[index - 1].table_row):
            continue
        rows = [row]
        while index + len(rows) < len(sentences) and sentences[index + len(rows)].table_row:
            rows.append(sentences[index + len(rows)])
        rows = [item for item in rows if re.search(r"\w", item.text)]
        if len(rows) != 2:
            continue
        header, values = (list(_parts(item)) for item in rows)
        if len(header) != len(values) or len(header) < 3:
            continue
        for key, value in zip(header, values, strict=True):
            text = f"{key.text}: {value.text}"
            for fact in facts_of((Sentence(0, len(text), row.paragraph, text),)):
                yield replace(fact, start=rows[0].start, end=rows[1].end)
