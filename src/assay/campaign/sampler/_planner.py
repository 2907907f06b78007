from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from assay.base import generator
from assay.campaign._types import Direction, DirectionKind, Directions, PlanContext, SlotPlan
from assay.campaign.sampler._archive import Archive, Elite, Reader, Tally, alike
from assay.campaign.sampler._forms import complexity
from assay.campaign.sampler._grammar import Grammar
from assay.campaign.sampler._words import say

NEW_SHARE: Final = 0.5
"""Share of a type's slots that try a form, once its forms have been tried a few times each."""
TRIES: Final = 4
"""Tries of a form as it stands, before anything is put around it or built on it: simple things come first."""
_SIMPLE_TRIES: Final = 2
"""Tries of each form before the next more complex ones have their turn."""
_FOREIGN: Final = 0.1
"""Share of new directions whose form is any, not one of the slot's mechanism type."""
_FRUITLESS: Final = 0.75
"""Factor on a parent's weight for each child that was no better."""
_ALIKE: Final = 0.2
"""Factor on the weight of a parent that was refused for being like the pool: its niche is taken."""


@dataclass(frozen=True)
class SamplerPlanner:
    """Gives each slot a form to fill, or a trial to change; equal contexts give equal directions.

    New directions go to the form with the greatest draw from Beta(1 + wins, 1 + tries - wins), so that forms
    that gave nothing, or nothing new any more, make way. Parents are the best of their niches.
    """

    grammar: Grammar
    reader: Reader

    def plan(self, context: PlanContext) -> Directions:
        """One direction for each slot."""
        archive = self.reader.archive(context.history)
        forms = dict(archive.forms)
        first = self._new_slots(context, archive)
        items = []
        for plan in context.slots:
            rng = generator(context.seed, "planner", context.round, plan.slot)
            parent = plan.parent
            if parent is None and plan.slot not in first:
                parent = self._parent(rng, context, plan, archive)
            items.append(
                self._new(rng, context, plan, forms) if parent is None else self._child(context, plan, parent)
            )
        return Directions(tuple(items))

    def _new_slots(self, context: PlanContext, archive: Archive) -> set[int]:
        """Slots that get a new direction: the first ones of each type, so that plain factors are there before
        what is built of others. Their share falls from all to ``NEW_SHARE`` while the forms are tried."""
        free: dict[str, list[int]] = {}
        for plan in context.slots:
            if plan.parent is None:
                free.setdefault(plan.mechanism, []).append(plan.slot)
        found: set[int] = set()
        for mechanism, numbers in free.items():
            forms = self.grammar.forms(mechanism, context.brief.mechanisms.get(mechanism, ""))
            tries = sum(archive.forms.get((mechanism, form), Tally()).tries for form in forms)
            share = max(NEW_SHARE, 1 - (1 - NEW_SHARE) * tries / (TRIES * len(forms)))
            found.update(numbers[: math.ceil(share * len(numbers))] if context.feedback_on else numbers)
        return found

    def _parent(
        self, rng: np.random.Generator, context: PlanContext, plan: SlotPlan, archive: Archive
    ) -> str | None:
        buildable = set(context.feedback.buildable)
        elites = [elite for elite in archive.elites.values() if elite.trial.id in buildable]
        own = [elite for elite in elites if elite.trial.mechanism == plan.mechanism]
        chosen = _drawn(rng, own, archive)
        return None if chosen is None else chosen.trial.id

    def _new(
        self,
        rng: np.random.Generator,
        context: PlanContext,
        plan: SlotPlan,
        forms: dict[tuple[str, str], Tally],
    ) -> Direction:
        described = context.brief.mechanisms.get(plan.mechanism, "")
        choices = self.grammar.forms(plan.mechanism, described)
        if rng.random() < _FOREIGN:
            choices = tuple(sorted(self.grammar.usable))
        if context.feedback_on:  # else each round would begin with the simplest again
            choices = _simple_first(choices, plan.mechanism, forms)
        tallies = [forms.get((plan.mechanism, form), Tally()) for form in choices]
        draws = rng.beta([1 + t.wins for t in tallies], [1 + t.tries - t.wins for t in tallies])
        form = choices[int(draws.argmax())]
        # within a round a form that was just given is one try on
        key = (plan.mechanism, form)
        forms[key] = forms.get(key, Tally()).more(0.0)
        return Direction(plan.slot, plan.mechanism, "new", say(context.brief.language, "new", form=form))

    def _child(self, context: PlanContext, plan: SlotPlan, parent: str) -> Direction:
        trial = context.history.trial(parent)
        kind: DirectionKind = "mutation" if trial is not None and trial.admitted else "refinement"
        text = say(context.brief.language, kind, parent=parent)
        return Direction(plan.slot, plan.mechanism, kind, text, parent)


def _simple_first(
    choices: Sequence[str], mechanism: str, forms: Mapping[tuple[str, str], Tally]
) -> tuple[str, ...]:
    """The forms up to the simplest that has not been tried ``_SIMPLE_TRIES`` times; then all of them.

    What a simple factor measures is then in the pool before a mixture of it and others could take its place.
    """
    fresh = [form for form in choices if forms.get((mechanism, form), Tally()).tries < _SIMPLE_TRIES]
    if not fresh:
        return tuple(choices)
    least = min(map(complexity, fresh))
    # the fresh ones of that level alone: a draw among all would leave some untried for long
    return tuple(form for form in fresh if complexity(form) == least)


def _drawn(rng: np.random.Generator, elites: Sequence[Elite], archive: Archive) -> Elite | None:
    """One of the elites, the better the likelier, those without good children less so."""
    if not elites:
        return None
    ordered = sorted(elites, key=lambda elite: -elite.fitness)
    weights = np.array([_weight(place, elite, archive) for place, elite in enumerate(ordered)])
    return ordered[int(rng.choice(len(ordered), p=weights / weights.sum()))]


def _weight(place: int, elite: Elite, archive: Archive) -> float:
    tally = archive.children.get(elite.trial.id, Tally())
    taken = _ALIKE if alike(elite.trial) else 1.0
    return float(taken * _FRUITLESS ** (tally.tries - tally.wins) / (1 + place))
