"""The parts of a verdict. Each is finished data: plain numbers, text, and arrays with their dates."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields, is_dataclass
from datetime import date
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

FloatArray = NDArray[np.float64]
DateArray = NDArray[np.datetime64]
Outcome = Literal["passed", "failed", "undefined", "not_applicable", "not_run"]
Status = Literal["passed", "rejected", "undefined"]


@dataclass(frozen=True, slots=True)
class Identity:
    """What was judged. A factor that exists only as values has no ``dialect``, tree or fingerprint.

    ``values_sha256`` identifies such a factor; it is ``None`` for an expression.
    """

    name: str
    text: str
    dialect: str | None
    canonical: str | None
    fingerprint: str | None
    signature: str | None
    fields: tuple[str, ...] = ()
    lookback: int | None = None
    size: int | None = None
    values_sha256: str | None = None


@dataclass(frozen=True, slots=True)
class DataUsed:
    """The data behind a verdict, as it was in fact used.

    ``first_row`` and ``last_row`` bound all rows that were read (warm-up included), ``first_signal`` and
    ``last_signal`` the judged dates, ``last_label`` the last date whose label is defined. No row after
    ``last_row`` was read, labels included.
    """

    panel: str
    source: str
    simulated: bool
    sha256: str
    market: str
    universe: str | None
    period: str
    record: str
    hidden_opened: tuple[str, ...]
    instruments: int
    members_per_day: float
    first_row: date
    last_row: date
    first_signal: date
    last_signal: date
    last_label: date | None


@dataclass(frozen=True, slots=True)
class DecayRow:
    """Information coefficients against the label of one horizon."""

    horizon: int
    ic: float
    rank_ic: float
    icir: float
    rank_icir: float
    t: float
    t_lags: int
    days: int


@dataclass(frozen=True, slots=True)
class MonthlyTable:
    """Mean RankIC by month: ``values[i, j]`` is ``years[i]``, month ``j + 1``; NaN without a defined day."""

    years: tuple[int, ...]
    values: FloatArray


@dataclass(frozen=True, slots=True)
class QuantileRow:
    """One group of names by factor value; group 1 holds the lowest values.

    ``mean`` is the mean label of the group over dates, ``excess`` the same minus the mean of all groups,
    ``yearly`` the compounded yearly return of holding the group with daily rebalancing, without cost.
    """

    quantile: int
    mean: float
    excess: float
    std: float
    t: float
    yearly: float
    days: int
    mean_names: float


@dataclass(frozen=True, slots=True)
class Quantiles:
    """Statistics by group, and the compounded value of each group (and of the top minus the bottom).

    ``values`` is ``(dates, groups)``, starts from 1 before the first date, equal weights, daily rebalancing,
    no cost. ``labels`` is ``(dates, groups)``: the mean label of each group by date. ``spread`` is the
    value of the top group's return minus the bottom group's, theoretical where shorting is not possible.
    ``monotonicity`` is the rank correlation of group number and mean label.
    """

    rows: tuple[QuantileRow, ...]
    dates: DateArray
    labels: FloatArray
    values: FloatArray
    spread: FloatArray
    monotonicity: float


@dataclass(frozen=True, slots=True)
class BookCurve:
    """The after-cost book by date: ``net = gross - cost`` exactly; ``turnover`` is one-way.

    Returns are shares of the value before the bar; ``invested`` is the share that is not cash. ``value_*``
    are compounded values that start from 1 before the first date. Blocked orders and closed delistings count
    over the books of all rebalance offsets.
    """

    dates: DateArray
    gross: FloatArray
    cost: FloatArray
    net: FloatArray
    benchmark: FloatArray
    turnover: FloatArray
    invested: FloatArray
    value_gross: FloatArray
    value_net: FloatArray
    value_benchmark: FloatArray
    drawdown: FloatArray
    kind: str
    theoretical: bool
    blocked_buys: int
    blocked_sells: int
    delisted_closed: int
    benchmark_name: str = ""
    note: str = ""


@dataclass(frozen=True, slots=True)
class CoverageRow:
    """Share of the universe's cells that have a value after one node of the expression, inputs first."""

    node: str
    share: float
    lost: float


@dataclass(frozen=True, slots=True)
class SubPeriod:
    """The factor on one part of the period."""

    start: date
    end: date
    days: int
    ic: float
    rank_ic: float
    rank_icir: float
    t: float
    net_excess: float


@dataclass(frozen=True, slots=True)
class ShuffleControl:
    """The factor against signals whose values were shuffled over the names of each date.

    ``low`` and ``high`` bound the mean RankIC that a signal without information stays within;
    ``means`` are the mean RankIC of the shuffled signals, one for each seed.
    """

    observed: float
    low: float
    high: float
    means: tuple[float, ...]
    observed_outside: bool
    shuffled_inside: bool


@dataclass(frozen=True, slots=True)
class Robustness:
    """Controls. ``None``: not run. ``late_share`` is the late mean RankIC over the judged one."""

    late_rank_ic: float = float("nan")
    late_share: float = float("nan")
    shuffle: ShuffleControl | None = None
    sub_periods: tuple[SubPeriod, ...] = ()


