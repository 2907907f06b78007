"""Verdicts as text for a terminal: one factor in full, many as a ranked table."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from assay.judge import SUMMARY, Column, Verdict, Verdicts
from assay.views._format import figure_text, number, shorten

if TYPE_CHECKING:
    from rich.console import RenderableType
    from rich.table import Table

_STATUS_STYLE = {"passed": "green", "rejected": "yellow", "undefined": "bright_black"}
# the order in which columns are given up when the terminal is narrow: the last goes first
_BATCH_KEYS = (
    "rank_ic",
    "t",
    "neutral_rank_ic",
    "net_excess",
    "break_even_bp",
    "rank_icir",
    "turnover",
    "ir",
    "coverage",
)
_WIDTHS = {
    "rank_ic": 7,
    "t": 6,
    "neutral_rank_ic": 8,
    "net_excess": 8,
    "break_even_bp": 10,
    "rank_icir": 9,
    "turnover": 9,
    "ir": 6,
    "coverage": 9,
}
_LEAST_NAME = 22


def verdict_lines(verdict: Verdict) -> list[RenderableType]:
    """One judged factor: what was judged on what, the decision, the figures with units, the leak checks."""
    from rich.text import Text

    data = verdict.data
    kind = "SIMULATED data" if data.simulated else "real data"
    head = Text(verdict.name, style="bold")
    where = Text(
        f"{data.panel} ({kind}), {data.universe or 'all instruments'}, "
        f"{data.first_signal} to {data.last_signal}; {timing_text(verdict)}; {data.record}"
    )
    decision = Text(verdict.decision.sentence, style=_STATUS_STYLE[verdict.status])
    lines: list[RenderableType] = [head, where, decision]
    lines += [Text(f"  - {reason}") for reason in verdict.decision.reasons]
    lines += [Text(f"warning: {warning}", style="yellow") for warning in verdict.warnings]
    lines += [_figures_table(verdict), _leak_line(verdict)]
    return lines


def batch_table(
    verdicts: Verdicts, *, width: int, marks: Mapping[str, str] | None = None, limit: int | None = None
) -> Table:
    """A ranked table that fits ``width`` characters: columns go before the formula is cut too short."""
    from rich.table import Table

    marks = marks or {}
    columns = _fitting(width, marked=bool(marks))
    table = Table(box=None, pad_edge=False, header_style="bold", padding=(0, 1, 0, 0))
    table.add_column("#", justify="right")
    table.add_column("factor", no_wrap=True, overflow="ellipsis", ratio=1)
    if marks:
        table.add_column("mark")
    table.add_column("verdict")
    for column in columns:
        table.add_column(column.heading, justify="right", no_wrap=True)
    name_width = _name_width(width, columns, marked=bool(marks))
    for place, row in enumerate(verdicts.rows(by="t")[:limit], 1):
        cells = [str(place), shorten(str(row["name"]), name_width)]
        if marks:
            cells.append(marks.get(row["name"], ""))
        cells.append(str(row["status"]))
        cells += [figure_text(row[column.key], column, market=verdicts[0].data.market) for column in columns]
        table.add_row(
            *_literal(cells), style=_STATUS_STYLE[row["status"]] if row["status"] != "rejected" else None
        )
    return table


def timing_text(verdict: Verdict) -> str:
    """What the signal knew and when it traded, in a few words."""
    settings = verdict.settings
    known = "t" if settings.lag == 0 else f"t-{settings.lag}"
    return f"signal from rows <= {known}, traded at the {settings.fill} of t+1, {settings.horizon}-bar label"


def _figures_table(verdict: Verdict) -> Table:
    from rich.table import Table
    from rich.text import Text

    table = Table(box=None, pad_edge=False, show_header=False, padding=(0, 2, 0, 0))
    table.add_column(no_wrap=True)
    table.add_column(justify="right", no_wrap=True)
    table.add_column(style="bright_black")
    for column in SUMMARY:
        value = figure_text(verdict.summary[column.key], column, market=verdict.data.market)
        table.add_row(column.heading, value, Text(column.description))
    shuffle = verdict.robustness.shuffle
    if shuffle is not None:
        band = f"{number(shuffle.low)} to {number(shuffle.high)}"
        table.add_row("band", Text(band), Text("mean RankIC of signals without information"))
        table.add_row(
            "late", number(verdict.robustness.late_rank_ic), Text("RankIC of the signal one bar late")
        )
    return table


def _leak_line(verdict: Verdict) -> RenderableType:
    from rich.text import Text

    return Text("leak checks: " + ", ".join(f"{c.name} {c.outcome.replace('_', ' ')}" for c in verdict.leaks))


def _fitting(width: int, *, marked: bool) -> list[Column]:
    by_key = {column.key: column for column in SUMMARY}
    columns = [by_key[key] for key in _BATCH_KEYS]
    while columns and _name_width(width, columns, marked=marked) < _LEAST_NAME:
        columns.pop()
    return columns


def _name_width(width: int, columns: Sequence[Column], *, marked: bool) -> int:
    fixed = 4 + 10 + (9 if marked else 0)
    taken = sum(max(len(column.heading), _WIDTHS[column.key]) + 1 for column in columns)
    return max(width - fixed - taken - 1, 8)


def _literal(cells: Sequence[str]) -> list[RenderableType]:
    """Cells as text: a formula is never read as markup."""
    from rich.text import Text

    return [Text(cell) for cell in cells]
