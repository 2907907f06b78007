from __future__ import annotations

import re
from functools import cached_property
from typing import Final

import numpy as np

from assay.base import json_hash
from assay.brain._platform import DataIdentity
from assay.brain._settings import SettingsChoices, SimulationSettings
from assay.brain._wire import DataFieldInfo, DataSetInfo, OperatorInfo
from assay.brain.fastexpr import operators
from assay.brain.simulator._history import History, known_at
from assay.brain.simulator._metadata import Listed, data_sets_of, fields_of
from assay.brain.simulator._universes import LARGEST, universes_of
from assay.brain.simulator._window import LEAST_DAYS, Window, window_of, years_before
from assay.config import BrainSimulatorSettings, PeriodPlan
from assay.market import Manifest, Panel, data_digest

NEUTRALIZATIONS: Final = ("SECTOR", "INDUSTRY", "SUBINDUSTRY", "COUNTRY")
"""Those that need a group of the data set; NONE and MARKET do not."""

_REGIONS: Final = {"CN": "CHN", "US": "USA"}
_TEST_PERIOD: Final = re.compile(r"P(\d+)Y(\d+)M")


class Market:
    """A data set as the simulator sees it: what is in sample, and the held days behind it.

    Everything that is listed and simulated comes from data as it was known at the last day in sample; only
    :func:`held` reads on, to the end of the held days. Make one with :meth:`of`.
    """

    def __init__(self, panel: Panel, window: Window, settings: BrainSimulatorSettings) -> None:
        self._panel = panel
        self._window = window
        self.settings = settings
        sample = known_at(panel, window.first, window.end)
        self.sample = History(sample, universes_of(sample))

    @classmethod
    def of(cls, panel: Panel, plan: PeriodPlan | None, settings: BrainSimulatorSettings) -> Market:
        """A market on the ``search`` period of ``plan``, or on all dates without a plan.

        Raises
        ------
        DataError
            Too few trading days are left in sample.
        """
        return cls(panel, window_of(panel, plan, settings.years, settings.held_days), settings)

    @property
    def name(self) -> str:
        """Tells figures of this market from those of others: ``local:NAME``."""
        return f"local:{self._panel.name}"

    @cached_property
    def data(self) -> DataIdentity:
        """The data set; its digest covers content, window, and what positions are made of."""
        settings, window = self.settings, self._window
        content = {
            "data": data_digest(self._panel),
            "window": [str(day) for day in (window.first, window.start, window.end)],
            "order": list(settings.order),
            "book": settings.book,
        }
        digest = json_hash(content)
        return DataIdentity(self._panel.name, digest)

    @property
    def simulated(self) -> bool:
        """Whether the market is invented."""
        return self._panel.manifest.simulated

    @cached_property
    def region(self) -> str:
        return region_of(self._panel.manifest)

    @property
    def start(self) -> np.datetime64:
        """First day in sample."""
        return self._window.start

    @property
    def end(self) -> np.datetime64:
        """Last day in sample."""
        return self._window.end

    @cached_property
    def rows(self) -> slice:
        """The rows in sample of :attr:`sample`."""
        dates = self.sample.panel.dates
        return slice(int(np.searchsorted(dates, self.start)), len(dates))

    @cached_property
    def whole(self) -> History:
        """The market with its held days; nothing on the wire may come from it."""
        panel = known_at(self._panel, self._window.first, self._window.last)
        return History(panel, self.sample.universes.values())

    @cached_property
    def held_rows(self) -> slice:
        """The held rows of :attr:`whole`."""
        dates = self.whole.panel.dates
        return slice(int(np.searchsorted(dates, self.end, side="right")), len(dates))

    @cached_property
    def _choices(self) -> SettingsChoices:
        region = self.region
        groups = [name for name in NEUTRALIZATIONS if name.lower() in self.sample.panel.groups]
        return SettingsChoices(
            instrument_types=("EQUITY",),
            regions=(region,),
            universes={region: tuple(self.sample.universes)},
            delays={region: (1, 0)},
            neutralizations={region: ("NONE", "MARKET", *groups)},
        )

    def choices(self) -> SettingsChoices:
        """What settings may be; neutralisations by the groups that the data set has."""
        return self._choices

    def problems(self, settings: SimulationSettings) -> dict[str, str]:
        """What is wrong with settings, by key of the wire; empty when all is well."""
        found = self._choices.problems(settings)
        if settings.test_period is not None and self.test_row(settings.test_period) < LEAST_DAYS:
            found["testPeriod"] = f"{settings.test_period} leaves less than {LEAST_DAYS} days to train on"
        return found

    def test_row(self, period: str) -> int:
        """Row within the in-sample window at which a test period begins."""
        match = _TEST_PERIOD.fullmatch(period)
        years, months = (int(part) for part in match.groups()) if match else (0, 0)
        dates = self.sample.panel.dates[self.rows]
        return int(np.searchsorted(dates, years_before(self.end, years, months), side="right"))

    def data_fields(self, universe: str = LARGEST, delay: int = 1) -> tuple[DataFieldInfo, ...]:
        """Every field that an expression may name; coverage is that of the universe in sample."""
        key = ("fields", universe, str(delay))
        return self.sample.keep(key, lambda: fields_of(self._in_sample, self._listed(universe, delay)))

    def data_sets(self, universe: str = LARGEST, delay: int = 1) -> tuple[DataSetInfo, ...]:
        """The data sets that the fields belong to."""
        return data_sets_of(self.data_fields(universe, delay), self._listed(universe, delay))

    @cached_property
    def fields(self) -> dict[str, DataFieldInfo]:
        """:meth:`data_fields` by id."""
        return {info.id: info for info in self.data_fields()}

    def notes(self) -> tuple[str, ...]:
        """What a user must know of this market and of how positions are made, in sentences."""
        settings = self.settings
        invented = "all data is simulated; " if self.simulated else ""
        return (
            f"{invented}listed under region {self.region}",
            f"in sample: {self.start} to {self.end}; {self.rows.start} earlier trading days are history",
            f"the {settings.held_days} trading days after that are held: nothing served reads them",
            *(f"{info.name}: {info.description}" for info in self.sample.universes.values()),
            f"positions: {' -> '.join(settings.order)}",
            f"PnL on a constant book of {settings.book:,.0f} without costs",
        )

    @cached_property
    def operators(self) -> tuple[OperatorInfo, ...]:
        """The operators open to the account."""
        return operators(self.settings.level)

    @cached_property
    def visualized(self) -> tuple[str, ...]:
        """Groups by which ``visualization`` splits an alpha."""
        return tuple(name for name in ("sector", "industry") if name in self.sample.panel.groups)

    @cached_property
    def _in_sample(self) -> Panel:
        return self.sample.panel.between(self.start, self.end)

    def _listed(self, universe: str, delay: int) -> Listed:
        return Listed(self.region, universe, delay, self.sample.members(universe)[self.rows])


def region_of(manifest: Manifest) -> str:
    """The platform's region of a data set.

    An invented market belongs to no country; it is listed as USA, where the platform's default settings are.
    """
    if manifest.simulated or manifest.market is None:
        return "USA"
    return _REGIONS[manifest.market]
