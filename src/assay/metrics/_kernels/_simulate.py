"""Execution of target weights bar by bar: drift, blocked orders, lots, costs."""

import numpy as np

from assay.metrics._kernels._jit import kernel, part

_DUST = 1e-12  # share of the book below which a difference is rounding, not an order

# columns of the reject counts; the names stand in assay.metrics._simulate.REJECTS
NO_PRICE_BUY, NO_PRICE_SELL, LIMIT_UP, LIMIT_DOWN, UNSETTLED, SMALL_LOT, SHORT_OF_CASH = 0, 1, 2, 3, 4, 5, 6


@part
def _lots(amount, price, lot):
    """The largest value of whole lots within ``amount``; everything when lots do not matter."""
    if lot <= 0.0:
        return amount
    unit = price * lot
    return np.floor(amount / unit * (1.0 + 1e-12)) * unit if unit > 0.0 else 0.0


@part
def _sell_all(s, dust, want, value, priced, no_sell, price, lot, recent, settled, moved, rejects):
    """Reduce ``value`` towards ``want`` where allowed; gives the proceeds."""
    proceeds = 0.0
    for i in range(value.shape[0]):
        amount = value[i] - want[i]
        if amount <= dust:
            continue
        if not priced[i]:
            rejects[NO_PRICE_SELL] += 1
            continue
        if no_sell[i]:
            rejects[LIMIT_DOWN] += 1
            continue
        free = value[i]
        if s < settled[i] and free > 0.0:
            free = max(free - recent[i], 0.0)
        if amount > free and value[i] > 0.0 and s < settled[i]:
            rejects[UNSETTLED] += 1
            amount = free
        if want[i] != 0.0 and amount < value[i]:  # a position that closes is sold whole, odd lots too
            whole = _lots(amount, price[i], lot)
            if whole <= 0.0 and amount > 0.0:
                rejects[SMALL_LOT] += 1
            amount = whole
        if amount > 0.0:
            value[i] -= amount
            moved[i] -= amount
            proceeds += amount
    return proceeds


@part
def _buy_all(
    s, dust, want, value, priced, no_buy, price, lot, recent, settled, settlement, limit, rate, moved, rejects
):  # fmt: skip
    """Raise ``value`` towards ``want`` where allowed, all orders cut alike to spend at most ``limit``;
    gives the spend.
    """
    wish = 0.0
    for i in range(value.shape[0]):
        amount = want[i] - value[i]
        if amount > dust:
            if not priced[i]:
                rejects[NO_PRICE_BUY] += 1
            elif no_buy[i]:
                rejects[LIMIT_UP] += 1
            else:
                wish += amount
    share = 1.0
    if wish * (1.0 + rate) > limit:
        share = max(limit, 0.0) / (wish * (1.0 + rate))
    spent = 0.0
    for i in range(value.shape[0]):
        amount = want[i] - value[i]
        if amount <= dust or not priced[i] or no_buy[i]:
            continue
        whole = _lots(amount * share, price[i], lot)
        if whole <= 0.0:
            rejects[SMALL_LOT if share > 0.0 else SHORT_OF_CASH] += 1
            continue
        value[i] += whole
        moved[i] += whole
        spent += whole
        recent[i] = whole + (recent[i] if s < settled[i] else 0.0)
        settled[i] = s + settlement
    return spent


@kernel
def execute(
    targets, wanted, bars, priced, no_buy, no_sell, delisted, price, lot, sell_rate, buy_rate, settlement,
    capital, funded, entry, every, offset,
    gross, cost, bought, sold, invested, moved, rejects,
):  # fmt: skip
    """One book. Values are in the unit of ``capital``; outputs are shares of the value before the bar.

    ``wanted`` marks the rows of ``targets`` to be traded; ``moved`` is (T, N) signed traded values or (0, 0).
    Gives the row of the first trade, T if there was none.
    """
    T, N = bars.shape
    value, want, recent = np.zeros(N), np.zeros(N), np.zeros(N)
    settled, traded = np.zeros(N, np.int64), np.zeros(N)
    cash, total, begun = capital, capital, T
    for s in range(T):
        earned = 0.0
        for i in range(N):
            if value[i] != 0.0:
                gain = value[i] * bars[s, i]
                value[i] += gain
                recent[i] += recent[i] * bars[s, i]
                earned += gain
                if delisted[i] >= 0 and s >= delisted[i]:
                    cash += value[i]
                    value[i] = 0.0
        paid = 0.0
        t = s - entry
        if t >= 0 and t % every == offset and wanted[t]:
            begun = min(begun, s)
            worth = total + earned
            dust = _DUST * worth
            for i in range(N):
                want[i] = targets[t, i] * worth
                traded[i] = 0.0
            proceeds = _sell_all(
                s, dust, want, value, priced[s], no_sell[s], price[s], lot, recent, settled, traded, rejects
            )
            paid = proceeds * sell_rate[s]
            limit = cash + proceeds - paid if funded else np.inf
            spent = _buy_all(
                s, dust, want, value, priced[s], no_buy[s], price[s], lot, recent, settled, settlement,
                limit, buy_rate, traded, rejects,
            )  # fmt: skip
            paid += spent * buy_rate
            cash += proceeds - spent - paid
            bought[s], sold[s] = spent / total, proceeds / total
            if moved.shape[0] == T:
                for i in range(N):
                    moved[s, i] = traded[i] / worth
        gross[s], cost[s] = earned / total, paid / total
        total *= 1.0 + (gross[s] - cost[s])
        exposure = 0.0
        for i in range(N):
            exposure += abs(value[i])
        invested[s] = exposure / total if total > 0.0 else 0.0
        if total <= 0.0:  # a book with shorts can lose everything; nothing is left to trade
            break
    return begun
