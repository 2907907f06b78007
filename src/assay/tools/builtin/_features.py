from __future__ import annotations

from datetime import UTC, date, datetime, time
from functools import cache
from typing import TYPE_CHECKING, Literal

import numpy as np
from pydantic import Field

from assay.base import DAMAGED_STATE
from assay.errors import Refusal
from assay.features import AS_OF_IN_FUTURE, BROKEN_FEATURE, UNKNOWN_FEATURE
from assay.tools._time import last_whole_day, read_instant
from assay.tools._tool import Arguments, Context, Result, Tool
from assay.tools.builtin._pages import PageArguments, page_of
from assay.tools.builtin._reasons import (
    BAD_AS_OF,
    BAD_LIMIT,
    BAD_OFFSET,
    MISSING_AS_OF,
    MISSING_SLUG,
    NO_FEATURE_STORE,
    NOT_IMPLEMENTED,
)

if TYPE_CHECKING:
    from assay.features import FeaturePanel, FeatureStore

MAX_TEXT = 200


class FeatureArguments(PageArguments):
    limit: int = Field(100, description="Rows of a page.", ge=1, le=200)


class FeatureRow(Result):
    name: str
    doc: str
    lag: int = Field(description="Bars until the value of a row is known.")
    is_label: bool = Field(description="Whether it tells what came after its row: to be foreseen, not used.")
    deps: list[str]
    hash: str = Field(description="Equal for features of equal content.")
    license_tier: Literal["open", "licensed", "restricted"]
    namespace: str = Field(description="Whose it is; empty for the generic universe.")


class FeaturesResult(Result):
    rows: list[FeatureRow]
    total: int
    next_offset: int | None = Field(description="Where the next page begins; missing on the last one.")


class MaterializeArguments(Arguments):
    slug: str = Field(description="Name of a feature.", max_length=MAX_TEXT)
    as_of: str = Field(
        description="ISO-8601 date-time, in UTC where it names no zone. Days that are over by then count.",
        max_length=64,
        json_schema_extra={"format": "date-time"},
    )
    rows: int = Field(5, description="How many of the last rows are shown.", ge=1, le=100)
    limit: int = Field(50, description="How many instruments are shown.", ge=1, le=200)
    offset: int = Field(0, description="Instruments to leave out.", ge=0, le=1_000_000)


class SummaryRow(Result):
    coverage: float | None = Field(description="Share of the cells that have a value.")
    mean: float | None
    std: float | None
    min: float | None
    median: float | None
    max: float | None


class CellsRow(Result):
    date: str = Field(description="Event time of the row.")
    known: str = Field(description="Day on which it was known.")
    values: list[float | None] = Field(description="By instrument; missing where there is none.")


class MaterializeResult(Result):
    slug: str
    hash: str
    is_label: bool
    lag: int
    as_of: str = Field(description="The last day that counted.")
    dates: int = Field(description="Rows that were known by then.")
    instruments: int
    first_date: str | None
    last_date: str | None
    summary: SummaryRow = Field(description="Over all rows and instruments.")
    columns: list[str] = Field(description="The instruments that are shown.")
    rows: list[CellsRow] = Field(description="The last rows.")
    next_offset: int | None = Field(description="Where further instruments begin; missing on the last page.")


def feature_tools(store: FeatureStore | None) -> tuple[Tool, ...]:
    """``features.list`` and ``features.materialize``."""
    listed = cache(_listed)

    def run_list(arguments: FeatureArguments, context: Context) -> FeaturesResult:
        rows = listed(needed(store))
        shown, following = page_of(rows, arguments, "features")
        return FeaturesResult(rows=list(shown), total=len(rows), next_offset=following)

    def run_materialize(arguments: MaterializeArguments, context: Context) -> MaterializeResult:
        return _materialize(needed(store), arguments)

    return (
        Tool(
            "features.list",
            "Lists the features: what they are, when they are known, what they are made of.",
            FeatureArguments,
            FeaturesResult,
            (BAD_LIMIT, BAD_OFFSET, NO_FEATURE_STORE),
            run_list,
        ),
        Tool(
            "features.materialize",
            "Gives a feature as it was known at a time: a summary, and the last rows by instrument.",
            MaterializeArguments,
            MaterializeResult,
            (
                MISSING_SLUG,
                UNKNOWN_FEATURE,
                MISSING_AS_OF,
                BAD_AS_OF,
                AS_OF_IN_FUTURE,
                BAD_LIMIT,
                BAD_OFFSET,
                NO_FEATURE_STORE,
                DAMAGED_STATE,
                NOT_IMPLEMENTED,
            ),
            run_materialize,
            reserved=(NOT_IMPLEMENTED.code,),
            faults={"rows": "limit"},
        ),
    )


