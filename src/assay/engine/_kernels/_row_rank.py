"""Ordering of the rows of a panel by sorting integer keys.

A key holds a value's order-preserving bits above the index of its instrument, so that one SIMD sort of
plain integers orders the values and remembers where they stood. With 32-bit keys the lowest bits of the
value give way to the index; neighbours whose shortened values agree are put in order by their full values
afterwards.
"""

from __future__ import annotations

import numpy as np

from assay.engine._kernels._jit import kernel

_SIGN = np.uint32(0x80000000)
_MAGNITUDE = np.uint32(0x7FFFFFFF)
_INFINITY = np.uint32(0x7F800000)
_LAST = np.uint32(0xFFFFFFFF)
_LONG_RUN = 24


@kernel
def short_keys(x, bits, keys):
    """32-bit keys of each row; missing values get the largest key."""
    rows, width = x.shape
    raw = x.view(np.uint32)
    keep = _LAST << np.uint32(bits)
    for t in range(rows):
        source = raw[t]
        target = keys[t]
        for s in range(width):
            b = source[s]
            b = np.uint32(0) if b == _SIGN else b
            negative = np.uint32(0) - (b >> np.uint32(31))
            ordered = b ^ (negative | _SIGN)
            missing = (b & _MAGNITUDE) > _INFINITY
            target[s] = _LAST if missing else (ordered & keep) | np.uint32(s)


@kernel
def long_keys(x, groups, use_groups, keys):
    """64-bit keys: group (16 bits), full value (32 bits), instrument (16 bits), or value and instrument
    alone.

    Missing values, and with groups also instruments without a group, get the largest key.
    """
    rows, width = x.shape
    raw = x.view(np.uint32)
    for t in range(rows):
        source = raw[t]
        target = keys[t]
        group = groups[t] if use_groups else groups[0]
        for s in range(width):
            b = source[s]
            b = np.uint32(0) if b == _SIGN else b
            negative = np.uint32(0) - (b >> np.uint32(31))
            # numba widens 32-bit integers, so the upper half is cut off
            ordered = np.uint64(b ^ (negative | _SIGN)) & np.uint64(_LAST)
            missing = (b & _MAGNITUDE) > _INFINITY
            if use_groups:
                g = group[s]
                key = (np.uint64(g) << np.uint64(48)) | (ordered << np.uint64(16)) | np.uint64(s)
                missing = missing or g < 0
            else:
                key = (ordered << np.uint64(32)) | np.uint64(s)
            target[s] = np.uint64(0xFFFFFFFFFFFFFFFF) if missing else key


@kernel
def order_from_short(x, bits, keys, order, counts, unsorted):
    """Instruments of each row in ascending order, from sorted 32-bit keys; equal values stand by index.

    A row in which many different values share a shortened key is marked in `unsorted` and must be ordered
    by long keys.
    """
    rows, width = x.shape
    index_mask = (np.uint32(1) << np.uint32(bits)) - np.uint32(1)
    value_mask = ~index_mask
    runs = np.empty(width + 1, np.int64)
    for t in range(rows):
        key = keys[t]
        row = x[t]
        target = order[t]
        n = width
        while n > 0 and key[n - 1] == _LAST:
            n -= 1
        counts[t] = n
        unsorted[t] = False
        for i in range(n):
            target[i] = np.int32(key[i] & index_mask)
        for i in range(n, width):
            target[i] = np.int32(-1)
        found = 0
        for i in range(1, n):
            runs[found] = i
            found += 1 if ((key[i] ^ key[i - 1]) & value_mask) == np.uint32(0) else 0
        r = 0
        while r < found:
            start = runs[r] - 1
            stop = runs[r] + 1
            r += 1
            while r < found and runs[r] == stop:
                stop += 1
                r += 1
            sorted_run = True
            for i in range(start + 1, stop):
                if row[target[i]] < row[target[i - 1]]:
                    sorted_run = False
                    break
            if sorted_run:
                continue
            if stop - start > _LONG_RUN:
                unsorted[t] = True
                break
            for i in range(start + 1, stop):
                moved = target[i]
                value = row[moved]
                j = i - 1
                while j >= start and row[target[j]] > value:
                    target[j + 1] = target[j]
                    j -= 1
                target[j + 1] = moved


