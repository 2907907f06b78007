"""Mutation rules on the settings of a simulation; only what the platform lets one choose."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any, Final, TypeAlias

from assay.brain._settings import SettingsChoices, SimulationSettings

SettingsRule: TypeAlias = Callable[[SimulationSettings, SettingsChoices | None], Iterator[SimulationSettings]]

DECAYS: Final = (1, 2, 3, 5, 10, 22, 44)
TRUNCATIONS: Final = (0.0, 0.05, 0.08, 0.1, 0.15)
_NEUTRALIZATIONS: Final = ("SUBINDUSTRY", "INDUSTRY", "SECTOR", "MARKET", "NONE")


def neutralizations(choices: SettingsChoices | None, region: str) -> tuple[str, ...]:
    """The five of every account that the platform offers in a region, the finest first; then the rest."""
    if choices is None:
        return ()
    offered = choices.neutralizations.get(region, ())
    usual = tuple(name for name in _NEUTRALIZATIONS if name in offered)
    return usual + tuple(name for name in offered if name not in usual)


def changed(settings: SimulationSettings, **values: Any) -> SimulationSettings:
    """The same settings with others in some places, checked again."""
    return SimulationSettings.model_validate({**settings.model_dump(), **values})


def _decay_up(settings: SimulationSettings, choices: SettingsChoices | None) -> Iterator[SimulationSettings]:
    for decay in DECAYS:
        if decay > settings.decay:
            yield changed(settings, decay=decay)


def _decay_down(
    settings: SimulationSettings, choices: SettingsChoices | None
) -> Iterator[SimulationSettings]:
    for decay in (*reversed(DECAYS), 0):
        if decay < settings.decay:
            yield changed(settings, decay=decay)


def _neutralization(
    settings: SimulationSettings, choices: SettingsChoices | None
) -> Iterator[SimulationSettings]:
    for name in neutralizations(choices, settings.region):
        if name != settings.neutralization:
            yield changed(settings, neutralization=name)


def _truncation(
    settings: SimulationSettings, choices: SettingsChoices | None
) -> Iterator[SimulationSettings]:
    """Tighter caps first, the nearest first; then looser ones. 0 is no cap."""
    now = settings.truncation or 1.0
    caps = sorted(TRUNCATIONS, key=lambda cap: ((cap or 1.0) > now, abs((cap or 1.0) - now)))
    for cap in caps:
        if cap != settings.truncation:
            yield changed(settings, truncation=cap)


def _nan_handling(
    settings: SimulationSettings, choices: SettingsChoices | None
) -> Iterator[SimulationSettings]:
    yield changed(settings, nan_handling="OFF" if settings.nan_handling == "ON" else "ON")


def _universe(settings: SimulationSettings, choices: SettingsChoices | None) -> Iterator[SimulationSettings]:
    for name in () if choices is None else choices.universes.get(settings.region, ()):
        if name != settings.universe:
            yield changed(settings, universe=name)


SETTINGS_RULES: Final[Mapping[str, SettingsRule]] = {
    "decay_up": _decay_up,
    "decay_down": _decay_down,
    "neutralization": _neutralization,
    "truncation": _truncation,
    "nan_handling": _nan_handling,
    "universe": _universe,
}
"""By name. The first of several settings of a rule is the nearest."""
