"""Positions at average cost: what each fill realises."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal

from assay.book._events import Fill, Side, Split
from assay.book._money import CENT, EXACT, LOT, ZERO, add, ratio_of


@dataclass(slots=True)
class Position:
    """What is held of an instrument.

    Parameters
    ----------
    quantity : negative for a short position.
    cost : what was paid for it, fees left out; negative where it was received. Average cost is
        ``cost / quantity``.
    """

    quantity: Decimal = ZERO
    cost: Decimal = ZERO

    def fill(self, side: Side, fill: Fill) -> Decimal:
        """Take up a fill; gives what it realised: the result of what it closed, less its fee.

        A fill that goes beyond closing closes all and opens the rest the other way.
        """
        signed = fill.quantity if side == "buy" else fill.quantity.copy_negate()
        closed = ZERO
        if self.quantity and self.quantity.is_signed() != signed.is_signed():
            closed = min(signed.copy_abs(), self.quantity.copy_abs()).copy_sign(self.quantity)
        released = self._release(closed)
        opened = add(signed, closed)
        self.quantity = add(self.quantity, signed)
        self.cost = add(self.cost, released.copy_negate(), EXACT.multiply(opened, fill.price))
        return add(EXACT.multiply(closed, fill.price), released.copy_negate(), fill.fee.copy_negate())

    def _release(self, closed: Decimal) -> Decimal:
        """The cost of the part that is closed; of the last part, all that is left."""
        if closed == self.quantity:
            return self.cost
        return ratio_of(self.cost, closed, self.quantity, CENT)

    def split(self, split: Split) -> None:
        """Restate the quantity; the cost stays what it is."""
        if self.quantity == 0:
            return
        restated = ratio_of(self.quantity, Decimal(split.after), Decimal(split.before), LOT)
        # a position does not vanish by rounding, or its cost would be without an owner
        self.quantity = restated or LOT.copy_sign(self.quantity)


def split_price(price: Decimal, split: Split) -> Decimal:
    """A price of before a split, restated."""
    return ratio_of(price, Decimal(split.before), Decimal(split.after), LOT)


def cash_of(side: Side, fill: Fill) -> Decimal:
    """What a fill brings in (or, negative, takes), its fee included."""
    value = EXACT.multiply(fill.quantity, fill.price)
    return add(value.copy_negate() if side == "buy" else value, fill.fee.copy_negate())
