"""The engine against its peers: CPU seconds, one thread each, interleaved in one run.

    python benchmarks/engine.py            all workloads; takes minutes
    python benchmarks/engine.py --quick    smaller batches, one layout, few rounds

Prints Markdown. Needs the extra ``bench`` and g++ for KunQuant; without them the peer's column says so.
"""

from __future__ import annotations

import argparse
import gc
import importlib.util
import math
import platform
import shutil
import statistics
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

import numpy as np

from _formulas import Data, alpha158, from_templates, parsed
from _peers import LAYOUTS, KunQuant, pandas_batch
from assay.engine import evaluate
from assay.expr import Call, Node, distinct


@dataclass(frozen=True)
class Workload:
    title: str
    texts: list[str]
    dates: int
    instruments: int
    rounds: int
    pandas: bool = False
    memory: bool = False


ROOM = 16
"""Panels an engine may take beside its outputs."""

FULL = (
    Workload("200 mixed formulas", [*alpha158(), *from_templates(55, 36, 1)], 1700, 300, 9, pandas=True),
    Workload("109 time-series only", from_templates(109, 0, 2), 1700, 300, 9),
    Workload("109 time-series only, Alpha158", alpha158(), 1700, 300, 9),
    Workload("24 formulas", from_templates(16, 8, 3), 2500, 5000, 3, memory=True),
    Workload("24 formulas, one rank", from_templates(23, 1, 5), 2500, 5000, 3),
    Workload("16 time-series only", from_templates(16, 0, 4), 2500, 5000, 3),
)
QUICK = (
    Workload("40 mixed formulas", [*alpha158()[::4], *from_templates(5, 7, 1)], 600, 300, 5, pandas=True),
    Workload("20 time-series only", alpha158()[::5], 600, 300, 5),
    Workload("8 formulas", from_templates(5, 3, 3), 300, 2000, 3, memory=True),
)


@dataclass
class Row:
    workload: Workload
    assay: float = 0.0
    sunk: float = 0.0
    first: float = 0.0
    fresh: float = 0.0
    given: float = 0.0
    best: str = ""
    layouts: dict[str, float] = field(default_factory=dict)
    compiled: dict[str, float] = field(default_factory=dict)
    pandas: float | None = None
    agree: float | None = None
    peak: tuple[float, float] | None = None


def cpu(function: Callable[[], Any], memory: int = 0) -> float:
    """CPU seconds of a call; `memory` is what it will ask the system for, in bytes.

    A virtual machine may hand memory that was freed some seconds ago to its host, and fetching it back then
    counts for whoever takes it first. So the memory is taken and freed once before the clock starts.
    """
    np.empty(memory, np.uint8).fill(1)
    started = time.process_time()
    function()
    return time.process_time() - started


def run(workload: Workload, layouts: tuple[tuple[str, str, int], ...]) -> Row:
    nodes = parsed(workload.texts)
    data = Data(workload.dates, workload.instruments)
    row = Row(workload)
    row.first = cpu(lambda: evaluate(nodes, data))
    peer = fastest(nodes, data, layouts, row)
    mine: list[float] = []
    sunk: list[float] = []
    fresh: list[float] = []
    given: list[float] = []
    panel = 4 * workload.dates * workload.instruments
    room = panel * (len(nodes) + ROOM)
    for _ in range(workload.rounds):
        mine.append(cpu(lambda: evaluate(nodes, data), room))
        if peer is not None:
            fresh.append(cpu(peer.run, room))
        sunk.append(cpu(lambda: evaluate(nodes, data, sink=lambda name, array: None), ROOM * panel))
        if peer is not None:
            given.append(cpu(peer.run_into, ROOM * panel))
    row.assay, row.sunk = statistics.median(mine), statistics.median(sunk)
    if peer is not None:
        row.fresh, row.given = statistics.median(fresh), statistics.median(given)
        row.agree = agreement(evaluate(nodes, data), peer)
    del peer
    if workload.pandas:
        row.pandas = cpu(pandas_batch(nodes, data), 2 * room)
    if workload.memory:
        row.peak = peak(nodes, data, keep=True), peak(nodes, data, keep=False)
    return row


def fastest(
    nodes: Mapping[str, Node], data: Data, layouts: tuple[tuple[str, str, int], ...], row: Row
) -> KunQuant | None:
    """KunQuant in the layout that is fastest once warm; one layout is held at a time."""
    times: dict[str, float] = {}
    for layout in layouts:
        peer = KunQuant(nodes, data, layout)
        peer.run_into()
        times[layout[0]] = cpu(peer.run_into)
        row.compiled[layout[0]] = peer.compile_seconds
        del peer
    row.layouts = times
    if not times:
        return None
    best = next(layout for layout in layouts if layout[0] == min(times, key=lambda name: times[name]))
    row.best = best[0]
    peer = KunQuant(nodes, data, best)
    peer.run_into()
    return peer


def agreement(mine: Mapping[str, np.ndarray], peer: KunQuant) -> float:
    """Share of the cells that both hold where they agree to 1e-3 of the formula's spread, or of the value."""
    same = both = 0
    for name, values in mine.items():
        other = peer.result(name)
        shared = np.isfinite(values) & np.isfinite(other)
        a, b = values[shared].astype(np.float64), other[shared].astype(np.float64)
        scale = np.maximum(np.abs(a), np.std(a) if a.size else 1.0)
        same += int((np.abs(a - b) <= 1e-3 * scale).sum())
        both += a.size
    return same / max(1, both)


