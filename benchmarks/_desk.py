"""The real campaign on CSI 300, in a workspace of its own, and where its time goes."""

from __future__ import annotations

import functools
import resource
import shutil
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from datetime import date
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import numpy as np

from assay.base import Operator
from assay.campaign import (
    Campaign,
    CampaignConfig,
    QuotaSettings,
    StopSettings,
    TrialRecord,
    prepare_campaign,
)
from assay.campaign._files import RunFiles
from assay.campaign._judging import TrainingJudging
from assay.campaign._pools import Pools
from assay.campaign._prepare import open_market
from assay.campaign._state import State
from assay.campaign.sampler._planner import SamplerPlanner
from assay.campaign.sampler._proposer import SamplerProposer
from assay.campaign.sampler._reviewer import SamplerReviewer
from assay.config import Workspace, load_workspace
from assay.judge.training import CandidateGate, TrainingJudge, TrainingScore
from assay.ledger import Ledger, Run
from assay.market import Panel, open_panel

HERE = Path(__file__).resolve().parent
SHARED = HERE.parents[1] / "shared"
NAME = "csi300"
VALIDATE = date(2021, 1, 1)
"""First day of the tail of ``search``, which the loop never reads."""
WORKSPACE = """
[defaults]
data = "csi300"

[data.csi300]
universe = "csi300"
horizons = [5]

[data.csi300.periods]
search = ["2017-04-07", "2021-12-17"]
eval = ["2022-01-04", "2024-12-31"]
embargo_bars = 6
"""
SLOTS = 48
THREADS = 2


def workspace(folder: Path) -> Workspace:
    """A workspace with the data set and its plan; what is there already is used again."""
    desk = folder / "desk"
    if not (desk / "data" / NAME).is_dir():
        shutil.copytree(_market(folder), desk / "data" / NAME)
    (desk / "assay.toml").write_text(WORKSPACE, encoding="utf-8")
    (desk / "runs").mkdir(exist_ok=True)
    return load_workspace(desk)


def open_dates(folder: Path) -> Panel:
    """The same data outside of the workspace: no plan hides a date, and no ledger counts what is judged.

    The protocol alone says what may be read of it.
    """
    return open_panel(_market(folder))


def _market(folder: Path) -> Path:
    found = folder / "market" / NAME
    if not found.is_dir():
        # in a process of its own: the import's memory is not the campaign's
        with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as pool:
            pool.submit(_import, found.parent).result()
    return found


def _import(folder: Path) -> None:
    import sys

    sys.path.insert(0, str(HERE.parent / "tests" / "market"))
    from real import csi300_panel

    csi300_panel(SHARED, folder)


def panel_of(space: Workspace) -> Panel:
    """The stored data set."""
    return open_panel(space.data_dir / NAME)


def config(panel: Panel, seed: int, budget: int) -> CampaignConfig:
    """The sampler in each role; the tail of ``search`` begins with 2021."""
    search = panel.between(date(2017, 4, 7), date(2021, 12, 17)).dates
    tail = int((search >= np.datetime64(VALIDATE)).sum())
    return CampaignConfig(
        data=NAME,
        universe=NAME,
        horizon=5,
        validate_share=tail / len(search),
        seed=seed,
        quota=QuotaSettings(slots=SLOTS),
        stop=StopSettings(max_rounds=None, max_trials=budget),
    )


def training_judge(space: Workspace, made: CampaignConfig) -> TrainingJudge:
    """The judge of a campaign for those who search without one: same data, segment and scoring; no ledger."""
    market = open_market(made, space)
    settings = replace(market.settings, judge=replace(market.settings.judge, threads=THREADS))
    return TrainingJudge(market.panel, market.plan, settings)


@dataclass
class Clock:
    """Wall and CPU seconds by part, each instant in the innermost part alone."""

    wall: Counter[str] = field(default_factory=Counter)
    cpu: Counter[str] = field(default_factory=Counter)
    _parts: list[str] = field(default_factory=list)
    _last: tuple[float, float] = (0.0, 0.0)

    @contextmanager
    def part(self, name: str) -> Iterator[None]:
        """Count what the block takes, parts inside of it left out."""
        self._turn()
        self._parts.append(name)
        try:
            yield
        finally:
            self._turn()
            self._parts.pop()

    def _turn(self) -> None:
        now = time.perf_counter(), time.process_time()
        if self._parts:
            self.wall[self._parts[-1]] += now[0] - self._last[0]
            self.cpu[self._parts[-1]] += now[1] - self._last[1]
        self._last = now

    @contextmanager
    def watching(self, parts: Sequence[tuple[type, str, str]]) -> Iterator[None]:
        """Count each call of these methods as one part."""
        before = [(owner, method, getattr(owner, method)) for owner, method, _ in parts]
        for (owner, method, name), (*_, function) in zip(parts, before, strict=True):
            setattr(owner, method, self._counted(name, function))
        try:
            yield
        finally:
            for owner, method, function in before:
                setattr(owner, method, function)

    def _counted(self, name: str, function: Callable[..., Any]) -> Callable[..., Any]:
        @functools.wraps(function)
        def call(*arguments: Any, **named: Any) -> Any:
            with self.part(name):
                return function(*arguments, **named)

        return call


