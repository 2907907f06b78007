"""Searches for factors at an equal budget, and what they find.

- ``python benchmarks/campaign.py planted``: simulated market; how many of the ten planted signals are found
- ``python benchmarks/campaign.py twin``: market without signal; how many factors are admitted all the same
- ``python benchmarks/campaign.py profile``: a campaign on CSI 300, and where its time and memory go
- ``python benchmarks/campaign.py csi300``: CSI 300; search 2017-2020, penalties 2021; with ``--final`` judged
  on 2022-2024, and added to docs/benchmarks.md

profile and csi300 need ../shared/data; csi300 needs the extras ``models`` and ``bench`` too. What is done is
kept in ``--folder``, so that a run that was killed goes on.
"""

from __future__ import annotations

import argparse
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from scipy.stats import beta

from _csi300 import csi300
from _desk import campaign, profile, workspace
from _search import Found, SamplerStrategy, search
from assay.expr import parse
from assay.judge.training import AdmissionRule, PermutedReturns, TrainingJudge, TrainingSettings
from assay.market import simulate

BUDGET = 2000
FOUND = 0.7
TWIN_BUDGET = 100
SHAPE = (300, 1700)
VALIDATE_BARS = 340
RULE = AdmissionRule()


def planted(seed: int, budget: int) -> dict[str, Any]:
    """One search on the simulated market: the trial at which each planted signal was found."""
    panel = simulate(seed, *SHAPE)
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


def twin(
    seed: int, budget: int = TWIN_BUDGET, shape: tuple[int, int] = SHAPE, *, permuted: bool = False
) -> int:
    """Factors that a campaign admits on a market without signal; its last fifth is not trained on.

    ``permuted``: a market with signals whose returns belong to other dates, by blocks of four labels.
    """
    settings = TrainingSettings(validate_bars=shape[1] // 5)
    null = PermutedReturns(block=4 * settings.judge.horizon, seed=seed) if permuted else None
    judge = TrainingJudge(simulate(seed, *shape, signal=permuted), settings=settings, permuted=null)
    return len(search(judge, SamplerStrategy.of(judge, seed), RULE, budget).admitted)


def show_twin(seeds: Sequence[int], budget: int, shape: tuple[int, int], *, permuted: bool) -> None:
    """Runs with more than one admission, with the exact interval."""
    counts = []
    for seed in seeds:
        counts.append(twin(seed, budget, shape, permuted=permuted))
        print(f"seed {seed}: {counts[-1]} admitted", flush=True)
    many = sum(count > 1 for count in counts)
    low, high = exact_interval(many, len(counts))
    per_trial = 100 * sum(counts) / (budget * len(counts))
    print(f"{shape[0]} names x {shape[1]} bars: {sum(count > 0 for count in counts)} runs admit a factor")
    print(f"{many} of {len(counts)} runs of {budget} trials admit more than one factor")
    print(f"exact 95% interval: {low:.1%} to {high:.1%}; {per_trial:.2f} admissions per 100 trials")


def exact_interval(hits: int, n: int, level: float = 0.95) -> tuple[float, float]:
    """Clopper and Pearson's."""
    tail = (1 - level) / 2
    low = 0.0 if hits == 0 else float(beta.ppf(tail, hits, n - hits + 1))
    high = 1.0 if hits == n else float(beta.ppf(1 - tail, hits + 1, n - hits))
    return low, high


def show_profile(seed: int, budget: int, folder: Path) -> None:
    """One campaign, from config to ledger."""
    space = workspace(folder)
    with tempfile.TemporaryDirectory() as place:
        print(profile(campaign(space, seed, budget, Path(place))))


def main() -> None:
    """Read the command line and run."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("what", choices=("planted", "twin", "profile", "csi300"))
    parser.add_argument("--seeds", type=int, default=5, help="how many")
    parser.add_argument("--first-seed", type=int, default=1)
    parser.add_argument("--budget", type=int, help=f"trials a search: {BUDGET}, or {TWIN_BUDGET} on the twin")
    parser.add_argument("--instruments", type=int, default=SHAPE[0], help="of the twin")
    parser.add_argument("--days", type=int, default=SHAPE[1], help="of the twin")
    parser.add_argument(
        "--permuted", action="store_true", help="the twin has signals, and returns of other dates"
    )
    parser.add_argument(
        "--final", action="store_true", help="open 2022-2024 and add a row to docs/benchmarks.md"
    )
    parser.add_argument("--folder", type=Path, help="keeps data, campaigns and results; else a temporary one")
    asked = parser.parse_args()
    seeds = range(asked.first_seed, asked.first_seed + asked.seeds)
    with tempfile.TemporaryDirectory() as scratch:
        folder = asked.folder or Path(scratch)
        folder.mkdir(parents=True, exist_ok=True)
        if asked.what == "planted":
            show_planted(seeds, asked.budget or BUDGET)
        elif asked.what == "twin":
            shape = (asked.instruments, asked.days)
            show_twin(seeds, asked.budget or TWIN_BUDGET, shape, permuted=asked.permuted)
        elif asked.what == "profile":
            show_profile(asked.first_seed, asked.budget or BUDGET, folder)
        else:
            csi300(seeds, asked.budget or BUDGET, folder, final=asked.final)


if __name__ == "__main__":
    main()
