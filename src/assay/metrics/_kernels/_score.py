"""One factor, one pass: keys that sort with the plain vector sort, then a walk over each sorted row.

A row's values become 32-bit keys: the high bits are the leading bits of the value's rank among the row's range of
float bit patterns, the low bits are the instrument's number. Sorting them needs no indirect access. Values that
agree in the leading bits are put in order afterwards; those that agree in all bits are ties.
"""

import numpy as np
from numba import njit

_OPTIONS = {"nogil": True, "cache": True, "error_model": "numpy"}
# only sums are reordered, so that they run in vector registers; NaN and inf keep their meaning
_SUMS = {**_OPTIONS, "fastmath": {"reassoc", "nsz", "contract"}}

_MISSING = np.uint32(0xFFFFFFFF)
_SIGN = np.uint32(0x80000000)
_EXPONENT = np.uint32(0x7F800000)


@njit(**_OPTIONS)
def _ordered(bits):
    """Float32 bits -> unsigned integer in the order of the values; -0 and +0 are one value."""
    plain = np.uint32(0) if bits == _SIGN else bits
    negative = np.uint32(np.int32(plain) >> np.int32(31))
    return plain ^ (negative | _SIGN)


@njit(**_OPTIONS)
def build_keys(bits, allowed, index, index_bits, keys, valid, count, exact):
    """Fill ``keys`` (T, N), the mask ``valid`` (T, N), the ``count`` of valid cells and whether keys are ``exact``.

    A cell is valid when its value is finite and ``allowed``; invalid cells get the largest key.
    """
    T, N = bits.shape
    low_bits = np.uint32(index_bits)
    for t in range(T):
        row, may, key, good = bits[t], allowed[t], keys[t], valid[t]
        lowest, highest, n = _MISSING, np.uint32(0), np.int32(0)
        for i in range(N):
            ok = ((row[i] & _EXPONENT) != _EXPONENT) & (may[i] != 0)
            value = _ordered(row[i])
            lowest = min(lowest, value if ok else _MISSING)
            highest = max(highest, value if ok else np.uint32(0))
            n += np.int32(1) if ok else np.int32(0)
            good[i] = np.uint8(1) if ok else np.uint8(0)
            key[i] = value
        count[t] = n
        shift = np.uint32(0)
        if n > 0:
            span = np.uint64(highest - lowest)
            while (span >> np.uint64(shift)) >> np.uint64(32 - index_bits):
                shift += np.uint32(1)
        exact[t] = shift == 0
        for i in range(N):
            packed = (((key[i] - lowest) >> shift) << low_bits) | index[i]
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
    found = np.uint32(0)
    for j in range(n - 1):
        found |= np.uint32(1) if ((key[j] ^ key[j + 1]) >> low_bits) == 0 else np.uint32(0)
    if found == 0:
        return 0
    groups = 0
    j = 0
    while j < n - 1:
        if ((key[j] ^ key[j + 1]) >> low_bits) != 0:
            j += 1
            continue
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
    """Average ranks 1..n of the valid cells of each sorted row, divided by n if ``scaled``; the rest stays NaN."""
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
def _pearson(x, y, common, x0, y0, n, tiny):
    """Correlation over the common cells; shifting by the medians keeps the single pass accurate."""
    sx, sy, sxx, syy, sxy = 0.0, 0.0, 0.0, 0.0, 0.0
    for i in range(x.shape[0]):
        ok = common[i] != 0
        dx = np.float64(x[i]) - x0 if ok else 0.0
        dy = np.float64(y[i]) - y0 if ok else 0.0
        sx += dx
        sy += dy
        sxx += dx * dx
        syy += dy * dy
        sxy += dx * dy
    vx, vy = (sxx - sx * sx / n) / n, (syy - sy * sy / n) / n
    lx = tiny * max(1.0, abs(x0 + sx / n))
    ly = tiny * max(1.0, abs(y0 + sy / n))
    if vx <= lx * lx or vy <= ly * ly:
        return np.nan
    r = (sxy - sx * sy / n) / n / np.sqrt(vx * vy)
    return min(1.0, max(-1.0, r))


@njit(**_SUMS)
def _sum_at(y, where, start, end):
    total = 0.0
    for j in range(start, end):
        total += np.float64(y[where[j]])
    return total


@njit(**_OPTIONS)
def _rank_product(where, n, doubled):
    total = np.int64(0)
    for j in range(n):
        total += np.int64(2 * (j + 1)) * np.int64(doubled[where[j]])
    return total


