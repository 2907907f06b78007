from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from assay.tools._registry import Registry
from assay.tools._tool import Tool
from assay.tools.builtin._backtest import backtest_tools
from assay.tools.builtin._certificates import certificate_tools
from assay.tools.builtin._data import data_tools
from assay.tools.builtin._expression import expression_tools
from assay.tools.builtin._factor import factor_tools
from assay.tools.builtin._features import feature_tools
from assay.tools.builtin._judge import PanelJudge, SearchJudge
from assay.tools.builtin._ledger import ledger_tools
from assay.tools.builtin._notes import note_tools
from assay.tools.builtin._runs import run_tools
from assay.tools.builtin._search_features import search_features
from assay.tools.builtin._view import SearchView
from assay.tools.builtin._zoo import LedgerZoo, Zoo, zoo_tools

if TYPE_CHECKING:
    from assay.features import FeatureStore
    from assay.judge import JudgeSettings
    from assay.ledger import Ledger
    from assay.models import StrategyBook
    from assay.notes import NoteStore


@dataclass(frozen=True)
class Workbench:
    """What the built-in tools work with. What is absent is refused by name (``no_data``, ...)."""

    view: SearchView | None = None
    judge: SearchJudge | None = None
    ledger: Ledger | None = None
    zoo: Zoo | None = None
    features: FeatureStore | None = None
    strategies: StrategyBook | None = None
    notes: NoteStore | None = None

    @classmethod
    def of(
        cls,
        view: SearchView,
        ledger: Ledger,
        *,
        settings: JudgeSettings | None = None,
        desk: str = "tools",
        features: FeatureStore | None = None,
        strategies: StrategyBook | None = None,
        notes: NoteStore | None = None,
    ) -> Workbench:
        """A whole workbench: evaluations count as trials of the ledger, which also holds the zoo.

        Without ``features`` they are those of :func:`search_features`; without ``strategies`` there is only
        the default one.
        """
        return cls(
            view=view,
            judge=PanelJudge(view, settings, ledger=ledger, desk=desk),
            ledger=ledger,
            zoo=LedgerZoo(ledger),
            features=search_features(view) if features is None else features,
            strategies=strategies,
            notes=notes,
        )


def builtin_tools(bench: Workbench) -> tuple[Tool, ...]:
    """The tools that every desk has, on a workbench."""
    fields = None if bench.view is None else bench.view.panel.fields
    return (
        *expression_tools(fields),
        *data_tools(bench.view),
        *factor_tools(bench.judge, fields),
        *ledger_tools(bench.ledger, bench.view),
        *zoo_tools(bench.zoo),
        *feature_tools(bench.features),
        *backtest_tools(bench.features, bench.strategies, bench.ledger),
        *note_tools(bench.notes, None if bench.view is None else bench.view.plan.clock),
        *run_tools(bench.ledger),
        *certificate_tools(bench.ledger, bench.view),
    )


def builtin_registry(bench: Workbench) -> Registry:
    """A registry of the built-in tools, guarded against dates that the workbench's view does not show."""
    return Registry(builtin_tools(bench), guard=None if bench.view is None else bench.view.guard)
