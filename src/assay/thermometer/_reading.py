"""What one component says as of a day."""

from __future__ import annotations

from datetime import date

from assay.base import json_hash
from assay.thermometer._component import Component, ComponentSeries, Direction, Observation, Rules
from assay.thermometer._print import Change, ComponentReading, State, Value


def read_component(series: ComponentSeries, as_of: date, rules: Rules) -> ComponentReading:
    """What a component says as of a day."""
    known: dict[date, Observation] = {}
    for seen in sorted(item for item in series.observations if item.released <= as_of):
        known[seen.day] = seen  # released later than the one before
    last = known[max(known)] if known else None
    listed = [[day.isoformat(), known[day].released.isoformat(), known[day].value] for day in sorted(known)]
    return reading_of(
        series.component,
        as_of,
        rules,
        _value(last),
        _value(None if last is None else _reference(known, last, rules)),
        len(known),
        json_hash(listed),
    )


def _reference(known: dict[date, Observation], last: Observation, rules: Rules) -> Observation | None:
    span = rules.lookback_days
    days = [day for day in known if span <= (last.day - day).days <= 2 * span]
    return known[max(days)] if days else None


def _value(seen: Observation | None) -> Value | None:
    return None if seen is None else Value(day=seen.day, released=seen.released, value=seen.value)


def reading_of(
    component: Component,
    as_of: date,
    rules: Rules,
    last: Value | None,
    reference: Value | None,
    values: int,
    series_hash: str,
) -> ComponentReading:
    """The reading that follows from the two values of a component."""
    age = None if last is None else (as_of - last.day).days
    state: State = "counted"
    if last is None or age is None:
        state = "missing"
    elif age > rules.stale_after_days + component.release_lag_days:
        state = "stale"
    elif reference is None:
        state = "short"
    change: Change | None = None
    if state == "counted" and last is not None and reference is not None:
        change = _change(component.direction, reference.value, last.value)
    return ComponentReading(
        name=component.name,
        axis=component.axis,
        direction=component.direction,
        source=component.source,
        release_lag_days=component.release_lag_days,
        simulated=component.simulated,
        state=state,
        change=change,
        last=last,
        reference=reference,
        age_days=age,
        values=values,
        series_hash=series_hash,
    )


def _change(direction: Direction, before: float, after: float) -> Change:
    if after == before:
        return "unchanged"
    return "up" if (after > before) == (direction == 1) else "down"


def component_of(reading: ComponentReading) -> Component:
    """The definition that a reading was made by."""
    return Component(
        reading.name,
        reading.axis,
        reading.direction,
        reading.source,
        reading.release_lag_days,
        reading.simulated,
    )
