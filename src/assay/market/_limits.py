"""Daily price limits of mainland China's exchanges, by board and date (2017 to 2024)."""

from __future__ import annotations

import re
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from assay.market._universe import Dates

_CODE = re.compile(r"(?:^|[^0-9])(\d{6})(?:[^0-9]|$)")

CHINEXT_REFORM = np.datetime64("2020-08-24")
MAIN_BOARD_REGISTRATION = np.datetime64("2023-04-10")
FREE_DAYS = 5
FIRST_DAY_UP = 0.44
FIRST_DAY_DOWN = 0.36
TICK = 0.01


def board(symbol: str) -> str:
    """The board of a mainland symbol: ``main``, ``star``, ``chinext``, ``beijing``, or ``other``."""
    found = _CODE.search(symbol)
    if found is None:
        found = re.fullmatch(r"[A-Za-z]{2}\.?(\d{6})", symbol)
    if found is None:
        return "other"
    code = found.group(1)
    if code.startswith(("688", "689")):
        return "star"
    if code.startswith(("300", "301", "302")):
        return "chinext"
    if code.startswith(("4", "8", "92")):
        return "beijing"
    return "main"


def limit_ratios(
    instruments: Sequence[str],
    dates: Dates,
    st: NDArray[np.bool_],
    age_bars: NDArray[np.int32],
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Allowed rise and fall per date and instrument; NaN where the day has no limit.

    ``age_bars`` is 0 on the day of listing. Source: rules of the Shanghai, Shenzhen and Beijing exchanges.
    """
    shape = st.shape
    up = np.full(shape, np.nan)
    boards = np.array([board(symbol) for symbol in instruments])
    main = boards == "main"
    up[:, main] = np.where(st[:, main], 0.05, 0.10)
    up[:, boards == "star"] = 0.20
    up[:, boards == "beijing"] = 0.30
    after_reform = (dates >= CHINEXT_REFORM)[:, None]
    chinext = boards == "chinext"
    up[:, chinext] = np.where(after_reform, 0.20, np.where(st[:, chinext], 0.05, 0.10))
    down = up.copy()

    listing_row = np.arange(shape[0])[:, None] - age_bars
    listed_on = dates[np.clip(listing_row, 0, shape[0] - 1)]
    seen = listing_row >= 0
    free = boards[None, :] == "star"
    free = free | ((boards[None, :] == "chinext") & (listed_on >= CHINEXT_REFORM))
    free = free | (main[None, :] & (listed_on >= MAIN_BOARD_REGISTRATION))
    unlimited = seen & free & (age_bars < FREE_DAYS)
    special = seen & ~free & (main | chinext)[None, :] & (age_bars == 0)
    up[special] = FIRST_DAY_UP
    down[special] = FIRST_DAY_DOWN
    up[unlimited] = np.nan
    down[unlimited] = np.nan
    first_day = seen & (boards[None, :] == "beijing") & (age_bars == 0)
    up[first_day] = np.nan
    down[first_day] = np.nan
    return up, down


def round_to_tick(price: NDArray[np.float64]) -> NDArray[np.float64]:
    """Half-up rounding to 0.01, as the exchanges do; the margin covers the rounding of float32 storage."""
    return np.asarray(np.floor(price / TICK + 0.5 + 1e-4) * TICK)
