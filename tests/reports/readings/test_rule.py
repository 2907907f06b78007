"""When a spec hangs on one reading."""

from __future__ import annotations

import pytest

from assay.reports.readings import single_reading
from assay.spec import Direction, Reading


def _readings(*ts: float | None) -> list[Reading]:
    return [Reading(f"r{n}", "x", None if t is None else t / 100, t) for n, t in enumerate(ts)]


@pytest.mark.parametrize(
    ("ts", "direction"),
    [
        ((3.0, 0.4, -0.2), "positive"),
        ((-3.0, -0.4, 0.2), "negative"),
        ((2.0, 0.99), "positive"),
        ((3.0, 0.4, -0.2), "undeclared"),
        ((0.5, -2.5, -0.1), "positive"),
        ((2.5, None, 0.1), "positive"),
    ],
)
def test_one_flattering_reading_fails(ts: tuple[float | None, ...], direction: Direction) -> None:
    finding = single_reading(_readings(*ts), direction)
    assert finding is not None
    assert finding.code == "extract.single_reading"
    assert "'r0'" in finding.message


@pytest.mark.parametrize(
    ("ts", "direction"),
    [
        ((3.0,), "positive"),
        ((3.0, None), "positive"),
        ((3.0, 1.0, -0.5), "positive"),
        ((3.0, 2.5, 0.1), "positive"),
        ((0.5, 0.4, -0.2), "positive"),
        ((0.5, -1.9), "positive"),
        ((-3.0, -2.0), "positive"),
        ((), "positive"),
    ],
)
def test_readings_that_agree_or_say_nothing_do_not(
    ts: tuple[float | None, ...], direction: Direction
) -> None:
    assert single_reading(_readings(*ts), direction) is None
