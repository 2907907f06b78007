"""Joint search over all axes at once: optuna's TPE where it is installed, a local search otherwise."""

from __future__ import annotations

import importlib.util
from collections.abc import Collection, Mapping
from itertools import product
from typing import Any, Final, Literal, Protocol, TypeAlias

from assay.base import generator, require
from assay.brain.search._grid import SettingsGrid

Place: TypeAlias = Mapping[str, Any]
Sampler = Literal["auto", "optuna", "local"]

_RANDOM_SHARE: Final = 0.3
_REPEATS: Final = 8


class Joint(Protocol):
    """Proposes places that were not tried. A score of None is one that failed."""

    name: str

    def ask(self, tried: Collection[tuple[Any, ...]]) -> Place | None:
        """A place that is not among ``tried`` (values in the order of the axes); None when all are."""
        ...

    def tell(self, place: Place, score: float | None) -> None: ...


def joint_search(grid: SettingsGrid, seed: int, sampler: Sampler = "auto") -> Joint:
    """The search that was asked for; ``auto`` is optuna's where it is installed.

    Raises
    ------
    AssayError
        ``optuna`` was asked for and is not installed.
    """
    if sampler == "optuna" or (sampler == "auto" and importlib.util.find_spec("optuna") is not None):
        return _Optuna(grid, seed)
    return _Local(grid, seed)


class _Local:
    """A step away from the best, or now and then anywhere."""

    name = "local search"

    def __init__(self, grid: SettingsGrid, seed: int) -> None:
        self._axes = grid.axes
        self._rng = generator(seed, "brain-optimize")
        self._best: tuple[float, Place] | None = None

    def ask(self, tried: Collection[tuple[Any, ...]]) -> Place | None:
        near = [] if self._best is None else _neighbours(self._axes, self._best[1], tried)
        if not near or self._rng.random() < _RANDOM_SHARE:
            near = _untried(self._axes, tried)
        return near[int(self._rng.integers(len(near)))] if near else None

    def tell(self, place: Place, score: float | None) -> None:
        if score is not None and (self._best is None or score > self._best[0]):
            self._best = (score, place)


class _Optuna:
    """Tree-structured Parzen estimator. Source: Bergstra et al. (2011), NeurIPS 24."""

    name = "optuna TPE"

    def __init__(self, grid: SettingsGrid, seed: int) -> None:
        optuna = require("optuna", extra="optuna")
        self._optuna, self._axes = optuna, grid.axes
        self._space = {
            name: optuna.distributions.CategoricalDistribution(values) for name, values in grid.axes.items()
        }
        loud = optuna.logging.get_verbosity()
        optuna.logging.set_verbosity(optuna.logging.WARNING)
        try:
            self._study = optuna.create_study(
                direction="maximize", sampler=optuna.samplers.TPESampler(seed=seed)
            )
        finally:
            optuna.logging.set_verbosity(loud)
        self._rng = generator(seed, "brain-optimize")

    def ask(self, tried: Collection[tuple[Any, ...]]) -> Place | None:
        for _ in range(_REPEATS):
            trial = self._study.ask(self._space)
            # what comes of it is told later as a trial of its own, as results come in any order
            self._study.tell(trial, state=self._optuna.trial.TrialState.FAIL)
            if tuple(trial.params[name] for name in self._axes) not in tried:
                return dict(trial.params)
        rest = _untried(self._axes, tried)
        return rest[int(self._rng.integers(len(rest)))] if rest else None

    def tell(self, place: Place, score: float | None) -> None:
        if score is None:
            return
        done = self._optuna.trial.create_trial(params=dict(place), distributions=self._space, value=score)
        self._study.add_trial(done)


def _neighbours(
    axes: Mapping[str, tuple[Any, ...]], place: Place, tried: Collection[tuple[Any, ...]]
) -> list[Place]:
    """Untried places with one axis changed."""
    found = ({**place, name: value} for name, values in axes.items() for value in values)
    return [item for item in found if tuple(item[name] for name in axes) not in tried]


def _untried(axes: Mapping[str, tuple[Any, ...]], tried: Collection[tuple[Any, ...]]) -> list[Place]:
    return [dict(zip(axes, values, strict=True)) for values in product(*axes.values()) if values not in tried]
