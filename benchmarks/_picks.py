"""What each search on CSI 300 leaves: its picks, from the training segment alone; kept in a folder."""

from __future__ import annotations

import json
import math
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from _desk import campaign, config, panel_of, profile, training_judge
from _search import RandomStrategy
from assay.base import atomic_write
from assay.campaign import History
from assay.campaign._judging import worst_fold
from assay.campaign.sampler import SamplerSpace
from assay.config import Workspace
from assay.expr import parse, to_text
from assay.judge.training import TrainingJudge, TrainingScore, rank_correlations

PICKS = 20
UNLIKE = 0.7

Fitness = Callable[[TrainingScore], float]
Strength = tuple[float, float]


@dataclass(frozen=True)
class Factor:
    """A formula that was chosen, and its figures on the training segment."""

    expression: str
    rank_ic: float
    neutral_rank_ic: float
    t: float
    neutral_t: float

    @classmethod
    def of(cls, score: TrainingScore) -> Factor:
        """Of a score."""
        text = to_text(score.expression.node, "core")
        return cls(text, score.rank_ic, score.neutral_rank_ic, score.t, score.neutral_t)

    @property
    def sign(self) -> float:
        """The direction in which it is bought."""
        return math.copysign(1.0, self.rank_ic)


@dataclass(frozen=True)
class Searched:
    """What one search left: factors by how they were chosen, and what the search took."""

    search: str
    seed: int
    trials: int
    wall: float
    cpu: float
    chosen: Mapping[str, Sequence[Factor]]
    told: str = ""


def plain_fitness(score: TrainingScore) -> float:
    """The protocol's: |mean daily RankIC|, 0 under 80% coverage or on under half of the dates."""
    usable = score.coverage >= 0.8 and score.days >= 0.5 * len(score.rank_ics)
    return abs(score.rank_ic) if usable and math.isfinite(score.rank_ic) else 0.0


def robust_fitness(score: TrainingScore) -> float:
    """The sampler's: neutral RankIC and its worst fold, halved; a style counts with half its raw RankIC."""
    plain = plain_fitness(score)
    if plain == 0.0:
        return 0.0
    neutral = score.neutral_rank_ic
    strength = abs(neutral) if math.isfinite(neutral) else plain / 2
    worst = worst_fold(score.fold_neutral_rank_ics, score.fold_rank_ics)
    return (strength + max(worst, 0.0)) / 2


def picked(scores: Sequence[TrainingScore], fitness: Fitness) -> list[TrainingScore]:
    """The best, each less than 0.7 alike to all before it."""
    ranked = sorted((score for score in scores if fitness(score) > 0), key=fitness, reverse=True)
    kept: list[TrainingScore] = []
    for score in ranked:
        alike = rank_correlations([score.ranks], [other.ranks for other in kept])
        if np.all(np.abs(np.nan_to_num(alike)) < UNLIKE):
            kept.append(score)
        if len(kept) == PICKS:
            break
    return kept


def searched(name: str, space: Workspace, seed: int, budget: int, folder: Path) -> Searched:
    """What a search left; one that was brought to its end before is read from the folder."""
    file = folder / "searches" / f"{name}-{seed}-{budget}.json"
    if not file.exists():
        found = SEARCHES[name](space, seed, budget, folder)
        file.parent.mkdir(parents=True, exist_ok=True)
        atomic_write(file, json.dumps(asdict(found), indent=1))
    data: dict[str, Any] = json.loads(file.read_text(encoding="utf-8"))
    chosen = {how: [Factor(**item) for item in items] for how, items in data["chosen"].items()}
    return Searched(**{**data, "chosen": chosen})


def _sampler(space: Workspace, seed: int, budget: int, folder: Path) -> Searched:
    """The campaign as a user runs it, with gate, leak checks, admission and ledger."""
    place = _free(folder / "campaigns", f"seed-{seed}")
    found = campaign(space, seed, budget, place)
    chosen = {
        "picks": picked(found.scores, robust_fitness),
        "plain": picked(found.scores, plain_fitness),
        "admitted": list(found.admitted),
    }
    return Searched(
        "sampler", seed, len(found.scores), sum(found.clock.wall.values()), sum(found.clock.cpu.values()),
        {how: [Factor.of(score) for score in scores] for how, scores in chosen.items()}, profile(found),
    )  # fmt: skip


def _free(folder: Path, name: str) -> Path:
    """A folder that is not there yet: one that a kill left is no start."""
    number = 1
    while (folder / f"{name}-{number}").exists():
        number += 1
    return folder / f"{name}-{number}"


def _plainly(
    name: str, work: Callable[[TrainingJudge, int, int], Sequence[TrainingScore]]
) -> Callable[[Workspace, int, int, Path], Searched]:
    """A search without gate and ledger, picked from by the protocol's fitness."""

    def run(space: Workspace, seed: int, budget: int, folder: Path) -> Searched:
        judge = training_judge(space, config(panel_of(space), seed, budget))
        wall, cpu = time.perf_counter(), time.process_time()
        scores = work(judge, seed, budget)
        wall, cpu = time.perf_counter() - wall, time.process_time() - cpu
        picks = [Factor.of(score) for score in picked(scores, plain_fitness)]
        return Searched(name, seed, len(scores), wall, cpu, {"plain": picks})

    return run


def _random(invariant: bool) -> Callable[[TrainingJudge, int, int], Sequence[TrainingScore]]:
    """Typed random formulas, ungated."""

    def run(judge: TrainingJudge, seed: int, budget: int) -> Sequence[TrainingScore]:
        strategy = RandomStrategy(replace(SamplerSpace(judge.fields).trees, adjustment=invariant), seed)
        scores: dict[Any, TrainingScore] = {}
        number = 0
        while len(scores) < budget:
            number += 1
            texts = [text for _, text in strategy.propose(number, History())]
            read = [parse(text, "core", fields=judge.fields) for text in texts]
            for score in judge.score(list({one.fingerprint: one for one in read}.values())):
                if len(scores) < budget:
                    scores.setdefault(score.key, score)
        return list(scores.values())

    return run


def _gplearn(invariant: bool) -> Callable[[TrainingJudge, int, int], Sequence[TrainingScore]]:
    def run(judge: TrainingJudge, seed: int, budget: int) -> Sequence[TrainingScore]:
        from _gplearn import evolve

        return evolve(judge, budget, seed, invariant=invariant)

    return run


SEARCHES: Mapping[str, Callable[[Workspace, int, int, Path], Searched]] = {
    "sampler": _sampler,
    "gplearn-invariant": _plainly("gplearn-invariant", _gplearn(True)),
    "gplearn-raw": _plainly("gplearn-raw", _gplearn(False)),
    "random-invariant": _plainly("random-invariant", _random(True)),
    "random-raw": _plainly("random-raw", _random(False)),
}


def main() -> None:
    """``python benchmarks/_picks.py FOLDER SEARCH SEED BUDGET``: one search in a process of its own."""
    from _desk import workspace

    folder, name, seed, budget = Path(sys.argv[1]), sys.argv[2], int(sys.argv[3]), int(sys.argv[4])
    found = searched(name, workspace(folder), seed, budget, folder)
    print(f"{name}, seed {seed}: {found.trials} formulas, {found.wall:.0f} s, CPU {found.cpu:.0f} s")


if __name__ == "__main__":
    main()
