"""One factor, one pass: keys that sort with the plain vector sort, then a walk over each sorted row.

A row's values become 32-bit keys: the high bits are the leading bits of the value's rank among the row's
range of float bit patterns, the low bits are the instrument's number. Sorting them needs no indirect
access. Values that agree in the leading bits are put in order afterwards; those that agree in all bits are
ties.
"""

import numpy as np
from numba import njit

_OPTIONS = {"nogil": True, "cache": True, "error_model": "numpy"}
# only sums are reordered, so that they run in vector registers; NaN and inf keep their meaning
_SUMS = {**_OPTIONS, "fastmath": {"reassoc", "nsz", "contract"}}

_MISSING = np.uint32(0xFFFFFFFF)
_SIGN = np.uint32(0x80000000)
_EXPONENT = np.uint32(0x7F800000)
_BLOCK = 32  # neighbours compared at once


@njit(**_OPTIONS)
def _ordered(bits):
    """Float32 bits -> unsigned integer in the order of the values; -0 and +0 are one value."""
    plain = np.uint32(0) if bits == _SIGN else bits
    negative = np.uint32(np.int32(plain) >> np.int32(31))
    return np.uint32(plain ^ np.uint32(negative | _SIGN))


@njit(**_OPTIONS)
def build_keys(bits, allowed, index, index_bits, keys, state, count, paired, exact):
    """Turn float bits (T, N) into sortable keys.

    ``allowed`` has bit 0 where the universe admits the cell and bit 1 where, besides, a label exists. A
    cell is valid when its value is finite and bit 0 is set; ``state`` is ``allowed`` on valid cells, else
    0, and invalid cells get the largest key. ``count`` and ``paired`` count bits 0 and 1 of a row's
    ``state``; ``exact`` says that no bit of the values was lost.
    """
    T, N = bits.shape
    low_bits = np.uint32(index_bits)
    for t in range(T):
        row, may, key, good = bits[t], allowed[t], keys[t], state[t]
        lowest, highest = _MISSING, np.uint32(0)
        n, pairs = np.uint32(0), np.uint32(0)
        for i in range(N):
            finite = np.uint32(row[i] & _EXPONENT) != _EXPONENT
            kept = may[i] if finite else np.uint8(0)
            value = _ordered(row[i])
            lowest = min(lowest, value if kept != 0 else _MISSING)
            highest = max(highest, value if kept != 0 else np.uint32(0))
            n = np.uint32(n + np.uint32(kept & np.uint8(1)))
            pairs = np.uint32(pairs + np.uint32(kept >> np.uint8(1)))
            good[i] = kept
            key[i] = value
        count[t], paired[t] = n, pairs
        shift = np.uint32(0)
        if n > 0:
            span = np.uint64(highest - lowest)
            while (span >> np.uint64(shift)) >> np.uint64(32 - index_bits):
                shift += np.uint32(1)
        exact[t] = shift == 0
        for i in range(N):
            lead = np.uint32(np.uint32(key[i] - lowest) >> shift)
            packed = np.uint32(np.uint32(lead << low_bits) | index[i])
            key[i] = packed if good[i] != 0 else _MISSING


@njit(**_OPTIONS)
def _sort_run(key, start, end, row, mask):
    """Order keys ``start``..``end`` by the full value (Shell's gaps; a plain insertion for short runs)."""
    gap = 1
    while gap < (end - start) // 3:
        gap = 3 * gap + 1
    while gap > 0:
        for a in range(start + gap, end):
            held = key[a]
            value = _ordered(row[held & mask])
            b = a
            while b >= start + gap and _ordered(row[key[b - gap] & mask]) > value:
                key[b] = key[b - gap]
                b -= gap
            key[b] = held
        gap //= 3


@njit(**_OPTIONS)
def settle(key, n, row, mask, index_bits, exact, first, last):
    """Finish the order of one sorted row and list its groups of equal values; gives the number of groups."""
    low_bits = np.uint32(index_bits)
    groups = 0
    j = 0
    while j < n - 1:
        if j + _BLOCK < n:
            found = np.uint32(0)
            for k in range(j, j + _BLOCK):
                same = np.uint32(np.uint32(key[k] ^ key[k + 1]) >> low_bits) == 0
                found = np.uint32(found | (np.uint32(1) if same else np.uint32(0)))
            if found == 0:
                j += _BLOCK
                continue
        while j < n - 1 and np.uint32(np.uint32(key[j] ^ key[j + 1]) >> low_bits) != 0:
            j += 1
        if j >= n - 1:
            break
        end = j + 2
        while end < n and ((key[j] ^ key[end]) >> low_bits) == 0:
            end += 1
        if not exact:
            _sort_run(key, j, end, row, mask)
        a = j
        while a < end:
            b = a + 1
            value = _ordered(row[key[a] & mask])
            while b < end and _ordered(row[key[b] & mask]) == value:
                b += 1
            if b - a > 1:
                first[groups] = a
                last[groups] = b
                groups += 1
            a = b
        j = end
    return groups