def peak(nodes: Mapping[str, Node], data: Data, *, keep: bool) -> float:
    """GiB of resident memory beyond the inputs and the kept outputs; NaN where the system does not tell."""
    status, reset = Path("/proc/self/status"), Path("/proc/self/clear_refs")
    if not reset.exists():
        return math.nan

    def resident(what: str) -> int:
        line = next(line for line in status.read_text().splitlines() if line.startswith(what))
        return 1024 * int(line.split()[1])

    gc.collect()
    reset.write_text("5")  # the highest so far becomes the present one
    before = resident("VmRSS")
    kept = 0
    if keep:
        outputs = evaluate(nodes, data)
        kept = sum(array.nbytes for array in {id(a): a for a in outputs.values()}.values())
    else:
        evaluate(nodes, data, sink=lambda name, array: None)
    return (resident("VmHWM") - before - kept) / 2**30


def describe() -> list[str]:
    flags = Path("/proc/cpuinfo").read_text() if Path("/proc/cpuinfo").exists() else ""
    model = next((line.split(":")[1].strip() for line in flags.splitlines() if "model name" in line), "")
    lines = [f"CPU: {model or platform.machine()}, Python {platform.python_version()}"]
    packages = []
    for name in ("alpha-assay", "numpy", "numba", "KunQuant", "pandas"):
        try:
            packages.append(f"{name} {version(name)}")
        except PackageNotFoundError:
            packages.append(f"{name} not installed")
    lines.append(", ".join(packages))
    if "avx512f" not in flags:
        lines.append(
            "**This CPU has no AVX-512: the ratios below can not be compared with those of one that has.**"
        )
    return lines


COLUMNS = (
    "work", "panel", "Assay", "KunQuant", "ratio", "Assay, recycled", "KunQuant, recycled", "ratio",
    "KunQuant compiles", "pandas", "ratio",
)  # fmt: skip


def table(rows: list[Row]) -> list[str]:
    lines = ["| " + " | ".join(COLUMNS) + " |", "|---" * len(COLUMNS) + "|"]
    for row in rows:
        w = row.workload
        ran = row.best != ""
        cells = [
            w.title,
            f"{w.instruments} x {w.dates}",
            f"{1e3 * row.assay:.0f} ms",
            f"{1e3 * row.fresh:.0f} ms" if ran else "not run",
            f"**{row.fresh / row.assay:.1f}x**" if ran else "",
            f"{1e3 * row.sunk:.0f} ms",
            f"{1e3 * row.given:.0f} ms" if ran else "not run",
            f"**{row.given / row.sunk:.1f}x**" if ran else "",
            f"{row.compiled[row.best]:.1f} s" if ran else "",
            f"{1e3 * row.pandas:.0f} ms" if row.pandas else "",
            f"**{row.pandas / row.assay:.0f}x**" if row.pandas else "",
        ]
        lines.append("| " + " | ".join(cells) + " |")
    return lines


def ranks(workload: Workload) -> int:
    """Distinct ranks of a batch; the ratio depends on them more than on anything else."""
    parts = {part for node in parsed(workload.texts).values() for part in distinct(node)}
    return sum(isinstance(part, Call) and part.op == "rank" for part in parts)


def notes(rows: list[Row], *, peer: bool) -> list[str]:
    lines = []
    for row in rows:
        title = row.workload.title
        if row.best:
            listed = ", ".join(f"{name} {1e3 * seconds:.0f} ms" for name, seconds in row.layouts.items())
            lines.append(
                f"- {title}: KunQuant by layout {listed}, the fastest is compared; "
                f"{100 * (row.agree or 0):.2f}% of the cells that both hold agree. "
                f"Assay's first call took {row.first:.1f} s."
            )
        held = ranks(row.workload)
        lines.append(f"- {title}: {held} distinct cross-sectional rank{'s' * (held != 1)}.")
        if row.peak:
            lines.append(
                f"- {title}: peak resident memory beyond inputs and kept outputs {row.peak[0]:.2f} GiB; "
                f"with `sink=`, which keeps no output, {row.peak[1]:.2f} GiB in all."
            )
    lines += [
        "- Median CPU time of one thread each, interleaved in one run. First pair: both return fresh arrays.",
        "  Second pair: neither makes arrays for its outputs; Assay hands each to a `sink` and uses the",
        "  memory again, KunQuant fills arrays made beforehand. Assay's time holds the making of the graph;",
        "  KunQuant is warm, float32, with its default statistics.",
        "- Before each timed call the memory it will ask for is taken and freed once, outside the clock: a",
        "  virtual machine hands freed memory to its host, and fetching it back would count for whoever",
        "  comes first.",
        "- Not in the batches, because KunQuant has no built-in for them: zscore, group_neutralize and the",
        "  other group ops. Where a condition is missing, KunQuant takes the second branch and Assay gives",
        "  missing.",
    ]
    if not peer:
        lines.append("- KunQuant was not run: it needs `pip install alpha-assay[bench]` and g++.")
    return lines


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="smaller batches, one layout, few rounds")
    parser.add_argument("--only", type=int, help="run one workload, counted from 0")
    options = parser.parse_args()
    peer = importlib.util.find_spec("KunQuant") is not None and shutil.which("g++") is not None
    layouts = (LAYOUTS[1:2] if options.quick else LAYOUTS) if peer else ()
    chosen = QUICK if options.quick else FULL
    if options.only is not None:
        chosen = chosen[options.only : options.only + 1]
    rows = [run(workload, layouts) for workload in chosen]
    print("\n".join([*describe(), "", *table(rows), "", *notes(rows, peer=peer)]))


if __name__ == "__main__":
    main()
