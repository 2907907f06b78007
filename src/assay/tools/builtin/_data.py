from __future__ import annotations

from functools import cache

from pydantic import Field

from assay.errors import Refusal
from assay.tools._tool import Arguments, Context, Result, Tool
from assay.tools.builtin._expression import FieldRow
from assay.tools.builtin._reasons import NO_DATA
from assay.tools.builtin._view import SearchView


class NoArguments(Arguments):
    pass


class UniverseRow(Result):
    name: str
    members_per_day: float | None = Field(description="Missing where membership is not known to the end.")


class GroupRow(Result):
    name: str
    classes: int


class DescribeResult(Result):
    name: str
    source: str
    simulated: bool = Field(description="Whether the data is invented.")
    first_date: str = Field(description="First day that may be searched.")
    last_date: str = Field(description="Last day that may be searched; every tool ends here.")
    days: int
    instruments: int
    universe: str | None = Field(description="The universe that is evaluated; none: all instruments.")
    universes: list[UniverseRow]
    fields: list[FieldRow]
    groups: list[GroupRow]


def data_tools(view: SearchView | None) -> tuple[Tool, ...]:
    """``data.describe``."""
    described = cache(_describe)

    def run(arguments: NoArguments, context: Context) -> DescribeResult:
        if view is None:
            raise Refusal(NO_DATA)
        return described(view)

    return (
        Tool(
            "data.describe",
            "Describes the data that may be searched: dates, universes, fields, groups.",
            NoArguments,
            DescribeResult,
            (NO_DATA,),
            run,
        ),
    )


def _describe(view: SearchView) -> DescribeResult:
    panel = view.panel
    fields = [info for _, info in sorted(panel.fields.items())]
    return DescribeResult(
        name=panel.name,
        source=panel.manifest.source.kind,
        simulated=panel.manifest.simulated,
        first_date=view.search.start.isoformat(),
        last_date=view.search.end.isoformat(),
        days=view.days,
        instruments=view.instruments,
        universe=view.universe,
        universes=[UniverseRow(name=name, members_per_day=_members(view, name)) for name in panel.universes],
        fields=[
            FieldRow(name=info.name, kind=info.kind, unit=info.unit, description=info.description)
            for info in fields
        ],
        groups=[GroupRow(name=name, classes=view.classes(name)) for name in panel.groups],
    )


def _members(view: SearchView, universe: str) -> float | None:
    mean = view.members_per_day(universe)
    return None if mean is None else round(mean, 1)
