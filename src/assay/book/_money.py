"""Decimal arithmetic in which every sum is exact, and every rounding is asked for.

Signs are changed by ``copy_negate`` and ``copy_abs``: the operators round to Python's 28 digits.
"""

from __future__ import annotations

import re
from decimal import ROUND_DOWN, ROUND_HALF_EVEN, Context, Decimal, DivisionByZero, Inexact, InvalidOperation
from typing import Final

_PLAIN = re.compile(r"[+-]?\d{1,15}(?:\.\d{1,9})?", re.ASCII)

ZERO: Final = Decimal(0)
EXACT: Final = Context(prec=100, traps=[InvalidOperation, DivisionByZero, Inexact])
"""Sums and products; what it cannot hold exactly raises."""
CENT: Final = Decimal("1e-18")
"""Money is a whole number of these: as fine as the product of a quantity and a price."""
LOT: Final = Decimal("1e-9")
"""Quantities are a whole number of these."""
_ROUNDING = Context(prec=100, rounding=ROUND_HALF_EVEN, traps=[InvalidOperation, DivisionByZero])


def read_decimal(text: str) -> Decimal:
    """A number in plain notation, up to 15 digits before the point and 9 after it.

    Raises
    ------
    ValueError
        It is anything else: an exponent, NaN, a comma.
    """
    if not _PLAIN.fullmatch(text):
        raise ValueError("not a number of at most 15 digits before the point and 9 after it")
    return Decimal(text)


def decimal_text(value: Decimal) -> str:
    """Plain notation without needless zeros."""
    text = f"{value:f}"
    text = text.rstrip("0").rstrip(".") if "." in text else text
    return "0" if text in ("-0", "") else text


def ratio_of(amount: Decimal, part: Decimal, whole: Decimal, unit: Decimal) -> Decimal:
    """``amount * part / whole``, rounded to units, half to even."""
    exact = _ROUNDING.divide(EXACT.multiply(amount, part), whole)
    return exact.quantize(unit, rounding=ROUND_HALF_EVEN, context=_ROUNDING)


def shares_of(amount: Decimal, count: int) -> list[Decimal]:
    """An amount of money in equal parts; what division leaves over goes to the first, so the sum is exact."""
    part = _ROUNDING.divide(amount, Decimal(count)).quantize(CENT, rounding=ROUND_DOWN, context=_ROUNDING)
    first = EXACT.subtract(amount, EXACT.multiply(part, Decimal(count - 1)))
    return [first, *[part] * (count - 1)]


def add(*amounts: Decimal) -> Decimal:
    """The exact sum."""
    total = ZERO
    for amount in amounts:
        total = EXACT.add(total, amount)
    return total
