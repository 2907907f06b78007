"""A verdict made by hand from random numbers: views need finished data, not a judge."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import date
from typing import Any

import numpy as np
import pytest

from assay.judge import (
    SUMMARY,
    BatchStatistics,
    BookCurve,
    CoverageRow,
    Criterion,
    DataUsed,
    DecayRow,
    Decision,
    Identity,
    Interval,
    JudgeSettings,
    LeakCheck,
    MonthlyTable,
    QuantileRow,
    Quantiles,
    Robustness,
    ShuffleControl,
    Significance,
    SubPeriod,
    Verdict,
    Verdicts,
)

NAN = float("nan")


def _quantiles(rng: np.random.Generator, dates: np.ndarray, strength: float) -> Quantiles:
    tilt = np.linspace(-strength, strength, 10) * 0.02
    labels = rng.normal(0.0005, 0.01, (len(dates), 10)) + tilt
    values = np.cumprod(1 + labels / 5, axis=0)
    rows = tuple(
        QuantileRow(
            quantile=index + 1,
            mean=float(labels[:, index].mean()),
            excess=float(labels[:, index].mean() - labels.mean()),
            std=float(labels[:, index].std()),
            t=2.0,
            yearly=float(values[-1, index] ** (252 / len(dates)) - 1),
            days=len(dates),
            mean_names=29.6,
        )
        for index in range(10)
    )
    spread = np.cumprod(1 + (labels[:, -1] - labels[:, 0]) / 5)
    return Quantiles(rows, dates, labels, values, spread, monotonicity=0.93)


def _book(rng: np.random.Generator, dates: np.ndarray, strength: float) -> BookCurve:
    gross = rng.normal(0.0004 + strength * 0.01, 0.01, len(dates))
    turnover = np.where(np.arange(len(dates)) % 5 == 0, 0.4, 0.0)
    cost = turnover * 0.002
    net = gross - cost
    benchmark = rng.normal(0.0003, 0.009, len(dates))
    value = np.cumprod(1 + net)
    return BookCurve(
        dates=dates,
        gross=gross,
        cost=cost,
        net=net,
        benchmark=benchmark,
        turnover=turnover,
        invested=np.full(len(dates), 1.0),
        value_gross=np.cumprod(1 + gross),
        value_net=value,
        value_benchmark=np.cumprod(1 + benchmark),
        drawdown=value / np.maximum.accumulate(np.maximum(value, 1.0)) - 1,
        kind="decile",
        theoretical=False,
        blocked_buys=12,
        blocked_sells=7,
        delisted_closed=1,
        benchmark_name="equal weight of the members",
    )


def _robustness(mean: float) -> Robustness:
    parts = tuple(
        SubPeriod(
            date(2018 + year, 1, 2),
            date(2018 + year, 12, 28),
            240,
            mean,
            mean * (0.6 + 0.2 * year),
            0.2,
            2.5,
            0.03,
        )
        for year in range(4)
    )
    shuffle = ShuffleControl(
        mean, -0.004, 0.004, (0.001, -0.002, 0.0005, 0.0, 0.003), abs(mean) > 0.004, True
    )
    return Robustness(mean * 0.9, 0.9, shuffle, parts)


def _monthly(dates: np.ndarray, rank_ic: np.ndarray) -> MonthlyTable:
    months = dates.astype("datetime64[M]")
    years = months.astype("datetime64[Y]").astype(int) + 1970
    listed = tuple(int(year) for year in np.unique(years))
    values = np.full((len(listed), 12), NAN)
    for month in np.unique(months):
        row = listed.index(int(month.astype("datetime64[Y]").astype(int)) + 1970)
        values[row, int(month.astype(int)) % 12] = rank_ic[months == month].mean()
    return MonthlyTable(listed, values)


def build_verdict(
    name: str = "rank(-ts_corr(close, volume, 10))", *, strength: float = 0.03, seed: int = 1
) -> Verdict:
    rng = np.random.default_rng(seed)
    days = np.arange(np.datetime64("2018-01-02"), np.datetime64("2021-12-31"))
    dates = days[np.is_busday(days)]
    rank_ic = rng.normal(strength, 0.12, len(dates))
    mean = float(rank_ic.mean())
    passed = mean > 0.01
    figures: dict[str, Any] = dict.fromkeys((column.key for column in SUMMARY), 0.5)
    figures |= {
        "ic": mean * 0.8,
        "rank_ic": mean,
        "neutral_rank_ic": mean * 0.5,
        "t": mean / 0.12 * 15,
        "t_lags": 10,
        "net_return": 0.08,
        "net_excess": 0.031,
        "max_drawdown": -0.21,
        "turnover": 18.2,
        "break_even_bp": 31.4,
        "capacity": 1.2e9,
        "coverage": 0.97,
        "names": 287.3,
        "days": len(dates),
        "days_undefined": 3,
    }
    settings = JudgeSettings(universe="csi300")
    return Verdict(
        identity=Identity(name, name, "core", name, "f1" * 16, "s1" * 16, ("close", "volume"), 10, 5),
        settings=settings,
        data=DataUsed(
            panel="sim",
            source="simulated",
            simulated=True,
            sha256="ab" * 32,
            market="CN",
            universe="csi300",
            period="all",
            record="unrecorded, N unknown",
            hidden_opened=(),
            instruments=320,
            members_per_day=297.4,
            first_row=date(2018, 1, 2),
            last_row=date(2021, 12, 31),
            first_signal=date(2018, 1, 16),
            last_signal=date(2021, 12, 23),
            last_label=date(2021, 12, 23),
        ),
        summary=figures,
        dates=dates,
        series={
            "ic": rank_ic * 0.8,
            "rank_ic": rank_ic,
            "neutral_rank_ic": rank_ic * 0.5 + rng.normal(0, 0.03, len(dates)),
            "names": np.full(len(dates), 287.0),
            "coverage": np.full(len(dates), 0.97),
            "turnover": rng.uniform(0.05, 0.2, len(dates)),
            "rank_autocorrelation": rng.uniform(0.8, 0.95, len(dates)),
        },
        decay=tuple(DecayRow(h, mean * 0.7, mean, 0.2, 0.25, 4.0, 2 * h, 900) for h in (1, 2, 3, 5, 10, 20)),
        monthly=_monthly(dates, rank_ic),
        quantiles=_quantiles(rng, dates, strength),
        book=_book(rng, dates, strength),
        coverage=(CoverageRow("close", 0.99, 0.0), CoverageRow("ts_corr(close, volume, 10)", 0.97, 0.02)),
        robustness=_robustness(mean),
        significance=Significance(
            3.4,
            10,
            0.0007,
            0.04,
            -0.3,
            5.1,
            0.97,
            NAN,
            None,
            "no ledger",
            NAN,
            Interval(0.01, 0.04, 0.95, 500, 12.0),
        ),
        leaks=(
            LeakCheck("prefix", "passed", "equal on 6 prefixes", {"prefixes": 6, "differing": 0}),
            LeakCheck("scramble", "passed", "equal before 3 cuts", {"cuts": 3}),
            LeakCheck("permutation", "passed", "equal after reordering the instruments"),
            LeakCheck(
                "adjustment",
                "failed",
                "the value changes with the adjustment factor",
                {},
                "ts_corr(close, 1)",
            ),
        ),
        warnings=("the value changes with a stock's adjustment factor",),
        decision=Decision(
            "passed" if passed else "rejected",
            (
                Criterion(
                    "t", "passed" if passed else "failed", 3.4, 3.0, "t is 3.40, at least 3.00 is asked"
                ),
                Criterion("coverage", "passed", 0.97, 0.8, "coverage is 97.0%, at least 80.0% is asked"),
            ),
            "Passed: every criterion holds." if passed else "Rejected: t is below 3.",
        ),
        certificate={
            "format": "assay-certificate",
            "content_hash": "sha256:" + "cd" * 32,
            "body": {"name": name},
        },
    )


@pytest.fixture(scope="session")
def make_verdict() -> Callable[..., Verdict]:
    return build_verdict


@pytest.fixture(scope="session")
def verdict() -> Verdict:
    return build_verdict()


@pytest.fixture(scope="session")
def empty_verdict() -> Verdict:
    """A factor without a single value: everything is undefined."""
    full = build_verdict("log(-volume)")
    nothing = np.full(len(full.dates), NAN)
    return replace(
        full,
        summary={column.key: NAN for column in SUMMARY},
        series={key: nothing for key in full.series if key != "neutral_rank_ic"},
        decay=(DecayRow(5, NAN, NAN, NAN, NAN, NAN, 10, 0),),
        monthly=MonthlyTable((2018,), np.full((1, 12), NAN)),
        quantiles=None,
        book=None,
        coverage=(),
        robustness=Robustness(),
        decision=Decision("undefined", (), "Undefined: no day has enough names with a value."),
    )


@pytest.fixture(scope="session")
def verdicts() -> Verdicts:
    items = [
        build_verdict("rank(close)", strength=0.0, seed=2),
        build_verdict("<script>alert(1)</script>", strength=0.05, seed=3),
        build_verdict("planted_1", strength=0.03, seed=4),
    ]
    return Verdicts(items, batch=BatchStatistics(3, (0.5, 0.001, 0.01), (0.9, 0.002, 0.02), 0.2, 70, ""))