def needed(store: FeatureStore | None) -> FeatureStore:
    """The store.

    Raises
    ------
    Refusal
        ``no_feature_store``.
    """
    if store is None:
        raise Refusal(NO_FEATURE_STORE)
    return store


def _listed(store: FeatureStore) -> list[FeatureRow]:
    return [
        FeatureRow(
            name=name,
            doc=feature.doc,
            lag=feature.lag,
            is_label=feature.is_label,
            deps=list(feature.deps),
            hash=store.graph.hash(name),
            license_tier=feature.license_tier,
            namespace=feature.namespace,
        )
        for name, feature in store.graph.items()
    ]


def _materialize(store: FeatureStore, asked: MaterializeArguments) -> MaterializeResult:
    if not asked.slug:
        raise Refusal(MISSING_SLUG)
    day = _day(asked.as_of, store.clock)
    try:
        found = store.materialize(asked.slug, day)
    except Refusal as refusal:
        if refusal.reason is BROKEN_FEATURE:
            raise Refusal(DAMAGED_STATE, refusal.message) from refusal
        raise
    return _shown(found, day, asked)


def _day(text: str, clock: date) -> date:
    """The last day that counts at a time.

    Raises
    ------
    Refusal
        ``missing_as_of``, ``bad_as_of``, ``as_of_in_future``.
    """
    if not text:
        raise Refusal(MISSING_AS_OF)
    try:
        instant = read_instant(text)
        day = last_whole_day(instant)
    except (ValueError, OverflowError) as error:
        raise Refusal(BAD_AS_OF) from error
    if instant > datetime.combine(clock, time.max, UTC):
        raise Refusal(AS_OF_IN_FUTURE)
    return day


def _shown(found: FeaturePanel, day: date, asked: MaterializeArguments) -> MaterializeResult:
    count, names = found.values.shape
    if asked.offset > names:
        raise Refusal(BAD_OFFSET, f"there are {names} instruments")
    stop = min(asked.offset + asked.limit, names)
    return MaterializeResult(
        slug=found.feature.name,
        hash=found.hash,
        is_label=found.feature.is_label,
        lag=found.feature.lag,
        as_of=day.isoformat(),
        dates=count,
        instruments=names,
        first_date=str(found.dates[0]) if count else None,
        last_date=str(found.dates[-1]) if count else None,
        summary=_summary(found),
        columns=list(found.instruments[asked.offset : stop]),
        rows=[
            CellsRow(
                date=str(found.dates[row]),
                known=str(found.known[row]),
                values=[_number(value) for value in found.values[row, asked.offset : stop]],
            )
            for row in range(max(0, count - asked.rows), count)
        ],
        next_offset=stop if stop < names else None,
    )


def _summary(found: FeaturePanel) -> SummaryRow:
    values = found.values[np.isfinite(found.values)].astype(np.float64)
    share = values.size / found.values.size if found.values.size else None
    if not values.size:
        return SummaryRow(coverage=share, mean=None, std=None, min=None, median=None, max=None)
    return SummaryRow(
        coverage=_number(share),
        mean=_number(values.mean()),
        std=_number(values.std()),
        min=_number(values.min()),
        median=_number(np.median(values)),
        max=_number(values.max()),
    )


def _number(value: float | np.floating | None) -> float | None:
    """Seven digits, which is what a float32 has."""
    return None if value is None or not np.isfinite(value) else float(f"{value:.7g}")
