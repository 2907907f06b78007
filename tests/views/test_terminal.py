from __future__ import annotations

import io
from collections.abc import Callable

import pytest
from rich.console import Console

from assay.judge import SUMMARY, BatchStatistics, Verdict, Verdicts
from assay.views import batch_lines, batch_table, verdict_lines


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


def test_the_deflated_ratio_has_a_column_where_n_is_known(verdicts: Verdicts) -> None:
    from dataclasses import replace

    def with_dsr(value: float) -> Verdicts:
        found = [
            replace(v, significance=replace(v.significance, dsr=value, trials=40, sharpe_variance=0.1))
            for v in verdicts
        ]
        return Verdicts(found, batch=verdicts.batch)

    known, unknown = with_dsr(0.375), with_dsr(float("nan"))
    shown = _printed(160, *batch_lines(known, width=160))
    assert any(" DSR " in line and " RankIC " in line for line in shown.splitlines())
    assert shown.count("37.5%") == len(known)
    assert "DSR: probability that the true ratio is above the best of N 40 without skill" in " ".join(
        shown.split()
    )
    assert "DSR" not in _printed(160, *batch_lines(unknown, width=160))
    assert all(len(line) <= 60 for line in _printed(60, batch_table(known, width=60)).splitlines())
    assert [row["dsr"] for row in known.rows()] == [0.375] * len(known)


def test_the_best_come_first_and_the_limit_holds(verdicts: Verdicts) -> None:
    text = _printed(120, batch_table(verdicts, width=120, limit=1))
    assert "<script>" in text
    assert "rank(close)" not in text


def test_brackets_of_formulas_are_not_markup(verdict: Verdict) -> None:
    from dataclasses import replace

    named = replace(verdict, identity=replace(verdict.identity, name="[red]x[/red]"))
    assert "[red]x[/red]" in _printed(120, *verdict_lines(named))


def _marked(make_verdict: Callable[..., Verdict], **figures: float) -> Verdicts:
    from dataclasses import replace

    plain = make_verdict()
    odd = replace(plain, summary={**plain.summary, **figures})
    return Verdicts([odd], batch=BatchStatistics(1, (0.01,), (0.01,), float("nan"), 0, ""))


def test_a_batch_says_what_was_judged_on_what(verdicts: Verdicts) -> None:
    text = _printed(200, *batch_lines(verdicts, width=200))
    assert "sim (SIMULATED data), csi300, 2018-01-16 to 2021-12-23" in text
    assert "costs 5 bp buying, 15 bp selling; unrecorded, N unknown" in text
    assert "warning: the value changes with a stock's adjustment factor" in text


@pytest.mark.parametrize("width", [80, 200])
def test_an_opposite_sign_and_costs_that_are_not_paid_are_marked(
    width: int, make_verdict: Callable[..., Verdict]
) -> None:
    text = _printed(width, *batch_lines(_marked(make_verdict, rank_ic=-0.03, net_excess=-0.1), width=width))
    assert "passed (\u2212)" in text
    assert "passed (\u2212): predicts returns with the opposite sign" in text
    assert "no net gain: after cost the book earns less than its benchmark" in text


def test_a_plain_pass_has_no_mark(make_verdict: Callable[..., Verdict]) -> None:
    text = _printed(200, *batch_lines(_marked(make_verdict), width=200))
    assert "\u2212" not in text
    assert "no net gain" not in text


def test_formulas_stay_whole_where_there_is_space(make_verdict: Callable[..., Verdict]) -> None:
    name = "rank(ts_corr(close, volume, 10)) - rank(ts_std(returns, 20))"
    batch = Verdicts([make_verdict(name)], batch=BatchStatistics(1, (0.1,), (0.1,), 0.0, 0, ""))
    assert name in _printed(120, batch_table(batch, width=120))


def test_reasons_are_said_once(verdict: Verdict) -> None:
    from dataclasses import replace

    from assay.judge import Criterion, Decision

    reason = "absolute t 1.2 < 3"
    failed = Criterion("t", "failed", 1.2, 3.0, reason)
    rejected = replace(verdict, decision=Decision("rejected", (failed,), f"Rejected: {reason}."))
    assert _printed(200, *verdict_lines(rejected)).count(reason) == 1


def test_the_deflated_ratio_says_why_it_is_missing(verdict: Verdict) -> None:
    from dataclasses import replace

    assert "no DSR: N unknown" in _printed(200, *verdict_lines(verdict))
    half = replace(verdict, significance=replace(verdict.significance, trials=50))
    assert "no DSR: V[SR] unknown, give --sharpe-variance" in _printed(200, *verdict_lines(half))
    source = "N given by the caller, V[SR] over this batch"
    found = replace(half.significance, sharpe_variance=0.01, dsr=0.4, trials_source=source)
    whole = replace(half, significance=found)
    assert "V[SR] over this batch" in _printed(200, *verdict_lines(whole))


def test_warnings_of_some_factors_are_counted_and_where_they_are_is_told(
    make_verdict: Callable[..., Verdict],
) -> None:
    from dataclasses import replace

    quiet = replace(make_verdict(name="quiet"), warnings=())
    found = Verdicts(
        [make_verdict(name="loud"), quiet],
        batch=BatchStatistics(2, (0.1, 0.1), (0.2, 0.2), float("nan"), 0, ""),
    )
    text = " ".join(_printed(200, *batch_lines(found, width=200)).split())
    assert "1 warning about 1 of 2 factors: the same command with --json lists them" in text
