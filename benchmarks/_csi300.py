"""The protocol on CSI 300: every contender from its search to its figures, each step kept in a folder."""

from __future__ import annotations

import math
import subprocess
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, date, datetime
from functools import cached_property
from pathlib import Path
from typing import Literal

import numpy as np

from _combine import FIGURES, Cells, Result, Windows, equal, lightgbm, measured, paired_t, rank_ic, ridge
from _desk import HERE, THREADS, config, open_dates, panel_of, training_judge, workspace
from _picks import SEARCHES, Factor, Searched, searched
from assay.base import atomic_write
from assay.config import Workspace
from assay.expr import Node, parse
from assay.judge import JudgeSettings, judge, panel_fields
from assay.library import reference_factors
from assay.market import Panel
from assay.metrics import newey_west_t

WINDOWS = Windows(
    train=(date(2017, 4, 7), date(2020, 12, 17)),
    valid=(date(2021, 1, 4), date(2021, 12, 17)),
    test=(date(2022, 1, 4), date(2024, 12, 31)),
)
VALID_END = date(2021, 12, 31)
CSI300 = JudgeSettings(
    horizon=5, horizons=(5,), universe="csi300", book="top_k", top_k=30, rebalance=5, min_names=30,
    newey_west_lags=10, robustness="off", leak_checks="off", bootstrap=0, threads=THREADS,
)  # fmt: skip
RIDGE = "Alpha158 Ridge"
GPLEARN = "gplearn, adjustment-invariant, ridge"
LOW_VOLATILITY = "-ts_std(returns, 20)"
SECTION = "## Campaign"
"""Heading of the page that results stand under."""
LEAST_IC, LEAST_T = 0.03, 3.0
"""Of a single factor on the training segment, to be looked at later."""

Signal = np.ndarray
Combine = Literal["plain", "refit", "neutral"]


@dataclass(frozen=True)
class Contender:
    """A row of the table: a name, and how its signal on all cells is made for a seed.

    ``seeded`` False: each seed gives the same.
    """

    name: str
    signal: Callable[[Protocol, int], Signal]
    seeded: bool = True


@dataclass(frozen=True)
class Protocol:
    """One run: the data up to the window's end, and the folder that keeps what is done."""

    space: Workspace
    folder: Path
    budget: int
    final: bool
    _chosen: dict[tuple[str, str, int], np.ndarray] = field(default_factory=dict, repr=False)

    @cached_property
    def panel(self) -> Panel:
        """Bars up to the end of the window that is judged; none after it is read."""
        whole = open_dates(self.folder)
        return whole.between(None, WINDOWS.test[1] if self.final else VALID_END)

    @cached_property
    def cells(self) -> Cells:
        """Members of each date."""
        return Cells.of(self.panel, CSI300.universe, CSI300.horizon)

    @property
    def window(self) -> tuple[date, date]:
        """Dates that are judged."""
        return WINDOWS.test if self.final else WINDOWS.valid

    def nodes(self, factors: Sequence[Factor]) -> dict[str, Node]:
        """Formulas by text."""
        fields = panel_fields(self.panel)
        return {one.expression: parse(one.expression, "core", fields=fields).node for one in factors}

    def searched(self, name: str, seed: int) -> Searched:
        """What a search left."""
        return searched(name, self.space, seed, self.budget, self.folder)

    @cached_property
    def alpha158(self) -> np.ndarray:
        """The features that the data can make."""
        return self.cells.features(library(self.panel, "alpha158"))

    def chosen(self, search: str, how: str, seed: int) -> np.ndarray:
        """The features that a search chose."""
        if (search, how, seed) not in self._chosen:
            self._chosen.clear()
            factors = self.searched(search, seed).chosen[how]
            self._chosen[search, how, seed] = self.cells.features(self.nodes(factors))
        return self._chosen[search, how, seed]

    @cached_property
    def neutral_label(self) -> np.ndarray:
        """What industries and styles leave of the ranks of returns, for each cell of the training segment."""
        setup = training_judge(self.space, config(panel_of(self.space), 0, self.budget)).setup
        rows, width = len(setup.view.dates), self.panel.shape[1]
        label = np.full((rows, width), np.nan, dtype=np.float32)
        known = self.cells.rows < rows
        place = self.cells.rows[known], self.cells.names[known]
        label[place] = self.cells.label[known]
        found = np.full(len(known), np.nan, dtype=np.float32)
        assert setup.neutralizer is not None
        found[known] = setup.neutralizer.residual(label)[place]
        return found

    def result(self, contender: Contender, seed: int) -> Result:
        """Figures of a contender; those that were measured before are read from the folder."""
        seed = seed if contender.seeded else 0
        slug = contender.name.lower().replace(", ", "-").replace(" ", "-")
        file = self.folder / "results" / f"{self.window[0].year}-{slug}-{seed}-{self.budget}.npz"
        if not file.exists():
            signal = contender.signal(self, seed)
            found = measured(self.cells.values(signal), self.panel, CSI300, self.window)
            train = rank_ic(self.cells, signal, WINDOWS.train)
            file.parent.mkdir(parents=True, exist_ok=True)
            part = file.with_suffix(".part.npz")
            np.savez(
                part, neutral=found.neutral, ranked=found.ranked,
                figures=np.array([*(found.figures[name] for name in FIGURES), train]),
            )  # fmt: skip
            part.rename(file)
        with np.load(file) as data:
            figures = dict(zip((*FIGURES, "train"), data["figures"].tolist(), strict=True))
            return Result(figures, data["neutral"], data["ranked"])


