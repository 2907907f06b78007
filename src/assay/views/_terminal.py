"""Verdicts as text for a terminal: one factor in full, many as a ranked table."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from assay.judge import SUMMARY, Column, Verdict, Verdicts
from assay.views._format import PER_YEAR, figure_text, number, percent, shorten
from assay.views._wording import (
    DEFLATED,
    NO_GAIN,
    any_deflated,
    deflated_help,
    deflated_value,
    footnotes,
    header_lines,
    no_gain,
    opposite,
    shared_warnings,
    status_text,
)

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
    "dsr",
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
    "dsr": 5,
    "break_even_bp": 10,
    "rank_icir": 9,
    "turnover": 9,
    "ir": 6,
    "coverage": 9,
}
_LEAST_NAME = 22
_LEAST_COLUMNS = 4
_WIDE = 110
_SHORT_MARK = "*"
_PSR_HELP = "probability that the true Sharpe ratio of net excess is above 0"


def verdict_lines(verdict: Verdict) -> list[RenderableType]:
    """One judged factor: what was judged on what, the decision, the figures with units, the leak checks."""
    from rich.text import Text

    decision = Text(verdict.decision.sentence, style=_STATUS_STYLE[verdict.status])
    lines: list[RenderableType] = [Text(verdict.name, style="bold")]
    lines += [Text(line) for line in header_lines(verdict)]
    lines.append(decision)
    lines += [Text(f"warning: {warning}", style="yellow") for warning in verdict.warnings]
    lines += [_figures_table(verdict), _leak_line(verdict)]
    return lines


def batch_lines(
    verdicts: Verdicts, *, width: int, marks: Mapping[str, str] | None = None, limit: int | None = None
) -> list[RenderableType]:
    """Many factors: what was judged on what, the ranked table, its footnotes, and how many warnings."""
    from rich.text import Text

    if not len(verdicts):
        return []
    common, count = shared_warnings(verdicts)
    shown = [verdicts.named(row["name"]) for row in verdicts.rows(by="t")[:limit]]
    lines: list[RenderableType] = [Text(line) for line in header_lines(verdicts[0], batch=True)]
    lines += [Text(f"warning: {text}", style="yellow") for text in common]
    lines.append(batch_table(verdicts, width=width, marks=marks, limit=limit))
    mark = NO_GAIN if width >= _WIDE else _SHORT_MARK
    lines += [Text(note, style="bright_black") for note in footnotes(shown, mark=mark)]
    if count:
        lines.append(Text(count, style="yellow"))
    return lines


def batch_table(
    verdicts: Verdicts, *, width: int, marks: Mapping[str, str] | None = None, limit: int | None = None
) -> Table:
    """A ranked table that fits ``width`` characters: columns go before the formula is cut too short."""
    from rich.table import Table

    marks = marks or {}
    ranked = [verdicts.named(row["name"]) for row in verdicts.rows(by="t")[:limit]]
    badges = [_badge(verdict, width) for verdict in ranked]
    fixed = _fixed_width(badges, [marks.get(verdict.name, "") for verdict in ranked] if marks else None)
    longest = max((len(" ".join(verdict.name.split())) for verdict in ranked), default=0)
    columns = _fitting(width - fixed, longest, deflated=any_deflated(ranked))
    table = Table(box=None, pad_edge=False, header_style="bold", padding=(0, 1, 0, 0))
    table.add_column("#", justify="right")
    table.add_column("factor", no_wrap=True, overflow="ellipsis", ratio=1)
    if marks:
        table.add_column("mark", no_wrap=True)
    table.add_column("verdict", no_wrap=True)
    for column in columns:
        table.add_column(column.heading, justify="right", no_wrap=True)
    name_width = _name_width(width - fixed, columns)
    for place, (verdict, badge) in enumerate(zip(ranked, badges, strict=True), 1):
        cells = [str(place), shorten(verdict.name, name_width)]
        if marks:
            cells.append(marks.get(verdict.name, ""))
        cells.append(badge)
        cells += [_cell(verdict, column) for column in columns]
        table.add_row(*_literal(cells), style=_row_style(verdict))
    return table


def _cell(verdict: Verdict, column: Column) -> str:
    if column is DEFLATED:
        return deflated_value(verdict)
    text = figure_text(verdict.summary[column.key], column, market=verdict.data.market)
    return text.removesuffix(PER_YEAR)


def _badge(verdict: Verdict, width: int) -> str:
    """The status, with a mark where the sign is against it or the book does not pay its costs."""
    text = status_text(verdict)
    if not no_gain(verdict):
        return text
    return f"{text}, {NO_GAIN}" if width >= _WIDE else f"{text}{_SHORT_MARK}"


def _row_style(verdict: Verdict) -> str | None:
    if verdict.status == "rejected":
        return None
    plain = opposite(verdict) or no_gain(verdict)
    return None if plain else _STATUS_STYLE[verdict.status]


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
    table.add_row("PSR", percent(verdict.significance.psr), Text(_PSR_HELP))
    table.add_row("DSR", deflated_value(verdict), Text(deflated_help(verdict)))
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


def _fixed_width(badges: Sequence[str], marks: Sequence[str] | None) -> int:
    """Characters taken by place, verdict and mark, each with a space after it."""
    verdict = max(len("verdict"), *map(len, badges), 0) + 1
    mark = 0 if marks is None else max(len("mark"), *map(len, marks), 0) + 1
    return max(len(str(len(badges))), 1) + 1 + verdict + mark


def _fitting(room: int, longest: int, *, deflated: bool) -> list[Column]:
    """As many columns as leave the factors whole; the first four stay while a name is still legible."""
    by_key = {column.key: column for column in (*SUMMARY, DEFLATED)}
    columns = [by_key[key] for key in _BATCH_KEYS if deflated or key != DEFLATED.key]
    while len(columns) > _LEAST_COLUMNS and _name_width(room, columns) < longest:
        columns.pop()
    while columns and _name_width(room, columns) < min(longest, _LEAST_NAME):
        columns.pop()
    return columns


def _name_width(room: int, columns: Sequence[Column]) -> int:
    taken = sum(max(len(column.heading), _WIDTHS[column.key]) + 1 for column in columns)
    return max(room - taken - 1, 8)


def _literal(cells: Sequence[str]) -> list[RenderableType]:
    """Cells as text: a formula is never read as markup."""
    from rich.text import Text

    return [Text(cell) for cell in cells]
