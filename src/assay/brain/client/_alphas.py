"""Alphas of an account: figures, checks, record sets, correlations."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final
from urllib.parse import quote

from assay.brain._errors import UNKNOWN_ALPHA
from assay.brain._platform import CorrelationKind
from assay.brain._wire import Alpha, Check, Column, Correlations, Recordset
from assay.brain.client._calls import Calls
from assay.brain.client._filter import AlphaFilter
from assay.brain.client._http import Query
from assay.brain.client._pages import Page, pages
from assay.brain.client._reply import Reply
from assay.errors import Refusal

LISTED: Final = "/users/self/alphas"
_PAGE: Final = 100
FURTHEST: Final = 10_000
"""The platform pages no further than this."""


class Alphas:
    """What the platform keeps of an account's alphas. ``note`` hears what a person should know."""

    def __init__(self, calls: Calls, note: Callable[[str], None]) -> None:
        self._calls = calls
        self._note = note

    async def get(self, alpha_id: str) -> Alpha:
        """An alpha."""
        return await self._calls.get(path_of(alpha_id), _alpha)

    async def set_properties(self, alpha_id: str, **properties: Any) -> Alpha:
        """Change ``name``, ``color``, ``tags``, ``category``, ``favorite``, ``hidden``, ``description``."""
        body = dict(properties)
        if "description" in body:
            body["regular"] = {"description": body.pop("description")}
        await self._calls.change("PATCH", path_of(alpha_id), json=body)
        return await self.get(alpha_id)

    async def check(self, alpha_id: str) -> tuple[Check, ...]:
        """All checks of an alpha, once the platform has answered them."""
        return await self._calls.finished(path_of(alpha_id, "check"), _checks)

    async def recordsets(self, alpha_id: str) -> tuple[str, ...]:
        """Names of the record sets of an alpha."""
        listed = await self._calls.finished(
            path_of(alpha_id, "recordsets"), lambda reply: reply.items("results")
        )
        return tuple(item["name"] for item in listed if isinstance(item, dict) and "name" in item)

    async def recordset(self, alpha_id: str, name: str) -> Recordset:
        """One record set, such as ``pnl`` or ``yearly-stats``."""
        return await self._calls.finished(path_of(alpha_id, f"recordsets/{quote(name, safe='')}"), _recordset)

    async def correlations(self, alpha_id: str, kind: CorrelationKind = "self") -> Correlations:
        """Correlations with the account's own alphas, all alphas, or those of the power pool."""
        return await self._calls.finished(
            path_of(alpha_id, f"correlations/{kind}"), lambda reply: _correlations(reply, kind)
        )

    async def listed(self, wanted: AlphaFilter) -> tuple[Alpha, ...]:
        """The account's alphas that a filter leaves."""
        found = await pages(
            self._page,
            query=wanted.query(),
            size=_PAGE,
            most=wanted.limit,
            furthest=FURTHEST,
            note=self._note,
        )
        return tuple(found)

    async def newest(self, number: int) -> tuple[Alpha, ...]:
        """The newest alphas, asked for once and without patience."""
        query = (("limit", str(number)), ("offset", "0"), *AlphaFilter().query())
        reply = await self._calls.once("GET", LISTED, query=query)
        return tuple(reply.model(Alpha, item, "an alpha") for item in reply.items("results"))

    async def _page(self, query: Query) -> Page[Alpha]:
        def read(reply: Reply) -> Page[Alpha]:
            found = [reply.model(Alpha, item, "an alpha") for item in reply.items("results")]
            return Page(found, count_of(reply, len(found)), len(found))

        return await self._calls.get(LISTED, read, query=query)


def path_of(alpha_id: str, rest: str = "") -> str:
    """The path of an alpha.

    Raises
    ------
    Refusal
        ``unknown_alpha``: no alpha can have this id.
    """
    if not alpha_id.isalnum() or not alpha_id.isascii():
        raise Refusal(UNKNOWN_ALPHA, f"{alpha_id[:40]!r} is no id of an alpha", where="alpha")
    return f"/alphas/{alpha_id}/{rest}" if rest else f"/alphas/{alpha_id}"


def count_of(reply: Reply, default: int) -> int:
    """How many items the platform says there are in all."""
    body = reply.json()
    count = body.get("count") if isinstance(body, dict) else default
    if not isinstance(count, int) or isinstance(count, bool):
        raise reply.bad("'count' was expected to be a number")
    return count


def _alpha(reply: Reply) -> Alpha:
    return reply.model(Alpha, reply.object(), "an alpha")


def _checks(reply: Reply) -> tuple[Check, ...]:
    found = reply.checks()
    if found is None:
        raise reply.bad("checks were expected")
    return found


def _table(reply: Reply) -> tuple[tuple[Column, ...], list[Any], dict[str, Any]]:
    body = reply.object()
    schema = body.get("schema")
    if not isinstance(schema, dict) or not isinstance(schema.get("properties"), list):
        raise reply.bad("a schema with properties was expected")
    columns = tuple(reply.model(Column, item, "a column") for item in schema["properties"])
    records = body.get("records") or []
    whole = isinstance(records, list) and all(
        isinstance(row, list) and len(row) == len(columns) for row in records
    )
    if not whole:
        raise reply.bad(f"records of {len(columns)} values were expected")
    return columns, records, body


def _recordset(reply: Reply) -> Recordset:
    columns, records, body = _table(reply)
    name = str(body["schema"].get("name") or "")
    return Recordset(name=name, columns=columns, records=tuple(tuple(row) for row in records))


def _correlations(reply: Reply, kind: CorrelationKind) -> Correlations:
    columns, records, body = _table(reply)
    names = [column.name for column in columns]
    # both places have been seen; without records both are null
    extremes = {
        key: body[key] if body.get(key) is not None else body["schema"].get(key) for key in ("max", "min")
    }
    rows = [dict(zip(names, row, strict=True)) for row in records]
    return reply.model(Correlations, {"kind": kind, **extremes, "rows": rows}, "correlations")
