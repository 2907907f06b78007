from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assay.errors import DataError
from assay.metrics import COSTS_CN, REJECTS, Costs, Lots, Simulation, Tape, simulate

NAN = math.nan
FREE = Costs(0.0, 0.0)
DAYS = 12

# Three stocks, twelve days. A moves on the day before anyone can own it. B is suspended on days 5 and 6.
# C trades for the last time on day 7.
A = [10, 12, 13.2, 13.2, 13.2, 13.2, 13.2, 13.2, 13.2, 13.2, 13.2, 13.2]
B = [20, 20, 20, 22, 22, NAN, NAN, 24.2, 24.2, 24.2, 24.2, 24.2]
C = [5, 5, 5, 5, 4, 4, 4, 4, NAN, NAN, NAN, NAN]
PRICE = np.array([A, B, C]).T
GONE = np.array([-1, -1, 8])


def targets(rows: dict[int, list[float]], days: int = DAYS, names: int = 3) -> np.ndarray:
    out = np.full((days, names), NAN)
    for row, weights in rows.items():
        out[row] = weights
    return out


def flags(cells: list[tuple[int, int]]) -> np.ndarray:
    out = np.zeros((DAYS, 3), bool)
    for cell in cells:
        out[cell] = True
    return out


def run(
    rows: dict[int, list[float]], costs: Costs = FREE, tape: Tape | None = None, **options: object
) -> Simulation:
    return simulate(targets(rows), tape or Tape(PRICE, delisted_row=GONE), costs=costs, **options)  # type: ignore[arg-type]


def test_lag_the_signal_of_day_0_buys_at_the_close_of_day_1() -> None:
    curve = run({0: [1, 0, 0]}).books[0].curve
    # A rose 20% into the close of day 1; the book does not get that, only the 10% of day 2
    np.testing.assert_allclose(curve.gross, [0, 0, 0.1] + [0] * 9, atol=1e-15)
    assert curve.bought[1] == pytest.approx(1.0)


def test_a_later_entry_buys_later() -> None:
    curve = run({0: [0, 1, 0]}, entry=3).books[0].curve
    assert curve.bought.nonzero()[0].tolist() == [3]
    np.testing.assert_allclose(curve.gross, [0] * 7 + [0.1] + [0] * 4, atol=1e-15)


def test_cost_of_a_purchase_and_a_sale() -> None:
    curve = run({0: [0, 1, 0], 2: [0, 0, 0]}, Costs(5, 15)).books[0].curve
    bought = 1 / 1.0005  # all cash, the cost included
    assert curve.cost[1] == pytest.approx(bought * 0.0005, abs=1e-15)
    worth = bought * 1.1
    assert curve.gross[3] == pytest.approx(0.1, abs=1e-15)
    assert curve.cost[3] == pytest.approx(0.0015 * 1.1, abs=1e-15)
    assert curve.nav[-1] == pytest.approx(worth * (1 - 0.0015), abs=1e-14)
    assert curve.cost.nonzero()[0].tolist() == [1, 3]


def test_a_round_trip_costs_both_rates() -> None:
    flat = Tape(np.full((DAYS, 3), 7.0))
    curve = run({0: [1, 0, 0], 1: [0, 0, 0]}, COSTS_CN, flat).books[0].curve
    assert curve.nav[-1] == pytest.approx((1 - 0.0015) / 1.0005, abs=1e-15)


def test_weights_drift_between_rebalances() -> None:
    curve = run({0: [0.5, 0.5, 0]}).books[0].curve
    # day 2: A +10% on half; day 3: B +10% on a half that is now .5/1.05 of the book
    np.testing.assert_allclose(curve.gross[2:4], [0.05, 0.05 / 1.05], atol=1e-15)
    assert curve.nav[3] == pytest.approx(1.1, abs=1e-15)


