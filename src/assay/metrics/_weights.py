from __future__ import annotations

import numpy as np

from assay.metrics._arrays import AnyArray, Bools, Floats, Ints, mask2, panel32, require
from assay.metrics._conventions import MIN_NAMES, QUANTILES, WEIGHT_CAP


def eligible(
    shape: tuple[int, int],
    *,
    universe: AnyArray | None = None,
    st: AnyArray | None = None,
    age_bars: AnyArray | None = None,
    min_age: int = 0,
    priced: AnyArray | None = None,
    price: AnyArray | None = None,
    min_price: float = 0.0,
    traded_value: AnyArray | None = None,
    min_traded_value: float = 0.0,
) -> Bools:
    """Names that a book may choose on each signal date.

    Every array must hold what was known at the signal: give them lagged like the signal. A missing price
    or traded value fails its minimum.

    Parameters
    ----------
    shape : (T, N).
    universe, priced : bool (T, N), True where a member, where traded.
    st : bool (T, N), True under special treatment; these are excluded.
    age_bars, min_age : bars since listing and the fewest that qualify.
    price, min_price : unadjusted price and its minimum.
    traded_value, min_traded_value : money traded and its minimum.
    """
    out = mask2(universe, "universe", shape, default=True).copy()
    if st is not None:
        out &= ~mask2(st, "st", shape, default=False)
    if priced is not None:
        out &= mask2(priced, "priced", shape, default=True)
    minima = (
        ("age_bars", age_bars, float(min_age)),
        ("price", price, min_price),
        ("traded_value", traded_value, min_traded_value),
    )
    for what, values, least in minima:
        require(
            least <= 0 or values is not None, f"a minimum for {what} without {what}", what, f"give {what} too"
        )
        if values is not None and least > 0:
            array = panel32(values, what, shape)
            with np.errstate(invalid="ignore"):
                out &= np.nan_to_num(array, nan=-np.inf) >= least
    return out


def _masked(signal: AnyArray, allowed: AnyArray | None) -> tuple[AnyArray, Bools]:
    x = panel32(signal, "signal")
    return x, mask2(allowed, "allowed", (x.shape[0], x.shape[1]), default=True) & np.isfinite(x)


def top_quantile_weights(
    signal: AnyArray,
    *,
    quantiles: int = QUANTILES,
    allowed: AnyArray | None = None,
    cap: float = WEIGHT_CAP,
    min_names: int = MIN_NAMES,
) -> Floats:
    """Equal weights in the top quantile (the top decile by default), at most ``cap`` each, the rest in cash.

    A row is NaN (no trade) with fewer than ``min_names`` names or an empty top quantile.
    """
    from assay.metrics._quantile import quantile_membership

    x, has = _masked(signal, allowed)
    top = quantile_membership(x, quantiles, has) == quantiles - 1
    return _legs(top, has, min_names, cap)


def _legs(chosen: Bools, has: Bools, min_names: int, cap: float) -> Floats:
    size = chosen.sum(axis=1, keepdims=True)
    weight = np.minimum(cap, 1.0 / np.maximum(size, 1))
    out = np.where(chosen, weight, 0.0)
    out[(size[:, 0] == 0) | (has.sum(axis=1) < min_names)] = np.nan
    return out


