from __future__ import annotations

from numba import njit

BLOCK = 512
"""Instruments per block: the window of a block stays in the nearest cache."""

ANCHOR_ROWS = 64
"""Rolling sums start afresh at least this often, at fixed row numbers, so rounding cannot pile up."""

LOST_DIGITS = 1e-7
"""A rolling variance below this share of what the sums have held is computed again from the window itself."""

# `contract` allows fused multiply-add, `nsz` ignores the sign of zero; NaN and infinity keep their meaning.
kernel = njit(nogil=True, cache=True, error_model="numpy", fastmath={"contract", "nsz"})