def library(panel: Panel, name: str) -> dict[str, Node]:
    """Reference factors that the data can make."""
    fields = set(panel.fields)
    return {f.id: f.expression.node for f in reference_factors(name) if set(f.expression.fields) <= fields}


def combined(run: Protocol, features: np.ndarray, combine: Combine) -> Signal:
    """Ridge on ranks: on those of returns, with 2021 as well, or on what styles leave of them."""
    label = run.neutral_label if combine == "neutral" else None
    return ridge(run.cells, features, WINDOWS, label=label, refit=combine == "refit")


def of_search(name: str, search: str, how: str, combine: Combine | Literal["equal"] = "plain") -> Contender:
    """What a search chose, combined."""

    def signal(run: Protocol, seed: int) -> Signal:
        features = run.chosen(search, how, seed)
        if combine == "equal":
            return equal(features, [one.sign for one in run.searched(search, seed).chosen[how]])
        return combined(run, features, combine)

    return Contender(name, signal)


def of_ridge(name: str, combine: Combine = "plain") -> Contender:
    """Alpha158, combined as what searches chose."""
    return Contender(name, lambda run, _: combined(run, run.alpha158, combine), seeded=False)


def of_alpha158(name: str, rounds: int | None) -> Contender:
    """Trees on Alpha158: so many rounds, or None for an early stop on ``valid``."""

    def signal(run: Protocol, seed: int) -> Signal:
        return lightgbm(run.cells, run.alpha158, WINDOWS, rounds=rounds, seed=seed)

    return Contender(name, signal)


CONTENDERS = (
    of_search("sampler, ridge", "sampler", "picks"),
    of_search("sampler, ridge, refitted with 2021", "sampler", "picks", "refit"),
    of_search("sampler, ridge on neutral returns", "sampler", "picks", "neutral"),
    of_search("sampler, equal", "sampler", "picks", "equal"),
    of_search("sampler, plain fitness, ridge", "sampler", "plain"),
    of_search("sampler, admitted, ridge", "sampler", "admitted"),
    of_search("random, adjustment-invariant, ridge", "random-invariant", "plain"),
    of_search("random, raw, ridge", "random-raw", "plain"),
    of_search(GPLEARN, "gplearn-invariant", "plain"),
    of_search("gplearn, raw, ridge", "gplearn-raw", "plain"),
    of_ridge(RIDGE),
    of_ridge("Alpha158 Ridge, refitted with 2021", "refit"),
    of_ridge("Alpha158 Ridge on neutral returns", "neutral"),
    of_alpha158("Alpha158 LightGBM, early stop", None),
    of_alpha158("Alpha158 LightGBM, 100 rounds", 100),
)