def test_a_rebalance_trades_the_drift_back() -> None:
    curve = run({0: [0.5, 0.5, 0], 1: [0.5, 0.5, 0]}).books[0].curve
    # after day 2 the book is .55 A and .5 B of 1.05: sell .025 A, buy .025 B, as shares of the value before
    assert curve.sold[2] == pytest.approx(0.025, abs=1e-15)
    assert curve.bought[2] == pytest.approx(0.025, abs=1e-15)
    assert curve.turnover[2] == pytest.approx(0.025, abs=1e-15)


def test_a_suspended_holding_stays_and_catches_up() -> None:
    simulation = run({3: [0, 1, 0], 4: [1, 0, 0]})
    curve = simulation.books[0].curve
    # the sale of day 5 fails, and without its proceeds so does the purchase
    assert simulation.rejects["sell_no_price"] == 1
    assert simulation.rejects["no_cash"] == 1
    np.testing.assert_allclose(curve.gross[5:8], [0, 0, 0.1], atol=1e-15)
    assert (curve.sold == 0).all()


def test_a_suspended_name_cannot_be_bought_and_its_cash_stays() -> None:
    book = run({4: [0.5, 0.5, 0]}).books[0]
    assert book.rejects["buy_no_price"] == 1
    assert book.invested[5] == pytest.approx(0.5)
    assert book.curve.gross[7] == 0


def test_limit_up_blocks_buys_but_not_sells() -> None:
    tape = Tape(PRICE, limit_up=flags([(3, 1), (4, 1)]), delisted_row=GONE)
    blocked = run({2: [0, 1, 0]}, tape=tape).books[0]
    assert blocked.rejects["buy_limit_up"] == 1
    assert blocked.curve.bought.sum() == 0
    sold = run({1: [0, 1, 0], 3: [0, 0, 0]}, tape=tape).books[0]
    assert sold.curve.sold[4] > 0
    assert sum(sold.rejects.values()) == 0


def test_limit_down_blocks_sells_but_not_buys() -> None:
    tape = Tape(PRICE, limit_down=flags([(4, 2)]), delisted_row=GONE)
    stuck = run({2: [0, 0, 1], 3: [1, 0, 0]}, tape=tape).books[0]
    assert stuck.rejects["sell_limit_down"] == 1
    assert stuck.curve.gross[4] == pytest.approx(-0.2)
    assert stuck.curve.sold.sum() == 0
    bought = run({3: [0, 0, 1]}, tape=tape).books[0]
    assert bought.curve.bought[4] == pytest.approx(1.0)


@pytest.mark.parametrize("value", [0.0, 0.4, 1.0])
def test_a_delisted_holding_closes_at_the_stated_value(value: float) -> None:
    tape = Tape(PRICE, delisted_row=GONE, delisting_value=value)
    book = run({4: [0.5, 0, 0.5], 9: [1, 0, 0]}, tape=tape).books[0]
    assert book.curve.gross[8] == pytest.approx(0.5 * (value - 1))
    assert book.invested[8] == pytest.approx(0.5 / (1 - 0.5 * (1 - value)))
    assert book.curve.cost.sum() == 0
    assert book.curve.bought[10] == pytest.approx(1 - book.invested[9])  # the money is there to spend


def test_a_delisted_name_is_not_bought_although_the_source_repeats_its_price() -> None:
    repeated = np.where(np.isnan(PRICE), 4.0, PRICE)
    tape = Tape(repeated, delisted_row=GONE)
    book = run({8: [0, 0, 1]}, tape=tape).books[0]
    assert book.rejects["buy_no_price"] == 1


def test_lots_round_purchases_down_and_leave_cash() -> None:
    price = np.full((DAYS, 3), 33.0)
    lots = Lots(size=100, capital=10_000.0, price=price)
    book = run({0: [1, 0, 0]}, tape=Tape(price), lots=lots).books[0]
    assert book.curve.bought[1] == pytest.approx(9_900 / 10_000)  # three lots of 3,300
    small = run({0: [0.3, 0.3, 0.4]}, tape=Tape(price), lots=lots).books[0]
    assert small.rejects["below_one_lot"] == 2  # 3,000 buys nothing, 4,000 one lot
    assert small.curve.bought[1] == pytest.approx(0.33)


