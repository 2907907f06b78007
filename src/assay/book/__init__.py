"""Decisions, orders, fills and marks of strategies, and what each cited note earned."""

from typing import TYPE_CHECKING

from assay.base import lazy_names
from assay.book._book import Book, CandidateEntry, CandidateRow
from assay.book._desk import BookDesk
from assay.book._events import (
    Candidate,
    Decision,
    Event,
    Fill,
    HumanEvent,
    Mark,
    Order,
    Promoted,
    Registered,
    Retired,
    Side,
    Split,
    time_text,
)
from assay.book._import import read_events
from assay.book._journal import ProvenanceRow
from assay.book._leaderboard import LEADERBOARD
from assay.book._money import decimal_text, read_decimal
from assay.book._root import ROOT_VARIABLES, find_state_root
from assay.book._state import (
    UNCITED,
    Attribution,
    BookState,
    PositionRow,
    StrategyRow,
    ThesisRow,
)

__all__ = [
    "LEADERBOARD",
    "ROOT_VARIABLES",
    "UNCITED",
    "Attribution",
    "Book",
    "BookDesk",
    "BookState",
    "Candidate",
    "CandidateEntry",
    "CandidateRow",
    "Decision",
    "Event",
    "Fill",
    "HumanEvent",
    "Mark",
    "Order",
    "PositionRow",
    "Promoted",
    "ProvenanceRow",
    "Registered",
    "Retired",
    "Side",
    "Split",
    "StrategyRow",
    "ThesisRow",
    "book_tools",
    "decimal_text",
    "find_state_root",
    "read_decimal",
    "read_events",
    "time_text",
]

# what the tools are made of is slow to import
__getattr__ = lazy_names(__name__, {"._tools": ("book_tools",)})

if TYPE_CHECKING:
    from assay.book._tools import book_tools
