"""A training score has the figures that a judgement of the same dates has."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import replace

import numpy as np
import pytest

from assay.errors import Refusal
from assay.expr import parse
from assay.judge import judge
from assay.judge.training import TrainingJudge, TrainingSettings
from assay.judge.training._book import top_k
from assay.market import Panel
from assay.metrics import lag_rows, newey_west_p, newey_west_t, top_k_weights

from .conftest import TAIL

FORMULAS = [
    "-ts_return(close, 5)",
    "ts_std(returns, 20)",
    "sign(returns)",
    "rank(volume) + ts_rank(close, 3)",
]
SAME = (
    "rank_ic", "neutral_rank_ic", "t", "ic", "icir", "rank_icir", "days", "names", "coverage", "turnover",
    "break_even_bp", "net_excess", "ir",
)  # fmt: skip


@pytest.mark.parametrize(
    "changes",
    [
        {},
        {"book": "decile", "quantiles": 5},
        {"book": "top_k", "top_k": 10, "buffer": 5, "rebalance": 3, "lots": "a_share"},
        {"book": "long_short", "quantiles": 5, "direction": "given", "horizon": 2},
        {"book": "dollar_neutral", "neutralize": "industry", "lag": 0, "threads": 2},
    ],
)
def test_figures_are_those_of_the_judge(market: Panel, changes: dict) -> None:
    plain = TrainingSettings(validate_bars=TAIL)
    settings = replace(plain, judge=replace(plain.judge, **changes))
    training = TrainingJudge(market, settings=settings)
    items = [parse(text) for text in FORMULAS]
    scores = training.score(items)
    verdicts = judge(items, market, settings.scoring(training.end))
    for score, verdict in zip(scores, verdicts, strict=True):
        figures = score.figures()
        for name in SAME:
            assert figures[name] == pytest.approx(verdict.summary[name], abs=1e-12, nan_ok=True), name
        assert score.sharpe == pytest.approx(verdict.significance.sharpe, abs=1e-12, nan_ok=True)
        np.testing.assert_array_equal(score.rank_ics, verdict.series["rank_ic"])
        if "neutral_rank_ic" in verdict.series:
            np.testing.assert_array_equal(score.neutral_rank_ics, verdict.series["neutral_rank_ic"])
        assert score.direction == (-1 if verdict.summary["rank_ic"] < 0 and "direction" not in changes else 1)


def test_the_payoff_is_what_the_ranks_earn(market: Panel, trained: TrainingJudge) -> None:
    score = trained.score([parse(FORMULAS[0])])[0]
    setup = trained.setup
    signal = lag_rows(-market.field("close") / lag_rows(market.field("close"), 5), 1)[: len(setup.dates)]
    found = setup.scorer.score(signal).quantiles.ladder[setup.rows]
    series = found[np.isfinite(score.rank_ics)]
    assert score.payoff == pytest.approx(series.mean(), rel=1e-6)
    assert score.payoff_t == pytest.approx(newey_west_t(series, 10), rel=1e-6)
    assert score.p == newey_west_p(score.t, score.days, score.t_lags, 5)
    assert score.payoff_p == newey_west_p(score.payoff_t, score.days, score.t_lags, 5)


def test_folds_are_equal_stretches(trained: TrainingJudge) -> None:
    score = trained.score([parse(FORMULAS[0])])[0]
    assert len(score.rank_ics) == 320
    for fold, first in zip(score.fold_rank_ics, (0, 80, 160, 240), strict=True):
        assert fold == pytest.approx(np.nanmean(score.rank_ics[first : first + 80]), abs=1e-15)
    for fold, first in zip(score.fold_neutral_rank_ics, (0, 80, 160, 240), strict=True):
        assert fold == pytest.approx(np.nanmean(score.neutral_rank_ics[first : first + 80]), abs=1e-15)


def test_threads_and_company_change_no_bit(market: Panel, trained: TrainingJudge) -> None:
    settings = replace(trained.settings, judge=replace(trained.settings.judge, threads=2))
    alone = [trained.score([parse(text)])[0] for text in FORMULAS]
    together = TrainingJudge(market, settings=settings).score([parse(text) for text in FORMULAS])
    for a, b in zip(alone, together, strict=True):
        np.testing.assert_equal(a.figures(), b.figures())
        assert a.ranks.tobytes() == b.ranks.tobytes()


def test_what_cannot_be_ranked_is_refused_before_anything_is_evaluated(trained: TrainingJudge) -> None:
    with pytest.raises(Refusal) as caught:
        trained.score([parse("ts_return(close, 9)"), parse("industry", fields=trained.fields)])
    assert caught.value.reason.code == "no_signal"
    with pytest.raises(Refusal) as caught:
        trained.score([parse("rank(x1)", "fastexpr")])
    assert caught.value.reason.code == "unknown_field"


def test_progress_is_told(market: Panel, settings: TrainingSettings) -> None:
    told: list[tuple[int, int]] = []
    judge = TrainingJudge(market, settings=settings)
    judge.score([parse(text) for text in FORMULAS], progress=lambda done, total: told.append((done, total)))
    assert told == [(1, 4), (2, 4), (3, 4), (4, 4)]


@pytest.mark.parametrize("seed", range(60))
def test_the_best_k_are_those_of_the_metrics(seed: int) -> None:
    rng = np.random.default_rng(seed)
    shape = int(rng.integers(1, 40)), int(rng.integers(5, 40))
    k = int(rng.integers(1, 9))
    signal = rng.integers(0, rng.integers(2, 40), shape).astype(np.float32)
    signal[rng.random(shape) < 0.6 * rng.random()] = np.nan
    allowed = rng.random(shape) < 0.9
    for buffer in (0, 2):
        found = top_k(signal, k, buffer, allowed, 0.2)
        np.testing.assert_array_equal(
            found, top_k_weights(signal, k, buffer=buffer, allowed=allowed, cap=0.2)
        )


def test_the_judge_starts_without_it() -> None:
    code = "import sys, assay.judge; sys.exit('assay.judge.training' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