def test_lots_round_partial_sales_but_a_closing_sale_is_whole() -> None:
    price = np.full((DAYS, 3), 10.0)
    lots = Lots(size=100, capital=10_000.0, price=price)
    part = run({0: [1, 0, 0], 1: [0.55, 0, 0]}, tape=Tape(price), lots=lots).books[0]
    assert part.curve.sold[2] == pytest.approx(0.4)  # 4,500 is four lots and a half
    split = price.copy()
    split[2:] = 10.5
    closing = run({0: [1, 0, 0], 1: [0, 0, 0]}, tape=Tape(price), lots=Lots(100, 10_000.0, split)).books[0]
    assert closing.curve.sold[2] == pytest.approx(1.0)


def test_dated_stamp_duty_adds_to_sales_only() -> None:
    flat = Tape(np.full((DAYS, 3), 7.0))
    duty = np.where(np.arange(DAYS) < 5, 0.001, 0.0005)
    rows = {0: [1, 0, 0], 1: [0, 0, 0], 6: [1, 0, 0], 7: [0, 0, 0]}
    curve = run(rows, FREE, flat, stamp_duty=duty).books[0].curve
    assert curve.cost[2] == pytest.approx(0.001, abs=1e-15)
    assert curve.cost[8] == pytest.approx(0.0005, abs=1e-15)
    assert curve.cost[[1, 7]].sum() == 0


def test_settlement_holds_back_what_was_just_bought() -> None:
    flat = Tape(np.full((DAYS, 3), 7.0))
    rows = {0: [1, 0, 0], 1: [0, 0, 0], 2: [0, 0, 0]}
    next_day = run(rows, tape=flat, settlement=1).books[0]
    assert next_day.curve.sold[2] == pytest.approx(1.0)
    two_days = run(rows, tape=flat, settlement=2).books[0]
    assert two_days.rejects["sell_unsettled"] == 1
    assert two_days.curve.sold[2] == 0
    assert two_days.curve.sold[3] == pytest.approx(1.0)


def test_long_short_needs_no_cash_and_earns_the_spread() -> None:
    curve = run({1: [0, 1, -1]}).books[0].curve
    # day 3: B +10%; day 4: C -20% while the short is 1 of a book of 1.1
    assert curve.gross[3] == pytest.approx(0.1)
    assert curve.gross[4] == pytest.approx(0.2 / 1.1)


def test_a_book_that_loses_everything_stops() -> None:
    price = np.ones((6, 1))
    price[3:] = 3.0
    simulation = simulate(targets({0: [-1]}, 6, 1), Tape(price), costs=FREE)
    assert simulation.books[0].curve.gross.tolist() == [0, 0, 0, -2, 0, 0]


def test_benchmark_is_the_mean_of_yesterdays_members() -> None:
    members = np.ones((DAYS, 3), bool)
    members[2:, 0] = False
    series = Tape(PRICE, delisted_row=GONE, delisting_value=0.0).equal_weight(members)
    assert series[0] == 0
    assert series[1] == pytest.approx(0.2 / 3)
    assert series[2] == pytest.approx(0.1 / 3)  # A left after the close of day 2
    assert series[3] == pytest.approx(0.1 / 2)
    assert series[8] == pytest.approx(-1.0 / 2)  # C pays nothing
    assert series[9] == 0


def test_the_benchmark_starts_with_the_book() -> None:
    tape = Tape(PRICE, delisted_row=GONE)
    book = run({1: [0, 1, 0]}, tape=tape, benchmark=tape.equal_weight()).books[0]
    assert book.start == 2
    assert (book.benchmark[:3] == 0).all()
    assert book.benchmark[3] == pytest.approx(0.1 / 3)
    summary = book.summary()
    assert summary.bars == 10
    assert summary.annual_excess == pytest.approx(book.excess[2:].mean() * 252)
    assert summary.annual_return == pytest.approx(book.curve.nav[-1] ** (252 / 10) - 1)
    assert summary.ir == pytest.approx(book.excess[2:].mean() / book.excess[2:].std(ddof=1) * math.sqrt(252))


