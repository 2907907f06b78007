"""Component series that tests make: a value a month, what it was released with, and two axes of them."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date, timedelta
from pathlib import Path

import pytest

from assay.thermometer import (
    Axis,
    Component,
    ComponentSeries,
    Direction,
    Observation,
    PrintStore,
    month_ends,
)

AS_OF = date(2020, 6, 30)
MONTHS = month_ends(date(2019, 7, 1), AS_OF)


def component(name: str, axis: Axis, direction: Direction = 1, lag: int = 0) -> Component:
    return Component(name, axis, direction, "a bureau", lag)


def series(
    name: str, axis: Axis, values: Sequence[float], direction: Direction = 1, lag: int = 0
) -> ComponentSeries:
    """The values of the last months to ``AS_OF``."""
    days = MONTHS[len(MONTHS) - len(values) :]
    seen = [Observation(d, d + timedelta(days=lag), float(v)) for d, v in zip(days, values, strict=True)]
    return ComponentSeries(component(name, axis, direction, lag), tuple(seen))


def moved(name: str, axis: Axis, change: float, direction: Direction = 1, lag: int = 0) -> ComponentSeries:
    """A series whose last value, and no other, is another by ``change``."""
    return series(name, axis, [10.0] * 11 + [10.0 + change], direction, lag)


def two_axes(supply: Sequence[float], demand: Sequence[float]) -> tuple[ComponentSeries, ...]:
    """Components with these changes, ``s0``, ``s1``, ... and ``d0``, ``d1``, ..."""
    return (
        *(moved(f"s{place}", "supply", change) for place, change in enumerate(supply)),
        *(moved(f"d{place}", "demand", change) for place, change in enumerate(demand)),
    )


@pytest.fixture
def store(tmp_path: Path) -> PrintStore:
    return PrintStore(tmp_path / "prints")
