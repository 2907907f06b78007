"""The tools with which an agent reads a report and checks a spec against it."""

from assay.reports.tools._draft import NOT_IN_TEXT, Located, Quote, SpecDraft, locate
from assay.reports.tools._tools import (
    READ_PAGES,
    SEARCH,
    VALIDATE_SPEC,
    report_tools,
)

__all__ = [
    "NOT_IN_TEXT",
    "READ_PAGES",
    "SEARCH",
    "VALIDATE_SPEC",
    "Located",
    "Quote",
    "SpecDraft",
    "locate",
    "report_tools",
]
