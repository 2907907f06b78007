"""The improvement phase of the sampler: what leads is added up, and what is wrong is mended."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import combinations, islice
from typing import Final

from assay.brain._limits import Limits
from assay.brain._result import JobResult, Proposal
from assay.brain.agent._criteria import unmet
from assay.brain.agent._types import Briefing, Direction, Improvement, KnowledgeEntry
from assay.brain.agent.policies._language import Language, language_of
from assay.brain.agent.policies.sampler._families import BY_ID
from assay.brain.agent.policies.sampler._forms import combined
from assay.brain.agent.policies.sampler._lexicon import findings_in
from assay.brain.agent.policies.sampler._sentences import say
from assay.brain.agent.policies.sampler._standing import Standing
from assay.brain.agent.policies.sampler._vocabulary import Vocabulary
from assay.brain.search import TrialId, diagnose, mutate
from assay.brain.tools import knowledge_entry
from assay.config import BrainAgentSettings
from assay.errors import ExpressionError

_PROPOSALS: Final = 6
_DRAWN: Final = 10
_COMBINATIONS: Final = 2
_SHARES: Final = (2, 1, 1)
_LEADERS: Final = 5
_PATIENCE: Final = 2
_FAR: Final = 0.5
_SOURCE: Final = "sampler"


@dataclass
class Improver:
    """Improves the directions of one briefing.

    Parameters
    ----------
    seed : of the random steps of mutations.
    """

    briefing: Briefing
    vocabulary: Vocabulary
    standing: Standing
    settings: BrainAgentSettings
    seed: int

    def answer(self) -> Improvement:
        """Proposals for directions that live, what is given up, what was learned, whether it is enough."""
        if self._enough():
            return Improvement(converged=True, knowledge=self._learned(()))
        given_up = [item for item in self._alive() if self._is_spent(item)]
        gone = {item.id for item in given_up}
        alive = [item for item in self._alive() if item.id not in gone]
        proposals = self._proposals(alive)
        note = say(self._language, "note", alive=len(alive), proposed=len(proposals), abandoned=len(given_up))
        return Improvement(
            proposals,
            tuple(item.id for item in given_up),
            self._learned(given_up),
            note=note,
        )

    @property
    def _language(self) -> Language:
        return language_of(self.briefing.idea)

    def _enough(self) -> bool:
        """The criteria are met, nothing is to gain by going on for long, and nobody asks for more."""
        best = self.briefing.best
        if best is None or unmet(best, self.settings) or self.briefing.critique:
            return False
        reached = (best.sharpe or 0.0) >= self.settings.target_sharpe
        return reached or self.standing.rounds_since_best >= _PATIENCE or self.briefing.remaining <= 0

    def _alive(self) -> list[Direction]:
        return [item for item in self.briefing.directions if not item.abandoned]

    def _is_spent(self, direction: Direction) -> bool:
        """After its rounds: no progress in as many of them, or still far from the limit."""
        after = self.settings.abandon_after
        far = (direction.best_sharpe or 0.0) < _FAR * self.settings.min_sharpe
        stuck = self.standing.without_progress(direction) >= after
        return direction.rounds >= after and (stuck or far)

    def _proposals(self, alive: list[Direction]) -> tuple[Proposal, ...]:
        """Sums of what leads, then mutations of the best of each direction, the best direction most."""
        most = min(_PROPOSALS, max(self.briefing.remaining, 0))
        found: list[Proposal] = []
        taken = set(self.standing.seen)
        for proposal in (*self._combinations(alive), *self._mutations(alive)):
            key = TrialId.of(proposal.request)
            if key not in taken and len(found) < most:
                taken.add(key)
                found.append(proposal)
        return tuple(found)

    def _combinations(self, alive: list[Direction]) -> list[Proposal]:
        """Of leaders in different directions; belongs to the direction of the first that lives."""
        living = {item.id for item in alive}
        leaders = self.standing.leaders[:_LEADERS]
        found: list[Proposal] = []
        sizes = (3, 2, *range(4, len(leaders) + 1))
        for group in (group for size in sizes for group in combinations(leaders, size)):
            text = combined([result.proposal.request.regular for result in group])
            own = next((r.proposal for r in group if r.proposal.direction in living), None)
            if own is None or not self.vocabulary.takes(text):
                continue
            request = own.request.model_copy(update={"regular": text})
            if TrialId.of(request) not in self.standing.seen:
                why = f"{say(self._language, 'combine')}: {', '.join(result.job for result in group)}"
                found.append(
                    replace(own, request=request, rationale=why, replaces=group[0].job, origin="combine")
                )
            if len(found) >= _COMBINATIONS:
                break
        return found

    def _mutations(self, alive: list[Direction]) -> Iterator[Proposal]:
        ranked = [(best, item) for item in alive if (best := self.standing.best(item.id)) is not None]
        ranked.sort(key=lambda pair: self.standing.score(pair[0]), reverse=True)
        turns = [self._steps(best, place) for place, (best, _) in enumerate(ranked)]
        for place, steps in enumerate(turns):
            yield from steps[: _SHARES[min(place, len(_SHARES) - 1)]]
        for steps in turns:  # what is left of the round goes on from the best
            yield from steps

    def _steps(self, best: JobResult, place: int) -> tuple[Proposal, ...]:
        settings = self.settings
        bounds = Limits(
            settings.min_sharpe, settings.min_fitness, settings.min_turnover, settings.max_turnover
        )
        wrong = diagnose(best, bounds=bounds).findings
        findings = (*(findings_in(self.briefing.critique) if place == 0 else ()), *wrong)
        partners = [r.proposal.request.regular for r in self.standing.leaders if r.job != best.job]
        try:
            steps = mutate(
                best,
                findings,
                space=self.vocabulary.space(partners[:_LEADERS]),
                most=_DRAWN,
                seen=self.standing.seen,
                seed=self.seed,
            )
        except ExpressionError:  # the platform may know operators that we do not
            return ()
        usable = (step for step in steps if self.vocabulary.takes(step.request.regular))
        return tuple(islice(usable, _PROPOSALS))

    def _learned(self, given_up: list[Direction] | tuple[()]) -> tuple[KnowledgeEntry, ...]:
        """The best of the latest round where it meets the criteria, and what led nowhere."""
        best = self.briefing.best
        found = []
        if best is not None and best in self.briefing.latest and not unmet(best, self.settings):
            insight = say(
                self._language,
                "found",
                formula=best.proposal.request.regular,
                sharpe=best.sharpe or 0.0,
                fitness=best.fitness or 0.0,
                turnover=best.turnover or 0.0,
            )
            owner = {item.id: item for item in self.briefing.directions}.get(best.proposal.direction)
            found.append(knowledge_entry(_topic(owner), insight, ["successful_factor"], _SOURCE))
        for item in given_up:
            insight = say(self._language, "dead", rounds=item.rounds, sharpe=item.best_sharpe or 0.0)
            if (item.best_sharpe or 0.0) < self.settings.min_sharpe:
                found.append(knowledge_entry(_topic(item), insight, ["dead_end"], _SOURCE))
        return tuple(found)


def _topic(direction: Direction | None) -> str:
    """The family of a direction; what is more than one is a combination."""
    approach = "" if direction is None else direction.approach
    return approach if approach in BY_ID else "combination"