def top_k_weights(
    signal: AnyArray,
    k: int,
    *,
    buffer: int = 0,
    allowed: AnyArray | None = None,
    every: int = 1,
    offset: int = 0,
    cap: float = WEIGHT_CAP,
) -> Floats:
    """The ``k`` best names at 1/k each (at most ``cap``); a name chosen before stays while it is among ``k
    + buffer``.

    Rows t with ``t % every == offset`` are filled, the others NaN. Names that tie at the edge share what
    is left of the weight, so that the order of the columns decides nothing. A row with fewer than ``k``
    names is NaN.
    """
    require(k >= 1, f"k is {k}", "k", "give at least 1")
    require(buffer >= 0, f"buffer is {buffer}", "buffer", "give 0 or more")
    x, has = _masked(signal, allowed)
    out = np.full(x.shape, np.nan)
    rows = np.arange(offset, len(x), every)
    rows = rows[has[rows].sum(axis=1) >= k]
    better = _names_before(np.where(has[rows], x[rows], -np.inf))
    kept = np.zeros(x.shape[1], dtype=bool)
    for t, place in zip(rows, better, strict=True):
        place[~has[t]] = x.shape[1]
        kept &= place < k + buffer
        if int(kept.sum()) > k:  # ties let more names stay than there are places
            filled = _share(place, kept, k)
        else:
            filled = kept + _share(place, has[t] & ~kept, k - int(kept.sum()))
        out[t] = filled * min(cap, 1.0 / k)
        kept = filled > 0
    return out


def _names_before(score: AnyArray) -> Ints:
    """How many names of each row have a strictly higher score."""
    order = np.argsort(-score, axis=1, kind="stable")
    ranked = np.take_along_axis(score, order, axis=1)
    place = np.arange(score.shape[1])
    fresh = np.ones(score.shape, dtype=bool)
    fresh[:, 1:] = ranked[:, 1:] != ranked[:, :-1]
    first = np.maximum.accumulate(np.where(fresh, place, 0), axis=1)
    out = np.empty(score.shape, dtype=np.int64)
    np.put_along_axis(out, order, first, axis=1)
    return out


def _share(place: Ints, candidates: Bools, places: int) -> Floats:
    """Give ``places`` full positions to the candidates that stand first; those that tie at the edge share."""
    if places <= 0:
        return np.zeros(len(place))
    edge = np.partition(place[candidates], places - 1)[places - 1]
    inside, tied = candidates & (place < edge), candidates & (place == edge)
    left = places - int(inside.sum())
    return np.asarray(inside + tied * (left / int(tied.sum())), dtype=np.float64)


def long_short_weights(
    signal: AnyArray,
    *,
    quantiles: int = QUANTILES,
    allowed: AnyArray | None = None,
    min_names: int = MIN_NAMES,
) -> Floats:
    """+1 spread equally over the top quantile, -1 over the bottom one. Theoretical where shares cannot be
    borrowed.
    """
    from assay.metrics._quantile import quantile_membership

    x, has = _masked(signal, allowed)
    member = quantile_membership(x, quantiles, has)
    long = _legs(member == quantiles - 1, has, min_names, np.inf)
    short = _legs(member == 0, has, min_names, np.inf)
    return np.asarray(long - short, dtype=np.float64)


def dollar_neutral_weights(
    signal: AnyArray, *, by: str = "value", allowed: AnyArray | None = None, min_names: int = MIN_NAMES
) -> Floats:
    """Weights in proportion to the demeaned signal (``by="value"``) or its ranks (``by="rank"``).

    They sum to 0, their absolute values to 1; a row is NaN where the signal does not vary. Theoretical
    where shares cannot be borrowed.
    """
    from assay.metrics._ranks import average_ranks

    require(by in ("value", "rank"), f"by is {by!r}", "by", "give 'value' or 'rank'")
    x, has = _masked(signal, allowed)
    base = np.asarray(x if by == "value" else average_ranks(x, universe=has), dtype=np.float64)
    base = np.where(has, base, 0.0)
    count = np.maximum(has.sum(axis=1, keepdims=True), 1)
    gap = np.where(has, base - base.sum(axis=1, keepdims=True) / count, 0.0)
    gap -= np.where(has, gap.sum(axis=1, keepdims=True) / count, 0.0)
    size = np.abs(gap).sum(axis=1, keepdims=True)
    level = np.abs(base).max(axis=1, keepdims=True)
    fine = (size > 1e-12 * np.maximum(1.0, level) * count) & (has.sum(axis=1, keepdims=True) >= min_names)
    return np.where(fine, gap / np.where(size > 0, size, 1.0), np.nan)
