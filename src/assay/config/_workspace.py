from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from assay.config._brain import BrainSettings
from assay.config._llm import LlmSettings
from assay.config._plan import PeriodPlan

CONFIG_NAME = "assay.toml"
DEFAULT_HORIZONS = (1, 2, 3, 5, 10, 20)
"""Holding periods, in bars, that a judgement reports when nobody says which."""

FOLDERS = ("data", "runs", "notes", "book")


@dataclass(frozen=True, slots=True)
class Costs:
    """Trading costs in basis points of traded value."""

    buy_bp: float = 5.0
    sell_bp: float = 15.0


@dataclass(frozen=True, slots=True)
class LookBudgets:
    """How many looks at hidden dates there may be, by period; the workspace's ledger counts them."""

    score: int = 200
    eval: int = 10


@dataclass(frozen=True, slots=True)
class DataSettings:
    """All settings of one data set, with the workspace's defaults filled in.

    ``universe`` None means all instruments; ``costs`` None means the default of the
    data's market; ``periods`` None means that no plan is set, so no date is hidden.
    """

    universe: str | None = None
    horizons: tuple[int, ...] = DEFAULT_HORIZONS
    lag: Literal[0, 1] = 1
    fill: Literal["close", "open", "vwap"] = "close"
    costs: Costs | None = None
    looks: LookBudgets = field(default_factory=LookBudgets)
    periods: PeriodPlan | None = None


@dataclass(frozen=True, slots=True)
class Workspace:
    """A folder with an ``assay.toml``: its data, runs, notes and book, and settings."""

    root: Path
    default_data: str | None = None
    defaults: DataSettings = field(default_factory=DataSettings)
    data: Mapping[str, DataSettings] = field(default_factory=dict)
    llm: LlmSettings = field(default_factory=LlmSettings)
    brain: BrainSettings = field(default_factory=BrainSettings)

    @property
    def config_path(self) -> Path:
        """The ``assay.toml`` itself."""
        return self.root / CONFIG_NAME

    @property
    def data_dir(self) -> Path:
        """Stored data sets, one folder each."""
        return self.root / "data"

    @property
    def ledger_dir(self) -> Path:
        """The ledger: what was tried, seen, admitted, and by whom."""
        return self.root / "ledger"

    @property
    def runs_dir(self) -> Path:
        """Outputs of runs, one folder each."""
        return self.root / "runs"

    @property
    def notes_dir(self) -> Path:
        """Research notes."""
        return self.root / "notes"

    @property
    def strategies_dir(self) -> Path:
        """Registered strategies, one file each."""
        return self.root / "strategies"

    @property
    def features_path(self) -> Path:
        """Named formulas that are features."""
        return self.root / "features.toml"

    @property
    def cache_dir(self) -> Path:
        """What can be computed again."""
        return self.root / ".cache"

    @property
    def book_dir(self) -> Path:
        """The state root of the book: what was decided, ordered and filled."""
        return self.root / "book"

    @property
    def brain_dir(self) -> Path:
        """Caches, results and knowledge of the BRAIN desk."""
        return self.root / "brain"

    @property
    def thermometer_dir(self) -> Path:
        """The thermometer: its components, their series, and its prints."""
        return self.root / "thermometer"

    def settings(self, name: str, *others: str) -> DataSettings:
        """Settings of data set ``name``: without a table of its own, the defaults and no plan.

        ``others`` are further names of it; of several tables the first with a plan counts.
        """
        found = [self.data[known] for known in (name, *others) if known in self.data]
        planned = [settings for settings in found if settings.periods is not None]
        return next(iter((*planned, *found)), self.defaults)
