from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from assay.cli._files import read_text
from assay.cli._progress import note
from assay.errors import AssayError, Refusal

if TYPE_CHECKING:
    from assay.expr import DialectName

SHOWN = 20


@dataclass(frozen=True, slots=True)
class Formula:
    """One formula of a command line or a file, and where it stands."""

    text: str
    where: str


def collect_formulas(arguments: Sequence[str], file: Path | None) -> list[Formula]:
    """The formulas given as arguments and those of a file, one a line; ``#`` begins a comment line.

    Raises
    ------
    AssayError
        There is none, or one is empty.
    DataError
        The file cannot be read.
    """
    found = [Formula(text.strip(), f"argument {number}") for number, text in enumerate(arguments, 1)]
    if file is not None:
        lines = read_text(file, "--file").splitlines()
        listed = [
            Formula(line.strip(), f"{file}, line {number}")
            for number, line in enumerate(lines, 1)
            if line.strip() and not line.lstrip().startswith("#")
        ]
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
    return found


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
    for where, error in refused[:SHOWN]:
        note(f"{where}: {error.message} ({error.where})")
    if len(refused) > SHOWN:
        note(f"and {len(refused) - SHOWN} more; --json lists all")
