"""A hand-computed tape: lag, cost, rotation, delisting; and what the setup prepares."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from assay.errors import ConfigProblems
from assay.judge import Costs, Filters, JudgeSettings, judge
from assay.judge._setup import make_setup, shuffled_cells
from assay.market import STANDARD_FIELDS, MarketData, Panel

A = [10, 10, 10, 11, 11, 12, 12, 6, 6, 6, 6, 6]
B = [20, 20, 20, 20, 20, 20, 20, 20, 25, 24, np.nan, np.nan]
C = [30.0] * 12
SETTINGS = JudgeSettings(
    horizon=1, horizons=(1,), min_names=3, quantiles=2, rebalance=1, book="top_k", top_k=1, max_weight=1.0,
    delisting_value=0.5, costs=Costs(buy_bp=10, sell_bp=20),
    neutral=False, robustness="off", leak_checks="off",
)  # fmt: skip


def tape(first_day: str = "2023-08-18") -> Panel:
    close = np.array([A, B, C], dtype=np.float32).T
    dates = np.busday_offset(first_day, np.arange(12)).astype("datetime64[D]")
    fields = {"close": close, "volume": np.where(np.isnan(close), np.nan, 1000.0).astype(np.float32)}
    return Panel(
        MarketData(
            name="tape",
            dates=dates,
            instruments=("A", "B", "C"),
            fields=fields,
            infos={name: STANDARD_FIELDS[name] for name in fields},
            first_row=np.zeros(3, dtype=np.int32),
            last_row=np.array([11, 9, 11], dtype=np.int32),
            market="CN",
        )
    )


def rotation() -> np.ndarray:
    """A is best until row 4, B from row 5 on."""
    values = np.tile([3.0, 2.0, 1.0], (12, 1))
    values[5:, 1] = 4.0
    return values


def test_book_on_a_hand_computed_tape():
    book = judge(rotation(), tape(), SETTINGS)[0].book
    expected = np.zeros(12)
    # value of row 0 -> signal of row 1 -> bought at the close of row 2 -> first return on row 3
    expected[3] = 11 / 10 - 1
    expected[5] = 12 / 11 - 1
    expected[7] = 6 / 12 - 1  # B's lead begins with the value of row 5: sold at the close of row 7
    expected[8] = 25 / 20 - 1
    expected[9] = 24 / 25 - 1
    expected[10] = 0.5 - 1  # B ends: half of its last price is paid
    np.testing.assert_allclose(book.gross[:11], expected[:11], atol=2e-3)
    assert (book.cost[[0, 1, 3, 4, 5, 6, 8, 9]] == 0).all()
    assert book.cost[2] == pytest.approx(0.001 / 1.001)
    assert book.cost[7] == pytest.approx(0.5 * (0.002 + 0.001), rel=0.01)  # of the value before the bar
    assert book.delisted_closed == 1
    assert book.drawdown.min() < -0.5


def test_a_book_that_sold_in_time_holds_nothing_at_delisting():
    values = rotation()
    values[7:, 1] = 0.0
    assert judge(values, tape(), SETTINGS)[0].book.delisted_closed == 0


def test_dated_stamp_duty_halves_on_its_day():
    base = replace(SETTINGS, costs=Costs(buy_bp=0, sell_bp=0), stamp_duty="dated")
    before = judge(rotation(), tape("2023-08-14"), base)[0].book
    after = judge(rotation(), tape("2023-08-24"), base)[0].book
    assert before.cost[7] == pytest.approx(2 * after.cost[7], rel=1e-3)
    assert before.cost[7] == pytest.approx(0.5 * 0.001, rel=1e-3)
    with pytest.raises(ConfigProblems, match="stamp_duty"):
        judge(rotation(), tape(), replace(base, market="US"))


def test_filters_use_what_was_known_at_the_signal():
    """A falls below 10 on row 7; the book may still choose it by the signal of row 7, which knows row 6."""
    setup = make_setup(tape(), replace(SETTINGS, filters=Filters(min_price=8.0)))
    assert setup.allowed[7, 0]
    assert not setup.allowed[8, 0]
    assert not setup.allowed[0].any()


def test_shuffled_cells_move_members_within_their_row():
    rng = np.random.default_rng(5)
    members = rng.random((50, 40)) < 0.6
    members[3] = False
    cells = shuffled_cells(members, 1)
    columns = cells - np.arange(50)[:, None] * 40
    assert (np.sort(columns, axis=1) == np.arange(40)).all()
    assert (columns[~members] == np.nonzero(~members)[1]).all()
    assert (columns[members] != np.nonzero(members)[1]).mean() > 0.9
    assert (shuffled_cells(members, 2) != cells).any()
    np.testing.assert_array_equal(shuffled_cells(members, 1), cells)


def test_every_order_of_members_is_equally_likely():
    members = np.ones((6000, 3), dtype=bool)
    columns = shuffled_cells(members, 9) % 3
    _, counts = np.unique(columns, axis=0, return_counts=True)
    assert len(counts) == 6
    assert (abs(counts - 1000) < 5 * np.sqrt(1000)).all()


def test_traded_value_falls_back_to_price_times_volume(small):
    data = small.data
    close = data.fields["close"]
    infos = {**data.infos, "amount": STANDARD_FIELDS["amount"], "vwap": STANDARD_FIELDS["vwap"]}

    def traded_value(amount):
        fields = {**data.fields, "amount": amount, "vwap": close}
        return make_setup(Panel(replace(data, fields=fields, infos=infos)), SETTINGS).traded_value

    half = np.where(np.arange(close.shape[1]) % 2, close, np.float32(np.nan))
    product = close * data.fields["volume"]
    np.testing.assert_allclose(traded_value(half), product, rtol=1e-5, equal_nan=True)
    np.testing.assert_array_equal(traded_value(2 * close), 2 * close)
