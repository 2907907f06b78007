"""Pages of a list, and texts that are not longer than a model needs them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, TypeVar

from pydantic import Field

from assay.tools import Arguments

T = TypeVar("T")

MOST_ROWS: Final = 100
LONGEST: Final = 4000


class Page(Arguments):
    """Arguments of a tool that answers page by page."""

    offset: int = Field(0, description="The next_offset of the page before.", ge=0)
    limit: int = Field(50, description="Rows of the page.", ge=1, le=MOST_ROWS)


def page(rows: Sequence[T], asked: Page) -> tuple[Sequence[T], int | None]:
    """The rows of a page, and where the next one begins."""
    end = asked.offset + asked.limit
    return rows[asked.offset : end], end if end < len(rows) else None


def shortened(text: str, longest: int | None = None) -> str:
    """``text`` on one line, cut to ``longest`` characters (default: 4,000)."""
    line = " ".join(text.split())
    most = LONGEST if longest is None else longest
    return line if len(line) <= most else f"{line[: most - 3]}..."
