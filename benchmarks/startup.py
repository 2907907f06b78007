"""How long the command line takes to start, to judge one formula and to open a stored panel.

    python benchmarks/startup.py                   7 rounds, 3 of them cold; about two minutes
    python benchmarks/startup.py --rounds 15

Prints Markdown: medians of wall and CPU time in fresh processes. Within a round every row runs once, in turn,
beside the bare import of three libraries. Byte code is on disk in every row; "cold" means that numba's cache
is empty.
"""

from __future__ import annotations

import argparse
import os
import platform
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass, field
from importlib.metadata import version
from pathlib import Path

FORMULA = "rank(-ts_corr(close, volume, 10))"
JUDGE = ("judge", FORMULA, "--data", "sim", "--universe", "index_a", "--horizon", "5")
PACKAGES = ("alpha-assay", "numpy", "numba", "scipy", "pydantic", "typer", "matplotlib")
COMPILING = "compiling kernels"

OPEN = """
import time
from pathlib import Path
from assay.market import open_panel
start = time.perf_counter()
open_panel(Path("data/sim"))
print(time.perf_counter() - start)
"""


@dataclass
class Row:
    """One thing to time: a command line, or a program that prints its own seconds."""

    title: str
    command: list[str]
    limit: float | None = None
    prints_seconds: bool = False
    cold: bool = False
    seconds: list[float] = field(default_factory=list)
    cpu_seconds: list[float] = field(default_factory=list)


def rows() -> list[Row]:
    """What is timed, with the limits that issue 2 sets."""
    assay = str(Path(sys.executable).with_name("assay"))
    return [
        Row("`import numba, numpy, pandas` alone", [sys.executable, "-c", "import numba, numpy, pandas"]),
        Row("`assay --help`", [assay, "--help"], 0.3),
        Row("`assay judge`, warm", [assay, *JUDGE], 2.0),
        Row("`assay judge --html`, warm", [assay, *JUDGE, "--html", "factor.html"], 4.0),
        Row("`assay judge`, cold", [assay, *JUDGE], 20.0, cold=True),
        Row("opening a stored panel", [sys.executable, "-c", OPEN], 0.05, prints_seconds=True),
    ]


def measure(row: Row, folder: Path, cache: Path) -> tuple[float, float]:
    """Seconds of one run in a fresh process, wall and CPU; a command that fails ends the benchmark."""
    environment = {key: value for key, value in os.environ.items() if key != "PYTHONDONTWRITEBYTECODE"}
    environment["NUMBA_CACHE_DIR"] = str(cache)
    start, used = time.perf_counter(), children_cpu()
    ran = subprocess.run(row.command, cwd=folder, env=environment, capture_output=True, text=True)
    wall, used = time.perf_counter() - start, children_cpu() - used
    if ran.returncode:
        sys.exit(f"{' '.join(row.command)} failed:\n{ran.stderr}")
    if row.cold != (COMPILING in ran.stderr):
        sys.exit(f"{row.title}: kernels were {'not ' if row.cold else ''}compiled")
    return (float(ran.stdout) if row.prints_seconds else wall), used


def children_cpu() -> float:
    """CPU seconds of all child processes that have ended."""
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def run(rounds: int, cold_rounds: int) -> list[Row]:
    """Time every row, interleaved, after one round that fills the caches and is not counted."""
    timed = rows()
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        warm = folder / "numba-warm"
        make = Row("", [str(Path(sys.executable).with_name("assay")), "data", "simulate", "sim"])
        measure(make, folder, warm)
        measure(Row("", [*timed[4].command], cold=True), folder, warm)
        for row in timed:
            if not row.cold:
                measure(row, folder, warm)
        for index in range(rounds):
            for row in timed:
                if row.cold and index >= cold_rounds:
                    continue
                cache = folder / f"numba-cold-{index}" if row.cold else warm
                wall, used = measure(row, folder, cache)
                row.seconds.append(wall)
                row.cpu_seconds.append(used)
    return timed


def show(timed: list[Row], load: tuple[float, ...]) -> None:
    """The table, and what it depends on."""
    reference = statistics.median(timed[0].seconds)
    now = ", ".join(f"{value:.1f}" for value in (load[0], os.getloadavg()[0]))
    print(
        f"{cpu()}, {os.cpu_count()} cores; load before and after {now}; Python {platform.python_version()}; "
    )
    print("; ".join(f"{name} {version(name)}" for name in PACKAGES) + ".\n")
    print("| | median s | fastest | slowest | times the bare import | CPU s | limit s |")
    print("|---|---:|---:|---:|---:|---:|---:|")
    for row in timed:
        middle, limit = statistics.median(row.seconds), "" if row.limit is None else f"{row.limit:g}"
        used = "" if row.prints_seconds else f"{statistics.median(row.cpu_seconds):.2f}"
        print(
            f"| {row.title} | **{middle:.3f}** | {min(row.seconds):.3f} | {max(row.seconds):.3f} "
            f"| {middle / reference:.2f} | {used} | {limit} |"
        )


def cpu() -> str:
    """The processor's name, where the system tells."""
    path = Path("/proc/cpuinfo")
    lines = path.read_text().splitlines() if path.is_file() else []
    return next((line.split(":", 1)[1].strip() for line in lines if line.startswith("model name")), "CPU")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--cold", type=int, default=3, help="how many of the rounds run the cold row too")
    arguments = parser.parse_args()
    load = os.getloadavg()
    show(run(arguments.rounds, arguments.cold), load)


if __name__ == "__main__":
    main()
