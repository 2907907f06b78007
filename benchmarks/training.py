"""Scores, gate and ledger of the training segment: where the time of a campaign goes, measured part by part.

Run as ``python benchmarks/training.py`` (CSI 300 from ``../shared/data``, train 2017-04 to 2020, members by
date) or with ``--simulated``. The whole is timed first, as a campaign runs it; then each part on the same
formulas. Nothing is extrapolated: give ``--formulas 2000`` for the time of 2,000 trials.
"""

from __future__ import annotations

import argparse
import importlib.util
import resource
import tempfile
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from datetime import date
from pathlib import Path

from assay.base import Operator, generator
from assay.config import DateRange, PeriodPlan
from assay.engine import evaluate
from assay.expr import Expression, Space, sample, to_text
from assay.judge import Recording
from assay.judge._measure import lagged_signal
from assay.judge.training import AdmissionRule, CandidateGate, TrainingJudge, TrainingSettings, admit
from assay.ledger import Ledger
from assay.market import Panel, simulate

ROOT = Path(__file__).resolve().parents[1]
FIELDS = ("open", "high", "low", "close", "vwap", "volume", "amount", "returns", "industry", "sector")
SEARCH = DateRange(date(2017, 4, 7), date(2021, 12, 17))
VALIDATE = date(2021, 1, 1)


def csi300(folder: Path) -> Panel:
    spec = importlib.util.spec_from_file_location("real_market_data", ROOT / "tests" / "market" / "real.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    panel: Panel = module.csi300_panel(ROOT.parent / "shared", folder)
    return panel


def formulas(judge: TrainingJudge, count: int, seed: int) -> list[str]:
    """Different random formulas of the sampler's default space."""
    space = Space(fields={name: judge.fields[name] for name in FIELDS if name in judge.fields})
    rng = generator(seed, "benchmark")
    found: dict[str, str] = {}
    while len(found) < count:
        node = sample(rng, space)
        one = Expression(to_text(node, "core"), "core", node)
        found.setdefault(one.signature, one.text)
    return list(found.values())


class Clock:
    """Wall and CPU seconds of what is run, by name."""

    def __init__(self) -> None:
        self.taken: dict[str, tuple[float, float]] = {}

    def run(self, name: str, work: Callable[[], object]) -> None:
        wall, cpu = time.perf_counter(), time.process_time()
        work()
        before = self.taken.get(name, (0.0, 0.0))
        self.taken[name] = (
            before[0] + time.perf_counter() - wall,
            before[1] + time.process_time() - cpu,
        )


def parts(judge: TrainingJudge, passed: list[Expression], clock: Clock) -> None:
    """Each part of a score on its own, one thread."""
    setup, meter = judge.setup, judge._meter
    nodes = {one.fingerprint: one.node for one in passed}
    clock.run(
        "evaluation",
        lambda: evaluate(nodes, setup.view, universe=setup.members, sink=lambda name, values: None),
    )

    def take(name: str, values: object) -> None:
        signal = lagged_signal(values, setup)  # type: ignore[arg-type]
        clock.run("RankIC and quantiles", lambda: setup.scorer.score(signal))
        clock.run("book", lambda: meter.trader.trade(signal, 1))
        clock.run("whole score", lambda: meter.score(judge.key(by_name[name]), by_name[name], signal))

    by_name = {one.fingerprint: one for one in passed}
    evaluate(nodes, setup.view, universe=setup.members, sink=take)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--formulas", type=int, default=300)
    parser.add_argument("--batch", type=int, default=100, help="formulas of one round")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--leaks", choices=("quick", "full"), default="quick")
    parser.add_argument("--simulated", action="store_true")
    parser.add_argument("--whole", action="store_true", help="leave out the parts")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        run(given, Path(scratch))


def run(given: argparse.Namespace, scratch: Path) -> None:
    panel = simulate(instruments=300, days=1200) if given.simulated else csi300(scratch / "data")
    plan = None if given.simulated else PeriodPlan(search=SEARCH)
    settings = TrainingSettings(
        judge=replace(
            TrainingSettings().judge,
            universe=None if given.simulated else "csi300",
            threads=given.threads,
        ),
        validate_from=None if given.simulated else VALIDATE,
        validate_bars=200 if given.simulated else 0,
        leaks=given.leaks,
    )
    ledger = Ledger.create(scratch / "workspace" / "ledger")
    ledger.run("bench").start("campaign", Operator.system("benchmark"), "0" * 64, {f"data:{panel.name}": "0"})
    clock = Clock()
    made: list[TrainingJudge] = []
    clock.run(
        "setup",
        lambda: made.append(
            TrainingJudge(panel, plan, settings, Recording(ledger, desk="campaign", run="bench"))
        ),
    )
    judge = made[0]
    texts = formulas(judge, given.formulas, given.seed)
    ledgered = judge._trials
    assert ledgered is not None
    record = ledgered.record
    ledgered.record = lambda scores: timed(clock, "ledger: record", lambda: record(scores))  # type: ignore[method-assign]
    gate = CandidateGate(judge)
    pool, rule = judge.pool({}), AdmissionRule()
    verdicts, passed = [], []
    for first in range(0, len(texts), given.batch):
        batch = texts[first : first + given.batch]
        clock.run("gate", lambda batch=batch: verdicts.extend(gate.check_many(batch)))
        able = [verdict.expression for verdict in verdicts[first:] if verdict.passed]
        clock.run("score", lambda able=able: passed.extend(judge.score(able)))
        counts = []
        clock.run("ledger: count", lambda counts=counts: counts.append(judge.trial_count()))

        def decide(able: list[Expression] = able, counts: list = counts) -> None:
            nonlocal pool
            for one in able:
                score = judge.score([one])[0]
                decision = admit(score, pool, rule, counts[0].n, counts[0].variance)
                if decision.admitted:
                    pool = pool.grown(one.fingerprint, score)

        clock.run("admission", decide)
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    rows, names = judge.setup.view.shape
    refused = Counter(verdict.reason.code for verdict in verdicts if not verdict.passed)
    print(f"{panel.name}: {rows} dates x {names} names; {given.threads} threads, rounds of {given.batch}")
    print(f"{len(texts)} formulas, {len(passed)} scored, {len(pool)} admitted; most memory {memory:.0f} MiB")
    print(f"refused: {', '.join(f'{code} {count}' for code, count in refused.most_common()) or 'none'}")
    whole = ("gate", "score", "ledger: count", "admission")
    total = sum(clock.taken[name][0] for name in whole)
    print(f"\n{'as a campaign runs it':28s}{'wall s':>9s}{'CPU s':>9s}{'share':>8s}")
    for name in ("setup", *whole):
        print(line(name, clock, total))
    print(line("ledger: record", clock, total) + "   (within score)")
    print(f"{'total, without setup':28s}{total:9.2f}")
    if not given.whole:
        separate = Clock()
        parts(judge, [score.expression for score in passed], separate)
        print(f"\n{'parts of a score, 1 thread':28s}{'wall s':>9s}{'CPU s':>9s}")
        for name in separate.taken:
            print(line(name, separate))


def timed(clock: Clock, name: str, work: Callable[[], int]) -> int:
    found: list[int] = []
    clock.run(name, lambda: found.append(work()))
    return found[0]


def line(name: str, clock: Clock, total: float | None = None) -> str:
    wall, cpu = clock.taken[name]
    share = "" if total is None or name == "setup" else f"{wall / total:8.1%}"
    return f"{name:28s}{wall:9.2f}{cpu:9.2f}{share}"


if __name__ == "__main__":
    main()
