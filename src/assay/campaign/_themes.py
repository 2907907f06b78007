"""Tried trials grouped by what their factors measure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from assay.campaign._lines import one_line, strength
from assay.campaign._types import TrialRecord, TriedTrials

if TYPE_CHECKING:
    from assay.campaign._types import Correlations

_MEMBERS_SHOWN = 12
_THEMES_SHOWN = 40
_FORMULA = 160


@dataclass(frozen=True, slots=True)
class Theme:
    """Trials whose factors measure much the same, oldest first.

    ``leader`` stands for them: the admitted one with the largest t, else the one with the largest t.
    """

    members: tuple[TrialRecord, ...]
    leader: TrialRecord

    @property
    def admitted(self) -> int:
        """How many of them joined the zoo."""
        return sum(trial.admitted for trial in self.members)


def find_themes(trials: Sequence[TrialRecord], tried: TriedTrials, threshold: float) -> tuple[Theme, ...]:
    """The themes of the evaluated trials, largest first, then oldest first.

    Single linkage: two trials are of one theme where a chain leads from one to the other whose neighbours
    correlate by at least ``threshold``, whatever the sign: a factor turned round measures the same. A trial
    without a defined correlation is a theme of its own.
    """
    evaluated = [trial for trial in trials if trial.evaluated]
    labels = single_linkage(tried.correlations([trial.id for trial in evaluated]), threshold)
    groups: dict[int, list[TrialRecord]] = {}
    for trial, label in zip(evaluated, labels, strict=True):
        groups.setdefault(label, []).append(trial)
    # groups are in the order of their oldest members; sorting keeps it among equals
    return tuple(_theme(members) for members in sorted(groups.values(), key=len, reverse=True))


def single_linkage(correlations: Correlations, threshold: float) -> list[int]:
    """For each row the smallest row that it is linked with, over any number of steps."""
    linked = np.abs(correlations) >= threshold  # false where it is undefined
    labels = np.full(len(linked), -1)
    for row in range(len(linked)):
        if labels[row] >= 0:
            continue
        reached = np.array([row])
        while len(reached):
            labels[reached] = row
            reached = np.flatnonzero(linked[reached].any(axis=0) & (labels < 0))
    return [int(label) for label in labels]


def theme_lines(themes: Sequence[Theme]) -> tuple[str, ...]:
    """A line for each theme; those beyond the first forty are counted."""
    lines = [_line(number, theme) for number, theme in enumerate(themes[:_THEMES_SHOWN], 1)]
    rest = themes[_THEMES_SHOWN:]
    if rest:
        trials = sum(len(theme.members) for theme in rest)
        lines.append(f"and {len(rest)} more themes of {trials} trials, {_admitted(rest)} admitted")
    return tuple(lines)


def _theme(members: Sequence[TrialRecord]) -> Theme:
    return Theme(tuple(members), max(members, key=lambda trial: (trial.admitted, strength(trial))))


def _line(number: int, theme: Theme) -> str:
    ids = [trial.id for trial in theme.members[:_MEMBERS_SHOWN]]
    more = f" and {len(theme.members) - _MEMBERS_SHOWN} more" if len(theme.members) > _MEMBERS_SHOWN else ""
    leader = theme.leader
    formula = one_line(leader.candidate.expression, _FORMULA) if leader.candidate is not None else ""
    return (
        f"theme {number} | {len(theme.members)} trials, {theme.admitted} admitted | "
        f"led by {leader.id} {leader.mechanism}: {formula} | {', '.join(ids)}{more}"
    )


def _admitted(themes: Sequence[Theme]) -> int:
    return sum(theme.admitted for theme in themes)
