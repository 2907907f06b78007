"""A print from component series: diffusion, heat, verdict and freshness."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from datetime import date
from fractions import Fraction

from assay.errors import Problem, Refusal
from assay.thermometer._component import (
    AXES,
    Axis,
    ComponentSeries,
    Rules,
    ThermometerProblems,
    methodology_hash,
)
from assay.thermometer._print import (
    Axes,
    AxisReading,
    Change,
    ComponentReading,
    Freshness,
    Move,
    RulesUsed,
    ThermometerPrint,
    Verdict,
)
from assay.thermometer._reading import component_of, read_component
from assay.thermometer._reasons import NO_READING

_HALVES: dict[Change, int] = {"up": 2, "unchanged": 1, "down": 0}


def make_print(
    series: Sequence[ComponentSeries], as_of: date, rules: Rules | None = None
) -> ThermometerPrint:
    """The print of components as of a day, from what was released by then and nothing else.

    Raises
    ------
    ThermometerProblems
        A name is used twice.
    Refusal
        ``no_reading``: an axis has no component that counts.
    """
    used = rules or Rules()
    names = Counter(item.component.name for item in series)
    if twice := [name for name, count in names.items() if count > 1]:
        raise ThermometerProblems([Problem(name, "is the name of two components") for name in twice])
    return assemble(as_of, used, [read_component(item, as_of, used) for item in series])


def assemble(
    as_of: date, rules: Rules, readings: Sequence[ComponentReading], supersedes: str | None = None
) -> ThermometerPrint:
    """The print that follows from readings.

    Raises
    ------
    Refusal
        ``no_reading``.
    """
    ordered = sorted(readings, key=lambda reading: reading.name)
    shares = {axis: _diffusion(axis, ordered) for axis in AXES}
    moves = {axis: _move(share, rules) for axis, share in shares.items()}
    return ThermometerPrint(
        as_of=as_of,
        simulated=any(reading.simulated for reading in ordered),
        verdict=_verdict(moves["supply"], moves["demand"]),
        heat=float(50 * (shares["demand"] - shares["supply"] + 1)),
        axes=Axes(
            supply=_axis("supply", ordered, shares["supply"], moves["supply"]),
            demand=_axis("demand", ordered, shares["demand"], moves["demand"]),
        ),
        freshness=_freshness(ordered),
        components=ordered,
        rules=RulesUsed(
            lookback_days=rules.lookback_days,
            neutral_band=rules.neutral_band,
            stale_after_days=rules.stale_after_days,
        ),
        methodology_hash=methodology_hash(rules, (component_of(reading) for reading in ordered)),
        supersedes=supersedes,
    )


def _changes(axis: Axis, readings: Sequence[ComponentReading]) -> list[Change]:
    return [item.change for item in readings if item.axis == axis and item.change is not None]


def _diffusion(axis: Axis, readings: Sequence[ComponentReading]) -> Fraction:
    changes = _changes(axis, readings)
    if not changes:
        raise Refusal(
            NO_READING, f"no component of {axis} has a change that is known at this day", where=axis
        )
    return Fraction(sum(_HALVES[change] for change in changes), 2 * len(changes))


def _move(share: Fraction, rules: Rules) -> Move:
    distance, band = share - Fraction(1, 2), Fraction(repr(rules.neutral_band))
    if abs(distance) <= band:
        return "flat"
    return "rising" if distance > 0 else "falling"


def _verdict(supply: Move, demand: Move) -> Verdict:
    order = ("falling", "flat", "rising")
    if supply == demand:
        both: dict[Move, Verdict] = {"rising": "expanding", "falling": "contracting", "flat": "balanced"}
        return both[supply]
    return "tightening" if order.index(demand) > order.index(supply) else "easing"


def _axis(axis: Axis, readings: Sequence[ComponentReading], share: Fraction, move: Move) -> AxisReading:
    changes = _changes(axis, readings)
    count = len(changes)
    signs = [_HALVES[change] - 1 for change in changes]
    mean = Fraction(sum(signs), count)
    variance = Fraction(sum(sign * sign for sign in signs), count) - mean * mean
    return AxisReading(
        diffusion=float(share),
        move=move,
        agreement=max(Counter(changes).values()) / count,
        dispersion=float(variance) ** 0.5,
        counted=count,
        components=sum(reading.axis == axis for reading in readings),
    )


def _freshness(readings: Sequence[ComponentReading]) -> Freshness:
    dates = [item.last.day for item in readings if item.state == "counted" and item.last is not None]
    named: dict[str, list[str]] = {"counted": [], "missing": [], "short": [], "stale": []}
    for reading in readings:
        named[reading.state].append(reading.name)
    return Freshness(newest=max(dates), oldest=min(dates), **named)
