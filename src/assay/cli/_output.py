from __future__ import annotations

import json
import math
import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

if TYPE_CHECKING:
    from rich.console import Console

NARROWEST = 40
PIPED = 5000
"""Characters of a line for a pipe or a file: a formula is cut by a terminal's width alone."""
_LONGEST_LINE = 1000

Json = Annotated[bool, typer.Option("--json", help="Print JSON on standard output.")]
DialectName = Annotated[
    str,
    typer.Option(
        "--dialect",
        help="The language of the formula: core, report, fastexpr, qlib, alpha101 or alpha191.",
        metavar="NAME",
    ),
]
Formulas = Annotated[
    list[str] | None,
    typer.Argument(help="Formulas, each in quotes.", metavar="EXPRESSION", show_default=False),
]
FormulaFile = Annotated[
    Path | None, typer.Option("--file", help="Take formulas from this file too, one a line.", metavar="FILE")
]
DataName = Annotated[str | None, typer.Option("--data", help="Data set: a name or a path.", metavar="NAME")]


def print_json(value: Any) -> None:
    """``value`` as indented JSON on standard output; missing numbers become ``null``."""
    sys.stdout.write(json.dumps(without_nan(value), indent=2, ensure_ascii=False, allow_nan=False) + "\n")


def without_nan(value: Any) -> Any:
    """The same data with every NaN or infinite float replaced by None, as JSON has neither."""
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, dict):
        return {str(key): without_nan(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [without_nan(item) for item in value]
    return value


def console(*, stderr: bool = False) -> Console:
    """A terminal writer that takes all text literally: formulas contain brackets and colons."""
    from rich.console import Console

    class _Console(Console):
        def on_broken_pipe(self) -> None:
            """Leave it to the boundary, which knows the exit code."""
            raise BrokenPipeError

    made = _Console(stderr=stderr, markup=False, highlight=False, emoji=False, soft_wrap=False)
    # in less, nothing legible can be said; COLUMNS=0, which some shells set, would print nothing at all
    made.width = max(made.width, NARROWEST)
    if not made.is_terminal and "COLUMNS" not in os.environ:
        made.width = PIPED
    return made


def printable(line: str, longest: int = _LONGEST_LINE) -> str:
    """Without control characters, and not endless: input quoted in a message must not steer the terminal."""
    lines = (part if len(part) <= longest else part[:longest] + "\u2026" for part in line.split("\n"))
    return "".join(c if c.isprintable() or c in "\n\t" else "\ufffd" for c in "\n".join(lines))


def say(text: str) -> None:
    """A line on standard output that may quote what a file holds."""
    typer.echo(printable(text, PIPED))
