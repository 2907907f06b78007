"""The report of a batch: a ranked table and the best sheets."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from assay.judge import SUMMARY, Verdict, Verdicts
from assay.views._format import PER_YEAR, figure_text, small_number
from assay.views._page import render
from assay.views._sheet import data_rows, sheet_values
from assay.views._wording import (
    DEFLATED,
    any_deflated,
    deflated_value,
    footnotes,
    header_lines,
    no_gain,
    shared_warnings,
    status_text,
)

TABLE_KEYS = (
    "rank_ic",
    "neutral_rank_ic",
    "rank_icir",
    "t",
    "net_excess",
    "ir",
    "max_drawdown",
    "turnover",
    "break_even_bp",
    "coverage",
)
_DATA_LABELS = ("data set", "universe", "judged dates", "timing", "costs", "book", "record")


def batch_report(
    verdicts: Verdicts,
    *,
    title: str,
    notes: Sequence[str] = (),
    marks: Mapping[str, str] | None = None,
    sheets: int = 3,
) -> str:
    """One self-contained HTML page about many factors, best first by \\|t\\|.

    Parameters
    ----------
    verdicts : at least one.
    title : heading of the page.
    notes : paragraphs above the table.
    marks : a short word for some factors, by name, such as ``planted``.
    sheets : number of full tear sheets, of the best factors, below the table.
    """
    from assay._version import __version__

    marks = marks or {}
    rows = verdicts.rows(by="t")
    best = _best(verdicts, [row["name"] for row in rows], sheets)
    shown = [sheet_values(verdict, prefix=f"s{index}") for index, verdict in enumerate(best)]
    anchors = {sheet["name"]: sheet["id"] for sheet in shown}
    return render(
        "batch.html",
        title=title,
        version=__version__,
        notes=list(notes),
        simulated=len(verdicts) > 0 and verdicts[0].data.simulated,
        data=[row for row in data_rows(verdicts[0]) if row[0] in _DATA_LABELS] if len(verdicts) else [],
        header=header_lines(verdicts[0], batch=True) if len(verdicts) else [],
        headings=_headings(bool(marks), deflated=any_deflated(verdicts)),
        rows=[_row(place, row, marks, anchors, verdicts) for place, row in enumerate(rows, 1)],
        refused=[
            (item.name, item.text, item.error.message, item.error.fix or "") for item in verdicts.refused
        ],
        batch=_batch_lines(verdicts),
        footnotes=footnotes(verdicts),
        sheets=shown,
    )


def _best(verdicts: Verdicts, ranked: Sequence[str], most: int) -> list[Verdict]:
    """The best verdicts, one for each of several formulas that are the same."""
    found: dict[str, Verdict] = {}
    for name in ranked:
        if len(found) >= most:
            break
        verdict = verdicts.named(name)
        found.setdefault(verdict.identity.fingerprint or name, verdict)
    return list(found.values())


def _headings(marked: bool, *, deflated: bool) -> list[dict[str, Any]]:
    by_key = {column.key: column for column in SUMMARY}
    fixed = [
        ("#", "place by |t|", True),
        ("factor", "name or formula", False),
        ("verdict", "of the rule", False),
    ]
    if marked:
        fixed.insert(2, ("mark", "what is known about it", False))
    figures = [(by_key[key].heading, by_key[key].description, True) for key in TABLE_KEYS]
    if deflated:
        figures.append((DEFLATED.heading, DEFLATED.description, True))
    figures.append(("q (BH)", "p-value adjusted for the size of the batch (Benjamini-Hochberg)", True))
    return [{"text": text, "help": help_, "numeric": numeric} for text, help_, numeric in fixed + figures]


def _row(
    place: int,
    row: Mapping[str, Any],
    marks: Mapping[str, str],
    anchors: Mapping[str, str],
    verdicts: Verdicts,
) -> dict[str, Any]:
    by_key = {column.key: column for column in SUMMARY}
    verdict = verdicts.named(row["name"])
    market = verdict.data.market
    texts = [figure_text(row[key], by_key[key], market=market).removesuffix(PER_YEAR) for key in TABLE_KEYS]
    figures = [(_sortable(row[key]), text) for key, text in zip(TABLE_KEYS, texts, strict=True)]
    if any_deflated(verdicts):
        figures.append((_sortable(row["dsr"]), deflated_value(verdict)))
    figures.append((_sortable(row["q_bh"]), small_number(row["q_bh"])))
    return {
        "place": place,
        "name": row["name"],
        "formula": verdict.identity.text,
        "anchor": anchors.get(row["name"], ""),
        "status": row["status"],
        "badge": status_text(verdict),
        "no_gain": no_gain(verdict),
        "mark": marks.get(row["name"], "") if marks else None,
        "figures": figures,
    }


def _sortable(value: float) -> str:
    return "" if value != value else repr(float(value))


def _batch_lines(verdicts: Verdicts) -> list[str]:
    batch = verdicts.batch
    passed = sum(verdict.status == "passed" for verdict in verdicts)
    common, count = shared_warnings(verdicts) if len(verdicts) else ([], "")
    lines = [f"{passed} of {batch.judged} judged factors passed."]
    significant = sum(q <= 0.05 for q in batch.q_by)
    lines.append(f"{significant} have a q-value of at most 5% under any dependence (Benjamini-Yekutieli).")
    if batch.pbo == batch.pbo:
        lines.append(f"Probability of backtest overfitting: {batch.pbo:.2f} over {batch.pbo_splits} splits.")
    elif batch.note:
        lines.append(f"Probability of backtest overfitting: not computed: {batch.note}.")
    lines += [f"Warning about all of them: {text}." for text in common]
    if count:
        lines.append(f"{count}.")
    return lines
