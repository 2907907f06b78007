"""Score one factor: IC, RankIC, quantile returns, turnover and the after-cost curve, against plain ways to
do it.

Run as ``python benchmarks/score.py``. Every contender runs in turn within each round (A B C A B C ...), on
one thread; the table shows medians of CPU time. All outputs are compared before a number is printed.
"""

from __future__ import annotations

import argparse
import os
import platform
import statistics
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass

for _name in ("POLARS_MAX_THREADS", "OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ.setdefault(_name, "1")

import numba  # noqa: E402 - the threads are set above
import numpy as np  # noqa: E402 - the threads are set above
import pandas as pd  # noqa: E402 - the threads are set above
import polars as pl  # noqa: E402 - the threads are set above
import scipy  # noqa: E402 - the threads are set above
from scipy import stats  # noqa: E402 - the threads are set above

from assay.metrics import (  # noqa: E402 - the threads are set above
    COSTS_CN,
    QUANTILES,
    Scorer,
    bar_returns,
    forward_returns,
)

HORIZON = 5


@dataclass(frozen=True)
class Market:
    """A made-up market: random walks, late listings, suspensions; and one factor with gaps."""

    signal: np.ndarray
    label: np.ndarray
    bars: np.ndarray


@dataclass(frozen=True)
class Outputs:
    """What every contender must produce, (T,) or (T, Q)."""

    ic: np.ndarray
    rank_ic: np.ndarray
    quantiles: np.ndarray
    turnover: np.ndarray
    net: np.ndarray


def make_market(dates: int, names: int, missing: float, seed: int = 0) -> Market:
    rng = np.random.default_rng(seed)
    price = np.exp(0.02 * rng.standard_normal((dates, names)).cumsum(axis=0))
    if missing > 0:
        listed = rng.integers(0, dates // 2, names) * (rng.random(names) < 0.2)
        price[np.arange(dates)[:, None] < listed] = np.nan
        for _ in range(int(missing * dates * names / 8)):
            start, name = rng.integers(0, dates), rng.integers(0, names)
            price[start : start + 8, name] = np.nan
    label = forward_returns(price, HORIZON)
    signal = rng.standard_normal((dates, names)) + 2.0 * np.nan_to_num(label)
    signal[np.isnan(price)] = np.nan
    return Market(signal.astype(np.float32), label, bar_returns(price))


def ours(scorer: Scorer, market: Market) -> Outputs:
    score = scorer.score(market.signal)
    curve = score.curve
    return Outputs(score.ic.values, score.rank_ic.values, score.quantiles.values, curve.turnover, curve.net)


def long_frame(market: Market) -> pd.DataFrame:
    """The long table that polars and the groupby start from; making it is not part of their time."""
    T, N = market.signal.shape
    held = np.zeros((T, N))
    held[:-1] = market.bars[1:]  # the bar on which row t trades, earned by the holdings of row t-1
    return pd.DataFrame(
        {
            "date": np.repeat(np.arange(T, dtype=np.int32), N),
            "asset": np.tile(np.arange(N, dtype=np.int32), T),
            "factor": market.signal.ravel().astype(np.float64),
            "label": market.label.ravel().astype(np.float64),
            "bar": held.ravel(),
        }
    )


def by_polars(frame: pl.DataFrame, T: int) -> Outputs:
    Q, costs = QUANTILES, COSTS_CN
    factor, label = pl.col("factor"), pl.col("label")
    both = factor.is_not_null() & label.is_not_null()
    ranked = frame.lazy().with_columns(
        rank=factor.rank("average").over("date"), n=factor.count().over("date"), both=both
    )
    ranked = ranked.with_columns(
        quantile=(pl.col("rank") * Q / pl.col("n") - 1e-9).ceil().cast(pl.Int32),
    )
    pairs = ranked.filter(pl.col("both"))
    ics = pairs.group_by("date").agg(
        ic=pl.corr("factor", "label"),
        rank_ic=pl.corr(factor.rank("average"), label.rank("average")),
        pairs=pl.len(),
    )
    means = pairs.group_by("date", "quantile").agg(mean=label.mean())
    top = pl.col("quantile") == Q
    book = ranked.with_columns(
        target=pl.when(top.fill_null(value=False)).then(1.0 / top.sum().over("date")).otherwise(0.0)
    ).with_columns(before=pl.col("target").shift(1, fill_value=0.0).over("asset", order_by="date"))
    book = book.with_columns(gross=(pl.col("before") * pl.col("bar")).sum().over("date"))
    change = pl.col("target") - pl.col("before") * (1 + pl.col("bar")) / (1 + pl.col("gross"))
    daily = book.group_by("date").agg(
        gross=pl.col("gross").first(),
        bought=change.clip(lower_bound=0).sum() * (1 + pl.col("gross").first()),
        sold=-change.clip(upper_bound=0).sum() * (1 + pl.col("gross").first()),
    )
    ics, means, daily = pl.collect_all([ics, means, daily])
    out = Outputs(np.full(T, np.nan), np.full(T, np.nan), np.full((T, Q), np.nan), np.zeros(T), np.zeros(T))
    kept = ics.filter(pl.col("pairs") >= 10)
    out.ic[kept["date"].to_numpy()] = kept["ic"].to_numpy()
    out.rank_ic[kept["date"].to_numpy()] = kept["rank_ic"].to_numpy()
    out.quantiles[means["date"].to_numpy(), means["quantile"].to_numpy() - 1] = means["mean"].to_numpy()
    daily = daily.sort("date")
    bought, sold = daily["bought"].to_numpy()[:-1], daily["sold"].to_numpy()[:-1]
    out.turnover[1:] = 0.5 * (bought + sold)
    out.net[1:] = daily["gross"].to_numpy()[:-1] - bought * costs.buy - sold * costs.sell
    return out


def by_groupby(frame: pd.DataFrame, T: int) -> Outputs:
    """In alphalens's manner: a table with a (date, asset) index, and a Python function per date."""
    Q, costs = QUANTILES, COSTS_CN
    data = frame.dropna(subset=["factor"]).set_index(["date", "asset"])
    data["quantile"] = data.groupby(level="date")["factor"].transform(
        lambda x: np.ceil(x.rank() * Q / len(x) - 1e-9)
    )
    pairs = data.dropna(subset=["label"])
    dates = pairs.groupby(level="date")
    size = dates["label"].size()
    ic = dates[["factor", "label"]].apply(lambda g: stats.pearsonr(g["factor"], g["label"])[0])
    rank_ic = dates[["factor", "label"]].apply(lambda g: stats.spearmanr(g["factor"], g["label"])[0])
    means = pairs.groupby(["date", "quantile"])["label"].mean()
    top = data[data["quantile"] == Q]
    weights = top.groupby(level="date")["factor"].transform(lambda x: 1.0 / len(x))
    wide = weights.unstack("asset").reindex(columns=np.arange(frame["asset"].max() + 1)).fillna(0.0)
    bars = frame.set_index(["date", "asset"])["bar"].unstack("asset").reindex(wide.index)
    before = wide.shift(1).fillna(0.0)
    gross = (before * bars).sum(axis=1)
    change = wide - before.mul(1 + bars).div(1 + gross, axis=0)
    bought = change.clip(lower=0).sum(axis=1) * (1 + gross)
    sold = -change.clip(upper=0).sum(axis=1) * (1 + gross)
    out = Outputs(np.full(T, np.nan), np.full(T, np.nan), np.full((T, Q), np.nan), np.zeros(T), np.zeros(T))
    days = size.index[size >= 10]
    out.ic[days] = ic.loc[days]
    out.rank_ic[days] = rank_ic.loc[days]
    out.quantiles[means.index.get_level_values(0), means.index.get_level_values(1).astype(int) - 1] = (
        means.to_numpy()
    )
    rows = wide.index.to_numpy()[:-1] + 1
    out.turnover[rows] = 0.5 * (bought + sold).to_numpy()[:-1]
    out.net[rows] = (gross - bought * costs.buy - sold * costs.sell).to_numpy()[:-1]
    return out


def compare(first: Outputs, other: Outputs, name: str) -> None:
    for field, tolerance in (
        ("ic", 1e-9),
        ("rank_ic", 1e-11),
        ("quantiles", 1e-11),
        ("turnover", 1e-10),
        ("net", 1e-11),
    ):
        a, b = getattr(first, field), getattr(other, field)
        if not np.allclose(a, b, rtol=0, atol=tolerance, equal_nan=True):
            gap = np.nanmax(np.abs(a - b))
            raise SystemExit(f"{name}: {field} differs by up to {gap:g}; nothing to compare")


def cpu_time(function: Callable[[], object], repeat: int) -> float:
    start = time.process_time()
    for _ in range(repeat):
        function()
    return (time.process_time() - start) / repeat


def measure(contenders: dict[str, tuple[Callable[[], object], int]], rounds: int) -> dict[str, float]:
    taken: dict[str, list[float]] = {name: [] for name in contenders}
    for _ in range(rounds):
        for name, (function, repeat) in contenders.items():
            taken[name].append(cpu_time(function, repeat))
    return {name: statistics.median(values) for name, values in taken.items()}


def processor() -> str:
    try:
        with open("/proc/cpuinfo", encoding="utf-8") as file:
            lines = file.read().splitlines()
    except OSError:
        return platform.processor() or platform.machine()
    model = next(
        (line.split(":", 1)[1].strip() for line in lines if line.startswith("model name")), "unknown"
    )
    flags = next((line for line in lines if line.startswith("flags")), "")
    vectors = next((v for v in ("avx512f", "avx2", "neon") if v in flags), "no known vector set")
    return f"{model} ({vectors})"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--dates", type=int, default=1700)
    parser.add_argument("--names", type=int, default=300)
    parser.add_argument("--missing", type=float, default=0.01, help="share of suspended cells")
    parser.add_argument("--rounds", type=int, default=7)
    arguments = parser.parse_args()
    market = make_market(arguments.dates, arguments.names, arguments.missing)
    started = time.process_time()
    scorer = Scorer(market.label, bars=market.bars)
    first = ours(scorer, market)
    compiled = time.process_time() - started
    prepared = cpu_time(lambda: Scorer(market.label, bars=market.bars), 3)
    frame = long_frame(market)
    polars_frame = pl.from_pandas(frame).with_columns(pl.col("factor", "label").fill_nan(None))
    T = arguments.dates
    compare(first, by_polars(polars_frame, T), "polars")
    compare(first, by_groupby(frame, T), "groupby")
    contenders: dict[str, tuple[Callable[[], object], int]] = {
        "assay, one factor": (lambda: scorer.score(market.signal), 20),
        "numpy sort of the same rows": (lambda: np.sort(market.signal, axis=1), 20),
        "polars": (lambda: by_polars(polars_frame, T), 1),
        "pandas groupby, alphalens's manner": (lambda: by_groupby(frame, T), 1),
    }
    medians = measure(contenders, arguments.rounds)
    own = medians["assay, one factor"]
    gaps = np.isnan(market.signal).mean()
    print(f"{T} dates x {arguments.names} names, {gaps:.1%} missing; {processor()}")
    print(
        f"python {platform.python_version()}, numpy {np.__version__}, numba {numba.__version__}, "
        f"polars {pl.__version__}, pandas {pd.__version__}, scipy {scipy.__version__}; one thread, "
        f"medians of {arguments.rounds} interleaved rounds; outputs equal"
    )
    print(f"labels prepared, once per panel: {prepared * 1e3:.1f} ms; first call: {compiled:.2f} s", end=" ")
    print("(kernels compiled before are cached)\n")
    print("| scoring one factor | CPU ms | times ours |\n|---|---:|---:|")
    for name, seconds in medians.items():
        print(f"| {name} | {seconds * 1e3:.2f} | {seconds / own:.2f} |")
    print(f"\nassay takes {own / medians['numpy sort of the same rows']:.2f} times the sort")
    return 0


if __name__ == "__main__":
    sys.exit(main())
