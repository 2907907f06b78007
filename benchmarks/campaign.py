"""Searches for factors at an equal budget, and what they find.

- ``python benchmarks/campaign.py planted``: simulated market; how many of the ten planted signals are found
- ``python benchmarks/campaign.py twin``: market without signal; how many factors are admitted all the same
- ``python benchmarks/campaign.py csi300``: CSI 300; search 2017-2020, penalties and weights 2021; with
  ``--final`` also 2022-2024, as a new row of docs/benchmarks.md

csi300 needs ../shared/data, and the extras ``models`` and ``bench`` for the contenders LightGBM and gplearn.
"""

from __future__ import annotations

import argparse
import math
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any

import numpy as np
from scipy.stats import beta

from _combine import (
    FIGURES,
    Cells,
    Result,
    Windows,
    equal,
    lightgbm,
    measured,
    paired_t,
    rank_ic,
    ridge,
)
from _search import Found, RandomStrategy, SamplerStrategy, search
from assay.campaign._judging import figures_of
from assay.campaign.sampler import SamplerSpace
from assay.expr import Node, parse
from assay.judge import JudgeSettings
from assay.judge.training import (
    AdmissionRule,
    TrainingJudge,
    TrainingScore,
    TrainingSettings,
    rank_correlations,
)
from assay.library import reference_factors
from assay.market import Panel, simulate

HERE = Path(__file__).resolve().parent
SHARED = HERE.parents[1] / "shared"
BUDGET = 2000
PICKS = 20
UNLIKE = 0.7
FOUND = 0.7
TWIN_BUDGET = 100
VALIDATE_BARS = 340
RULE = AdmissionRule()
WINDOWS = Windows(
    train=(date(2017, 4, 7), date(2020, 12, 17)),
    valid=(date(2021, 1, 4), date(2021, 12, 17)),
    test=(date(2022, 1, 4), date(2024, 12, 31)),
)
SEARCH_END = date(2020, 12, 31)
VALID_END = date(2021, 12, 31)
CSI300 = JudgeSettings(
    horizon=5, horizons=(5,), universe="csi300", book="top_k", top_k=30, rebalance=5, min_names=30,
    newey_west_lags=10, robustness="off", leak_checks="off", bootstrap=0,
)  # fmt: skip


def planted(seed: int, budget: int) -> dict[str, Any]:
    """One search on the simulated market: the trial at which each planted signal was found."""
    panel = simulate(seed, 300, 1700)
    judge = TrainingJudge(panel, settings=TrainingSettings(validate_bars=VALIDATE_BARS))
    signals = panel.manifest.planted
    truth = judge.pool({item.name: parse(item.expression, fields=judge.fields) for item in signals})
    found = search(judge, SamplerStrategy.of(judge, seed), RULE, budget)
    place = {score.key: number for number, score in enumerate(found.scores, 1)}
    when: dict[str, int] = {}
    best = {item.name: 0.0 for item in signals}
    for score in found.admitted:
        for name, value in zip(best, np.abs(np.nan_to_num(truth.value_correlations(score))), strict=True):
            best[name] = max(best[name], float(value))
            if value >= FOUND:
                when.setdefault(name, place[score.key])
    return {"found": when, "best": best, "search": found}


def show_planted(seeds: Sequence[int], budget: int) -> None:
    """The table of planted signals."""
    total = 0
    print("| seed | found of 10 | admitted | trials a proposal | s | missed (best correlation) |")
    print("|---|---|---|---|---|---|")
    for seed in seeds:
        start = time.perf_counter()
        result = planted(seed, budget)
        found: Found = result["search"]
        total += len(result["found"])
        missed = [f"{n} ({r:.2f})" for n, r in result["best"].items() if n not in result["found"]]
        share = len(found.scores) / found.proposed
        seconds = time.perf_counter() - start
        print(
            f"| {seed} | {len(result['found'])} | {len(found.admitted)} | {share:.1%} | {seconds:.0f} "
            f"| {', '.join(missed) or '-'} |",
            flush=True,
        )
    print(f"\n{total} of {10 * len(seeds)} planted signals found, within {budget} trials each")


def twin(seed: int, budget: int = TWIN_BUDGET) -> int:
    """Factors that a campaign admits on a market without signal."""
    judge = TrainingJudge(
        simulate(seed, 300, 1700, signal=False), settings=TrainingSettings(validate_bars=VALIDATE_BARS)
    )
    return len(search(judge, SamplerStrategy.of(judge, seed), RULE, budget).admitted)


def show_twin(seeds: Sequence[int], budget: int) -> None:
    """Runs with more than one admission, with the exact interval."""
    counts = []
    for seed in seeds:
        counts.append(twin(seed, budget))
        print(f"seed {seed}: {counts[-1]} admitted", flush=True)
    many = sum(count > 1 for count in counts)
    low, high = exact_interval(many, len(counts))
    per_trial = 100 * sum(counts) / (budget * len(counts))
    print(f"{many} of {len(counts)} runs of {budget} trials admit more than one factor")
    print(f"exact 95% interval: {low:.1%} to {high:.1%}; {per_trial:.2f} admissions per 100 trials")


