"""Lists that the platform gives page by page."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Generic, Protocol, TypeVar

from assay.brain.client._http import Query


class HasId(Protocol):
    """What is listed once, by its id."""

    @property
    def id(self) -> str: ...


I = TypeVar("I", bound=HasId)  # noqa: E741 - an item


@dataclass(frozen=True, slots=True)
class Page(Generic[I]):
    """One page: its items, how many the platform says there are in all, and how many lines it had."""

    items: list[I]
    count: int
    lines: int


async def pages(
    page: Callable[[Query], Awaitable[Page[I]]],
    *,
    query: Query,
    size: int,
    note: Callable[[str], None],
    most: int | None = None,
    furthest: int | None = None,
) -> list[I]:
    """All items of a list, each once, in the order of the platform.

    Parameters
    ----------
    page : gives one page.
    most : stop at so many.
    furthest : the platform goes no further than this place; ``note`` hears of what lies beyond it.
    """
    found: dict[str, I] = {}
    offset = 0
    while True:
        wanted = size if most is None else min(size, most - len(found))
        if furthest is not None:
            wanted = min(wanted, furthest - offset)
        if wanted <= 0:
            break
        part = await page((("limit", str(wanted)), ("offset", str(offset)), *query))
        known = len(found)
        for item in part.items:
            found.setdefault(item.id, item)
        offset += part.lines
        if part.items and len(found) == known:
            note(f"the platform gives the same items again; {known} of {part.count} are known")
            return list(found.values())
        if offset >= part.count:
            return list(found.values())
        if not part.lines:
            note(f"the platform speaks of {part.count} items, and gives {offset} of them")
            return list(found.values())
    if most is None or len(found) < most:
        note(f"the platform gives the first {offset} of its list only; filter more narrowly")
    return list(found.values())
