"""Components that a random generator makes, and that say so."""

from __future__ import annotations

from datetime import date, timedelta
from typing import Final

import numpy as np

from assay.base import generator
from assay.thermometer._component import Axis, Component, ComponentSeries, Direction, Observation

SEED: Final = 7
FIRST, LAST = 2000, 2049
"""Years of the series."""
_MONTHS = 12 * (LAST - FIRST + 1)

_COMPONENTS: tuple[tuple[str, Axis, Direction, int], ...] = (
    ("accelerator-shipments", "supply", 1, 20),
    ("datacenter-capacity", "supply", 1, 35),
    ("delivery-times", "supply", -1, 5),
    ("foundry-output", "supply", 1, 12),
    ("cloud-spending", "demand", 1, 30),
    ("compute-prices", "demand", 1, 2),
    ("idle-capacity", "demand", -1, 8),
    ("order-backlog", "demand", 1, 18),
)


def simulated_components(seed: int = SEED) -> tuple[ComponentSeries, ...]:
    """Eight monthly series, four of each axis, from 2000 to 2049; those of an axis share a slow cycle.

    They are made up: a print of them is marked ``simulated``.
    """
    return tuple(_series(seed, *row) for row in _COMPONENTS)


def month_ends(first: date, last: date) -> tuple[date, ...]:
    """The last day of each month that lies between two days, both included."""
    found = []
    day = first.replace(day=1)
    while day <= last:
        following = (day + timedelta(days=31)).replace(day=1)
        if first <= following - timedelta(days=1) <= last:
            found.append(following - timedelta(days=1))
        day = following
    return tuple(found)


def _series(seed: int, name: str, axis: Axis, direction: Direction, lag: int) -> ComponentSeries:
    component = Component(name, axis, direction, f"simulated, seed {seed}", lag, simulated=True)
    steps = _cycle(seed, axis) + generator(seed, "thermometer", name).normal(0.0, 1.3, _MONTHS)
    # a positive index around 100, two decimals: so some months do not change, as published series do
    values = np.round(100.0 * np.exp(0.004 * direction * np.cumsum(steps)), 2)
    days = month_ends(date(FIRST, 1, 1), date(LAST, 12, 31))
    return ComponentSeries(
        component,
        tuple(
            Observation(day, day + timedelta(days=lag), float(value))
            for day, value in zip(days, values, strict=True)
        ),
    )


def _cycle(seed: int, axis: Axis) -> np.ndarray:
    """What drives the components of an axis: a wave of 2 to 5 years."""
    drawn = generator(seed, "thermometer", "cycle", axis)
    period, phase = drawn.uniform(24, 60), drawn.uniform(0, 2 * np.pi)
    wave: np.ndarray = np.sin(2 * np.pi * np.arange(_MONTHS) / period + phase)
    return wave
