from __future__ import annotations

import numpy as np

from assay.metrics._arrays import AnyArray, Floats, Singles, panel64, require
from assay.metrics._conventions import ENTRY


def lag_rows(values: AnyArray, rows: int = 1) -> Singles:
    """``values`` moved ``rows`` rows later; the first rows become missing (nothing wraps around)."""
    require(rows >= 0, f"rows is {rows}", "rows", "a negative lag would look ahead; give 0 or more")
    out = np.full(np.shape(values), np.nan, dtype=np.float32)
    if rows < len(out):
        out[rows:] = values[: len(out) - rows]
    return out


def _traded_prices(price: AnyArray, delisted_row: AnyArray | None) -> Floats:
    """Positive finite prices; missing from ``delisted_row`` on (-1 = never delisted)."""
    out = panel64(price, "price").copy()
    with np.errstate(invalid="ignore"):
        out[~(np.isfinite(out) & (out > 0))] = np.nan
    if delisted_row is not None:
        rows = np.asarray(delisted_row)
        gone = (rows >= 0) & (np.arange(len(out))[:, None] >= rows)
        out[gone] = np.nan
    return out


def forward_returns(
    price: AnyArray, horizon: int, *, entry: int = ENTRY, delisted_row: AnyArray | None = None
) -> Singles:
    """The label: the return of holding from the fill of t+entry for ``horizon`` bars.

    ``label[t] = price[t+entry+horizon] / price[t+entry] - 1``, missing where either price is missing
    (suspended, not listed, after delisting) and in the last ``entry + horizon`` rows. No price is carried
    forward.

    Parameters
    ----------
    price : (T, N) adjusted prices at which the book is filled.
    horizon : bars held, at least 1.
    entry : rows between the signal and the fill; 0 would trade at a price that the signal may contain.
    delisted_row : (N,) first row at which a name no longer exists, -1 = none.

    Examples
    --------
    >>> import numpy as np
    >>> forward_returns(np.array([[10.0], [11.0], [12.1], [12.1]]), 1).ravel().round(4)
    array([0.1, 0. , nan, nan], dtype=float32)
    """
    require(horizon >= 1, f"horizon is {horizon}", "horizon", "give at least 1 bar")
    require(
        entry >= 1,
        f"entry is {entry}",
        "entry",
        "a signal trades at the next bar at the earliest: give 1 or more",
    )
    traded = _traded_prices(price, delisted_row)
    out = np.full(traded.shape, np.nan, dtype=np.float32)
    rows = len(traded) - entry - horizon
    if rows > 0:
        out[:rows] = traded[entry + horizon :] / traded[entry : entry + rows] - 1.0
    return out


def bar_returns(
    price: AnyArray, *, delisted_row: AnyArray | None = None, delisting_value: float = 1.0
) -> Floats:
    """What a holding earns on each bar, in accounting terms.

    A holding without a price keeps its last one (return 0) and catches up on the next traded bar. At
    ``delisted_row`` it closes at ``delisting_value`` times the last price. Zero where nothing can be held.

    Parameters
    ----------
    price : (T, N) adjusted prices, NaN where not traded.
    delisted_row : (N,) first row at which a name no longer exists, -1 = none.
    delisting_value : share of the last price that a delisted holding is paid.
    """
    require(
        delisting_value >= 0, f"delisting_value is {delisting_value}", "delisting_value", "give 0 or more"
    )
    traded = _traded_prices(price, delisted_row)
    rows = np.arange(len(traded))[:, None]
    last = np.maximum.accumulate(np.where(np.isfinite(traded), rows, -1), axis=0)
    marked = np.where(last >= 0, np.take_along_axis(traded, np.maximum(last, 0), axis=0), np.nan)
    out = np.zeros(traded.shape)
    out[1:] = marked[1:] / marked[:-1] - 1.0
    out[~np.isfinite(out)] = 0.0
    if delisted_row is not None:
        gone = np.asarray(delisted_row)
        names = np.flatnonzero((gone >= 1) & (gone < len(out)))
        held = names[last[gone[names] - 1, names] >= 0]
        out[gone[held], held] = delisting_value - 1.0
    return out
