"""Verdicts in a notebook or at a prompt: one line, or a small table."""

from __future__ import annotations

import math
from collections.abc import Sequence
from html import escape
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from assay.judge._verdict import Verdict

LONGEST_NAME = 80
MOST_ROWS = 20
_HEADINGS = ("factor", "verdict", "RankIC", "t", "net excess", "data")


def one_line(verdict: Verdict) -> str:
    """Name, status, RankIC and t of a verdict."""
    figures = verdict.summary
    return (
        f"Verdict({_name(verdict)!r}, {verdict.status}, "
        f"RankIC {_number(figures['rank_ic'], 4)}, t {_number(figures['t'], 2)})"
    )


def html_table(verdicts: Sequence[Verdict], *, refused: int = 0) -> str:
    """The verdicts as a small HTML table; everything given is escaped."""
    head = "".join(f"<th>{heading}</th>" for heading in _HEADINGS)
    rows = "".join(_row(verdict) for verdict in verdicts[:MOST_ROWS])
    left = len(verdicts) - MOST_ROWS
    notes = [f"and {left} more: to_pandas() has all"] if left > 0 else []
    notes += [f"{refused} refused: see .refused"] if refused else []
    below = "".join(f"<p>{note}</p>" for note in notes)
    return f"<table><thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table>{below}"


def _row(verdict: Verdict) -> str:
    figures, data = verdict.summary, verdict.data
    excess = figures["net_excess"]
    cells = (
        _name(verdict),
        verdict.status,
        _number(figures["rank_ic"], 4),
        _number(figures["t"], 2),
        "undefined" if math.isnan(excess) else f"{excess:.1%}",
        f"{data.panel}, simulated" if data.simulated else data.panel,
    )
    return "<tr>" + "".join(f"<td>{escape(cell)}</td>" for cell in cells) + "</tr>"


def _name(verdict: Verdict) -> str:
    line = " ".join(verdict.name.split())
    return line if len(line) <= LONGEST_NAME else line[: LONGEST_NAME - 1] + "\u2026"


def _number(value: float, digits: int) -> str:
    return "undefined" if math.isnan(value) else f"{value:.{digits}f}"