@njit(**_OPTIONS)
def rank_rows(bits, keys, count, exact, index_bits, scaled, out):
    """Average ranks 1..n of the valid cells of each sorted row, divided by n if ``scaled``; the rest stays
    NaN.
    """
    T, N = bits.shape
    mask = np.uint32((1 << index_bits) - 1)
    first, last = np.empty(N, np.int32), np.empty(N, np.int32)
    for t in range(T):
        key, n, o = keys[t], count[t], out[t]
        groups = settle(key, n, bits[t], mask, index_bits, exact[t], first, last)
        over = np.float64(n) if scaled else 1.0
        for j in range(n):
            o[key[j] & mask] = (j + 1) / over
        for g in range(groups):
            rank = 0.5 * (first[g] + last[g] + 1) / over
            for j in range(first[g], last[g]):
                o[key[j] & mask] = rank


@njit(**_OPTIONS)
def order_rows(bits, keys, count, exact, index_bits, order, doubled, ties, start, end):
    """The order, doubled ranks and tie groups of each row (what a label needs, once per panel).

    ``ties[t]``..``ties[t+1]`` index the groups of row t in ``start`` and ``end``.
    """
    T, N = bits.shape
    mask = np.uint32((1 << index_bits) - 1)
    first, last = np.empty(N, np.int32), np.empty(N, np.int32)
    total = 0
    for t in range(T):
        key, n, o, d = keys[t], count[t], order[t], doubled[t]
        groups = settle(key, n, bits[t], mask, index_bits, exact[t], first, last)
        for j in range(n):
            i = np.int32(key[j] & mask)
            o[j] = i
            d[i] = 2 * (j + 1)
        for g in range(groups):
            for j in range(first[g], last[g]):
                d[o[j]] = first[g] + last[g] + 1
            start[total] = first[g]
            end[total] = last[g]
            total += 1
        ties[t + 1] = total


@njit(**_SUMS)
def _pearson(x, y, state, x0, y0, n, tiny):
    """Correlation over the paired cells; shifting by the medians keeps the single pass accurate."""
    sx, sy, sxx, syy, sxy = 0.0, 0.0, 0.0, 0.0, 0.0
    for i in range(x.shape[0]):
        paired = state[i] > 1
        dx = np.float64(x[i]) - x0 if paired else 0.0
        dy = np.float64(y[i]) - y0 if paired else 0.0
        sx += dx
        sy += dy
        sxx += dx * dx
        syy += dy * dy
        sxy += dx * dy
    vx, vy = (sxx - sx * sx / n) / n, (syy - sy * sy / n) / n
    # relative to the level alone: a signal of tiny scale is no constant
    lx = tiny * abs(x0 + sx / n)
    ly = tiny * abs(y0 + sy / n)
    if vx <= lx * lx or vy <= ly * ly:
        return np.nan
    r = (sxy - sx * sy / n) / n / np.sqrt(vx * vy)
    return min(1.0, max(-1.0, r))


@njit(**_OPTIONS)
def _label_ranks(order, n, start, end, state, doubled):
    """Doubled ranks of the labels among the valid names, by one walk over the prepared order; gives the
    tie sum.
    """
    doubled[:] = 0
    c = np.int32(0)
    for j in range(n):
        i = order[j]
        c = np.int32(c + np.int32(2) * np.int32(state[i] & np.uint8(1)))
        doubled[i] = c
    tie_sum = np.int64(0)
    for g in range(start.shape[0] - 1, -1, -1):  # backwards: a group reads the untouched rank before it
        low = doubled[order[start[g] - 1]] // 2 if start[g] > 0 else 0
        high = doubled[order[end[g] - 1]] // 2
        size = np.int64(high - low)
        tie_sum += size * size * size - size
        for j in range(start[g], end[g]):
            doubled[order[j]] = low + high + 1
    return tie_sum


@njit(**_OPTIONS)
def _sweep(key, n, mask, state, doubled, y_fixed, where, place, total):
    """Along the order: names, their place among the paired, running label sums; gives the product of
    doubled ranks.
    """
    c, product, running = np.int64(0), np.int64(0), np.int64(0)
    place[0] = 0
    total[0] = 0
    for j in range(n):
        i = np.int64(key[j] & mask)
        where[j] = i
        c += np.int64(state[i] >> np.uint8(1))
        product += c * np.int64(doubled[i])
        running += y_fixed[i]
        place[j + 1] = c
        total[j + 1] = running
    return 2 * product


