"""The creative phase of the sampler: several directions, each with its first expressions."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations, islice
from typing import Final

import numpy as np

from assay.brain._result import Proposal
from assay.brain._settings import SimulationRequest
from assay.brain.agent._types import Briefing, NewDirection
from assay.brain.agent.policies._language import Language, language_of
from assay.brain.agent.policies.sampler._families import FAMILIES, Family
from assay.brain.agent.policies.sampler._forms import Built, build, combined, worn
from assay.brain.agent.policies.sampler._lexicon import families_in, names_in
from assay.brain.agent.policies.sampler._sentences import say
from assay.brain.agent.policies.sampler._standing import Standing
from assay.brain.agent.policies.sampler._vocabulary import Vocabulary
from assay.brain.search import TrialId, fingerprint

_DIRECTIONS: Final = 3
_EXPRESSIONS: Final = 2
_JOINED: Final = "+"


@dataclass
class Creator:
    """Opens directions for one briefing; what it has proposed is not proposed again."""

    briefing: Briefing
    vocabulary: Vocabulary
    standing: Standing
    rng: np.random.Generator

    def __post_init__(self) -> None:
        self._taken = set(self.standing.seen)
        self._settings = self.vocabulary.settings(self.briefing.settings)
        self._named = names_in(self.briefing.idea, self.vocabulary.by_name)

    @property
    def language(self) -> Language:
        return language_of(self.briefing.idea)

    def directions(self) -> tuple[NewDirection, ...]:
        """The new directions, within what the budget has left."""
        found: list[NewDirection] = []
        left = max(self.briefing.remaining, 0)
        for direction in self._offered():
            if len(found) >= _DIRECTIONS or not left:
                break
            kept = direction.proposals[:left]
            left -= len(kept)
            found.append(NewDirection(direction.hypothesis, kept, direction.target_check, direction.approach))
        return tuple(found)

    def _offered(self) -> Iterator[NewDirection]:
        tried = {item.approach for item in self.briefing.directions}
        if self.briefing.results:
            yield from self._of_leaders()
        named = families_in(self.briefing.idea)
        if len(named) > 1:
            yield from self._joint(named, tried)
        for usual in (True, False):
            for family in self._order(named):
                if not usual or family.id not in tried:
                    yield from self._single(family, usual)

    def _order(self, named: Sequence[Family]) -> list[Family]:
        """Families of the idea first, then those that the knowledge speaks for, then the others; what it
        calls a dead end comes last."""
        dead = {entry.topic for entry in self.briefing.knowledge if "dead_end" in entry.tags}
        good = {entry.topic for entry in self.briefing.knowledge if "successful_factor" in entry.tags}
        drawn = [FAMILIES[place] for place in self.rng.permutation(len(FAMILIES))]
        drawn = drawn if self.briefing.idea.strip() and not named else list(FAMILIES)
        return sorted(
            drawn, key=lambda item: (item not in named, item.id in dead - good, item.id not in good)
        )

    def _of_leaders(self) -> Iterator[NewDirection]:
        """What leads in different directions, added up."""
        leaders = self.standing.leaders[:4]
        texts = [result.proposal.request.regular for result in leaders]
        proposals = [
            proposal
            for size in range(min(len(texts), 4), 1, -1)
            for group in combinations(texts, size)
            if (proposal := self._new(combined(group), say(self.language, "combine"))) is not None
        ]
        if proposals:
            names = ", ".join(result.job for result in leaders)
            approach = _JOINED.join(result.job for result in leaders)
            text = say(self.language, "leaders", names=names)
            yield NewDirection(text, tuple(proposals[:_EXPRESSIONS]), approach=approach)

    def _joint(self, named: Sequence[Family], tried: set[str]) -> Iterator[NewDirection]:
        """The families of the idea together."""
        approach = _JOINED.join(family.id for family in named)
        if approach in tried:
            return
        built = [
            [item.text for item in islice(self._built(family, usual=True), _EXPRESSIONS)] for family in named
        ]
        present = [texts for texts in built if texts]
        if len(present) < 2:
            return
        sums = [
            combined([texts[min(number, len(texts) - 1)] for texts in present])
            for number in range(_EXPRESSIONS)
        ]
        single = (self._hypothesis(family) for family in named)
        hypothesis = say(self.language, "and").join(text.rstrip(".。") for text in single)
        proposals = [new for text in sums if (new := self._new(text, hypothesis)) is not None]
        if proposals:
            yield NewDirection(hypothesis, tuple(proposals), approach=approach)

    def _single(self, family: Family, usual: bool) -> Iterator[NewDirection]:
        proposals: list[Proposal] = []
        hypothesis = self._hypothesis(family)
        for item in self._built(family, usual):
            choice = len(proposals) if usual else int(self.rng.integers(3))
            new = self._new(worn(item.text, self.vocabulary, choice), hypothesis)
            if new is not None:
                proposals.append(new)
            if len(proposals) >= _EXPRESSIONS:
                break
        if proposals:
            yield NewDirection(hypothesis, tuple(proposals), approach=family.id)

    def _built(self, family: Family, usual: bool) -> Iterator[Built]:
        return build(family, self.vocabulary, self.rng, named=self._named, usual=usual)

    def _hypothesis(self, family: Family) -> str:
        language = self.language
        return say(language, "variant", name=family.name[language], text=family.hypothesis[language])

    def _new(self, text: str, rationale: str) -> Proposal | None:
        """A proposal, unless it was made before, its structure is dead, or the platform would not take it."""
        request = SimulationRequest(settings=self._settings, regular=text)
        key = TrialId.of(request)
        if key in self._taken or fingerprint(text, "windows") in self.standing.dead:
            return None
        if not self.vocabulary.takes(text):
            return None
        self._taken.add(key)
        return Proposal(request, rationale=rationale, origin="hypothesis")