def table(results: Mapping[str, Sequence[Result]], window: tuple[date, date], seeds: Sequence[int]) -> str:
    """Means over seeds with their standard deviation; paired tests of the daily series, seeds averaged."""
    columns = [*FIGURES, "train RankIC", "neutral, 95%"]
    columns += [f"t vs {other}, {what}" for other in ("Ridge", "gplearn") for what in ("neutral", "RankIC")]
    lines = [
        f"| {window[0]} to {window[1]}, seeds {list(seeds)} | " + " | ".join(columns) + " |",
        "|---" * (len(columns) + 1) + "|",
    ]
    for name, runs in results.items():
        cells = [_spread([run.figures[key] for run in runs]) for key in (*FIGURES, "train")]
        cells.append(_interval(_neutral(runs)))
        for other in (RIDGE, GPLEARN):
            same = name == other or other not in results
            cells += [
                "-" if same else f"{paired_t(series(runs), series(results[other])):.2f}"
                for series in (_neutral, _ranked)
            ]
        lines.append(f"| {name} | {' | '.join(cells)} |")
    return "\n".join(lines)


def _neutral(runs: Sequence[Result]) -> np.ndarray:
    return np.asarray(np.mean([run.neutral for run in runs], axis=0))


def _ranked(runs: Sequence[Result]) -> np.ndarray:
    return np.asarray(np.mean([run.ranked for run in runs], axis=0))


def _spread(values: Sequence[float]) -> str:
    spread = f" ± {np.std(values, ddof=1):.4f}" if np.std(values) > 0 else ""
    return f"{np.mean(values):.4f}{spread}"


def _interval(series: np.ndarray) -> str:
    """Of the mean of a daily series, by its Newey-West error."""
    mean, t = float(np.nanmean(series)), newey_west_t(series, 10)
    if not math.isfinite(t) or t == 0:
        return "-"
    return f"{mean - 1.96 * mean / t:.4f} to {mean + 1.96 * mean / t:.4f}"


@dataclass(frozen=True)
class Single:
    """A factor on its own: RankIC of training and of the window, both in the direction of training."""

    train: float
    later: float
    later_neutral: float
    later_t: float


def singles(run: Protocol, factors: Sequence[Factor]) -> list[Single]:
    """Each factor by itself on the window that is judged."""
    if not factors:
        return []
    nodes = {one.expression: one for one in factors}
    found = []
    settings = replace(CSI300, start=run.window[0], end=run.window[1])
    expressions = [parse(text, "core", fields=panel_fields(run.panel)) for text in nodes]
    verdicts = judge(dict(zip(nodes, expressions, strict=True)), run.panel, settings)
    for one, verdict in zip(nodes.values(), verdicts, strict=True):
        summary = verdict.summary
        found.append(
            Single(
                abs(one.rank_ic), one.sign * summary["rank_ic"], one.sign * summary["neutral_rank_ic"],
                one.sign * newey_west_t(verdict.series["rank_ic"], 10),
            )
        )  # fmt: skip
    return found


def strong_of_library(run: Protocol, name: str, seed: int) -> list[Factor]:
    """Reference factors that are strong on the training segment: |RankIC| >= .03 and |t| >= 3."""
    judge_ = training_judge(run.space, config(panel_of(run.space), seed, run.budget))
    fields = set(judge_.fields)
    known = [f.expression for f in reference_factors(name) if set(f.expression.fields) <= fields]
    scores = judge_.score(list({one.fingerprint: one for one in known}.values()))
    return [Factor.of(s) for s in scores if abs(s.rank_ic) >= LEAST_IC and abs(s.t) >= LEAST_T]


