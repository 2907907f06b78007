"""Orders and fills from a CSV file: all of it can be recorded, or all that is wrong is told at once."""

from __future__ import annotations

import csv
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from assay.base import Operator
from assay.book._book import Book
from assay.book._events import Fill, HumanEvent, Order, problem_of
from assay.book._money import read_decimal
from assay.errors import ConfigProblems, DataError, Problem, Refusal
from assay.tools import read_instant

COLUMNS: Final = (
    "kind", "ref", "decision", "order", "instrument", "side", "quantity", "price", "fee", "exchange_ts",
    "knowledge_ts",
)  # fmt: skip
_NEEDED: Final = {
    "order": ("ref", "decision", "instrument", "side", "quantity", "exchange_ts"),
    "fill": ("ref", "order", "quantity", "price", "exchange_ts"),
}
MAX_FILE: Final = 64 * 2**20


class ImportProblems(ConfigProblems):
    """All that is wrong with a file of orders and fills, row by row. Nothing was written."""

    kind = "import"

    def __init__(self, problems: Sequence[Problem], *, where: str) -> None:
        super().__init__(problems, where=where)
        self.fix = "mend the listed rows; nothing was written"


def read_events(book: Book, path: Path, operator: Operator) -> list[HumanEvent]:
    """The orders and fills of a CSV file, checked against the book and not recorded yet.

    Columns: ``kind`` (``order`` or ``fill``), ``ref`` (its name with the broker, unique in the book),
    ``decision`` (of an order: the event id), ``order`` (of a fill: the ``ref`` or event id of its order, in
    the file or in the book), ``instrument``, ``side``, ``quantity``, ``price`` (of an order its limit, which
    may be missing), ``fee``, ``exchange_ts``, ``knowledge_ts`` (now, where it is missing). Rows may stand in
    any order of time, but an order before its fills.

    Raises
    ------
    ImportProblems
        Rows cannot be read, or cannot follow what is in the book: all of them, by line.
    DataError
        The file cannot be read as CSV.
    Refusal
        ``damaged_state``.
    """
    reader = _Reader(book)
    rows = list(_rows(path))
    events = [(line, reader.event(line, row)) for line, row in rows]
    good = [(line, event) for line, event in events if event is not None]
    refused = book.try_many([event for _, event in good], operator)
    stopped: dict[str, tuple[str, int]] = {}
    for (line, event), refusal in zip(good, refused, strict=True):
        if refusal is not None:
            cause = stopped.get(event.order) if isinstance(event, Fill) else None
            message = refusal.message if cause is None else _follows(*cause)
            reader.problems.append(Problem(f"line {line}", message))
            if isinstance(event, Order):
                stopped[event.event_id] = str(event.ref), line
    if reader.problems:
        reader.problems.sort(key=lambda problem: int(problem.where.split()[1].rstrip(",")))
        raise ImportProblems(reader.problems, where=str(path))
    return [event for _, event in good]


def _follows(ref: str, line: int) -> str:
    """Why a fill is refused whose order is: the id that the order would have had tells nobody anything."""
    return f"the order {ref[:64]!r} is refused, see line {line}"


