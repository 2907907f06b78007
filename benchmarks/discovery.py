"""What a search costs: wall and processor seconds, and how much of it is the record.

    python benchmarks/discovery.py                    2,000 formulas on 300 x 1,000, and the others
    python benchmarks/discovery.py --candidates 200       a quick look

Prints Markdown. Each search runs twice, the second time with everything compiled; the second is told. The
processor seconds are those of all threads: on a machine that is busy, half of them is what two quiet cores
would take, where both are used.
"""

from __future__ import annotations

import argparse
import os
import platform
import tempfile
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from assay.base import Operator
from assay.discovery import (
    Dim,
    DiscoveryDesk,
    EventWindowSpec,
    FactorMiningSpec,
    FeatureSearchSpec,
    Leaderboard,
    SweepSpec,
    mine,
    search_events,
    select,
    sweep,
)
from assay.features import FeatureStore, standard_graph
from assay.ledger import Ledger
from assay.market import simulate

INSTRUMENTS, DAYS, MINUTE_DAYS = 300, 1000, 20
INPUTS = ("close", "open", "high", "low", "volume", "amount")
FORMULAS = {
    "reversal": "-ts_return(close, 5)",
    "momentum": "ts_return(delay(close, 21), 100)",
    "volatility": "-ts_std(returns, 20)",
    "traded": "-ts_mean(amount, 20)",
    "turning": "-ts_mean(turn, 10)",
    "gap": "open / delay(close, 1)",
    "skewness": "-ts_skew(returns, 20)",
    "illiquidity": "ts_mean(abs(returns) / amount, 20)",
}
HOW = ("indicator", "count", "mean_score", "time_since_last")


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--candidates", type=int, default=2_000, help="formulas to mine")
    options = parser.parse_args()
    cores = os.cpu_count()
    print(f"{platform.processor() or platform.machine()}, {cores} cores, Python {platform.python_version()}")
    panel = simulate(instruments=INSTRUMENTS, days=DAYS, minutes=MINUTE_DAYS)
    store = FeatureStore(panel, standard_graph(panel, formulas=FORMULAS))
    mining = FactorMiningSpec(INPUTS, "fwd_ret_5", n_candidates=options.candidates)
    windows = EventWindowSpec(("0m", "1d", "2d", "5d", "10d"), ("0m", "1d"), HOW, target="fwd_ret_5")
    inside = replace(windows, pre_windows=("0m", "5m", "1h", "1d", "2d"), bars="minutes", target="fwd_ret_1")
    names = tuple(FORMULAS)
    dims = (Dim("alpha", (0.1, 1.0, 10.0, 100.0)), Dim("train_bars", (60, 120, 250, 500)))
    searches: dict[str, Callable[[DiscoveryDesk], Leaderboard]] = {
        "factor mining": lambda desk: mine(desk, mining),
        "feature search, greedy": lambda desk: select(desk, FeatureSearchSpec(names)),
        "feature search, exhaustive": lambda desk: select(desk, FeatureSearchSpec(names, "exhaustive", 1, 8)),
        "sweep, grid": lambda desk: sweep(desk, SweepSpec(dims)),
        "event windows, daily": lambda desk: search_events(desk, windows),
        "event windows, 5 minutes": lambda desk: search_events(desk, inside),
    }
    print(f"\n{INSTRUMENTS} instruments x {DAYS} days\n")
    print("| search | candidates | wall s | processor s | wall s recorded | processor s recorded |")
    print("|---|--:|--:|--:|--:|--:|")
    for name, search in searches.items():
        search(DiscoveryDesk(store))
        bare, found = timed(lambda search=search: search(DiscoveryDesk(store)))
        with tempfile.TemporaryDirectory() as folder:
            desk = DiscoveryDesk(store, Ledger.create(Path(folder) / "ledger"), Operator.human())
            recorded, again = timed(lambda search=search, desk=desk: search(desk))
        assert again.n == again.evaluated == found.evaluated
        cells = [f"{value:.2f}" for value in (*bare, *recorded)]
        print(f"| {name} | {found.evaluated:,} | {' | '.join(cells)} |", flush=True)


def timed(action: Callable[[], Leaderboard]) -> tuple[tuple[float, float], Leaderboard]:
    """Wall and processor seconds of one run."""
    wall, processor = time.perf_counter(), time.process_time()
    found = action()
    return (time.perf_counter() - wall, time.process_time() - processor), found


if __name__ == "__main__":
    main()