def test_break_even_cost_brings_the_excess_to_zero() -> None:
    tape = Tape(PRICE[:, :2])
    rows = targets({0: [1, 0], 2: [0, 1], 8: [0, 0]}, names=2)
    summary = simulate(rows, tape, costs=FREE).books[0].summary()
    rate = summary.break_even_bp
    book = simulate(rows, tape, costs=FREE).books[0].curve
    assert np.sum(book.gross - rate / 1e4 * (book.bought + book.sold)) == pytest.approx(0, abs=1e-15)


def test_offsets_are_separate_books_and_their_figures_are_averaged() -> None:
    rng = np.random.default_rng(0)
    price = np.exp(0.02 * rng.normal(size=(60, 4)).cumsum(axis=0))
    weights = np.abs(rng.normal(size=(60, 4)))
    weights /= weights.sum(axis=1, keepdims=True)
    simulation = simulate(weights, Tape(price), every=5, offsets=range(5))
    assert [book.start for book in simulation.books] == [1, 2, 3, 4, 5]
    alone = simulate(weights, Tape(price), every=5, offsets=(3,)).books[0]
    np.testing.assert_array_equal(alone.curve.net, simulation.books[3].curve.net)
    mean = simulation.mean_summary()
    assert mean.books == 5
    assert mean.ir == pytest.approx(np.mean([book.summary().ir for book in simulation.books]))
    assert mean.drawdown == pytest.approx(
        np.mean([book.summary().drawdown.depth for book in simulation.books])
    )


def test_nothing_to_trade_gives_a_flat_book() -> None:
    book = run({}).books[0]
    assert book.start == DAYS
    assert (book.curve.net == 0).all()
    assert math.isnan(book.summary().ir)


def test_trades_are_kept_for_the_capacity_on_demand() -> None:
    rows = {0: [0.5, 0.5, 0]}
    book = run(rows, keep_trades=True).books[0]
    assert book.trades is not None
    np.testing.assert_allclose(book.trades[1], [0.5, 0.5, 0])
    money = np.full((DAYS, 3), 1e6)
    assert book.capacity(money, 0.1).capital == pytest.approx(0.1 * 1e6 / 0.5)
    with pytest.raises(DataError, match="not kept"):
        run(rows).books[0].capacity(money, 0.1)