@njit(**_OPTIONS)
def _label_ranks(order, n, ties, t, start, end, valid, position, doubled):
    """Doubled ranks of the labels among the valid names, by one walk over the prepared order; gives the tie sum."""
    c = np.int32(0)
    for j in range(n):
        i = order[j]
        position[j] = c
        doubled[i] = 2 * (c + 1)
        c += np.int32(valid[i])
    position[n] = c
    tie_sum = np.int64(0)
    for g in range(ties[t], ties[t + 1]):
        low, high = position[start[g]], position[end[g]]
        size = np.int64(high - low)
        if size > 1:
            tie_sum += size * size * size - size
            for j in range(start[g], end[g]):
                doubled[order[j]] = low + high + 1
    return tie_sum


@njit(**_OPTIONS)
def walk(
    x,
    keys,
    valid,
    count,
    exact,
    index_bits,
    iota,
    y,
    y_valid,
    y_count,
    y_center,
    y_order,
    y_doubled,
    y_tie_sum,
    ties,
    tie_start,
    tie_end,
    bars,
    entry,
    every,
    offset,
    min_names,
    tiny,
    cap,
    ic,
    rank_ic,
    names,
    quantile_return,
    quantile_count,
    gross,
    bought,
    sold,
):
    """Everything that the sorted order of one factor gives; see :class:`assay.metrics.Scorer` for the meaning."""
    T, N = x.shape
    Q = quantile_return.shape[1]
    bits = x.view(np.uint32)
    mask = np.uint32((1 << index_bits) - 1)
    first, last = np.empty(N, np.int32), np.empty(N, np.int32)
    where = np.empty(N, np.int32)
    common = np.empty(N, np.uint8)
    position, label_position = np.empty(N + 1, np.int32), np.empty(N + 1, np.int32)
    scratch = np.empty(N, np.int32)
    edge = np.empty(Q + 1, np.int64)
    held, weight, dense, held_count = np.empty(N, np.int32), np.empty(N), np.zeros(N), 0
    for t in range(T):
        key, n, good, label_good = keys[t], count[t], valid[t], y_valid[t]
        groups = settle(key, n, bits[t], mask, index_bits, exact[t], first, last)
        for j in range(n):
            where[j] = np.int32(key[j] & mask)
        m = np.int32(0)
        for i in range(N):
            both = good[i] & label_good[i]
            common[i] = both
            m += np.int32(both)
        names[t] = m

        if m == n:
            place = iota
        else:
            place = position
            c = np.int32(0)
            for j in range(n):
                position[j] = c
                c += np.int32(common[where[j]])
            position[n] = c

        if m >= min_names:
            ic[t] = _pearson(x[t], y[t], common, np.float64(x[t, where[n // 2]]), y_center[t], m, tiny)
            if m == y_count[t]:
                doubled = y_doubled[t]
                label_ties = y_tie_sum[t]
            else:
                doubled = scratch
                label_ties = _label_ranks(
                    y_order[t], y_count[t], ties, t, tie_start, tie_end, good, label_position, scratch
                )
            if m == n:
                product = _rank_product(where, n, doubled)
            else:
                product = np.int64(0)
                for j in range(n):
                    i = where[j]
                    own = np.int64(2 * (place[j] + 1)) * np.int64(doubled[i])
                    product += own if common[i] != 0 else np.int64(0)
            signal_ties = np.int64(0)
            for g in range(groups):
                low, high = place[first[g]], place[last[g]]
                size = np.int64(high - low)
                if size > 1:
                    signal_ties += size * size * size - size
                    for j in range(first[g], last[g]):
                        i = where[j]
                        if common[i] != 0:
                            product += np.int64(low + high - 1 - 2 * place[j]) * np.int64(doubled[i])
            m64 = np.int64(m)
            level = m64 * (m64 + 1) * (m64 + 1)
            square = (2 * m64 * (m64 + 1) * (2 * m64 + 1)) // 3 - level
            sxx = square - signal_ties // 3
            syy = square - label_ties // 3
            if sxx > 0 and syy > 0:
                r = (product - level) / np.sqrt(np.float64(sxx) * np.float64(syy))
                rank_ic[t] = min(1.0, max(-1.0, r))

        if n > 0:
            edge[0] = 0
            for q in range(1, Q + 1):
                edge[q] = (q * n) // Q
            for g in range(groups):
                own = ((first[g] + last[g] + 1) * Q - 1) // (2 * n)
                for q in range(1, Q):
                    if first[g] < edge[q] < last[g]:
                        edge[q] = last[g] if own < q else first[g]
            for q in range(Q):
                size = place[edge[q + 1]] - place[edge[q]]
                quantile_count[t, q] = size
                if size > 0:
                    quantile_return[t, q] = _sum_at(y[t], where, edge[q], edge[q + 1]) / size

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
        if t % every != offset or n < min_names or edge[Q] == edge[Q - 1]:
            continue
        low = edge[Q - 1]
        target = min(cap, 1.0 / (n - low))
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
        held_count = n - low
        for j in range(low, n):
            held[j - low] = where[j]
            weight[j - low] = target
        bought[s] = buys * grown
        sold[s] = sells * grown
