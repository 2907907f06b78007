from __future__ import annotations

import io

import pytest
from rich.console import Console

from assay.judge import SUMMARY, Verdict, Verdicts
from assay.views import batch_table, verdict_lines


def _printed(width: int, *things: object) -> str:
    out = io.StringIO()
    console = Console(file=out, width=width, markup=False, highlight=False, emoji=False)
    for thing in things:
        console.print(thing)
    return out.getvalue()


def test_one_verdict_shows_figures_with_units_and_the_data(verdict: Verdict) -> None:
    text = _printed(200, *verdict_lines(verdict))
    assert "SIMULATED data" in text
    assert "signal from rows <= t-1, traded at the close of t+1, 5-bar label" in text
    assert "31.4 bp" in text
    assert "1.2 bn CNY" in text
    assert "adjustment failed" in text
    for column in SUMMARY:
        assert column.heading in text


def test_lag_zero_is_printed(verdict: Verdict) -> None:
    from dataclasses import replace

    late = replace(verdict, settings=replace(verdict.settings, lag=0))
    assert "signal from rows <= t," in _printed(200, *verdict_lines(late))


@pytest.mark.parametrize("width", [40, 60, 80, 100, 160])
def test_tables_fit_the_terminal(width: int, verdicts: Verdicts) -> None:
    text = _printed(width, batch_table(verdicts, width=width, marks={"planted_1": "planted"}))
    lines = text.splitlines()
    assert len(lines) == 4
    assert max(len(line) for line in lines) <= width
    assert "planted" in text


def test_wide_tables_have_more_columns(verdicts: Verdicts) -> None:
    assert len(batch_table(verdicts, width=160).columns) > len(batch_table(verdicts, width=70).columns)


def test_the_best_come_first_and_the_limit_holds(verdicts: Verdicts) -> None:
    text = _printed(120, batch_table(verdicts, width=120, limit=1))
    assert "<script>" in text
    assert "rank(close)" not in text


def test_brackets_of_formulas_are_not_markup(verdict: Verdict) -> None:
    from dataclasses import replace

    named = replace(verdict, identity=replace(verdict.identity, name="[red]x[/red]"))
    assert "[red]x[/red]" in _printed(120, *verdict_lines(named))
