"""Data sets, fields, operators: what an expression may be made of."""

from __future__ import annotations

from typing import Any, Final

from assay.brain._wire import DataFieldInfo, DataSetInfo
from assay.brain.fastexpr import operators as all_operators
from assay.brain.simulator._account import Account
from assay.brain.simulator._wire_filters import Item, Listing
from assay.brain.simulator._wire_types import Reply, Request, json_reply, not_found

_COMMON: Final[dict[str, Any]] = {
    "most": 50,
    "searched": ("id", "name", "description"),
    "flags": ("theme",),
    "ignored": ("instrumentType",),
}
_DATA_SETS: Final = Listing(**_COMMON)
_DATA_FIELDS: Final = Listing(**_COMMON)


def data_sets(request: Request, account: Account) -> Reply:
    """``GET /data-sets``."""
    listed = [_data_set(one) for one in account.market.data_sets(**_asked(request, account))]
    return json_reply(_DATA_SETS.page(_of_equity(listed, request), request))


def data_set(request: Request, account: Account, name: str) -> Reply:
    """``GET /data-sets/{id}``."""
    found = next((one for one in account.market.data_sets() if one.id == name), None)
    if found is None:
        raise not_found()
    return json_reply(_data_set(found))


def data_fields(request: Request, account: Account) -> Reply:
    """``GET /data-fields``."""
    listed = [_data_field(one) for one in account.market.data_fields(**_asked(request, account))]
    return json_reply(_DATA_FIELDS.page(_of_equity(listed, request), request))


def data_field(request: Request, account: Account, name: str) -> Reply:
    """``GET /data-fields/{id}``."""
    found = account.market.fields.get(name)
    if found is None:
        raise not_found()
    return json_reply(_data_field(found))


def data_categories(request: Request, account: Account) -> Reply:
    """``GET /data-categories``: those that have a data set."""
    found: dict[str, dict[str, Any]] = {}
    for one in account.market.data_sets():
        if one.category is not None:
            item = found.setdefault(
                one.category.id,
                {"id": one.category.id, "name": one.category.name, "datasetCount": 0, "fieldCount": 0},
            )
            item["datasetCount"] += 1
            item["fieldCount"] += one.field_count or 0
    return json_reply(list(found.values()))


def operators(request: Request, account: Account) -> Reply:
    """``GET /operators``: a bare list."""
    return json_reply([one.model_dump(by_alias=True) for one in all_operators(account.settings.level)])


def _asked(request: Request, account: Account) -> dict[str, Any]:
    """Universe and delay of the query where the market has them; others leave nothing of the list."""
    choices = account.market.choices()
    region = choices.regions[0]
    given = {term.key: term.value for term in request.terms() if term.operator == "="}
    found: dict[str, Any] = {}
    if given.get("universe") in choices.universes[region]:
        found["universe"] = given["universe"]
    if given.get("delay") in {str(delay) for delay in choices.delays[region]}:
        found["delay"] = int(given["delay"])
    return found


def _of_equity(items: list[Item], request: Request) -> list[Item]:
    kinds = {term.value for term in request.terms() if term.key == "instrumentType"} - {""}
    return items if kinds <= {"EQUITY"} else []


def _data_set(info: DataSetInfo) -> Item:
    # nobody else is here who could count or be paid
    return {**info.model_dump(by_alias=True), "pyramidMultiplier": None, "themes": [], "researchPapers": []}


def _data_field(info: DataFieldInfo) -> Item:
    return {**info.model_dump(by_alias=True), "pyramidMultiplier": None, "themes": []}
