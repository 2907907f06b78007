from __future__ import annotations

from collections.abc import Sequence
from typing import TypeVar

from pydantic import Field

from assay.errors import Refusal
from assay.tools._tool import Arguments
from assay.tools.builtin._reasons import BAD_OFFSET

Row = TypeVar("Row")


class PageArguments(Arguments):
    """Which part of a list is asked for."""

    limit: int = Field(20, description="Rows of a page.", ge=1, le=100)
    offset: int = Field(0, description="Rows to leave out.", ge=0, le=1_000_000)


def page_of(rows: Sequence[Row], asked: PageArguments, what: str) -> tuple[Sequence[Row], int | None]:
    """The rows that were asked for, and where the next page begins; None after the last one.

    Raises
    ------
    Refusal
        ``bad_offset``: there are fewer rows than were to be left out.
    """
    if asked.offset > len(rows):
        raise Refusal(BAD_OFFSET, f"there are {len(rows)} {what}")
    stop = asked.offset + asked.limit
    return rows[asked.offset : stop], stop if stop < len(rows) else None
