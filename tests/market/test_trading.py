from __future__ import annotations

import numpy as np
import pytest

from assay.market import LISTED_BEFORE, Panel, PriceLimits, field_info
from assay.market._limits import board, limit_ratios, round_to_tick

from .tapes import panel_array, tape


def test_limits_follow_the_adjusted_previous_close() -> None:
    trading = Panel(tape()).trading()
    # A: +10% on days 1 and 3; on day 2 a 2-for-1 split takes 11 to a reference of 5.50, the close is 6.00
    assert trading.limit_up[:, 0].tolist() == [False, True, False, True]
    # B: suspended on day 1, limit-up on day 2 from the last traded close
    assert trading.limit_up[:, 1].tolist() == [False, False, True, False]
    # C: +10%, then -10%
    assert trading.limit_up[:, 2].tolist() == [False, True, False, False]
    assert trading.limit_down[:, 2].tolist() == [False, False, True, False]


def test_a_suspension_is_not_an_absence() -> None:
    trading = Panel(tape()).trading()
    assert trading.suspended[1].tolist() == [False, True, False]
    assert not trading.suspended[3].any()
    assert trading.priced[:, 1].tolist() == [True, False, True, True]


def test_age_counts_from_the_first_record_and_is_great_when_unknown() -> None:
    trading = Panel(tape(first_row=np.array([0, 1, 0], dtype=np.int32))).trading()
    assert trading.age_bars[:, 1].tolist() == [-1, 0, 1, 2]
    assert trading.age_bars[0, 0] == LISTED_BEFORE


def test_limits_at_the_open_are_those_of_the_open() -> None:
    data = tape()
    opens = data.fields["close"].copy()
    opens[1, 0] = 10.5
    panel = Panel(tape(fields={**data.fields, "open": opens}))
    assert panel.trading("close").limit_up[1, 0]
    assert not panel.trading("open").limit_up[1, 0]


def test_an_average_price_is_only_out_of_reach_when_the_whole_bar_is() -> None:
    data = tape()
    high, low = data.fields["close"].copy(), data.fields["close"].copy()
    low[1, 2] = 5.0
    panel = Panel(tape(fields={**data.fields, "high": high, "low": low}))
    assert panel.trading("vwap").limit_up[1].tolist() == [True, False, False]


def test_stored_limit_prices_take_precedence() -> None:
    data = tape()
    upper = np.full(data.shape, 12, dtype=np.float32)
    lower = np.full(data.shape, 1, dtype=np.float32)
    fields = {**data.fields, "limit_up_price": upper, "limit_down_price": lower}
    panel = Panel(tape(fields=fields, infos={name: field_info(name) for name in fields}))
    assert panel.trading().limit_up[:, 0].tolist() == [False, False, False, False]
    assert panel.trading().limit_up[:, 1].tolist() == [True, False, True, True]


def test_without_limits_nothing_is_blocked() -> None:
    trading = Panel(tape(limits=PriceLimits("none"))).trading()
    assert not trading.limit_up.any()
    assert not trading.limit_down.any()


@pytest.mark.parametrize(
    ("symbol", "expected"),
    [
        ("SH600000", "main"),
        ("sz.000001", "main"),
        ("688981.SH", "star"),
        ("SH689009", "star"),
        ("300750.XSHE", "chinext"),
        ("SZ301269", "chinext"),
        ("SZ302132", "chinext"),
        ("BJ430047", "beijing"),
        ("920002.BJ", "beijing"),
        ("600000", "main"),
        ("AAPL", "other"),
        ("S0001", "other"),
    ],
)
def test_boards(symbol: str, expected: str) -> None:
    assert board(symbol) == expected


def ratios(symbol: str, day: str, *, st: bool = False, age: int = LISTED_BEFORE) -> tuple[float, float]:
    """The limits of one bar whose instrument was listed ``age`` calendar-consecutive rows before."""
    last = np.datetime64(day)
    dates = last - np.arange(10)[::-1]
    flags = np.zeros((10, 1), dtype=bool)
    flags[-1] = st
    ages = (np.arange(10)[:, None] - 9 + age).astype(np.int32)
    up, down = limit_ratios([symbol], dates, flags, ages)
    return float(up[-1, 0]), float(down[-1, 0])


@pytest.mark.parametrize(
    ("symbol", "day", "st", "up"),
    [
        ("SH600000", "2019-01-04", False, 0.10),
        ("SH600000", "2019-01-04", True, 0.05),
        ("SH688981", "2021-01-04", False, 0.20),
        ("SZ300750", "2020-08-21", False, 0.10),
        ("SZ300750", "2020-08-21", True, 0.05),
        ("SZ300750", "2020-08-24", False, 0.20),
        ("SZ300750", "2020-08-24", True, 0.20),
        ("BJ430047", "2022-01-04", False, 0.30),
    ],
)
def test_ratios_by_board_and_date(symbol: str, day: str, st: bool, up: float) -> None:
    assert ratios(symbol, day, st=st) == (up, up)


def test_new_listings() -> None:
    assert ratios("SH600001", "2020-01-06", age=0) == (0.44, 0.36)
    assert ratios("SH600001", "2020-01-06", age=1) == (0.10, 0.10)
    assert np.isnan(ratios("SH688001", "2020-01-06", age=4)).all()
    assert ratios("SH688001", "2020-01-06", age=5) == (0.20, 0.20)
    assert ratios("SZ300001", "2020-06-05", age=0) == (0.44, 0.36)
    assert np.isnan(ratios("SZ300001", "2020-09-04", age=4)).all()
    assert np.isnan(ratios("SH600001", "2023-04-20", age=3)).all()
    assert ratios("SH600001", "2023-04-20", age=5) == (0.10, 0.10)


def test_prices_round_half_up_to_the_tick() -> None:
    # 10.05 x 1.1 = 11.055 in decimals, and a little less in binary
    np.testing.assert_allclose(round_to_tick(np.array([11.055, 9.045, 1.2345])), [11.06, 9.05, 1.23])


def test_a_limit_close_is_seen_in_float32() -> None:
    dates = np.array(["2021-01-04", "2021-01-05"], dtype="datetime64[D]")
    close = panel_array([[10.05, 33.33, 1234.56], [11.06, 30.0, 1358.02]])
    fields = {"close": close, "factor": np.ones_like(close)}
    panel = Panel(
        tape(
            dates=dates,
            fields=fields,
            infos={name: field_info(name) for name in fields},
            first_row=np.zeros(3, dtype=np.int32),
            last_row=np.ones(3, dtype=np.int32),
            instruments=("SH600000", "SZ000001", "SH600519"),
            groups={},
            universes={},
            vectors={},
            events={},
            limits=PriceLimits("cn"),
        )
    )
    trading = panel.trading()
    assert trading.limit_up.tolist() == [[False] * 3, [True, False, True]]
    assert trading.limit_down.tolist() == [[False] * 3, [False, True, False]]
