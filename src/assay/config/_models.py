"""The keys of ``assay.toml``: the one place where they are declared, with ``_llm_models`` for the models.

Reference page, JSON schema, template and validation are all derived from these models.
"""

from __future__ import annotations

import re
from datetime import date, datetime
from typing import Annotated, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, WithJsonSchema
from pydantic_core import PydanticCustomError

from assay.config._plan import DateRange
from assay.config._workspace import DEFAULT_HORIZONS

_DAY = re.compile(r"\d{4}-\d{2}-\d{2}", re.ASCII)

EXAMPLE_RANGE = '["2017-01-01", "2020-12-31"]'


def parse_day(value: object) -> date:
    if isinstance(value, date) and not isinstance(value, datetime):
        return value
    text = str(value)
    try:
        # the pattern keeps out the other ISO forms (20170101, 2017-W01-1), which people misread
        if isinstance(value, str) and _DAY.fullmatch(text):
            return date.fromisoformat(text)
        raise ValueError(text)
    except ValueError as error:
        context = {"text": repr(text), "fix": "write it as YYYY-MM-DD"}
        raise PydanticCustomError("day", "{text} is not a date", context) from error


def parse_range(value: object) -> DateRange:
    if isinstance(value, DateRange):
        return value
    if not isinstance(value, list) or len(value) != 2:
        raise PydanticCustomError(
            "range", "a period is two dates, first and last day", {"fix": f"write it as {EXAMPLE_RANGE}"}
        )
    period = DateRange(parse_day(value[0]), parse_day(value[1]))
    if period.start > period.end:
        raise PydanticCustomError(
            "inverted",
            "begins on {start}, after its end {end}",
            {"start": str(period.start), "end": str(period.end), "fix": "give the earlier date first"},
        )
    return period


Period = Annotated[
    DateRange,
    BeforeValidator(parse_range),
    WithJsonSchema(
        {
            "type": "array",
            "items": {"type": "string", "format": "date"},
            "minItems": 2,
            "maxItems": 2,
            "title": "first and last day",
        }
    ),
]

Horizon = Annotated[int, Field(ge=1, le=252)]
Horizons = Annotated[list[Horizon], Field(min_length=1, max_length=12)]
BasisPoints = Annotated[float, Field(ge=0, le=1000)]
Budget = Annotated[int, Field(ge=0, le=10**9)]


class Table(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True, frozen=True, allow_inf_nan=False)


class CostsTable(Table):
    """Trading costs in bp (0.01%) of traded value; where no key is set, those of the data's market."""

    buy_bp: BasisPoints = Field(5.0, description="Cost of a purchase.")
    sell_bp: BasisPoints = Field(15.0, description="Cost of a sale. China: 15 with stamp duty; US: 5.")


class LooksTable(Table):
    """Budgets of looks. Looks at hidden dates are charged to the workspace's ledger; over budget they are
    refused."""

    score: Budget = Field(200, description="Looks at the `score` period.")
    eval: Budget = Field(10, description="Looks at the `eval` period.")


class DefaultsTable(Table):
    """What a command takes where its options do not say."""

    data: str | None = Field(None, description="Data set used without `--data`.", examples=["csi300"])
    universe: str | None = Field(
        None,
        description="Universe used without `--universe`; without either, all instruments.",
        examples=["csi300"],
    )
    horizons: Horizons = Field(list(DEFAULT_HORIZONS), description="Holding periods of the labels, in bars.")
    lag: Literal[0, 1] = Field(
        1,
        description="1: a signal of day t knows the data to t-1; 0: the close of t too. Traded on t+1.",
    )
    fill: Literal["close", "open", "vwap"] = Field("close", description="Price of day t+1 that trades pay.")


class PeriodsTable(Table):
    """The period plan of a data set. Set it once: a plan that is moved after a look hides nothing."""

    search: Period = Field(description="Open to everybody.", examples=[EXAMPLE_RANGE])
    score: Period | None = Field(
        None, description="Hidden: for rewards only.", examples=['["2021-03-01", "2022-06-30"]']
    )
    eval: Period | None = Field(
        None, description="Hidden: for the last look at a factor.", examples=['["2022-09-01", "2024-12-31"]']
    )
    embargo_bars: int | None = Field(
        None,
        ge=0,
        le=1000,
        description=(
            "Bars between neighbouring periods, at least the longest label (the longest horizon plus 1), "
            "which is also the default."
        ),
        examples=[21],
    )


class DataTable(Table):
    """One data set, by the name under `data/`. What it leaves out comes from the tables above."""

    universe: str | None = Field(None, description="As in `[defaults]`.", examples=["csi300"])
    horizons: Horizons | None = Field(None, description="As in `[defaults]`.", examples=["[1, 5, 20]"])
    costs: CostsTable | None = Field(None, description="As `[costs]`, for this data set.")
    looks: LooksTable | None = Field(None, description="As `[looks]`, for this data set.")
    periods: PeriodsTable | None = Field(None, description="The period plan.")


class ConfigFile(Table):
    """Settings of an Assay workspace, without the ``[llm]`` tables.

    Those are loaded only where a file has them: every judgement reads this file first, and must start fast.
    """

    defaults: DefaultsTable = Field(DefaultsTable(), description="What commands take unasked.")
    costs: CostsTable | None = Field(
        None, description="Trading costs; without them, those of the data's market."
    )
    looks: LooksTable = Field(LooksTable(), description="Budgets of looks at hidden dates.")
    data: dict[str, DataTable] = Field({}, description="Data sets by name.")