def slow_simulation(
    weights: np.ndarray, price: np.ndarray, up: np.ndarray, down: np.ndarray, gone: np.ndarray, value: float,
    costs: Costs, every: int,
) -> tuple[list[float], list[float], dict[str, int]]:  # fmt: skip
    """The rules once more, in shares and dictionaries."""
    T, N = price.shape
    shares: dict[int, float] = {}
    last: dict[int, float] = {}
    cash, nav = 1.0, 1.0
    gross, cost, rejects = [], [], dict.fromkeys(REJECTS, 0)
    for s in range(T):
        old = {i: n * last[i] for i, n in shares.items()}
        for i in range(N):
            if not math.isnan(price[s, i]) and not 0 <= gone[i] <= s:
                last[i] = price[s, i]
        worth = cash
        for i in list(shares):
            if 0 <= gone[i] <= s:
                worth += old[i] * value
                cash += old[i] * value
                del shares[i]
            else:
                worth += shares[i] * last[i]
        earned, paid = worth - nav, 0.0
        t = s - 1
        if t >= 0 and t % every == 0 and not np.isnan(weights[t]).all():
            want = {i: weights[t, i] * worth for i in range(N)}
            have = {i: shares.get(i, 0.0) * last.get(i, 0.0) for i in range(N)}
            for i in range(N):
                if have[i] - want[i] > 1e-12 * worth:
                    if math.isnan(price[s, i]) or 0 <= gone[i] <= s:
                        rejects["sell_no_price"] += 1
                    elif down[s, i]:
                        rejects["sell_limit_down"] += 1
                    else:
                        shares[i] = want[i] / price[s, i]
                        cash += (have[i] - want[i]) * (1 - costs.sell)
                        paid += (have[i] - want[i]) * costs.sell
            buys = {}
            for i in range(N):
                if want[i] - have[i] > 1e-12 * worth:
                    if math.isnan(price[s, i]) or 0 <= gone[i] <= s:
                        rejects["buy_no_price"] += 1
                    elif up[s, i]:
                        rejects["buy_limit_up"] += 1
                    else:
                        buys[i] = want[i] - have[i]
            need = sum(buys.values()) * (1 + costs.buy)
            free = max(cash, 0.0)  # rounding may leave the cash below nothing
            share = 1.0 if need <= free else free / need
            for i, amount in buys.items():
                shares[i] = shares.get(i, 0.0) + share * amount / price[s, i]
                cash -= share * amount * (1 + costs.buy)
                paid += share * amount * costs.buy
        gross.append(earned / nav)
        cost.append(paid / nav)
        nav = worth - paid
        shares = {i: n for i, n in shares.items() if n * last[i] > 1e-14}
    return gross, cost, rejects


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 10**6), st.integers(1, 4))
def test_property_equal_to_the_slow_simulation(seed: int, every: int) -> None:
    rng = np.random.default_rng(seed)
    T, N = 25, 6
    price = np.exp(0.05 * rng.normal(size=(T, N)).cumsum(axis=0))
    price[rng.random((T, N)) < 0.1] = NAN
    up, down = rng.random((2, T, N)) < 0.1
    gone = np.where(rng.random(N) < 0.3, rng.integers(3, T, N), -1)
    weights = rng.random((T, N)) * (rng.random((T, N)) < 0.5)
    weights /= np.maximum(weights.sum(axis=1, keepdims=True), 1.0)
    costs = Costs(5, 15)
    tape = Tape(price, up, down, gone, 0.5)
    book = simulate(weights, tape, every=every, costs=costs).books[0]
    gross, cost, rejects = slow_simulation(weights, price, up, down, gone, 0.5, costs, every)
    np.testing.assert_allclose(book.curve.gross, gross, atol=1e-12)
    np.testing.assert_allclose(book.curve.cost, cost, atol=1e-12)
    known = [name for name in REJECTS if name != "no_cash"]
    assert {name: book.rejects[name] for name in known} == {name: rejects[name] for name in known}
    # the identities of the accounts
    assert (book.curve.net == book.curve.gross - book.curve.cost).all()
    idle = (book.curve.bought == 0) & (book.curve.sold == 0)
    assert (book.curve.cost[idle] == 0).all()
    paid = book.curve.bought * costs.buy + book.curve.sold * costs.sell
    np.testing.assert_allclose(book.curve.cost, paid, atol=1e-15)
    assert (book.invested <= 1 + 1e-12).all()


def test_impossible_settings_are_refused() -> None:
    tape = Tape(PRICE)
    weights = targets({0: [1, 0, 0]})
    wrong = (
        {"every": 0},
        {"entry": 0},
        {"offsets": ()},
        {"offsets": (1,)},
        {"settlement": -1},
        {"stamp_duty": np.zeros(3)},
        {"benchmark": np.full(DAYS, NAN)},
    )
    for options in wrong:
        with pytest.raises(DataError):
            simulate(weights, tape, **options)
    with pytest.raises(DataError, match="targets has shape"):
        simulate(weights[:5], tape)
    with pytest.raises(DataError, match="delisted_row"):
        Tape(PRICE, delisted_row=np.array([1, 2]))
    with pytest.raises(DataError, match="limit_up"):
        Tape(PRICE, limit_up=np.zeros((2, 2), bool))
