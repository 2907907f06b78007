"""The window report from figures, and its names beside those of the service."""

from __future__ import annotations

from dataclasses import fields
from typing import Any

import pytest

from assay.evolve import METRICS, Compared, Pair, markdown, window_reports
from assay.judge import SUMMARY, EvalFigures
from assay.service._desk import FIGURES
from assay.service._models import EvalFigures as EvalBody


def figures(ir: float | None, turnover: float = 10.0) -> dict[str, float | None]:
    return {"ir": ir, "net_excess": 0.1, "max_drawdown": -0.2, "turnover": turnover, "rank_ic": 0.02}


class Table:
    """Answers from a table; keeps what was asked."""

    def __init__(self, *rows: Compared) -> None:
        self.rows = rows
        self.asked: list[tuple[str, str]] = []

    def compare(self, pair: Pair, window: Any) -> Compared:
        self.asked.append((window, pair.evolved))
        return self.rows[int(pair.evolved)]


def test_the_names_are_those_of_judge_and_service() -> None:
    """A name that the engine never emits would make a report of nothing."""
    assert set(METRICS) <= {column.key for column in SUMMARY}
    assert set(METRICS) <= set(FIGURES)
    assert set(METRICS) <= {item.name for item in fields(EvalFigures)}
    assert set(METRICS) <= set(EvalBody.model_fields)


def test_medians_and_the_share_that_got_better() -> None:
    table = Table(
        Compared(figures(0.1, 10), figures(0.4, 12)),
        Compared(figures(0.5, 10), figures(0.3, 8)),
        Compared(figures(0.2, 10), figures(0.9, 7)),
        Compared(figures(0.2, 10), figures(None)),
        Compared(None, None, "unknown_op"),
    )
    pairs = [Pair("spec-0123456789abcdef", "s", str(n)) for n in range(5)]
    sealed, search = window_reports(pairs, table)
    assert (sealed.window, search.window) == ("eval", "search")
    assert [window for window, _ in table.asked] == ["eval"] * 5 + ["search"] * 5
    rows = {row.metric: row for row in sealed.metrics}
    ir = rows["ir"]
    assert (sealed.n, ir.n_scored) == (5, 3)
    assert (ir.median_seed, ir.median_evolved) == (0.2, 0.4)
    assert ir.median_delta == pytest.approx(0.3)
    assert ir.improved_share == pytest.approx(2 / 3)
    assert rows["turnover"].improved_share == 0.5  # less of it is better: 8 and 7 of four
    assert rows["rank_ic"].improved_share == 0.0  # equal is not better
    page = markdown([sealed])
    assert "| ir | 3 | 0.2000 | 0.4000 | 0.3000 | 67% |" in page


def test_nothing_scored_is_no_figure() -> None:
    (sealed, _) = window_reports([Pair("spec-0123456789abcdef", "s", "0")], Table(Compared(None, None, "x")))
    assert all(row.median_delta is None and row.improved_share is None for row in sealed.metrics)
    assert "| ir | 0 |  |  |  |  |" in markdown([sealed])