@njit(**_OPTIONS)
def _spearman(product, n, signal_ties, label_ties):
    """Pearson of average ranks from exact integer sums."""
    level = n * (n + 1) * (n + 1)
    square = (2 * n * (n + 1) * (2 * n + 1)) // 3 - level
    sxx, syy = square - signal_ties // 3, square - label_ties // 3
    if sxx <= 0 or syy <= 0:
        return np.nan
    r = (product - level) / np.sqrt(np.float64(sxx) * np.float64(syy))
    return min(1.0, max(-1.0, r))


@njit(**_OPTIONS)
def _edges(n, groups, first, last, edge):
    """Where the quantiles end in the order; a group of equal values goes whole to the quantile of its mean
    rank.
    """
    Q = edge.shape[0] - 1
    for q in range(Q + 1):
        edge[q] = (q * n) // Q
    for g in range(groups):
        own = ((first[g] + last[g] + 1) * Q - 1) // (2 * n)
        for q in range((first[g] * Q) // n, Q):
            if edge[q] >= last[g]:
                break
            if edge[q] > first[g]:
                edge[q] = last[g] if own < q else first[g]


@njit(**_OPTIONS)
def _trade(held, weight, held_count, where, low, n, target, dense):
    """Replace the holdings by ``where[low:n]`` at equal ``target`` weights; gives what was bought and
    sold.
    """
    buys, sells = 0.0, 0.0
    for h in range(held_count):
        dense[held[h]] = weight[h]
    for j in range(low, n):
        change = target - dense[where[j]]
        dense[where[j]] = 0.0
        buys += max(change, 0.0)
        sells -= min(change, 0.0)
    for h in range(held_count):
        sells += dense[held[h]]
        dense[held[h]] = 0.0
    for j in range(low, n):
        held[j - low] = where[j]
        weight[j - low] = target
    return buys, sells


@njit(**_OPTIONS)
def walk(
    x, keys, state, count, paired, exact, index_bits,
    y, y_fixed, y_unit, y_center, y_count, y_order, y_doubled, y_tie_sum, ties, tie_start, tie_end,
    bars, entry, every, offset, min_names, tiny, cap,
    ic, rank_ic, quantile_return, quantile_count, gross, bought, sold,
):  # fmt: skip
    """Everything that the sorted order of one factor gives; see :class:`assay.metrics.Scorer` for the
    meaning.
    """
    T, N = x.shape
    Q = quantile_return.shape[1]
    bits = x.view(np.uint32)
    mask = np.uint32((1 << index_bits) - 1)
    first, last = np.empty(N, np.int32), np.empty(N, np.int32)
    where, place, total = np.empty(N, np.int64), np.empty(N + 1, np.int64), np.empty(N + 1, np.int64)
    scratch = np.empty(N, np.int32)
    edge = np.empty(Q + 1, np.int64)
    held, weight, dense, held_count = np.empty(N, np.int64), np.empty(N), np.zeros(N), 0
    for t in range(T):
        key, n, m, good = keys[t], np.int64(count[t]), np.int64(paired[t]), state[t]
        groups = settle(key, n, bits[t], mask, index_bits, exact[t], first, last)
        doubled, label_ties = y_doubled[t], y_tie_sum[t]
        if m != y_count[t]:
            doubled = scratch
            start, end = tie_start[ties[t] : ties[t + 1]], tie_end[ties[t] : ties[t + 1]]
            label_ties = _label_ranks(y_order[t], y_count[t], start, end, good, scratch)
        product = _sweep(key, n, mask, good, doubled, y_fixed[t], where, place, total)
        signal_ties = np.int64(0)
        for g in range(groups):
            low, high = place[first[g]], place[last[g]]
            size = high - low
            signal_ties += size * size * size - size
            for j in range(first[g], last[g]):
                product += (low + high + 1 - 2 * place[j + 1]) * np.int64(doubled[where[j]])
        if m >= min_names:
            ic[t] = _pearson(x[t], y[t], good, np.float64(x[t, where[n // 2]]), y_center[t], m, tiny)
            rank_ic[t] = _spearman(product, m, signal_ties, label_ties)
        if n > 0:
            _edges(n, groups, first, last, edge)
            for q in range(Q):
                size = place[edge[q + 1]] - place[edge[q]]
                quantile_count[t, q] = size
                if size > 0:
                    quantile_return[t, q] = (total[edge[q + 1]] - total[edge[q]]) * y_unit / size

        s = t + entry
        if s >= T:
            continue
        bar = bars[s]
        earned = 0.0
        for h in range(held_count):
            earned += weight[h] * bar[held[h]]
        gross[s] = earned
        grown = 1.0 + earned
        for h in range(held_count):
            weight[h] *= (1.0 + bar[held[h]]) / grown
        if t % every == offset and n >= min_names and edge[Q] > edge[Q - 1]:
            target = min(cap, 1.0 / (n - edge[Q - 1]))
            buys, sells = _trade(held, weight, held_count, where, edge[Q - 1], n, target, dense)
            held_count = n - edge[Q - 1]
            bought[s] = buys * grown
            sold[s] = sells * grown
