from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from assay.cli._dataset import could_be_path
from assay.cli._files import read_text
from assay.cli._progress import note
from assay.errors import AssayError, Refusal

if TYPE_CHECKING:
    from assay.expr import DialectName

SHOWN = 20
MANY = 5000
"""Formulas from which on progress is shown."""
REPORTED = 500
_TABLE = "for a table of values: assay judge --values FILE"
_FILES = {
    ".txt": "for formulas in a file, one a line: --file FILE",
    ".csv": _TABLE,
    ".parquet": _TABLE,
}
"""What is done with the files that are given in place of a formula, by the end of their name."""


@dataclass(frozen=True, slots=True)
class Formula:
    """One formula of a command line or a file, and where it stands.

    Parameters
    ----------
    place : ``line 7`` or ``argument 2``.
    before : blank and comment lines of the file between the last formula and this one.
    """

    text: str
    where: str
    place: str = ""
    before: tuple[str, ...] = ()


def collect_formulas(arguments: Sequence[str], file: Path | None) -> list[Formula]:
    """The formulas given as arguments and those of a file, one a line; ``#`` begins a comment line.

    Raises
    ------
    AssayError
        There is none, or one is empty.
    DataError
        The file cannot be read.
    """
    found = [
        Formula(text.strip(), f"argument {number}", f"argument {number}")
        for number, text in enumerate(arguments, 1)
    ]
    if file is not None:
        listed = _of_file(file)
        if not listed:
            raise AssayError(f"{file} holds no formula", where="--file", fix="write one formula a line")
        found += listed
    if not found:
        raise AssayError(
            "no formula is given",
            where="EXPRESSION",
            fix="give it in quotes, for instance 'rank(-ts_corr(close, volume, 10))', or give --file",
        )
    for formula in found:
        if not formula.text:
            raise AssayError("the formula is empty", where=formula.where, fix="write one")
    for text in arguments:
        _no_file(text.strip())
    return found


def _no_file(text: str) -> None:
    """Refuse the name of a file where a formula belongs."""
    option = _FILES.get(Path(text).suffix.lower()) if could_be_path(text) else None
    if option is not None and Path(text).is_file():
        raise AssayError(f"{text} is a file, not a formula", where="EXPRESSION", fix=option)


def _of_file(file: Path) -> list[Formula]:
    found: list[Formula] = []
    before: list[str] = []
    for number, line in enumerate(read_text(file, "--file").splitlines(), 1):
        text = line.strip()
        if not text or text.startswith("#"):
            before.append(text)
            continue
        found.append(Formula(text, f"{file}, line {number}", f"line {number}", tuple(before)))
        before = []
    return found


@contextmanager
def counted(formulas: Sequence[Formula], what: str) -> Iterator[Iterator[Formula]]:
    """The formulas one by one, with progress on standard error where there are many."""
    if len(formulas) < MANY:
        yield iter(formulas)
        return
    from assay.cli._progress import Steps

    with Steps() as steps:
        steps.begin(what)

        def each() -> Iterator[Formula]:
            for done, formula in enumerate(formulas, 1):
                yield formula
                if done % REPORTED == 0 or done == len(formulas):
                    steps.advance(f"{len(formulas)} formulas", done, len(formulas))

        yield each()


def known_dialect(name: str, option: str = "--dialect") -> DialectName:
    """``name`` itself if it is a dialect.

    Raises
    ------
    AssayError
        It is none.
    """
    from assay.base import did_you_mean
    from assay.expr import DIALECTS

    if name in DIALECTS:
        return name
    near = did_you_mean(name, DIALECTS)
    fix = f"did you mean {near[0]}?" if near else f"use one of {', '.join(DIALECTS)}"
    raise AssayError(f"there is no dialect {name!r}", where=option, fix=fix)


def refused_lines(refused: Sequence[tuple[str, Refusal]]) -> None:
    """Name the refused formulas of a batch on standard error, the first ones in full."""
    listed_notes([f"{where}: {error.message} ({error.where})" for where, error in refused])


def listed_notes(lines: Sequence[str]) -> None:
    """Lines on standard error, the first ones in full and the rest counted."""
    for line in lines[:SHOWN]:
        note(line)
    if len(lines) > SHOWN:
        note(f"and {len(lines) - SHOWN} more; --json lists all")
