"""What the tools of discovery may be sent: the bounds of the specs, narrowed to what a call may cost."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from assay.discovery._duration import DURATION_PATTERN
from assay.discovery._specs import (
    BarKind,
    Choice,
    Dim,
    EventWindowSpec,
    FactorMiningSpec,
    FeatureSearchSpec,
    MiningObjective,
    Objective,
    Reduction,
    SearchMethod,
    SweepMethod,
    SweepSpec,
)
from assay.models import Strategy
from assay.tools import Arguments

MAX_INPUTS = 16
MAX_POOL = 12
MAX_TRIED = 256
"""Configurations, windows x reductions, and sets of a call, at most."""

Name = Annotated[str, Field(min_length=1, max_length=64)]
Names = Annotated[list[Name], Field(min_length=1, max_length=16)]
Duration = Annotated[str, Field(pattern=DURATION_PATTERN, max_length=32)]
Windows = Annotated[list[Duration], Field(min_length=1, max_length=16)]
Whole = Annotated[int, Field(ge=-(10**12), le=10**12)]
Number = Annotated[float, Field(ge=-1e12, le=1e12)]


class MiningArguments(Arguments):
    inputs: list[Name] = Field(
        description="Features or columns that formulas are made of; labels are none.",
        min_length=1,
        max_length=MAX_INPUTS,
    )
    target: Name = Field(description="The label to foresee, such as fwd_ret_5.")
    max_depth: int = Field(3, description="Levels of a formula, inputs included.", ge=2, le=6)
    n_candidates: int = Field(200, description="Distinct formulas to draw.", ge=1, le=2000)
    objective: MiningObjective = Field(
        "|rank_ic|", description="Rank by the size of the RankIC, or by the RankIC with its sign."
    )

    def spec(self, seed: int) -> FactorMiningSpec:
        """The search that is asked for."""
        return FactorMiningSpec(
            tuple(self.inputs), self.target, self.max_depth, self.n_candidates, self.objective, seed
        )


class SelectArguments(Arguments):
    pool: list[Name] = Field(
        description="Features or columns to choose from; labels are none.", min_length=1, max_length=MAX_POOL
    )
    method: SearchMethod = Field("greedy", description="Add the best one by one, or try every set.")
    min_features: int = Field(1, description="Least size of a set.", ge=1, le=MAX_POOL)
    max_features: int = Field(4, description="Largest size of a set.", ge=1, le=MAX_POOL)
    objective: Objective = Field("rank_ic", description="The figure to maximise.")

    def spec(self, strategy: Strategy) -> FeatureSearchSpec:
        """The search that is asked for."""
        return FeatureSearchSpec(
            tuple(self.pool), self.method, self.min_features, self.max_features, self.objective, strategy
        )


class DimArguments(Arguments):
    name: str = Field(
        description="A parameter of the model (alpha), a setting of its folds (train_bars, test_bars, "
        "step_bars, embargo_bars, expanding), or features.",
        pattern="^[a-z][a-z0-9_]{0,31}$",
    )
    choices: list[bool | Whole | Number | Names] = Field(
        description="Values to try; of features lists of names.", min_length=1, max_length=32
    )

    def dim(self) -> Dim:
        """The axis of the sweep."""
        return Dim(self.name, tuple(_choice(choice) for choice in self.choices))


def _choice(value: bool | int | float | list[str]) -> Choice:
    return tuple(value) if isinstance(value, list) else value


class SweepArguments(Arguments):
    dims: list[DimArguments] = Field(description="Axes of the search.", min_length=1, max_length=6)
    method: SweepMethod = Field("grid", description="Every combination, or drawn ones.")
    n_random: int | None = Field(
        None, description="How many are drawn; by default 16. Only with random.", ge=1, le=MAX_TRIED
    )
    max_configs: int = Field(64, description="Most that may be tried.", ge=1, le=MAX_TRIED)
    objective: Objective = Field("rank_ic", description="The figure to maximise.")

    def spec(self, strategy: Strategy) -> SweepSpec:
        """The search that is asked for."""
        return SweepSpec(
            tuple(dim.dim() for dim in self.dims),
            self.method,
            self.n_random,
            self.max_configs,
            self.objective,
            strategy,
        )


class EventArguments(Arguments):
    pre_windows: Windows = Field(
        description="How long an event counts: durations such as 0m, 5m, 1d; a day has 24 hours. "
        "0m is the bar alone."
    )
    post_windows: Windows = Field(
        description="How long an event waits before it counts, from the end of the bar in which it was known."
    )
    reductions: list[Reduction] = Field(
        description="What is said of the events that count.", min_length=1, max_length=4
    )
    target: Name = Field("fwd_ret_1", description="The label to foresee; its horizon counts bars.")
    max_candidates: int = Field(200, description="Cap on pre x post x reductions.", ge=1, le=MAX_TRIED)
    min_events: int = Field(
        30, description="A combination for which fewer events count is left out.", ge=1, le=1_000_000
    )
    events: Name | None = Field(
        None, description="Name of the series of events; by default the first of the data set."
    )
    bars: BarKind = Field("daily", description="Bars of days, or those inside the day.")

    def spec(self) -> EventWindowSpec:
        """The search that is asked for."""
        return EventWindowSpec(
            tuple(self.pre_windows),
            tuple(self.post_windows),
            tuple(self.reductions),
            self.target,
            self.max_candidates,
            self.min_events,
            self.events,
            self.bars,
        )
