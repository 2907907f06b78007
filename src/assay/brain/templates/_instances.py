"""The expressions of a template, one at a time."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from math import prod
from typing import Final

from assay.brain._result import Proposal
from assay.brain._settings import SimulationRequest, SimulationSettings
from assay.brain.search import fingerprint
from assay.brain.templates._inventory import Inventory
from assay.brain.templates._template import Template
from assay.errors import Problem

_SHOWN: Final = 200
MAX_PASSED_OVER: Final = 2000
"""A template whose slots hardly fit together must not be searched for ever."""


@dataclass(frozen=True, slots=True)
class Instance:
    """One expression of a template. ``choice`` is by slot, those of the core first."""

    template: str
    choice: Mapping[str, str]
    core: str
    expression: str
    fingerprint: str

    def proposal(self, settings: SimulationSettings, rationale: str, *, origin: str) -> Proposal:
        """The simulation of it; its core is its direction."""
        request = SimulationRequest(settings=settings, regular=self.expression)
        return Proposal(request, direction=self.core, rationale=rationale, origin=origin)


@dataclass
class Expansion:
    """The instances of a template on a platform, made when they are asked for.

    Each expression comes once: what the slots say in another way, or an earlier expansion that shares
    ``seen`` has given, is passed over, and so is what the platform would not take; ``skipped`` counts them by
    cause. After ``MAX_PASSED_OVER`` of them in a row no more are looked for.
    """

    template: Template
    inventory: Inventory
    seen: set[str] = field(default_factory=set)
    skipped: dict[str, int] = field(default_factory=dict)

    def __post_init__(self) -> None:
        slots = self.template.slots
        self.candidates = {name: self.inventory.candidates(slots[name]) for name in self.template.order}

    @property
    def combinations(self) -> int:
        """How many fillings there are, before constraints and repeats; 0 where a slot has no candidate."""
        return prod(len(values) for values in self.candidates.values())

    def problems(self) -> Iterator[Problem]:
        """Why nothing would come of it here."""
        for name, values in self.candidates.items():
            if not values:
                yield Problem(
                    f"{self.template.name}.slots.{name}",
                    "nothing of this platform fits the slot",
                    "widen its search_domain, or name another data set",
                )
        if self.combinations and next(iter(Expansion(self.template, self.inventory)), None) is None:
            yield Problem(
                f"{self.template.name}.expression",
                f"none of its fillings can be simulated: {self._first_fault()}",
                "mend the expression or its slots",
            )

    def __iter__(self) -> Iterator[Instance]:
        """Near the first candidates first, so that a part of it varies in all slots, not in one alone."""
        return self._distinct(self.candidates)

    def cores(self) -> Iterator[Mapping[str, str]]:
        """The choices of the core slots that the constraints allow, in order."""
        return (choice for choice in _choices(self._core_candidates()) if self._allowed(choice))

    @property
    def core_count(self) -> int:
        """How many cores there are, before constraints."""
        return prod(len(values) for values in self._core_candidates().values())

    def probes(self, core: Mapping[str, str]) -> Iterator[Instance]:
        """The instances of a core with the representative values of the other slots."""
        slots = self.template.slots
        others = {
            name: self.inventory.representatives(slots[name]) for name in self.candidates if name not in core
        }
        return self._distinct({name: others.get(name) or (core[name],) for name in self.candidates})

    def of_core(self, core: Mapping[str, str]) -> Iterator[Instance]:
        """All instances of a core."""
        fixed = {name: (value,) for name, value in core.items()}
        return self._distinct({name: fixed.get(name, values) for name, values in self.candidates.items()})

    def core_id(self, choice: Mapping[str, str]) -> str:
        """The template's name with the values of its core slots: ``TPL_SIZE_V1|size=cap``."""
        parts = [f"{name}={choice[name]}" for name in self.template.core_slots]
        return "|".join([self.template.name, *parts])

    def _core_candidates(self) -> dict[str, tuple[str, ...]]:
        return {name: self.candidates[name] for name in self.template.core_slots}

    def _distinct(self, candidates: Mapping[str, tuple[str, ...]]) -> Iterator[Instance]:
        passed_over = 0
        for choice in _choices(candidates):
            text = self.template.filled(choice)
            mark = fingerprint(text)
            cause = self._unfit(choice, text, mark)
            if cause is None:
                passed_over = 0
                self.seen.add(mark)
                yield Instance(self.template.name, choice, self.core_id(choice), text, mark)
                continue
            self.skipped[cause] = self.skipped.get(cause, 0) + 1
            passed_over += 1
            if passed_over >= MAX_PASSED_OVER:
                return

    def _unfit(self, choice: Mapping[str, str], text: str, mark: str) -> str | None:
        if not self._allowed(choice):
            return "constraint"
        if mark in self.seen:
            return "repeated"
        return None if self.inventory.problem(text) is None else "invalid"

    def _allowed(self, choice: Mapping[str, str]) -> bool:
        pairs = self.template.constraints.not_equal
        return all(a not in choice or b not in choice or choice[a] != choice[b] for a, b in pairs)

    def _first_fault(self) -> str:
        for choice in _choices(self.candidates):
            if self._allowed(choice):
                text = self.template.filled(choice)
                shown = text if len(text) <= _SHOWN else f"{text[:_SHOWN]}\u2026"
                return f"{shown}: {self.inventory.problem(text)}"
        return "the constraints exclude all of them"


def _choices(candidates: Mapping[str, Sequence[str]]) -> Iterator[dict[str, str]]:
    names = list(candidates)
    sizes = [len(values) for values in candidates.values()]
    if 0 in sizes:
        return
    for total in range(sum(sizes) - len(sizes) + 1):
        for indices in _summing_to(total, sizes):
            yield {name: candidates[name][index] for name, index in zip(names, indices, strict=True)}


def _summing_to(total: int, sizes: Sequence[int]) -> Iterator[tuple[int, ...]]:
    """Indices below ``sizes`` whose sum is ``total``, in order."""
    if not sizes:
        if total == 0:
            yield ()
        return
    rest = sum(sizes[1:]) - len(sizes[1:])
    for first in range(max(0, total - rest), min(total, sizes[0] - 1) + 1):
        for others in _summing_to(total - first, sizes[1:]):
            yield (first, *others)
