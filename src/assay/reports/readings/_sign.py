"""Whose sign the figures of readings have, in words."""

from __future__ import annotations

from typing import Final

from assay.spec import Direction, Reading

_BOOK: Final[dict[Direction, str]] = {
    "positive": "that buys high values, the stated direction",
    "negative": "that buys low values, the stated direction",
    "undeclared": "that buys high values, as no direction is stated",
}


def signs_told(direction: Direction) -> str:
    """What has the sign of the formula, and what that of the trade."""
    return f"RankIC and t are of the formula as written, IR is of the book {_BOOK[direction]}"


def against_direction(direction: Direction, written: Reading) -> str:
    """That the RankIC of the text as written has the other sign than the text states; '' where it has not.

    A RankIC of zero, or one that is not defined, has no sign.
    """
    value = written.rank_ic
    if value is None or direction == "undeclared" or value * (1 if direction == "positive" else -1) >= 0:
        return ""
    return (
        f"the RankIC of the formula as written is {'above' if value > 0 else 'below'} zero on these data, "
        f"against the {direction} direction that the text states"
    )
