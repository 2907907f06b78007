"""What planner and proposer read of the past: a pure function of the ledger's records and the config."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Final, get_args

from assay.campaign._lineage import Lineage
from assay.campaign._lines import figures_text, one_line, origin, strength, trial_line, verdict
from assay.campaign._past import Past
from assay.campaign._settings import CampaignConfig
from assay.campaign._themes import theme_lines
from assay.campaign._types import Direction, Family, Feedback, Outcome, PoolFactor, TrialRecord
from assay.expr import to_text

BEST_SHOWN: Final = 6
_EXAMPLES: Final = 4
_ACCEPTED_SHOWN: Final = 60
_DETAIL: Final = 400
_WORDS: Final = 1000
_EXAMPLE: Final = 160


def feedback(past: Past, config: CampaignConfig, families: Sequence[Family]) -> Feedback:
    """The context of a round, of what the rounds before have left.

    Parameters
    ----------
    families : of the reference set and the known factors; see :func:`families_of`.
    """
    context = config.context
    shown = Feedback(seed_directions=context.seed_directions, families=tuple(families))
    if not context.feedback:
        return shown
    first_recent = len(past.history.rounds) - context.recent_rounds + 1
    return Feedback(
        seed_directions=shown.seed_directions,
        families=shown.families,
        memory=past.history.memory,
        last_round=_last_round(past),
        best=_best(past.trials, config.mechanisms),
        recent=tuple(trial_line(trial) for trial in past.trials if trial.round >= first_recent),
        earlier=_counted([trial for trial in past.trials if trial.round < first_recent], config.mechanisms),
        accepted=_accepted(past, with_lineage=context.lineage),
        themes=theme_lines(past.themes),
        buildable=tuple(trial.id for trial in past.buildable),
    )


def families_of(pool: Iterable[PoolFactor]) -> tuple[Family, ...]:
    """Factors of the pools by family, in the order in which families come; known ones apart."""
    groups: dict[tuple[str, bool], list[PoolFactor]] = {}
    for factor in pool:
        groups.setdefault((factor.family, factor.known), []).append(factor)
    return tuple(
        Family(name, known, tuple(_example(factor) for factor in factors[:_EXAMPLES]), len(factors))
        for (name, known), factors in groups.items()
    )


def parent(trial: TrialRecord, lineage: Lineage | None = None) -> str:
    """The block about the trial that a direction builds on; with its lineage where that is given."""
    lines = [f"{trial.id}: {trial.mechanism}, {origin(trial.direction)}, {verdict(trial)}"]
    candidate = trial.candidate
    if candidate is not None:
        lines += [
            f"name: {one_line(candidate.name, _WORDS)}",
            f"expression: {one_line(candidate.expression, len(candidate.expression))}",
            f"hypothesis: {one_line(candidate.hypothesis, _WORDS)}",
            f"description: {one_line(candidate.description, _WORDS)}",
        ]
    lines += [
        f"direction: {one_line(trial.direction.text, _WORDS)}",
        f"figures: {figures_text(trial.figures)}",
    ]
    lines += [f"detail: {one_line(trial.detail, _DETAIL)}"] if trial.detail else []
    lines += [f"lineage: {lineage.text()}"] if lineage is not None and lineage.text() else []
    return "\n".join(lines)


def parents(past: Past, config: CampaignConfig, directions: Iterable[Direction]) -> dict[int, str]:
    """The blocks about the parents of directions, by slot."""
    found: dict[int, str] = {}
    for direction in directions:
        trial = None if direction.parent is None else past.by_id.get(direction.parent)
        if trial is not None:
            lineage = past.lineages[trial.id] if config.context.lineage else None
            found[direction.slot] = parent(trial, lineage)
    return found


def _example(factor: PoolFactor) -> str:
    return f"{one_line(factor.name, _EXAMPLE)}: {one_line(to_text(factor.expression.node, 'core'), _EXAMPLE)}"


def _last_round(past: Past) -> tuple[str, ...]:
    if not past.history.rounds:
        return ()
    return tuple(trial_line(trial, detail=_DETAIL) for trial in past.history.rounds[-1].trials)


def _best(trials: Sequence[TrialRecord], mechanisms: Iterable[str]) -> tuple[str, ...]:
    """The mechanism types with the most admissions, then the largest t, with their best trials."""
    lines: list[tuple[int, float, str]] = []
    for mechanism in mechanisms:
        tried = [trial for trial in trials if trial.mechanism == mechanism and trial.evaluated]
        if not tried:
            continue
        best = max(tried, key=lambda trial: (trial.admitted, strength(trial)))
        admitted = sum(trial.admitted for trial in tried)
        line = f"{mechanism} | {admitted} admitted of {len(tried)} evaluated | best {trial_line(best)}"
        lines.append((admitted, strength(best), line))
    lines.sort(key=lambda item: item[:2], reverse=True)  # equals stay in the order of the types
    return tuple(line for _, _, line in lines[:BEST_SHOWN])


def _counted(trials: Sequence[TrialRecord], mechanisms: Iterable[str]) -> tuple[str, ...]:
    """Trials counted by mechanism type and outcome."""
    counts = Counter((trial.mechanism, trial.outcome) for trial in trials)
    lines: list[str] = []
    for mechanism in mechanisms:
        parts = [
            f"{outcome} {counts[mechanism, outcome]}"
            for outcome in get_args(Outcome)
            if counts[mechanism, outcome]
        ]
        if parts:
            lines.append(f"{mechanism} | {', '.join(parts)}")
    return tuple(lines)


def _accepted(past: Past, *, with_lineage: bool) -> tuple[str, ...]:
    """The zoo, the latest sixty of it."""
    zoo = [trial for trial in past.trials if trial.admitted]
    lines: list[str] = []
    if len(zoo) > _ACCEPTED_SHOWN:
        lines.append(f"{len(zoo) - _ACCEPTED_SHOWN} older ones are not listed")
    for trial in zoo[-_ACCEPTED_SHOWN:]:
        lineage = past.lineages[trial.id].text() if with_lineage else ""
        lines.append(f"{trial_line(trial)} | {lineage}" if lineage else trial_line(trial))
    return tuple(lines)