@kernel
def ranks_from_short(x, bits, keys, zero_to_one, unsorted, out):
    """Average ranks of each row straight from sorted 32-bit keys: r/n, or (r-1)/(n-1) where `zero_to_one`.

    Every value first gets the rank of its key; runs of equal shortened keys are then put right. Rows are
    marked in `unsorted` as in :func:`order_from_short`.
    """
    rows, width = x.shape
    nan = np.float32(np.nan)
    index_mask = (np.uint32(1) << np.uint32(bits)) - np.uint32(1)
    value_mask = ~index_mask
    table = np.empty(width, np.float32)
    runs = np.empty(width + 1, np.int64)
    filled = -1
    offset = 1.0 if zero_to_one else 0.0
    for t in range(rows):
        key = keys[t]
        row = x[t]
        target = out[t]
        n = width
        while n > 0 and key[n - 1] == _LAST:
            n -= 1
        unsorted[t] = False
        scale = float(max(n - 1, 1)) if zero_to_one else float(max(n, 1))
        if n != filled:
            filled = n
            for i in range(n):
                table[i] = np.float32((i + 1.0 - offset) / scale)
            if n == 1 and zero_to_one:
                table[0] = np.float32(0.5)
        if n < width:
            for s in range(width):
                target[s] = nan
        found = 0
        before = np.uint32(0)
        for i in range(n):
            k = key[i]
            target[k & index_mask] = table[i]
            runs[found] = i
            same = ((k ^ before) & value_mask) == np.uint32(0)
            found += 1 if same & (i > 0) else 0
            before = k
        r = 0
        while r < found:
            start = runs[r] - 1
            stop = runs[r] + 1
            r += 1
            while r < found and runs[r] == stop:
                stop += 1
                r += 1
            equal = True
            value = row[key[start] & index_mask]
            for i in range(start, stop):
                key[i] = key[i] & index_mask
                equal = equal and row[key[i]] == value
            if equal:
                shared = np.float32((0.5 * (start + stop + 1) - offset) / scale)
                for i in range(start, stop):
                    target[key[i]] = shared
                continue
            if stop - start > _LONG_RUN:
                ordered = True
                for i in range(start + 1, stop):
                    if row[key[i]] < row[key[i - 1]]:
                        ordered = False
                        break
                if not ordered:
                    unsorted[t] = True
                    break
            for i in range(start + 1, stop):
                moved = key[i]
                value = row[moved]
                j = i - 1
                while j >= start and row[key[j]] > value:
                    key[j + 1] = key[j]
                    j -= 1
                key[j + 1] = moved
            i = start
            while i < stop:
                j = i + 1
                value = row[key[i]]
                while j < stop and row[key[j]] == value:
                    j += 1
                shared = np.float32((0.5 * (i + j + 1) - offset) / scale)
                for k in range(i, j):
                    target[key[k]] = shared
                i = j


@kernel
def order_from_long(keys, index_bits, order, counts):
    """Instruments of each row in ascending order, from sorted 64-bit keys."""
    rows, width = keys.shape
    mask = (np.uint64(1) << np.uint64(index_bits)) - np.uint64(1)
    for t in range(rows):
        key = keys[t]
        target = order[t]
        n = width
        while n > 0 and key[n - 1] == np.uint64(0xFFFFFFFFFFFFFFFF):
            n -= 1
        counts[t] = n
        for i in range(n):
            target[i] = np.int32(key[i] & mask)
        for i in range(n, width):
            target[i] = np.int32(-1)


@kernel
def ranks_from_order(x, order, counts, zero_to_one, out):
    """Average ranks of each row: r/n, or (r-1)/(n-1) where `zero_to_one`; missing values stay missing."""
    rows, width = x.shape
    nan = np.float32(np.nan)
    table = np.empty(width, np.float32)
    ties = np.empty(width + 1, np.int64)
    filled = -1
    for t in range(rows):
        n = counts[t]
        row = x[t]
        position = order[t]
        target = out[t]
        offset = 1.0 if zero_to_one else 0.0
        scale = float(max(n - 1, 1)) if zero_to_one else float(max(n, 1))
        if n != filled:
            filled = n
            for i in range(n):
                table[i] = np.float32((i + 1.0 - offset) / scale)
            if n == 1 and zero_to_one:
                table[0] = np.float32(0.5)
        if n < width:
            for s in range(width):
                target[s] = nan
        found = 0
        last = nan
        for i in range(n):
            p = position[i]
            value = row[p]
            target[p] = table[i]
            ties[found] = i
            found += 1 if value == last else 0
            last = value
        r = 0
        while r < found:
            start = ties[r] - 1
            stop = ties[r] + 1
            r += 1
            while r < found and ties[r] == stop:
                stop += 1
                r += 1
            shared = np.float32((0.5 * (start + stop + 1) - offset) / scale)
            for i in range(start, stop):
                target[position[i]] = shared


@kernel
def ranks_in_groups(x, groups, order, counts, zero_to_one, out):
    """Average ranks within each group of a row ordered by group, then value; the rest stays as it is."""
    rows = x.shape[0]
    for t in range(rows):
        n = counts[t]
        row = x[t]
        code = groups[t]
        position = order[t]
        target = out[t]
        start = 0
        while start < n:
            stop = start + 1
            while stop < n and code[position[stop]] == code[position[start]]:
                stop += 1
            size = stop - start
            i = start
            while i < stop:
                j = i + 1
                while j < stop and row[position[j]] == row[position[i]]:
                    j += 1
                rank = 0.5 * (i + j + 1) - start
                value = rank / size
                if zero_to_one:
                    value = (rank - 1.0) / (size - 1.0) if size > 1 else 0.5
                for k in range(i, j):
                    target[position[k]] = np.float32(value)
                i = j
            start = stop


@kernel
def medians_in_groups(x, groups, order, counts, medians):
    """Median of each group of a row ordered by group, then value; `medians` is (rows, groups) and starts
    missing.
    """
    for t in range(x.shape[0]):
        n = counts[t]
        row = x[t]
        code = groups[t]
        position = order[t]
        start = 0
        while start < n:
            group = code[position[start]]
            stop = start + 1
            while stop < n and code[position[stop]] == group:
                stop += 1
            middle = (start + stop - 1) // 2
            other = (start + stop) // 2
            a = np.float64(row[position[middle]])
            b = np.float64(row[position[other]])
            medians[t, group] = np.float32(0.5 * (a + b))
            start = stop
