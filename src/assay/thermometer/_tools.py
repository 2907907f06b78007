from __future__ import annotations

from datetime import date

from pydantic import Field

from assay.base import DAMAGED_STATE
from assay.errors import Refusal
from assay.thermometer._print import ThermometerPrint
from assay.thermometer._reasons import NO_THERMOMETER_PRINT
from assay.thermometer._store import PrintStore
from assay.tools import Arguments, Context, Result, Tool


class LatestArguments(Arguments):
    pass


class LatestResult(Result):
    name: str = Field(description="Day, number among the prints of the day, and SHA-256 of its file.")
    age_days: int | None = Field(description="From its day to the last day that is open.")
    print: ThermometerPrint


def thermometer_tools(store: PrintStore | None, clock: date | None = None) -> tuple[Tool, ...]:
    """``thermometer.latest``; ``clock``: the last day that callers may learn of, None for all."""

    def latest(arguments: LatestArguments, context: Context) -> LatestResult:
        if store is None:
            raise Refusal(NO_THERMOMETER_PRINT)
        found = store.latest(clock)
        age = None if clock is None else (clock - found.as_of).days
        return LatestResult(name=found.name, age_days=age, print=found.print)

    return (
        Tool(
            "thermometer.latest",
            "Gives the latest print of supply and demand: verdict, heat from 0 to 100, both axes, how fresh "
            "it is, and what each component says and comes from.",
            LatestArguments,
            LatestResult,
            (NO_THERMOMETER_PRINT, DAMAGED_STATE),
            latest,
        ),
    )