def groups_of_singles(run: Protocol, seeds: Sequence[int]) -> Iterator[tuple[str, list[list[Factor]]]]:
    """Factors by where they come from; searches by seed."""
    for search, how in (("sampler", "admitted"), ("sampler", "picks"), ("sampler", "plain")):
        yield f"{search}, {how}", [list(run.searched(search, seed).chosen[how]) for seed in seeds]
    for search in SEARCHES:
        if search != "sampler":
            yield search, [list(run.searched(search, seed).chosen["plain"]) for seed in seeds]
    for name in ("alpha158", "alpha101"):
        yield f"{name}, strong in training", [strong_of_library(run, name, seeds[0])]
    yield "low volatility, 20 days", [[Factor(LOW_VOLATILITY, *[math.nan] * 4)]]


def singles_table(run: Protocol, seeds: Sequence[int]) -> str:
    """What becomes of single factors; of searches the means over seeds."""
    lines = [
        f"| single factors, {run.window[0]} to {run.window[1]} | factors | RankIC, training | RankIC, later "
        "| retention | neutral RankIC, later | with t >= 2 later |",
        "|---|---:|---:|---:|---:|---:|---:|",
    ]
    for name, lists in groups_of_singles(run, seeds):
        per_seed = [singles(run, factors) for factors in lists]
        every = [one for found in per_seed for one in found]
        if not every:
            lines.append(f"| {name} | 0 | | | | | |")
            continue
        train, later = (float(np.mean([getattr(one, key) for one in every])) for key in ("train", "later"))
        known = [one.later_neutral for one in every if math.isfinite(one.later_neutral)]
        neutral = float(np.mean(known)) if known else math.nan
        firm = np.mean([sum(one.later_t >= 2 for one in found) for found in per_seed])
        lines.append(
            f"| {name} | {len(every) / len(per_seed):.1f} | {_shown(train)} | {later:.4f} "
            f"| {_shown(later / train, '.0%')} | {_shown(neutral)} | {firm:.1f} |"
        )
    return "\n".join(lines)


def _shown(value: float, how: str = ".4f") -> str:
    return format(value, how) if math.isfinite(value) else "-"


def csi300(seeds: Sequence[int], budget: int, folder: Path, *, final: bool) -> None:
    """The tables of CSI 300; with ``final`` they are added to the page."""
    run = Protocol(workspace(folder), folder, budget, final)
    results: dict[str, list[Result]] = {}
    for seed in seeds:
        for search in SEARCHES:
            took = run.searched(search, seed)
            print(
                f"{search}, seed {seed}: {took.trials} formulas, wall {took.wall:.0f} s, CPU {took.cpu:.0f} s"
            )
        for contender in CONTENDERS:
            found = run.result(contender, seed)
            results.setdefault(contender.name, []).append(found)
            shown = ", ".join(f"{key} {value:.4f}" for key, value in found.figures.items())
            print(f"seed {seed}, {contender.name}: {shown}", flush=True)
    tables = f"{table(results, run.window, seeds)}\n\n{singles_table(run, seeds)}"
    print(f"\n{tables}\n\n{run.searched('sampler', seeds[0]).told}")
    if final:
        record(tables, seeds, budget)


def record(text: str, seeds: Sequence[int], budget: int) -> None:
    """Add the figures of the sealed window to the page, after those that are there; none is ever removed."""
    commit = subprocess.run(
        ["git", "rev-parse", "--short", "HEAD"], cwd=HERE, capture_output=True, text=True, check=True
    ).stdout.strip()
    page = HERE.parent / "docs" / "benchmarks.md"
    today = datetime.now(UTC).date().isoformat()
    told = f"### Search on CSI 300, {today}, commit {commit}\n\n"
    told += f"{budget} formulas a search, seeds {list(seeds)}.\n\n{text}\n"
    before, section, rest = page.read_text(encoding="utf-8").partition(f"\n{SECTION}\n")
    own, heading, after = rest.partition("\n## ")
    atomic_write(page, f"{before}{section}{own.rstrip()}\n\n{told}{heading}{after}")