@dataclass(frozen=True, slots=True)
class Interval:
    """A two-sided bootstrap interval of a mean; ``block`` is the mean block length in bars."""

    low: float
    high: float
    level: float
    resamples: int
    block: float


@dataclass(frozen=True, slots=True)
class Significance:
    """Significance of the factor. ``trials`` is N; ``trials_source`` says where N comes from.

    ``sharpe`` is per bar, not annualised, of net excess returns; ``psr`` is the probability that the true
    ratio is above 0; ``dsr`` above the ratio that the best of N skilless trials would show (NaN when N is
    unknown).
    """

    t: float
    t_lags: int
    p_value: float
    sharpe: float
    skew: float
    kurtosis: float
    psr: float
    dsr: float
    trials: int | None
    trials_source: str
    sharpe_variance: float
    rank_ic_interval: Interval | None = None


@dataclass(frozen=True, slots=True)
class LeakCheck:
    """One check for knowledge of the future, or for dependence on an arbitrary choice of the data.

    ``numbers`` say what was compared and how much differed; ``culprit`` is the sub-expression that breaks it.
    """

    name: Literal["prefix", "scramble", "permutation", "adjustment"]
    outcome: Outcome
    detail: str
    numbers: Mapping[str, float | int] = field(default_factory=dict)
    culprit: str | None = None


@dataclass(frozen=True, slots=True)
class Criterion:
    """One line of the decision: what was asked, what was found."""

    name: str
    outcome: Outcome
    value: float | None
    threshold: float | None
    detail: str


@dataclass(frozen=True, slots=True)
class Decision:
    """``passed`` when every criterion passed; ``undefined`` when one cannot be computed and none failed."""

    status: Status
    criteria: tuple[Criterion, ...]
    sentence: str

    @property
    def reasons(self) -> tuple[str, ...]:
        """The criteria that were not met, as sentences."""
        return tuple(c.detail for c in self.criteria if c.outcome in ("failed", "undefined"))


@dataclass(frozen=True, slots=True)
class Column:
    """One figure of the summary row: its key, heading, unit, and what it is."""

    key: str
    heading: str
    unit: Literal["number", "percent", "bp", "money", "count", "text"]
    description: str


SUMMARY: tuple[Column, ...] = (
    Column("ic", "IC", "number", "mean daily Pearson correlation of signal and label"),
    Column("rank_ic", "RankIC", "number", "mean daily Spearman correlation of signal and label"),
    Column(
        "neutral_rank_ic", "neutral RankIC", "number", "RankIC after industry and style ranks are taken out"
    ),
    Column("icir", "ICIR", "number", "mean over standard deviation of the daily IC"),
    Column("rank_icir", "RankICIR", "number", "mean over standard deviation of the daily RankIC"),
    Column("t", "t (NW)", "number", "Newey-West t of the mean RankIC"),
    Column("t_lags", "lags", "count", "lags of the Newey-West t"),
    Column("net_return", "net return", "percent", "yearly return of the book after cost"),
    Column("net_excess", "net excess", "percent", "yearly return after cost in excess of the benchmark"),
    Column("ir", "IR", "number", "annualised mean over deviation of the net excess return"),
    Column("max_drawdown", "drawdown", "percent", "deepest fall of the book's value from a peak; negative"),
    Column("turnover", "turnover", "number", "one-way turnover in a year, as a multiple of the book"),
    Column("break_even_bp", "break-even", "bp", "cost per traded value at which the excess return is zero"),
    Column("capacity", "capacity", "money", "capital at the stated participation in traded value"),
    Column(
        "rank_autocorrelation", "autocorr.", "number", "mean rank correlation of the signal with a bar ago"
    ),
    Column("monotonicity", "monotonic", "number", "rank correlation of group number and mean label"),
    Column(
        "coverage",
        "coverage",
        "percent",
        "mean share of names that have a value, from the first date with any",
    ),
    Column("names", "names", "number", "mean number of names in a day's IC"),
    Column("days", "days", "count", "days with a defined RankIC"),
    Column(
        "days_undefined",
        "undefined",
        "count",
        "days with labels and without one: too few names, or no dispersion",
    ),
)
"""The summary row, in order. ``Verdict.summary`` has these keys."""


def to_plain(value: Any) -> Any:
    """``value`` as JSON-ready data: NaN and infinities become ``None``, dates ISO text, arrays lists."""
    if is_dataclass(value) and not isinstance(value, type):
        return {item.name: to_plain(getattr(value, item.name)) for item in fields(value)}
    if isinstance(value, np.ndarray):
        if value.dtype.kind == "M":
            return np.datetime_as_string(value, unit="D").tolist()
        return to_plain(value.tolist())
    if isinstance(value, Mapping):
        return {str(key): to_plain(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [to_plain(item) for item in value]
    if isinstance(value, (float, np.floating)):
        return float(value) if np.isfinite(value) else None
    if isinstance(value, np.integer):
        return int(value)
    if isinstance(value, np.bool_):
        return bool(value)
    if isinstance(value, date):
        return value.isoformat()
    return value
