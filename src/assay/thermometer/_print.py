"""What a print holds; as a file, as a tool's answer, and in Python."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date
from typing import Literal

from pydantic import ConfigDict, Field

from assay.thermometer._component import Axis, Direction
from assay.tools import Result

State = Literal["counted", "missing", "short", "stale"]
Change = Literal["up", "unchanged", "down"]
Move = Literal["rising", "flat", "falling"]
Verdict = Literal["tightening", "easing", "expanding", "contracting", "balanced"]

VERDICT_MEANINGS: Mapping[Verdict, str] = {
    "tightening": "Demand rises more widely than supply, or falls less.",
    "easing": "Supply rises more widely than demand, or falls less.",
    "expanding": "Supply and demand both rise.",
    "contracting": "Supply and demand both fall.",
    "balanced": "Neither supply nor demand moves one way.",
}
"""What each verdict means, in a sentence."""


class _Part(Result):
    """Strict, since what a file holds is read with it; a float may be written as a whole number."""

    model_config = ConfigDict(extra="forbid", frozen=True, allow_inf_nan=False, strict=True)


class Value(_Part):
    day: date
    released: date = Field(description="Day from which on it was known.")
    value: float


class ComponentReading(_Part):
    name: str
    axis: Axis
    direction: Direction = Field(description="-1 where a falling series means more of the axis.")
    source: str
    release_lag_days: int
    simulated: bool
    state: State = Field(
        description="counted; missing: no value was released; short: none to compare with; stale: too old."
    )
    change: Change | None = Field(description="Directed change over the lookback; missing unless counted.")
    last: Value | None
    reference: Value | None = Field(description="What the last value is compared with.")
    age_days: int | None = Field(description="From the date of the last value to the day of the print.")
    values: int = Field(description="Dates with a value that was released.")
    series_hash: str = Field(description="SHA-256 over all values that were released.")


class AxisReading(_Part):
    diffusion: float = Field(
        description="Share of counted components that rose, plus half of those unchanged."
    )
    move: Move
    agreement: float = Field(description="Share of the most common change among those counted.")
    dispersion: float = Field(description="Standard deviation of the changes as 1, 0, -1: 0 to 1.")
    counted: int
    components: int


class Axes(_Part):
    supply: AxisReading
    demand: AxisReading


class Freshness(_Part):
    newest: date = Field(description="Latest date of a counted component's last value.")
    oldest: date
    counted: list[str]
    missing: list[str]
    short: list[str]
    stale: list[str]


class RulesUsed(_Part):
    lookback_days: int
    neutral_band: float
    stale_after_days: int


class ThermometerPrint(_Part):
    """What the thermometer says as of a day. All else follows from day, rules and component readings."""

    as_of: date
    simulated: bool = Field(description="Whether a component is made up; then it says nothing of any market.")
    verdict: Verdict
    heat: float = Field(description="0 to 100; above 50, demand rises more widely than supply.")
    axes: Axes
    freshness: Freshness
    components: list[ComponentReading]
    rules: RulesUsed
    methodology_hash: str = Field(description="Equal where rules and definitions of components are equal.")
    supersedes: str | None = Field(description="The print of the same day whose place it takes.")
