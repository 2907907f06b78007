from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final

from assay.config import PeriodPlan, Workspace, find_data_place, propose_plan
from assay.errors import AssayError, Refusal

if TYPE_CHECKING:
    from datetime import date

    from assay.book import BookDesk
    from assay.config import DataSettings
    from assay.ledger import Ledger
    from assay.market import Panel
    from assay.reports import Document
    from assay.thermometer import PrintStore
    from assay.tools import Registry
    from assay.tools.builtin import SearchView, Workbench

DESK: Final = "mcp"
SIMULATED: Final = "simulated-market"
"""Name of the data set that is served where none is named; it is made up, and says so."""
_INSTRUMENTS, _DAYS, _SEED = 100, 750, 7


@dataclass(frozen=True, slots=True)
class Attached:
    """What is served: all of it may be absent, and is refused by name then.

    Parameters
    ----------
    workspace : whose ledger, runs, notes and book are served.
    data : folder of a stored data set with a period plan; None for a simulated market.
    report : file of the research report that the tools ``report.*`` read.
    allow_record : whether an agent may record a candidate of its own.
    book : the state root; by default that of the environment, or the workspace's.
    """

    workspace: Workspace | None = None
    data: Path | None = None
    report: Path | None = None
    allow_record: bool = False
    book: Path | None = None

    def check(self) -> None:
        """Find what would stop :meth:`open` at once, without reading the data.

        Raises
        ------
        AssayError
            No period plan is set for the data set; the report cannot be read; the ledger is damaged.
        """
        if self.data is not None:
            self._settings(self.data, self.data.name)
        self._document()
        ledger = self._ledger()
        if ledger is not None:
            ledger.end()

    def open(self) -> Registry:
        """The registry of everything that is attached, guarded against dates after the search period.

        Raises
        ------
        AssayError
            As :meth:`check`; the data set cannot be read.
        Refusal
            ``plan_moved``: dates that were hidden at a look are open now. ``no_dates``, ...: see
            :meth:`assay.tools.builtin.SearchView.of`.
        """
        from assay.mcp._parts import Parts  # which imports every desk
        from assay.tools import Registry

        view, bench = self._bench(self._ledger())
        runs = None if self.workspace is None else self.workspace.runs_dir
        book = self._book(bench, view.plan.clock)
        parts = Parts(bench, runs, self._document(), book, self.allow_record, self._prints())
        return Registry(parts.tools(), guard=view.guard)

    def _prints(self) -> PrintStore | None:
        from assay.thermometer import workspace_prints

        return None if self.workspace is None else workspace_prints(self.workspace)

    def _book(self, bench: Workbench, clock: date) -> BookDesk:
        from assay.book import BookDesk, find_state_root

        root = find_state_root(self.book, os.environ, self.workspace)
        return BookDesk(root, bench.notes, bench.ledger, clock)

    def _bench(self, ledger: Ledger | None) -> tuple[SearchView, Workbench]:
        from assay.judge import JudgeSettings
        from assay.models import StrategyBook
        from assay.notes import NoteStore
        from assay.tools.builtin import (
            LedgerZoo,
            PanelJudge,
            SearchView,
            Workbench,
            search_features,
            search_judging,
            workspace_features,
        )

        panel, settings = self._panel()
        plan = _plan_of(panel, settings)
        if ledger is not None:
            _check_moved(ledger, panel.name, plan)
        view = SearchView.of(panel, plan, universe=None if settings is None else settings.universe)
        judging: JudgeSettings | None = None if settings is None else search_judging(settings, panel)
        workspace = self.workspace
        return view, Workbench(
            view=view,
            judge=PanelJudge(view, judging, ledger=ledger, desk=DESK),
            ledger=ledger,
            zoo=None if ledger is None else LedgerZoo(ledger),
            features=search_features(view) if workspace is None else workspace_features(view, workspace),
            strategies=StrategyBook(None if workspace is None else workspace.strategies_dir),
            notes=None if workspace is None else NoteStore(workspace.notes_dir),
        )

    def _panel(self) -> tuple[Panel, DataSettings | None]:
        from assay.market import open_panel, simulate

        if self.data is None:
            return simulate(_SEED, instruments=_INSTRUMENTS, days=_DAYS, name=SIMULATED), None
        panel = open_panel(self.data, check_hashes=True)
        return panel, self._settings(self.data, panel.name)

    def _settings(self, data: Path, name: str) -> DataSettings:
        place = find_data_place(data, name)
        settings = None if place is None else place.settings
        if settings is None and self.workspace is not None:
            settings = self.workspace.settings(name)
        if settings is None or settings.periods is None:
            raise AssayError(
                f"no period plan is set for {name!r}, and an agent sees a search period alone",
                where=str(data),
                fix=f"set one: assay periods set {name}",
            )
        return settings

    def _ledger(self) -> Ledger | None:
        from assay.ledger import workspace_ledger

        return None if self.workspace is None else workspace_ledger(self.workspace)

    def _document(self) -> Document | None:
        if self.report is None:
            return None
        from assay.reports.documents import read_document

        return read_document(self.report)


def surface(
    workspace: Workspace | None = None,
    data: Path | None = None,
    *,
    report: Path | None = None,
    allow_record: bool = False,
    book: Path | None = None,
) -> Registry:
    """All tools in one registry: the twelve of the research domain, and the desks' own.

    Without arguments they work on a simulated market, which calls itself one, and no trial is recorded. Who
    calls is said with each call, so that one registry serves many.

    Parameters
    ----------
    workspace, data, report, allow_record, book : see :class:`Attached`.

    Raises
    ------
    AssayError, Refusal
        As :meth:`Attached.open`.
    """
    return Attached(workspace, data, report, allow_record, book).open()


def bare_surface(*, allow_record: bool = False) -> Registry:
    """The same tools with nothing attached: what the catalogue and the reference page are made from."""
    from assay.mcp._parts import Parts
    from assay.tools import Registry

    return Registry(Parts(allow_record=allow_record).tools())


def _plan_of(panel: Panel, settings: DataSettings | None) -> PeriodPlan:
    """The plan of a data set; for the simulated market, which nobody planned, the proposed one."""
    if settings is not None and settings.periods is not None:
        return settings.periods
    return propose_plan(panel.dates, (1, 5, 20))


def _check_moved(ledger: Ledger, data: str, plan: PeriodPlan) -> None:
    from assay.judge import PLAN_MOVED, moved_plan

    looks = [entry.body for entry in ledger.entries(kind="look") if entry.body["data"] == data]
    if moved_plan(looks, plan, ledger.get):
        raise Refusal(PLAN_MOVED, where=data)
