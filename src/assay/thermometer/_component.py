"""What is measured and by what rules; both are in the methodology hash of a print."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from datetime import date
from typing import Literal

from assay.base import json_hash
from assay.errors import ConfigProblems, Problem

Axis = Literal["supply", "demand"]
AXES: tuple[Axis, ...] = ("supply", "demand")
Direction = Literal[1, -1]

METHOD = "assay.thermometer/1"
"""Name of the computation itself; it changes when the same rules come to give other figures."""


class ThermometerProblems(ConfigProblems):
    """Components, rules or series that cannot be used, all problems at once."""

    kind = "thermometer"

    def __init__(self, problems: Sequence[Problem], *, where: str = "components") -> None:
        super().__init__(problems, where=where)


@dataclass(frozen=True, slots=True)
class Component:
    """One thing that is watched.

    Parameters
    ----------
    name : slug, unique among the components.
    axis : what it tells of.
    direction : 1 where a rising series means more of the axis, -1 where a falling one does.
    source : who publishes it, in words.
    release_lag_days : days from the date of a value to its release, where its series does not say the day.
    simulated : whether a random generator made it.
    """

    name: str
    axis: Axis
    direction: Direction
    source: str
    release_lag_days: int
    simulated: bool = False


@dataclass(frozen=True, slots=True)
class Rules:
    """What the figures of a print follow from, besides the components.

    Parameters
    ----------
    lookback_days : the last value is compared with the last one that is at least so much older, and not
        more than twice so much. 89 days are the shortest three months: of monthly values it is the third
        before the last.
    neutral_band : an axis rises (falls) where its diffusion is further than this above (below) 0.5.
    stale_after_days : a component does not count where its last value is older than this and its lag.
    """

    lookback_days: int = 89
    neutral_band: float = 0.1
    stale_after_days: int = 100


@dataclass(frozen=True, slots=True, order=True)
class Observation:
    """A value of a series; of several for one date, the one that was released last counts."""

    day: date
    released: date
    value: float


@dataclass(frozen=True, slots=True)
class ComponentSeries:
    """A component and its values, in any order."""

    component: Component
    observations: tuple[Observation, ...]


def methodology_hash(rules: Rules, components: Iterable[Component]) -> str:
    """SHA-256 over the method, the rules and the definitions of the components, whatever their order."""
    defined = sorted((asdict(component) for component in components), key=lambda item: str(item["name"]))
    content = {"method": METHOD, "rules": asdict(rules), "components": defined}
    return json_hash(content)
