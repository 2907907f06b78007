from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from assay.base import generator
from assay.campaign._types import Candidate, Candidates, Direction, FixRequest, Note, ProposeContext
from assay.campaign.sampler._archive import Archive, Elite, Reader, Tally, form_of
from assay.campaign.sampler._grammar import Grammar, Unfit, pick
from assay.campaign.sampler._planner import TRIES
from assay.campaign.sampler._words import say
from assay.errors import Refusal
from assay.expr import Expression, crossover, fields_of, mutate

_TRIES: Final = 30
_CROSSOVER: Final = 0.2
"""Share of children that also have a part of another niche's best."""
_STEPS: Final = {"mutation": 2, "refinement": 1}
"""Changes to a parent by kind of direction: a mutation of an accepted factor has to get away from it."""


@dataclass(frozen=True)
class SamplerProposer:
    """Fills forms and changes parents; equal contexts give equal candidates.

    Every candidate is read, typed, adjustment-invariant and within the limits of the space, and none has the
    signature of an earlier one.
    """

    grammar: Grammar
    reader: Reader

    def propose(self, context: ProposeContext) -> Candidates:
        """One candidate for each direction."""
        wanted = {item.slot: (item, ("propose",)) for item in context.directions}
        return self._candidates(context, wanted, set())

    def fix(self, context: ProposeContext, requests: Sequence[FixRequest]) -> Candidates:
        """Another candidate for each direction; one that the reviewer sent back keeps its formula."""
        spent = set()
        wanted: dict[int, tuple[Direction, tuple[str | int, ...]]] = {}
        kept = []
        for item in requests:
            expression = self.reader.expression(item.candidate.expression)
            if item.cause == "review" and expression is not None:
                kept.append(_candidate(context, item.direction, expression))
                continue
            if expression is not None:
                spent.add(expression.signature)
            wanted[item.direction.slot] = (item.direction, ("fix", item.cause, item.attempt))
        made = self._candidates(context, wanted, spent)
        items = sorted((*kept, *made.items), key=lambda candidate: candidate.slot)
        return Candidates(tuple(items), made.notes)

    def _candidates(
        self,
        context: ProposeContext,
        wanted: Mapping[int, tuple[Direction, tuple[str | int, ...]]],
        spent: set[str],
    ) -> Candidates:
        archive = self.reader.archive(context.history)
        spent = spent | archive.tried
        items, notes = [], []
        for slot, (direction, path) in wanted.items():
            rng = generator(context.seed, "proposer", context.round, slot, *path)
            expression = self._draw(rng, context, direction, archive, spent)
            if expression is None:
                notes.append(Note(slot, f"no formula that was not tried before was found in {_TRIES} draws"))
                continue
            spent.add(expression.signature)
            items.append(_candidate(context, direction, expression))
        return Candidates(tuple(items), tuple(notes))

    def _draw(
        self,
        rng: np.random.Generator,
        context: ProposeContext,
        direction: Direction,
        archive: Archive,
        spent: set[str],
    ) -> Expression | None:
        for number in range(_TRIES):
            found = self._once(rng, context, direction, archive, free=number >= _TRIES // 2)
            if found is None or found.signature in spent or archive.thin & set(found.fields):
                continue
            return found
        return None

    def _once(
        self,
        rng: np.random.Generator,
        context: ProposeContext,
        direction: Direction,
        archive: Archive,
        *,
        free: bool,
    ) -> Expression | None:
        """``free``: any form of the mechanism type will do; the one asked for has no new filling."""
        parent = None if direction.parent is None else archive.scored.get(direction.parent)
        if parent is not None:
            return self._child(rng, parent, direction, archive)
        described = context.brief.mechanisms.get(direction.mechanism, "")
        forms = self.grammar.forms(direction.mechanism, described)
        named = None if free else form_of(direction.text)
        try:
            form = named if named in self.grammar.usable else pick(rng, forms)
            tries = archive.forms.get((direction.mechanism, form), Tally()).tries
            return self.grammar.draw(rng, form, forms, plain=tries < TRIES)
        except Unfit:
            return None

    def _child(
        self, rng: np.random.Generator, parent: Elite, direction: Direction, archive: Archive
    ) -> Expression | None:
        space = self.grammar.space.trees
        node = parent.expression.node
        try:
            if rng.random() < _CROSSOVER and len(archive.elites) > 1:
                others = [elite for elite in archive.elites.values() if elite.niche != parent.niche]
                node = crossover(rng, node, pick(rng, others).expression.node, space)
            else:
                for _ in range(_STEPS.get(direction.kind, 1)):
                    node = mutate(rng, node, space)
        except (Refusal, Unfit):
            return None
        return self.grammar.checked(node)


def _candidate(context: ProposeContext, direction: Direction, expression: Expression) -> Candidate:
    language, mechanism = context.brief.language, direction.mechanism
    text = context.brief.mechanisms.get(mechanism, "")
    if direction.parent is not None:
        text = say(language, "child", parent=direction.parent)
    names = ", ".join(f"`{name}`" for name in fields_of(expression.node))
    return Candidate(
        slot=direction.slot,
        name=f"{mechanism}_{expression.fingerprint[:8]}",
        expression=expression.text,
        hypothesis=say(language, "hypothesis", mechanism=mechanism, text=text),
        description=say(language, "computes", formula=expression.text, fields=names),
    )
