"""Sums and differences of one unit."""

import pytest

from assay.reports.rules._tree import Apply, Field, Number, apply
from assay.reports.rules._units import consistent

CLOSE, LOW, AMOUNT, VOLUME = Field("close"), Field("low"), Field("amount"), Field("volume")


@pytest.mark.parametrize(
    ("tree", "sound"),
    [
        (apply("-", CLOSE, LOW), True),
        (apply("-", apply("/", CLOSE, LOW), Number("1")), True),
        (apply("-", apply("/", CLOSE, Field("high")), LOW), False),
        (apply("-", CLOSE, apply("/", AMOUNT, VOLUME)), True),
        (apply("-", CLOSE, AMOUNT), False),
        (apply("+", apply("RANK", CLOSE), apply("RANK", VOLUME)), True),
        (apply("+", apply("LOG", CLOSE), CLOSE), False),
        (apply("neg", apply("-", CLOSE, VOLUME)), False),
    ],
)
def test_a_difference_of_two_units_is_none(tree: Apply, sound: bool) -> None:
    assert consistent(tree) is sound
