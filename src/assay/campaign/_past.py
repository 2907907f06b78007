"""What a round works out of its past once, before anything of it is planned."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

from assay.campaign._lineage import Lineage, buildable, lineages
from assay.campaign._settings import CampaignConfig
from assay.campaign._themes import Theme, find_themes
from assay.campaign._types import History, TrialRecord, TriedTrials


@dataclass(frozen=True)
class Past:
    """The past of a round; a pure function of history, config and the correlations of the tried trials.

    Parameters
    ----------
    trials : all slots of the rounds that are done, in order.
    lineages : of every trial, by id.
    buildable : what a direction may build on.
    themes : empty where ``context.theme_correlation`` is not set.
    """

    history: History
    trials: tuple[TrialRecord, ...]
    lineages: Mapping[str, Lineage]
    buildable: tuple[TrialRecord, ...]
    themes: tuple[Theme, ...] = ()

    @classmethod
    def of(cls, history: History, config: CampaignConfig, tried: TriedTrials | None = None) -> Past:
        """Work it out. ``tried`` knows every evaluated trial of the history."""
        trials = history.trials
        known = lineages(trials)
        open_trials = buildable(trials, known, config.round.max_children)
        threshold = config.context.theme_correlation
        themes = () if tried is None or threshold is None else find_themes(trials, tried, threshold)
        return cls(history, trials, known, open_trials, themes)

    def told(self, config: CampaignConfig) -> History:
        """What planner and proposer get of the history: nothing where ``context.feedback`` is off."""
        return self.history if config.context.feedback else History()

    @cached_property
    def by_id(self) -> Mapping[str, TrialRecord]:
        """Every trial by its id."""
        return {trial.id: trial for trial in self.trials}
