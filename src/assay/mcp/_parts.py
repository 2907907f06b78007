from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from assay.book import BookDesk, book_tools
from assay.campaign import campaign_tools
from assay.discovery import discovery_tools
from assay.reports.tools import report_tools
from assay.thermometer import thermometer_tools
from assay.tools import Tool
from assay.tools.builtin import Workbench, builtin_tools

if TYPE_CHECKING:
    from assay.reports import Document
    from assay.thermometer import PrintStore


@dataclass(frozen=True)
class Parts:
    """What stands behind the tools of the surface. What is absent is refused by name (``no_data``, ...).

    Parameters
    ----------
    bench : data, judge, ledger, zoo, features and strategies.
    runs : folder of the workspace's runs.
    document : the research report that is attached.
    book : where the book is, and what it may cite.
    allow_record : whether an agent may enter a candidate of its own.
    thermometer : the prints of the workspace; agents get the latest as of the end of the search period.
    """

    bench: Workbench = field(default_factory=Workbench)
    runs: Path | None = None
    document: Document | None = None
    book: BookDesk = field(default_factory=BookDesk)
    allow_record: bool = False
    thermometer: PrintStore | None = None

    def tools(self) -> Iterator[Tool]:
        """All tools of the surface: the only place that knows them all."""
        yield from builtin_tools(self.bench)
        yield from discovery_tools(self.bench)
        yield from campaign_tools(self.bench.ledger, self.runs)
        yield from report_tools(self.document)
        yield from book_tools(self.book, allow_record=self.allow_record)
        view = self.bench.view
        yield from thermometer_tools(self.thermometer, None if view is None else view.plan.clock)