class _Reader:
    """Makes events of rows, and keeps what is wrong with them."""

    def __init__(self, book: Book) -> None:
        self.problems: list[Problem] = []
        self._book = book
        self._refs = dict(book.refs())
        self._slugs: dict[str, str] = {}
        self._refused: dict[str, int] = {}

    def event(self, line: int, row: Mapping[str, str]) -> HumanEvent | None:
        """The event of a row; None where it has problems."""
        event = self._read(line, row)
        if event is None and row["kind"] == "order":
            self._refused[row["ref"]] = line
        return event

    def _read(self, line: int, row: Mapping[str, str]) -> HumanEvent | None:
        kind = row["kind"]
        if kind not in _NEEDED:
            self._problem(line, "kind", f"{kind[:40]!r} is neither order nor fill")
            return None
        before = len(self.problems)
        for column in _NEEDED[kind]:
            if not row[column]:
                self._problem(line, column, "is missing")
        values = {key: self._value(line, key, row[key]) for key in COLUMNS[6:]}
        for column in ("ref", "instrument", "side"):
            self._check(line, column, row[column] or None)
        cause = self._cause(line, kind, row)
        if len(self.problems) > before:
            return None
        stamp = self._book.stamp(values["exchange_ts"], values["knowledge_ts"])
        try:
            event = _made(kind, {**stamp, "strategy_slug": self._slug(cause)}, cause, row, values)
        except Refusal as refusal:
            self.problems.append(Problem(f"line {line}", refusal.message))
            return None
        self._refs[row["ref"]] = event.event_id
        self._slugs[event.event_id] = str(event.strategy_slug)
        return event

    def _value(self, line: int, column: str, text: str) -> Any:
        if not text:
            return None
        try:
            if column.endswith("_ts"):
                return read_instant(text)
            value = read_decimal(text)
        except ValueError as error:
            self._problem(line, column, f"{text[:40]!r} is {error}")
            return None
        return self._check(line, column, value)

    def _check(self, line: int, column: str, value: Any) -> Any:
        """The value itself, whose faults are noted; None stands for what is missing."""
        wrong = None if value is None else problem_of(column, value)
        if wrong is not None:
            self._problem(line, column, f"{str(value)[:40]!r} {wrong}")
        return value

    def _cause(self, line: int, kind: str, row: Mapping[str, str]) -> str:
        """The event id of the decision or order that a row follows from."""
        column = "decision" if kind == "order" else "order"
        named = row[column]
        found = named if kind == "order" else self._refs.get(named, named)
        if kind == "fill" and named and found == named and named in self._refused:
            self._problem(line, column, _follows(named, self._refused[named]))
        elif named and self._slug(found) is None:
            self._problem(line, column, f"there is no {column} {named[:64]!r} in the book or above")
        return found

    def _slug(self, event_id: str) -> str | None:
        return self._slugs.get(event_id) or self._book.strategy_of(event_id)

    def _problem(self, line: int, column: str, message: str) -> None:
        self.problems.append(Problem(f"line {line}, {column}", message))


def _made(
    kind: str, common: Mapping[str, Any], cause: str, row: Mapping[str, str], values: Mapping[str, Any]
) -> Order | Fill:
    if kind == "order":
        side: Any = row["side"]  # one of two words: the event's to check
        return Order(
            **common,
            decision=cause,
            instrument=row["instrument"],
            side=side,
            quantity=values["quantity"],
            limit=values["price"],
            ref=row["ref"],
        )
    fee = {} if values["fee"] is None else {"fee": values["fee"]}
    return Fill(
        **common, order=cause, quantity=values["quantity"], price=values["price"], ref=row["ref"], **fee
    )


def _rows(path: Path) -> Iterator[tuple[int, dict[str, str]]]:
    lines = _text(path).splitlines()
    reader = csv.DictReader(lines, strict=True)
    try:
        header = reader.fieldnames or ()
        _check_header(header, path)
        for row in reader:
            if None in row or None in row.values():
                raise DataError(
                    f"line {reader.line_num} has another number of cells than the header",
                    where=str(path),
                    fix="give each row as many cells as the header has",
                )
            yield reader.line_num, {key: (row.get(key) or "").strip() for key in COLUMNS}
    except csv.Error as error:
        raise DataError(
            f"line {reader.line_num} is not CSV: {error}", where=str(path), fix="mend the line"
        ) from error


def _check_header(header: Sequence[str], path: Path) -> None:
    unknown = [name for name in header if name not in COLUMNS]
    missing = [name for name in ("kind", "ref", "quantity", "exchange_ts") if name not in header]
    if unknown or missing or len(set(header)) != len(header):
        what = [f"unknown: {', '.join(map(str, unknown))}"] if unknown else []
        what += [f"missing: {', '.join(missing)}"] if missing else []
        raise DataError(
            f"the header does not fit ({'; '.join(what) or 'a column stands there twice'})",
            where=str(path),
            fix=f"use the columns {', '.join(COLUMNS)}",
        )


def _text(path: Path) -> str:
    try:
        with open(path, "rb") as file:
            content = file.read(MAX_FILE + 1)
    except OSError as error:
        raise DataError(
            f"cannot read {path}: {error.strerror or error}", where=str(path), fix="check the path"
        ) from error
    if len(content) > MAX_FILE:
        raise DataError(f"{path} is larger than 64 MiB", where=str(path), fix="split it")
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise DataError(f"{path} is not UTF-8", where=str(path), fix="save it as UTF-8") from error
