from __future__ import annotations

import math

from assay.judge import Column

MISSING = "\u2013"
PER_YEAR = " x a year"
_DECIMALS = {"ic": 4, "rank_ic": 4, "neutral_rank_ic": 4, "names": 1}
_CURRENCY = {"CN": "CNY", "US": "USD"}
_MAGNITUDES = ((1e12, "tn"), (1e9, "bn"), (1e6, "m"), (1e3, "k"))


def figure_text(value: float | None, column: Column, *, market: str = "") -> str:
    """A figure of the summary row as text with its unit; a dash where it is undefined."""
    if value is None or not math.isfinite(value):
        return MISSING
    if column.unit == "percent":
        return percent(value)
    if column.unit == "bp":
        return f"{_unsigned_zero(value, 1)} bp"
    if column.unit == "money":
        return money(value, market)
    if column.unit == "count":
        return f"{int(value)}"
    if column.key == "turnover":
        return f"{value:.1f}{PER_YEAR}"
    return _unsigned_zero(value, _DECIMALS.get(column.key, 2))


def basis_points(share: float) -> str:
    """A return in basis points, one decimal; a dash where it is undefined."""
    return number(1e4 * share, 1)


def _unsigned_zero(value: float, digits: int) -> str:
    """``-0.0`` says nothing that ``0.0`` does not."""
    text = f"{value:.{digits}f}"
    return text.removeprefix("-") if float(text) == 0.0 else text


def number(value: float | None, digits: int = 4) -> str:
    """A plain number with a fixed count of decimals; a dash where it is undefined."""
    if value is None or not math.isfinite(value):
        return MISSING
    return _unsigned_zero(value, digits)


def small_number(value: float | None, digits: int = 4) -> str:
    """A probability: what rounds to zero is said to be below the last digit."""
    least = 10.0**-digits
    if value is not None and 0 <= value < least / 2:
        return f"<{least:.{digits}f}"
    return number(value, digits)


def counted(count: int, noun: str) -> str:
    """``1 round``, ``2 rounds``, ``2,635 rounds``."""
    return f"{count:,} {noun}{'' if count == 1 else 's'}"


def percent(value: float | None, digits: int = 1) -> str:
    """A share or a return in percent; a dash where it is undefined."""
    if value is None or not math.isfinite(value):
        return MISSING
    return f"{_unsigned_zero(100 * value, digits)}%"


def money(value: float, market: str) -> str:
    """An amount to three digits, in thousands (k), millions (m) and so on, with the market's currency."""
    unit = _CURRENCY.get(market, "in the data's currency")
    for size, name in _MAGNITUDES:
        if abs(value) >= size:
            return f"{value / size:.3g} {name} {unit}".strip()
    return f"{value:.0f} {unit}".strip()


def shorten(text: str, width: int) -> str:
    """``text`` on one line, cut in the middle, as both ends of a formula tell it apart."""
    line = " ".join(text.split())
    if len(line) <= width:
        return line
    head = width // 2
    return f"{line[:head]}\u2026{line[len(line) - (width - 1 - head) :]}"