EVALUATION, GATE, ADMISSION, SAMPLER, LEDGER, STATE, LOOP = (
    "evaluation and figures", "gate and leak checks", "admission", "sampler", "ledger", "state and events",
    "the loop itself",
)  # fmt: skip
PARTS: tuple[tuple[type, str, str], ...] = (
    (TrainingJudge, "_measure", EVALUATION),
    (CandidateGate, "check_many", GATE),
    (TrainingJudging, "admit", ADMISSION),
    (TrainingJudging, "join", ADMISSION),
    (SamplerPlanner, "plan", SAMPLER),
    (SamplerProposer, "propose", SAMPLER),
    (SamplerProposer, "fix", SAMPLER),
    (SamplerReviewer, "review", SAMPLER),
    *((Ledger, name, LEDGER) for name in ("append", "append_many", "put", "trials", "index")),
    *((Run, name, LEDGER) for name in ("append", "append_many", "start", "stop")),
    (State, "write", STATE),
    (RunFiles, "write", STATE),
    (RunFiles, "append", STATE),
)


@dataclass(frozen=True)
class Campaigned:
    """What a campaign left, and what it took.

    Parameters
    ----------
    scores, admitted : in the order of trials.
    clock : by part.
    slots : candidates that were asked for.
    trials : of the campaign's records.
    """

    scores: Sequence[TrainingScore]
    admitted: Sequence[TrainingScore]
    trials: Sequence[TrialRecord]
    clock: Clock
    slots: int

    @property
    def seconds(self) -> float:
        """Wall time."""
        return sum(self.clock.wall.values())


def campaign(space: Workspace, seed: int, budget: int, place: Path) -> Campaigned:
    """Run a campaign from config to ledger in ``place``, which must be empty or not there.

    Rounds have ``SLOTS`` slots, so the last one may go beyond the budget; what it adds is left out.
    """
    made = config(panel_of(space), seed, budget)
    setup = prepare_campaign(made, space, threads=THREADS)
    judgings: list[TrainingJudging] = []

    def judging(run: Run, operator: Operator, pools: Pools) -> TrainingJudging:
        judgings.append(setup.judging(run, operator, pools))  # type: ignore[arg-type]
        return judgings[-1]

    clock = Clock()
    with clock.watching(PARTS), clock.part(LOOP):
        ledger = Ledger.create(place / "ledger")
        result = Campaign(replace(setup, judging=judging), ledger, place / "runs", "benchmark").run()
    known = judgings[-1]._judge._scores
    scored = [trial for trial in result.records if trial.evaluated][:budget]
    scores = {trial.id: known[trial.fingerprint] for trial in scored if trial.fingerprint is not None}
    return Campaigned(
        tuple(scores.values()),
        tuple(scores[trial.id] for trial in scored if trial.admitted),
        scored,
        clock,
        len(result.records),
    )


def peak() -> float:
    """Most memory of this process so far, in MiB."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def profile(found: Campaigned) -> str:
    """Time by part, as a table, and the sums under it."""
    wall, cpu = found.clock.wall, found.clock.cpu
    total, total_cpu = sum(wall.values()), sum(cpu.values())
    lines = ["| part | wall s | CPU s | share of CPU |", "|---|---:|---:|---:|"]
    lines += [
        f"| {name} | {wall[name]:.1f} | {cpu[name]:.1f} | {cpu[name] / total_cpu:.1%} |"
        for name in sorted(cpu, key=lambda name: -cpu[name])
    ]
    books, books_wall = (
        (taken[LEDGER] + taken[STATE]) / all_ for taken, all_ in ((cpu, total_cpu), (wall, total))
    )
    lines += [
        f"| **all** | {total:.1f} | {total_cpu:.1f} | |",
        "",
        f"{len(found.scores)} trials of {found.slots} candidates, {len(found.admitted)} admitted. Ledger, "
        f"state and events take {books:.1%} of the CPU time and {books_wall:.1%} of the wall time. Peak "
        f"memory {peak():.0f} MiB.",
    ]
    return "\n".join(lines)
