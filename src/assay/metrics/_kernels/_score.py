"""One factor, one pass: keys that sort with the plain vector sort, then a walk over each sorted row.

A row's values become 32-bit keys: the high bits are the leading bits of the value's rank among the row's
range of float bit patterns, the low bits are the instrument's number. Sorting them needs no indirect
access. Values that agree in the leading bits are put in order afterwards; those that agree in all bits are
ties.
"""

import numpy as np

from assay.metrics._kernels._jit import kernel, part, sums

_MISSING = np.uint32(0xFFFFFFFF)
_SIGN = np.uint32(0x80000000)
_EXPONENT = np.uint32(0x7F800000)


@part
def _ordered(bits):
    """Float32 bits -> unsigned integer in the order of the values; -0 and +0 are one value."""
    plain = np.uint32(0) if bits == _SIGN else bits
    negative = np.uint32(np.int32(plain) >> np.int32(31))
    return np.uint32(plain ^ np.uint32(negative | _SIGN))


@kernel
def build_keys(bits, allowed, index, index_bits, keys, state, count, paired, exact):
    """Turn float bits (T, N) into sortable keys.

    ``allowed`` is 0 outside the universe, 1 inside, 2 where, besides, a label exists. A cell is valid when
    its value is finite and allowed; ``state`` is ``allowed`` on valid cells, else 0, and invalid cells get
    the largest key. ``count`` counts a row's valid cells, ``paired`` those with a label; ``exact`` says
    that no bit of the values was lost.
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
            n = np.uint32(n + np.uint32(kept != 0))
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


@part
def _sort_run(key, start, end, row, mask):
    """Order keys ``start``..``end`` by the full value (Shell's gaps; a plain insertion for short runs)."""
    gap = 1
    while gap < (end - start) // 3:
        gap = 3 * gap + 1
    while gap > 0:
        for a in range(start + gap, end):
            held = key[a]
            value = row[held & mask]
            b = a
            while b >= start + gap and row[key[b - gap] & mask] > value:
                key[b] = key[b - gap]
                b -= gap
            key[b] = held
        gap //= 3


@part
def settle(key, n, row, mask, exact, runs, first, last):
    """Finish the order of one sorted row and list its groups of equal values; gives the number of groups."""
    if n < 2:
        return 0
    below, above = key[: n - 1], key[1:n]
    found = np.uint32(0)
    for j in range(n - 1):  # keys that agree in all leading bits differ by no more than the mask
        found = np.uint32(found + np.uint32((below[j] ^ above[j]) <= mask))
    if found == 0:
        return 0
    pairs = 0
    for j in range(n - 1):  # without a branch: where neighbours agree
        runs[pairs] = j
        pairs += (below[j] ^ above[j]) <= mask
    groups, p = 0, 0
    while p < pairs:
        a, end = runs[p], runs[p] + 2
        p += 1
        while p < pairs and runs[p] == end - 1:
            end += 1
            p += 1
        if not exact:
            _sort_run(key, a, end, row, mask)
        while a < end:
            b = a + 1
            value = row[key[a] & mask]
            while b < end and row[key[b] & mask] == value:
                b += 1
            if b - a > 1:
                first[groups], last[groups] = a, b
                groups += 1
            a = b
    return groups


@kernel
def order_rows(x, keys, count, exact, index_bits, order, doubled, ties, start, end):
    """The order, doubled ranks and tie groups of each row (what a label needs, once per panel).

    ``ties[t]``..``ties[t+1]`` index the groups of row t in ``start`` and ``end``.
    """
    T, N = x.shape
    mask = np.uint32((1 << index_bits) - 1)
    runs, first, last = np.empty(N, np.int64), np.empty(N, np.int64), np.empty(N, np.int64)
    total = 0
    for t in range(T):
        key, n, o, d = keys[t], np.int64(count[t]), order[t], doubled[t]
        groups = settle(key, n, x[t], mask, exact[t], runs, first, last)
        for j in range(n):
            i = key[j] & mask
            o[j] = i
            d[i] = 2 * (j + 1)
        for g in range(groups):
            for j in range(first[g], last[g]):
                d[o[j]] = first[g] + last[g] + 1
            start[total] = first[g]
            end[total] = last[g]
            total += 1
        ties[t + 1] = total


@sums
def _pearson(x, y, state, x0, y0, n, tiny):
    """Correlation over the paired cells; shifting by the medians keeps the single pass accurate."""
    sx, sy, sxx, syy, sxy = 0.0, 0.0, 0.0, 0.0, 0.0
    for i in range(x.shape[0]):
        weight = np.float64(state[i] >> np.uint8(1))
        dx = np.float64(x[i]) - x0 if weight > 0.0 else 0.0
        dy = (
            np.float64(y[i]) - y0
        ) * weight  # a missing label is 0 here, so a product is as good as a choice
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


@part
def _common_ranks(order, n, start, end, group, stop, state, doubled):
    """Doubled ranks of the labels among the paired names, 0 for the others; gives the sum over ties.

    One walk over the prepared order: no sort. A name with a label has state 2 with a signal, 0 without.
    """
    doubled[:] = 0
    c = 0
    for j in range(n):
        i = order[j]
        c += state[i]
        doubled[i] = c
    tie_sum = 0
    for g in range(stop - 1, group - 1, -1):  # backwards: a group reads the untouched rank before it
        low = np.int64(doubled[order[start[g] - 1]]) if start[g] > 0 else 0
        high = np.int64(doubled[order[end[g] - 1]])
        size = (high - low) // 2
        tie_sum += size * size * size - size
        for j in range(start[g], end[g]):
            doubled[order[j]] = (low + high) // 2 + 1
    return tie_sum


@part
def _sweep(key, edge, mask, doubled, y, unit, where, mean, size):
    """Along the order, quantile by quantile: names, and the label's mean and count.

    Gives the sum of products of doubled ranks. Labels are summed as integers, so that their order is free;
    a name without a label has rank 0 and label 0.
    """
    c, product = 0, 0
    for q in range(mean.shape[0]):
        before, total = c, 0
        for j in range(np.uint64(edge[q]), np.uint64(edge[q + 1])):  # unsigned: no test for negative indices
            i = key[j] & mask
            where[j] = i
            rank = np.int64(doubled[i])
            c += rank > 0
            product += c * rank
            total += np.int64(y[i])
        size[q] = c - before
        if c > before:
            mean[q] = total * unit / (c - before)
    return 2 * product


@part
def _tie_change(groups, first, last, where, doubled, place):
    """What groups of equal signals change: the correction of the product, and the sum over ties."""
    c, n = 0, last[groups - 1]
    for j in range(n):
        place[j] = c
        c += doubled[where[j]] > 0
    place[n] = c
    product, tie_sum = 0, 0
    for g in range(groups):
        low, high = place[first[g]], place[last[g]]
        size = high - low
        tie_sum += size * size * size - size
        for j in range(first[g], last[g]):
            product += (low + high + 1 - 2 * place[j + 1]) * np.int64(doubled[where[j]])
    return product, tie_sum


@part
def _spearman(product, n, signal_ties, label_ties):
    """Pearson of average ranks from exact integer sums."""
    level = n * (n + 1) * (n + 1)
    square = (2 * n * (n + 1) * (2 * n + 1)) // 3 - level
    sxx, syy = square - signal_ties // 3, square - label_ties // 3
    if sxx <= 0 or syy <= 0:
        return np.nan
    r = (product - level) / np.sqrt(np.float64(sxx) * np.float64(syy))
    return min(1.0, max(-1.0, r))


@part
def _even_edges(n, even):
    """Where the quantiles of n different values end in the order."""
    Q = even.shape[0] - 1
    for q in range(Q + 1):
        even[q] = (q * n) // Q


@part
def _move_edges(n, groups, first, last, even, edge):
    """Move the quantiles' ends so that equal values go whole to the quantile of their mean rank."""
    Q = edge.shape[0] - 1
    for q in range(Q + 1):
        edge[q] = even[q]
    for g in range(groups):
        own = ((first[g] + last[g] + 1) * Q - 1) // (2 * n)
        for q in range((first[g] * Q) // n, Q):
            if edge[q] >= last[g]:
                break
            if edge[q] > first[g]:
                edge[q] = last[g] if own < q else first[g]


@part
def _grow(held, weight, held_count, bar):
    """Earn the bar and let the weights drift with it; gives what was earned."""
    earned = 0.0
    for h in range(held_count):
        earned += weight[h] * bar[held[h]]
    shrink = 1.0 / (1.0 + earned)
    for h in range(held_count):
        weight[h] *= (1.0 + bar[held[h]]) * shrink
    return earned


@part
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


@kernel
def walk(
    x, keys, state, count, paired, exact, index_bits,
    y, y_scale, y_center, y_count, y_order, y_doubled, y_tie_sum, ties, tie_start, tie_end,
    bars, entry, every, offset, min_names, tiny, cap,
    ic, rank_ic, quantile_return, quantile_count, gross, bought, sold,
):  # fmt: skip
    """Everything that the sorted order of one factor gives; see :class:`assay.metrics.Scorer` for the
    meaning.
    """
    T, N = x.shape
    Q = quantile_return.shape[1]
    mask, unit = np.uint32((1 << index_bits) - 1), 1.0 / y_scale
    runs, first, last = np.empty(N, np.int64), np.empty(N, np.int64), np.empty(N, np.int64)
    where, place = np.empty(N, np.uint32), np.empty(N + 1, np.int64)
    scratch = np.empty(N, y_doubled.dtype)
    even, moved = np.zeros(Q + 1, np.int64), np.zeros(Q + 1, np.int64)
    held, weight, dense, held_count = np.empty(N, np.uint32), np.empty(N), np.zeros(N), np.int64(0)
    for t in range(T):
        key, n, m, good = keys[t], np.int64(count[t]), np.int64(paired[t]), state[t]
        groups = settle(key, n, x[t], mask, exact[t], runs, first, last)
        doubled, label_ties = y_doubled[t], y_tie_sum[t]
        if m != y_count[t]:
            doubled = scratch
            label_ties = _common_ranks(
                y_order[t], y_count[t], tie_start, tie_end, ties[t], ties[t + 1], good, scratch
            )
        if n != even[Q]:
            _even_edges(n, even)
        edge = even
        if groups > 0:
            edge = moved
            _move_edges(n, groups, first, last, even, moved)
        product = _sweep(key, edge, mask, doubled, y[t], unit, where, quantile_return[t], quantile_count[t])
        signal_ties = np.int64(0)
        if groups > 0:
            change, signal_ties = _tie_change(groups, first, last, where, doubled, place)
            product += change
        if m >= min_names:
            ic[t] = _pearson(x[t], y[t], good, np.float64(x[t, where[n // 2]]), y_center[t], m, tiny)
            rank_ic[t] = _spearman(product, m, signal_ties, label_ties)
        s = t + entry
        if s >= T:
            continue
        gross[s] = _grow(held, weight, held_count, bars[s])
        if t % every == offset and n >= min_names and n > edge[Q - 1]:
            target = min(cap, 1.0 / (n - edge[Q - 1]))
            buys, sells = _trade(held, weight, held_count, where, edge[Q - 1], n, target, dense)
            held_count = n - edge[Q - 1]
            bought[s] = buys * (1.0 + gross[s])
            sold[s] = sells * (1.0 + gross[s])
