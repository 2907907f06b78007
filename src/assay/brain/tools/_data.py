"""What data the platform has: ``list_datasets``, ``list_fields``, and the details of one."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Literal

from pydantic import Field

from assay.brain._wire import DataFieldInfo, DataSetInfo
from assay.brain.tools._desk import BrainDesk, picked
from assay.brain.tools._reasons import NO_PLATFORM, UNKNOWN_DATA_SET, UNKNOWN_FIELD
from assay.brain.tools._text import Page, page, shortened
from assay.tools import Arguments, Context, Result, Tool

_LINE = 160


class DataSetArguments(Arguments):
    dataset_id: str = Field(description="Id of a data set.", min_length=1, max_length=128)


class ListDatasetsArguments(Page):
    search: str = Field("", description="Only those whose id, name or description has it.", max_length=64)


class ListFieldsArguments(Page):
    dataset_id: str = Field(description="Id of a data set.", min_length=1, max_length=128)
    search: str = Field("", description="Only those whose id or description has it.", max_length=64)
    type: Literal["MATRIX", "VECTOR", "GROUP"] | None = Field(None, description="Only fields of this type.")


class FieldArguments(Arguments):
    field_id: str = Field(description="Id of a field.", min_length=1, max_length=128)
    dataset_id: str = Field(description="Id of its data set.", min_length=1, max_length=128)


class DataSetRow(Result):
    id: str
    name: str
    category: str
    fields: int | None = Field(description="How many fields it has.")
    coverage: float | None = Field(description="Share of instruments that have a value.")
    description: str


class DataSetDetail(DataSetRow):
    subcategory: str
    region: str
    universe: str
    delay: int
    date_coverage: float | None
    value_score: float | None
    users: int | None = Field(description="Users of the platform who used it.")
    alphas: int | None = Field(description="Alphas that use it.")


class DataSetsResult(Result):
    total: int
    next_offset: int | None = Field(description="Where the next page begins; null at the end.")
    datasets: list[DataSetRow]


class FieldRow(Result):
    id: str
    type: str = Field(
        description="MATRIX; VECTOR passes a vec_ operator first; GROUP is for group operators."
    )
    coverage: float | None
    description: str


class FieldsResult(Result):
    total: int
    next_offset: int | None
    fields: list[FieldRow]


class FieldDetail(FieldRow):
    dataset: str
    category: str
    subcategory: str
    region: str
    universe: str
    delay: int
    date_coverage: float | None
    users: int | None
    alphas: int | None


def data_tools(desk: BrainDesk) -> Iterator[Tool]:
    """The four tools that tell of data."""

    def list_datasets(arguments: ListDatasetsArguments, context: Context) -> DataSetsResult:
        found = [item for item in desk.need_platform().data_sets() if _says(item, arguments.search)]
        shown, following = page(found, arguments)
        rows = [DataSetRow(**_data_set(item, _LINE)) for item in shown]
        return DataSetsResult(total=len(found), next_offset=following, datasets=rows)

    def list_fields(arguments: ListFieldsArguments, context: Context) -> FieldsResult:
        found = [
            item
            for item in desk.fields_of(arguments.dataset_id)
            if _says(item, arguments.search) and arguments.type in (None, item.type)
        ]
        shown, following = page(found, arguments)
        rows = [FieldRow(**_field(item, _LINE)) for item in shown]
        return FieldsResult(total=len(found), next_offset=following, fields=rows)

    def get_dataset_detail(arguments: DataSetArguments, context: Context) -> DataSetDetail:
        found = desk.data_set(arguments.dataset_id)
        return DataSetDetail(
            **_data_set(found),
            subcategory=_named(found.subcategory),
            region=found.region,
            universe=found.universe,
            delay=found.delay,
            date_coverage=found.date_coverage,
            value_score=found.value_score,
            users=found.user_count,
            alphas=found.alpha_count,
        )

    def get_field_detail(arguments: FieldArguments, context: Context) -> FieldDetail:
        known = {item.id: item for item in desk.fields_of(arguments.dataset_id)}
        found = picked(known, arguments.field_id, UNKNOWN_FIELD)
        return FieldDetail(
            **_field(found),
            dataset=arguments.dataset_id,
            category=_named(found.category),
            subcategory=_named(found.subcategory),
            region=found.region,
            universe=found.universe,
            delay=found.delay,
            date_coverage=found.date_coverage,
            users=found.user_count,
            alphas=found.alpha_count,
        )

    yield Tool(
        "brain.list_datasets",
        "Lists the data sets of the platform, page by page.",
        ListDatasetsArguments,
        DataSetsResult,
        (NO_PLATFORM,),
        list_datasets,
    )
    yield Tool(
        "brain.list_fields",
        "Lists the fields of a data set, page by page.",
        ListFieldsArguments,
        FieldsResult,
        (NO_PLATFORM, UNKNOWN_DATA_SET),
        list_fields,
    )
    yield Tool(
        "brain.get_dataset_detail",
        "Tells all that the platform says of one data set.",
        DataSetArguments,
        DataSetDetail,
        (NO_PLATFORM, UNKNOWN_DATA_SET),
        get_dataset_detail,
    )
    yield Tool(
        "brain.get_field_detail",
        "Tells all that the platform says of one field.",
        FieldArguments,
        FieldDetail,
        (NO_PLATFORM, UNKNOWN_DATA_SET, UNKNOWN_FIELD),
        get_field_detail,
    )


def _says(item: DataSetInfo | DataFieldInfo, search: str) -> bool:
    texts: Sequence[str] = (item.id, item.description, item.name if isinstance(item, DataSetInfo) else "")
    return any(search.lower() in text.lower() for text in texts)


def _data_set(item: DataSetInfo, longest: int | None = None) -> dict[str, object]:
    return {
        "id": item.id,
        "name": item.name,
        "category": _named(item.category),
        "fields": item.field_count,
        "coverage": item.coverage,
        "description": shortened(item.description, longest),
    }


def _field(item: DataFieldInfo, longest: int | None = None) -> dict[str, object]:
    return {
        "id": item.id,
        "type": item.type,
        "coverage": item.coverage,
        "description": shortened(item.description, longest),
    }


def _named(item: object) -> str:
    return str(getattr(item, "name", "") or getattr(item, "id", ""))
