from __future__ import annotations

import numpy as np
import pytest

from assay.errors import DataError
from assay.expr import parse
from assay.judge.training import PermutedReturns, TrainingJudge, TrainingSettings
from assay.market import Panel, simulate


@pytest.fixture(scope="module")
def market() -> Panel:
    return simulate(5, instruments=80, days=420)


def test_blocks_change_their_place_and_stay_whole() -> None:
    order = PermutedReturns(block=20, seed=1).order(205)
    assert sorted(order.tolist()) == list(range(205))
    assert not (order == np.arange(205)).any()
    follows = (order[1:] - order[:-1]) % 205 == 1
    assert 205 - 1 - 11 <= follows.sum() <= 205 - 1 - 8  # ten blocks, and the seam of the circle
    assert order.tolist() == PermutedReturns(block=20, seed=1).order(205).tolist()
    assert order.tolist() != PermutedReturns(block=20, seed=2).order(205).tolist()


@pytest.mark.parametrize("block", [0, -1, 80, 500])
def test_too_few_blocks_are_refused(block: int) -> None:
    with pytest.raises(DataError, match="blocks of"):
        PermutedReturns(block=block, seed=1).order(200)


def test_a_planted_signal_is_gone_and_formulas_read_the_same_bars(market: Panel) -> None:
    planted = max(market.manifest.planted, key=lambda item: abs(item.ic))
    formula = parse(planted.expression, fields=TrainingJudge(market).fields)
    settings = TrainingSettings()
    (real,) = TrainingJudge(market, settings=settings).score([formula])
    found = []
    for seed in range(6):
        judge = TrainingJudge(market, settings=settings, permuted=PermutedReturns(block=20, seed=seed))
        (score,) = judge.score([formula])
        assert np.array_equal(score.ranks, real.ranks)
        assert score.coverage == real.coverage
        found.append(score.rank_ic)
    assert abs(real.t) > 4
    assert abs(np.mean(found)) < 0.2 * abs(real.rank_ic)


def test_what_a_stock_earned_on_average_says_nothing(market: Panel) -> None:
    """The formula's values hardly change from date to date: it would find returns that stay with a stock."""
    settings = TrainingSettings()
    slow = parse("cumulative_sum(returns)")
    ics = [
        TrainingJudge(market, settings=settings, permuted=PermutedReturns(block=20, seed=seed))
        .score([slow])[0]
        .rank_ic
        for seed in range(6)
    ]
    assert abs(np.mean(ics)) < 0.03


def test_what_went_before_says_nothing_of_what_comes() -> None:
    """Past returns are in the formula and may not come to their own place: a mean with them would tell."""
    panel, settings = simulate(8, instruments=60, days=300, signal=False), TrainingSettings()
    past = parse("ts_return(close, 40)")
    ics = []
    for seed in range(25):
        null = PermutedReturns(block=60, seed=seed)
        ics.append(TrainingJudge(panel, settings=settings, permuted=null).score([past])[0].rank_ic)
    assert abs(np.mean(ics)) < 3 * np.std(ics, ddof=1) / 5  # -0.048 with the mean of all rows


def test_the_cross_section_of_a_date_moves_together(market: Panel) -> None:
    plain, null = TrainingJudge(market), PermutedReturns(block=20, seed=3)
    setup = null.applied(plain.setup)
    rows = null.order(plain.setup.rows.stop - plain.setup.rows.start)
    before, after = np.asarray(plain.setup.tape.bars), np.asarray(setup.tape.bars)
    start = plain.setup.rows.start
    gaps = []
    for place in range(30, 90):
        source = start + rows[place - start]
        both = (before[source] != 0) & (after[place] != 0)
        if source == 0:  # nothing came before the first row
            continue
        gaps.append(np.corrcoef(before[source][both], after[place][both])[0, 1])
    assert np.median(gaps) > 0.94  # less the mean of twenty other dates
    assert np.array_equal(setup.tape.priced, plain.setup.tape.priced)
