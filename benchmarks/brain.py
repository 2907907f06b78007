"""What the local simulator of BRAIN costs: one simulation, and a queue of them through the client.

    python benchmarks/brain.py                 16 expressions and a queue of 100
    python benchmarks/brain.py --rounds 3 --queue 20

Prints Markdown. The market is simulated: 300 names, five years in sample and the history before them. A
simulation is timed by processor seconds of all threads, after one that is not counted; its parts are those of
one expression. The queue goes through the client, its requests and replies and the account, three at a time,
without waiting between polls.
"""

from __future__ import annotations

import argparse
import os
import platform
import time
from collections.abc import Callable, Sequence
from importlib.metadata import version
from statistics import median

from assay.brain import Running, Simulation, SimulationRequest, SimulationSettings, SlotsFull
from assay.brain.fastexpr import check_program, expression
from assay.brain.simulator import LocalPlatform, Market, Outcome, local_platform, simulate
from assay.config import BrainSettings, BrainSimulatorSettings
from assay.engine import evaluate
from assay.market import Panel
from assay.market import simulate as simulated_market

INSTRUMENTS, DAYS = 300, 1700
SETTINGS = SimulationSettings(decay=5, neutralization="SUBINDUSTRY", truncation=0.08)
CODES = (
    "-ts_delta(close, 5) / close",
    "rank(-returns)",
    "-ts_corr(close, volume, 10)",
    "group_rank(equity / cap, sector)",
    "group_zscore(ts_mean(close / vwap, 10), industry)",
    "-ts_std_dev(returns, 20)",
    "ts_mean(vec_avg(event_score), 3)",
    "rank(ts_delay(close, 21) / ts_delay(close, 126))",
    "-volume / ts_mean(volume, 20)",
    "ts_rank(amount, 60) * -rank(ts_delta(close, 3) / close)",
    "trade_when(volume > ts_mean(volume, 20), -ts_zscore(close, 20), -1)",
    "ts_decay_linear(rank(-ts_av_diff(close, 10)), 5)",
    "zscore(-ts_covariance(rank(close), rank(volume), 10))",
    "ts_regression(returns, ts_delay(returns, 1), 60, rettype=2)",
    "quantile(ts_backfill(vec_avg(event_score), 20))",
    "a = ts_mean(abs(returns) / amount, 20); winsorize(group_neutralize(a, subindustry), std=3)",
)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--rounds", type=int, default=7, help="simulations of each expression")
    parser.add_argument("--queue", type=int, default=100, help="simulations in the queue")
    options = parser.parse_args()
    packages = ", ".join(f"{name} {version(name)}" for name in ("alpha-assay", "numpy", "numba", "httpx"))
    print(f"{platform.processor() or platform.machine()}, {os.cpu_count()} cores, Python "
          f"{platform.python_version()}; {packages}\n")  # fmt: skip
    panel = simulated_market(instruments=INSTRUMENTS, days=DAYS)
    one_simulation(panel, options.rounds)
    queue(panel, options.queue)


def one_simulation(panel: Panel, rounds: int) -> None:
    """Processor time of each expression, and of the parts of the costliest."""
    market = Market.of(panel, None, BrainSimulatorSettings())
    days = market.rows.stop - market.rows.start
    requests = [SimulationRequest(regular=code, settings=SETTINGS) for code in CODES]
    first = [processor(lambda request=request: ran(market, request)) for request in requests]
    times = [
        median(processor(lambda request=request: ran(market, request)) for _ in range(rounds))
        for request in requests
    ]
    print(f"One simulation, {INSTRUMENTS} names x {days:,} days in sample, {market.rows.start} before them; "
          f"medians of {rounds}\n")  # fmt: skip
    print("| expression | first, ms | after it, ms |")
    print("|---|--:|--:|")
    for request, before, after in zip(requests, first, times, strict=True):
        print(f"| `{request.regular}` | {1e3 * before:.0f} | {1e3 * after:.0f} |")
    print(f"| median; most | {1e3 * median(first):.0f}; {1e3 * max(first):.0f} | "
          f"{1e3 * median(times):.0f}; **{1e3 * max(times):.0f}** |\n")  # fmt: skip
    parts(market, requests[times.index(max(times))], rounds)


def parts(market: Market, request: SimulationRequest, rounds: int) -> None:
    """Where the time of one simulation goes."""
    inputs = market.sample.inputs(SETTINGS.universe)
    members = market.sample.members(SETTINGS.universe)
    node = expression(request.regular, market.fields).node
    steps: dict[str, Callable[[], object]] = {
        "static checks": lambda: check_program(request.regular, market.fields, market.operators),
        "engine": lambda: evaluate({"alpha": node}, inputs, universe=members),
        "all": lambda: ran(market, request),
    }
    found = {name: median(processor(step) for _ in range(rounds)) for name, step in steps.items()}
    rest = found["all"] - found["static checks"] - found["engine"]
    print(f"Of `{request.regular}`: static checks {1e3 * found['static checks']:.1f} ms, engine "
          f"{1e3 * found['engine']:.1f} ms, positions, PnL, statistics, checks and record sets "
          f"{1e3 * rest:.1f} ms.\n")  # fmt: skip


def queue(panel: Panel, count: int) -> None:
    """Wall time of a queue of distinct simulations, three at a time."""
    requests = [
        SimulationRequest(regular=code, settings=SETTINGS.model_copy(update={"decay": 1 + turn}))
        for turn in range(-(-count // len(CODES)))
        for code in CODES
    ][:count]
    settings = BrainSettings(simulator=BrainSimulatorSettings(retry_after=0.0))
    with_platform = local_platform(None, panel, settings)
    try:
        used, began = time.process_time(), time.perf_counter()
        done = drain(with_platform, requests)
        wall, used = time.perf_counter() - began, time.process_time() - used
    finally:
        with_platform.close()
    assert all(simulation.status in ("COMPLETE", "WARNING") for simulation in done)
    print(f"{len(done)} simulations queued at concurrency {with_platform.slots}, no delay between polls: "
          f"**{wall:.1f} s** wall, {used:.1f} s processor, everything cold at the start.")  # fmt: skip


def drain(place: LocalPlatform, requests: Sequence[SimulationRequest]) -> list[Simulation]:
    """Keep the slots full until all is done."""
    waiting, running, done = list(requests), [], []
    while waiting or running:
        while waiting and len(running) < place.slots:
            try:
                running.append(place.start([waiting[0]]))
            except SlotsFull:
                break
            waiting.pop(0)
        for location in list(running):
            reply = place.poll(location)
            if not isinstance(reply, Running):
                running.remove(location)
                done.append(reply)
    return done


def ran(market: Market, request: SimulationRequest) -> Outcome:
    found = simulate(market, request)
    assert isinstance(found, Outcome), found
    return found


def processor(work: Callable[[], object]) -> float:
    """Processor seconds of all threads."""
    began = time.process_time()
    work()
    return time.process_time() - began


if __name__ == "__main__":
    main()