def exact_interval(hits: int, n: int, level: float = 0.95) -> tuple[float, float]:
    """Clopper and Pearson's."""
    tail = (1 - level) / 2
    low = 0.0 if hits == 0 else float(beta.ppf(tail, hits, n - hits + 1))
    high = 1.0 if hits == n else float(beta.ppf(1 - tail, hits + 1, n - hits))
    return low, high


@dataclass(frozen=True)
class Contender:
    """A way to a signal on CSI 300: the factors that it chose, and their signs on the training window."""

    name: str
    factors: Mapping[str, Node]
    signs: Sequence[float]
    combine: str
    seconds: float = 0.0


Fitness = Callable[[TrainingScore], float]


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
    return (strength + max(figures_of(score)["worst_fold"] or 0.0, 0.0)) / 2


def picked(scores: Sequence[TrainingScore], fitness: Fitness) -> list[TrainingScore]:
    """The best, each less than 0.7 alike to all before it."""
    ranked = sorted((score for score in scores if fitness(score) > 0), key=fitness, reverse=True)[:400]
    ranks = [score.ranks for score in ranked]
    alike = np.abs(np.nan_to_num(rank_correlations(ranks, ranks)))
    kept: list[int] = []
    for place in range(len(ranked)):
        if len(kept) < PICKS and all(alike[place, other] < UNLIKE for other in kept):
            kept.append(place)
    return [ranked[place] for place in kept]


def contender(
    name: str, scores: Sequence[TrainingScore], fitness: Fitness, combine: str, seconds: float
) -> Contender:
    """From the scores of a search to what is combined."""
    chosen = picked(scores, fitness)
    return Contender(
        name,
        {score.expression.fingerprint: score.expression.node for score in chosen},
        [math.copysign(1.0, score.rank_ic) for score in chosen],
        combine,
        seconds,
    )


def searched(panel: Panel, seed: int, budget: int) -> list[Contender]:
    """All that searches: on a panel that ends with 2020."""
    assert panel.dates[-1] <= np.datetime64(SEARCH_END)
    judge = TrainingJudge(
        panel, settings=TrainingSettings(judge=JudgeSettings(
            universe="csi300", book="top_k", min_names=30, direction="auto", newey_west_lags=10
        ))
    )  # fmt: skip
    found = []
    start = time.perf_counter()
    ours = search(judge, SamplerStrategy.of(judge, seed), RULE, budget)
    seconds = time.perf_counter() - start
    shares = {name: round(value, 1) for name, value in ours.seconds.items()}
    print(
        f"sampler, seed {seed}: {len(ours.scores)} trials of {ours.proposed} proposals, "
        f"{seconds:.0f} s {shares}, "
        f"{len(ours.admitted)} admitted; not admitted for {dict(ours.rejected)}",
        flush=True,
    )
    found += [
        contender(f"sampler, {combine}", ours.scores, robust_fitness, combine, seconds)
        for combine in ("ridge", "equal")
    ]
    found.append(contender("sampler, plain fitness, ridge", ours.scores, plain_fitness, "ridge", seconds))
    found.append(contender("sampler, admitted, ridge", ours.admitted, robust_fitness, "ridge", seconds))
    for invariant in (True, False):
        word = "adjustment-invariant" if invariant else "raw"
        start = time.perf_counter()
        scores = randomly(judge, seed, budget, invariant)
        seconds = time.perf_counter() - start
        found.append(contender(f"random, {word}, ridge", scores, plain_fitness, "ridge", seconds))
        start = time.perf_counter()
        scores = evolved(judge, seed, budget, invariant)
        seconds = time.perf_counter() - start
        if scores:
            found.append(contender(f"gplearn, {word}, ridge", scores, plain_fitness, "ridge", seconds))
    return found


def randomly(judge: TrainingJudge, seed: int, budget: int, invariant: bool) -> Sequence[TrainingScore]:
    """Typed random formulas, ungated: what a search without Assay's gate would do."""
    from dataclasses import replace

    from assay.campaign import History

    space = replace(SamplerSpace(judge.fields).trees, adjustment=invariant)
    strategy = RandomStrategy(space, seed)
    scores: dict[Any, TrainingScore] = {}
    number = 0
    while len(scores) < budget:
        number += 1
        texts = [text for _, text in strategy.propose(number, History())]
        expressions = {}
        for text in texts:
            expression = parse(text, "core", fields=judge.fields)
            expressions.setdefault(expression.fingerprint, expression)
        for score in judge.score(list(expressions.values())):
            if len(scores) < budget:
                scores.setdefault(score.key, score)
    return list(scores.values())


def evolved(judge: TrainingJudge, seed: int, budget: int, invariant: bool) -> Sequence[TrainingScore]:
    """gplearn; nothing where it is not installed."""
    try:
        from _gplearn import evolve

        return evolve(judge, budget, seed, invariant=invariant)
    except ImportError as error:
        print(f"gplearn is left out: {error} (extra `bench`)", file=sys.stderr)
        return []


def alpha158(panel: Panel) -> dict[str, Node]:
    """The features that the data can make."""
    fields = set(panel.fields)
    return {
        f.id: f.expression.node for f in reference_factors("alpha158") if set(f.expression.fields) <= fields
    }


