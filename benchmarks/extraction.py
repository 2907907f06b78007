"""How long the extractor without a model takes for one report.

    python benchmarks/extraction.py                          the reports of the gold set
    python benchmarks/extraction.py REPORT.pdf NOTE.md        your own
    python benchmarks/extraction.py --rounds 20

Prints Markdown: median, 90th percentile and slowest CPU and wall time per report. Reading the document is
not counted; the tables are compiled before the clock starts, and what that takes is printed.
"""

from __future__ import annotations

import argparse
import os
import platform
import statistics
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from assay.reports import Document
from assay.reports.documents import read_document
from assay.reports.rules import RulesExtractor

LIMIT = 0.3
"""Seconds a report may take (issue: extraction by rules)."""


@dataclass(frozen=True)
class Timed:
    """One report: the median of its rounds."""

    name: str
    characters: int
    wall: float
    cpu: float


def gold_reports() -> list[Path]:
    """The reports of the gold set; only their text is used, never what the annotators say of it."""
    from assay.reports.gold import gold_records

    return sorted({record.report_path for record in gold_records()})


def measure(document: Document, rounds: int) -> Timed:
    """Extract one document several times; every round is a fresh extractor."""
    wall, cpu = [], []
    for _ in range(rounds):
        start, used = time.perf_counter(), time.process_time()
        RulesExtractor().extract(document)
        wall.append(time.perf_counter() - start)
        cpu.append(time.process_time() - used)
    return Timed(document.name, len(document.text), statistics.median(wall), statistics.median(cpu))


def show(timed: Sequence[Timed], warm_up: float, load: Sequence[float]) -> None:
    """The table, and what it depends on."""
    loads = ", ".join(f"{value:.1f}" for value in (load[0], os.getloadavg()[0]))
    print(f"{os.cpu_count()} cores; load before and after {loads}; Python {platform.python_version()}.\n")
    print("| reports | characters, median | | median ms | 90% ms | slowest ms | limit ms |")
    print("|---:|---:|---|---:|---:|---:|---:|")
    size = statistics.median(item.characters for item in timed)
    for label, values in (("CPU", [t.cpu for t in timed]), ("wall", [t.wall for t in timed])):
        ordered = sorted(values)
        high = ordered[min(len(ordered) - 1, round(0.9 * (len(ordered) - 1)))]
        print(
            f"| {len(timed)} | {size:.0f} | {label} | **{1000 * statistics.median(ordered):.1f}** "
            f"| {1000 * high:.1f} | {1000 * ordered[-1]:.1f} | {1000 * LIMIT:.0f} |"
        )
    slowest = max(timed, key=lambda item: item.cpu)
    first = f"The first report of a process: {1000 * warm_up:.0f} ms."
    print(f"\nSlowest: {slowest.name}, {slowest.characters} characters. {first}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("reports", nargs="*", type=Path)
    parser.add_argument("--rounds", type=int, default=5)
    arguments = parser.parse_args()
    load = os.getloadavg()
    documents = [read_document(path) for path in arguments.reports or gold_reports()]
    start = time.perf_counter()
    RulesExtractor().extract(documents[0])
    warm_up = time.perf_counter() - start
    show([measure(document, arguments.rounds) for document in documents], warm_up, load)


if __name__ == "__main__":
    main()
