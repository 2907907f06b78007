"""The policy that needs no model: hypotheses, typed forms, and mutations by diagnosis."""

from __future__ import annotations

from assay.base import generator
from assay.brain._platform import Platform
from assay.brain.agent._types import Briefing, Creative, Improvement, Research
from assay.brain.agent.policies._language import language_of
from assay.brain.agent.policies.sampler._create import Creator
from assay.brain.agent.policies.sampler._families import FAMILIES, Family
from assay.brain.agent.policies.sampler._forms import build
from assay.brain.agent.policies.sampler._improve import Improver
from assay.brain.agent.policies.sampler._lexicon import families_in, names_in
from assay.brain.agent.policies.sampler._sentences import say
from assay.brain.agent.policies.sampler._standing import Standing
from assay.brain.agent.policies.sampler._vocabulary import Vocabulary
from assay.config import BrainAgentSettings

_LISTED = 40


class SamplerPolicy:
    """Decides by rules alone; equal briefings get equal answers.

    Parameters
    ----------
    platform : whose data, operators and settings are used, and no others.
    settings : what an alpha has to reach.
    seed : of all draws.
    """

    def __init__(self, platform: Platform, settings: BrainAgentSettings, seed: int = 0) -> None:
        self._platform = platform
        self._settings = settings
        self._seed = seed
        self._vocabularies: dict[str, Vocabulary] = {}

    @property
    def name(self) -> str:
        return "sampler"

    def discover(self) -> str:
        """Two families that the data allows, drawn."""
        rng = generator(self._seed, "brain", "discover")
        vocabulary = self._vocabulary("")
        usable = [item for item in FAMILIES if next(build(item, vocabulary, rng), None) is not None]
        if len(usable) < 2:
            return "".join(item.name["en"] for item in usable)
        first, second = (usable[place].name["en"] for place in rng.permutation(len(usable))[:2])
        return say("en", "idea", first=first.capitalize(), second=second)

    def research(self, briefing: Briefing) -> Research:
        """What the idea speaks of, and which fields there are for it."""
        vocabulary = self._vocabulary(briefing.data_set)
        language = language_of(briefing.idea)
        named = families_in(briefing.idea)
        families: tuple[Family, ...] = named or FAMILIES
        marks = {"en": ", ", "zh": "、"}
        summary = say(
            language,
            "research" if named else "open",
            names=marks[language].join(family.name[language] for family in families),
            count=len(vocabulary.fields),
        )
        hypotheses = tuple(family.hypothesis[language] for family in families)
        asked = names_in(briefing.idea, vocabulary.by_name)
        fields = dict.fromkeys((*asked, *vocabulary.by_name))
        return Research(summary, hypotheses, tuple(fields)[:_LISTED])

    def create(self, briefing: Briefing) -> Creative:
        """Open directions: the sum of what leads, the families of the idea, then others."""
        vocabulary = self._vocabulary(briefing.data_set)
        rng = generator(self._seed, "brain", briefing.round)
        standing = Standing(briefing, self._settings)
        return Creative(Creator(briefing, vocabulary, standing, rng).directions())

    def improve(self, briefing: Briefing) -> Improvement:
        """Mend what is wrong with the best of each direction."""
        vocabulary = self._vocabulary(briefing.data_set)
        standing = Standing(briefing, self._settings)
        drawn = int(generator(self._seed, "brain", briefing.round).integers(2**31))
        return Improver(briefing, vocabulary, standing, self._settings, drawn).answer()

    def _vocabulary(self, data_set: str) -> Vocabulary:
        if data_set not in self._vocabularies:
            self._vocabularies[data_set] = Vocabulary.of(self._platform, data_set)
        return self._vocabularies[data_set]