def signals(cells: Cells, contenders: Sequence[Contender], seed: int) -> dict[str, np.ndarray]:
    """The prediction of each contender on all cells, fitted on train with penalties by valid."""
    found = {}
    for item in contenders:
        features = cells.features(item.factors)
        one = equal(features, item.signs) if item.combine == "equal" else ridge(cells, features, WINDOWS)
        found[item.name] = one
    features = cells.features(alpha158(cells.panel))
    found["Alpha158 Ridge"] = ridge(cells, features, WINDOWS)
    try:
        found["Alpha158 LightGBM, early stop"] = lightgbm(cells, features, WINDOWS, rounds=None, seed=seed)
        found["Alpha158 LightGBM, 100 rounds"] = lightgbm(cells, features, WINDOWS, rounds=100, seed=seed)
    except ImportError as error:
        print(f"LightGBM is left out: {error} (extra `models`)", file=sys.stderr)
    return found


def csi300(seeds: Sequence[int], budget: int, *, final: bool) -> None:
    """The table of CSI 300."""
    with tempfile.TemporaryDirectory() as folder:
        panel = load(Path(folder))
        last, window = (WINDOWS.test[1], WINDOWS.test) if final else (VALID_END, WINDOWS.valid)
        seen = panel.between(panel.dates[0].astype(object), last)
        cells = Cells.of(seen, CSI300.universe, CSI300.horizon)
        results: dict[str, list[Result]] = {}
        for seed in seeds:
            contenders = searched(panel.between(panel.dates[0].astype(object), SEARCH_END), seed, budget)
            for name, signal in signals(cells, contenders, seed).items():
                result = measured(cells.values(signal), seen, CSI300, window)
                results.setdefault(name, []).append(result)
                train = rank_ic(cells, signal, WINDOWS.train)
                shown = ", ".join(f"{key} {value:.4f}" for key, value in result.figures.items())
                print(f"seed {seed}, {name}: train rank_ic {train:.4f}; {shown}", flush=True)
        text = table(results, window)
        print(f"\n{text}")
        if final:
            record(text, seeds, budget)


def load(folder: Path) -> Panel:
    """CSI 300 through the public importer."""
    sys.path.insert(0, str(HERE.parent / "tests" / "market"))
    from real import csi300_panel

    return csi300_panel(SHARED, folder)


def table(results: Mapping[str, Sequence[Result]], window: tuple[date, date]) -> str:
    """Means over seeds with their standard deviation, and paired t of the neutral RankIC against Ridge."""
    base = results["Alpha158 Ridge"]
    head = (
        f"| {window[0]} to {window[1]}, {len(base)} seeds | " + " | ".join(FIGURES) + " | paired t vs Ridge |"
    )
    lines = [head, "|---" * (len(FIGURES) + 2) + "|"]
    for name, runs in results.items():
        cells = []
        for key in FIGURES:
            values = [run.figures[key] for run in runs]
            spread = f" ± {np.std(values, ddof=1):.4f}" if len(values) > 1 else ""
            cells.append(f"{np.mean(values):.4f}{spread}")
        ours = np.mean([run.neutral for run in runs], axis=0)
        theirs = np.mean([run.neutral for run in base], axis=0)
        t = math.nan if name == "Alpha158 Ridge" else paired_t(ours, theirs)
        lines.append(f"| {name} | {' | '.join(cells)} | {'-' if math.isnan(t) else f'{t:.2f}'} |")
    return "\n".join(lines)


def record(text: str, seeds: Sequence[int], budget: int) -> None:
    """Append the figures of the sealed window to the page; rows are never removed."""
    commit = subprocess.run(
        ["git", "rev-parse", "--short", "HEAD"], cwd=HERE, capture_output=True, text=True, check=True
    ).stdout.strip()
    page = HERE.parent / "docs" / "benchmarks.md"
    today = datetime.now(UTC).date().isoformat()
    head = f"\n\n### Search on CSI 300, {today}, commit {commit}\n\n"
    head += f"{budget} formulas a search, seeds {list(seeds)}.\n\n"
    with page.open("a", encoding="utf-8") as file:
        file.write(head + text + "\n")


def main() -> None:
    """Read the command line and run."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("what", choices=("planted", "twin", "csi300"))
    parser.add_argument("--seeds", type=int, default=5, help="how many")
    parser.add_argument("--first-seed", type=int, default=1)
    parser.add_argument("--budget", type=int, help=f"trials a search: {BUDGET}, or {TWIN_BUDGET} on the twin")
    parser.add_argument(
        "--final", action="store_true", help="open 2022-2024 and add a row to docs/benchmarks.md"
    )
    asked = parser.parse_args()
    seeds = range(asked.first_seed, asked.first_seed + asked.seeds)
    if asked.what == "planted":
        show_planted(seeds, asked.budget or BUDGET)
    elif asked.what == "twin":
        show_twin(seeds, asked.budget or TWIN_BUDGET)
    else:
        csi300(seeds, asked.budget or BUDGET, final=asked.final)


if __name__ == "__main__":
    main()
