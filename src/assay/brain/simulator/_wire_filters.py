"""Lists: which items a query leaves, in which order, and which page of them."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Collection, Mapping, Sequence
from datetime import datetime
from typing import Any, Final

from assay.brain.simulator._account_types import EST
from assay.brain.simulator._wire_types import Invalid, Request, Term

FURTHEST: Final = 10_000
"""``limit + offset`` may not exceed it."""

Item = dict[str, Any]

_INTEGER: Final = re.compile(r"-?[0-9]{1,18}")


class Listing:
    """How one kind of item is listed.

    Parameters
    ----------
    most : largest ``limit``, and what it is where none is given.
    searched : keys that ``search`` looks in.
    dates : keys that are dates; those of all other comparisons are numbers.
    flags : keys that are true or false.
    ignored : parameters that say nothing of an item.
    contains : keys that ask for an element of a list, and the key of that list.
    """

    def __init__(
        self,
        *,
        most: int,
        searched: Sequence[str] = (),
        dates: Collection[str] = (),
        flags: Collection[str] = (),
        ignored: Collection[str] = (),
        contains: Mapping[str, str] | None = None,
    ) -> None:
        self._most, self._searched, self._dates = most, searched, dates
        self._flags, self._ignored, self._contains = (
            flags,
            {*ignored, "limit", "offset", "order"},
            contains or {},
        )

    def select(self, items: Sequence[Item], request: Request) -> list[Item]:
        """The items that the query leaves, in its order.

        Raises
        ------
        Invalid
            400: a value that cannot be compared, an order that there is none of.
        """
        terms = [term for term in request.terms() if term.key not in self._ignored]
        kept = list(items)
        for term in terms:
            keeps = self._condition(term)
            kept = [item for item in kept if keeps(item)]
        return self._ordered(kept, request)

    def page(self, items: Sequence[Item], request: Request) -> dict[str, Any]:
        """``count``, ``next``, ``previous`` and the ``results`` of a page."""
        found = self.select(items, request)
        limit = _whole(request, "limit", self._most, 1, self._most)
        offset = _whole(request, "offset", 0, 0, FURTHEST)
        if limit + offset > FURTHEST:
            raise Invalid({"offset": [f"Ensure limit + offset is less than or equal to {FURTHEST}."]})
        after = offset + limit if offset + limit < len(found) else None
        before = max(0, offset - limit) if offset > 0 else None
        return {
            "count": len(found),
            "next": _address(request, limit, after),
            "previous": _address(request, limit, before),
            "results": found[offset : offset + limit],
        }

    def _condition(self, term: Term) -> Callable[[Item], bool]:
        key, value = term.key, term.value
        if not value:
            return lambda item: True  # clients send what they leave open as an empty value
        if key == "search":
            words = value.lower()
            return lambda item: any(words in str(find(item, name) or "").lower() for name in self._searched)
        if key in self._flags and term.operator == "=":
            wanted = _flag(key, value)
            return lambda item: bool(find(item, key)) == wanted
        if term.operator == "~":
            return lambda item: value.lower() in str(find(item, key) or "").lower()
        if key in self._contains:
            listed = self._contains[key]
            return lambda item: value in (find(item, listed) or ())
        if term.operator in ("=", "!="):
            equal = term.operator == "="
            return lambda item: _equal(find(item, key), value) == equal
        return self._comparison(term)

    def _comparison(self, term: Term) -> Callable[[Item], bool]:
        compare = _COMPARE[term.operator]
        if term.key in self._dates:
            moment = _moment(term)

            def keeps(item: Item) -> bool:
                text = find(item, term.key)
                return text is not None and compare(datetime.fromisoformat(text), moment)

            return keeps
        number = _number(term)

        def passes(item: Item) -> bool:
            found = find(item, term.key)
            return isinstance(found, (int, float)) and compare(found, number)

        return passes

    def _ordered(self, items: list[Item], request: Request) -> list[Item]:
        order = next((term.value for term in request.terms() if term.key == "order"), "")
        key = order.removeprefix("-")
        if not key:
            return items
        values = [find(item, key) for item in items]
        kinds = {type(value) for value in values if value is not None}
        if (kinds - {int, float} and len(kinds) > 1) or kinds & {dict, list, tuple}:
            raise Invalid({"order": [f'"{order[:100]}" is not a valid choice.']})
        known = [item for item in items if find(item, key) is not None]
        unknown = [item for item in items if find(item, key) is None]
        return sorted(known, key=lambda item: find(item, key), reverse=order.startswith("-")) + unknown


def find(item: Item, key: str) -> Any:
    """The value under a key with dots; None where there is none."""
    value: Any = item
    for part in key.split("."):
        value = value.get(part) if isinstance(value, dict) else None
    return value


def _equal(found: Any, value: str) -> bool:
    if isinstance(found, bool):
        return value.lower() == str(found).lower()
    if isinstance(found, (int, float)):
        try:
            return found == float(value)
        except ValueError:
            return False
    # "category=fundamental" names an object by its id
    return (found.get("id") if isinstance(found, dict) else found) == value


def _flag(key: str, value: str) -> bool:
    if value.lower() not in ("true", "false"):
        raise Invalid({key: [f'"{value[:100]}" is not a valid choice.']})
    return value.lower() == "true"


def _number(term: Term) -> float:
    try:
        number = float(term.value)
    except ValueError:
        number = math.nan
    if math.isnan(number):
        raise Invalid({term.key: ["A valid number is required."]})
    return number


def _moment(term: Term) -> datetime:
    try:
        moment = datetime.fromisoformat(term.value)
    except ValueError as error:
        raise Invalid({term.key: ["Enter a valid date/time."]}) from error
    return moment if moment.tzinfo is not None else moment.replace(tzinfo=EST)


def _whole(request: Request, key: str, usual: int, low: int, high: int) -> int:
    text = next((term.value for term in request.terms() if term.key == key), "")
    if not text:
        return usual
    if not _INTEGER.fullmatch(text):
        raise Invalid({key: ["A valid integer is required."]})
    number = int(text)
    if not low <= number <= high:
        bound = f"greater than or equal to {low}" if number < low else f"less than or equal to {high}"
        raise Invalid({key: [f"Ensure this value is {bound}."]})
    return number


def _address(request: Request, limit: int, offset: int | None) -> str | None:
    if offset is None:
        return None
    rest = [
        part for part in request.query.split("&") if part.partition("=")[0] not in ("limit", "offset", "")
    ]
    query = "&".join([*rest, f"limit={limit}", f"offset={offset}"])
    return f"{request.base}{request.path}?{query}"


_COMPARE: Final[dict[str, Callable[[Any, Any], bool]]] = {
    ">=": lambda one, other: bool(one >= other),
    "<=": lambda one, other: bool(one <= other),
    ">": lambda one, other: bool(one > other),
    "<": lambda one, other: bool(one < other),
}
