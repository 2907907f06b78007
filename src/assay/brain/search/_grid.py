"""The settings that an optimiser may choose: what the platform offers, laid out as axes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import product
from typing import Any, Final

from assay.brain._settings import SettingsChoices, SimulationSettings
from assay.brain.search._settings_rules import DECAYS, TRUNCATIONS, changed, neutralizations

LAYERS: Final[tuple[tuple[str, ...], ...]] = (
    ("neutralization",),
    ("decay",),
    ("delay", "truncation"),
    ("nan_handling",),
)
"""Which axes are varied at a time, in this order; each starts from the best that was tested before."""


@dataclass(frozen=True)
class SettingsGrid:
    """The axes with the values that may be tried. A value that ``start`` has is one of its axis."""

    start: SimulationSettings
    axes: Mapping[str, tuple[Any, ...]]

    @classmethod
    def of(cls, start: SimulationSettings, choices: SettingsChoices) -> SettingsGrid:
        """What a platform offers in the region of ``start``."""
        offered: dict[str, tuple[Any, ...]] = {
            "neutralization": neutralizations(choices, start.region),
            "decay": DECAYS,
            "delay": choices.delays.get(start.region, ()),
            "truncation": TRUNCATIONS,
            "nan_handling": ("OFF", "ON"),
        }
        own = {name: getattr(start, name) for name in offered}
        axes = {n: v if own[n] in v else (own[n], *v) for n, v in offered.items()}
        return cls(start, axes)

    @property
    def size(self) -> int:
        """How many settings there are in all."""
        number = 1
        for values in self.axes.values():
            number *= len(values)
        return number

    def layer(self, names: tuple[str, ...], base: SimulationSettings) -> Iterator[SimulationSettings]:
        """All values of some axes, the rest as in ``base``."""
        for values in product(*(self.axes[name] for name in names)):
            yield changed(base, **dict(zip(names, values, strict=True)))

    def place(self, settings: SimulationSettings) -> dict[str, Any]:
        """The value of each axis."""
        return {name: getattr(settings, name) for name in self.axes}

    def at(self, place: Mapping[str, Any]) -> SimulationSettings:
        """The settings at a place."""
        return changed(self.start, **place)
