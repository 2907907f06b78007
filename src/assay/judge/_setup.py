"""What all factors of one judgement share: rows, universe, labels, the market's tape."""

from __future__ import annotations

from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from assay.base import generator
from assay.config import PeriodPlan
from assay.errors import DataError, Problem
from assay.expr import Call, Field, Node
from assay.judge._kin import kin_of
from assay.judge._neutralize import GROUP_CHOICES, Exposures, exposures_of
from assay.judge._period import Window, assert_dates, resolve_window
from assay.judge._results import DateArray, FloatArray
from assay.judge._settings import COSTS, Costs, Filters, JudgeSettings, SettingProblems
from assay.metrics import (
    STYLE_WINDOW,
    Neutralizer,
    Scorer,
    Styles,
    Tape,
    eligible,
    forward_returns,
    lag_rows,
)

if TYPE_CHECKING:
    from assay.market import Panel

BoolArray = NDArray[np.bool_]
ALL_INSTRUMENTS = "all"
KNOWN_AMOUNT = 0.9
MOST_OFFSETS = 5
QUICK_SHUFFLES = 1
STAMP_DUTY = (("1900-01-01", 0.0010), ("2023-08-28", 0.0005))
"""Rates of China's stamp duty on sales of shares, each from its first day on."""

NO_COSTS = Problem(
    "costs",
    "the data set names no market, so costs are not known",
    "give `--costs us` or `--market us`, or import again with `--market US`; "
    "in Python, costs=Costs(...) or market='US'",
)
NO_FACTOR = "no adjustment factor: splits and dividends look like returns"


@dataclass(frozen=True, slots=True)
class Setup:
    """Prepared once for a batch. Arrays are ``(T, N)`` over the rows read, warm-up included.

    ``members`` is the universe by date, ``judged`` the same on judged rows alone. ``allowed`` are the names
    that the book may choose. ``exposures`` are taken out of each signal. ``shuffles`` are the
    cell orders of the shuffle control, one for each seed.
    """

    view: Panel
    window: Window
    plan: PeriodPlan | None
    settings: JudgeSettings
    costs: Costs
    market: str
    members: BoolArray
    judged: BoolArray
    allowed: BoolArray
    scorers: dict[int, Scorer]
    tape: Tape
    duty: FloatArray | None
    benchmark: FloatArray
    benchmark_name: str
    traded_value: NDArray[np.float32] | None
    neutralizer: Neutralizer | None
    exposures: Exposures | None
    shuffles: tuple[NDArray[np.intp], ...]
    notes: tuple[str, ...]

    @property
    def dates(self) -> DateArray:
        """Dates of all rows read."""
        return self.view.dates

    @property
    def rows(self) -> slice:
        """The judged rows."""
        return self.window.judged

    @property
    def filtered(self) -> bool:
        """Whether the book may choose fewer names than the signal has."""
        return self.settings.filters != Filters()

    @property
    def scorer(self) -> Scorer:
        """The scorer of the judged label."""
        return self.scorers[self.settings.horizon]

    @property
    def offsets(self) -> tuple[int, ...]:
        """Rebalance offsets that the book is averaged over: all of them, or five spread evenly."""
        every = self.settings.rebalance
        count = min(every, MOST_OFFSETS)
        return tuple(every * k // count for k in range(count))


def make_setup(
    panel: Panel,
    settings: JudgeSettings,
    plan: PeriodPlan | None = None,
    benchmark: NDArray[np.float64] | None = None,
) -> Setup:
    """Cut the panel to the period and prepare labels, tape and controls.

    Parameters
    ----------
    benchmark : ``(T,)`` returns on the panel's dates, instead of the equal weight of the members.

    Raises
    ------
    Refusal
        ``hidden_period``, also of a data set without a plan that holds what a planned one holds; the
        universe is unknown or outdated; ``unsupported_neutralization``.
    DataError
        The period is too short, or the panel lacks the fill price.
    ConfigProblems
        The market, and so the costs, cannot be told.
    """
    window = resolve_window(panel.dates, settings, plan)
    kin = kin_of(panel)
    if kin is not None and window.hidden_opened:
        raise kin.refusal(panel.name)  # looks at them would be charged to another name
    view = panel.between(panel.dates[window.first], panel.dates[window.stop - 1])
    assert_dates(view.dates, window, settings, plan)
    notes: list[str] = [] if "factor" in view.fields else [NO_FACTOR]
    if kin is not None:
        notes.append(kin.note(panel.name))
    market = settings.market or view.manifest.market or ""
    costs = _costs(settings, market)
    members = view.universe(settings.universe or ALL_INSTRUMENTS)
    judged = np.zeros(view.shape, dtype=np.bool_)
    judged[window.judged] = members[window.judged]
    price = _price(view, settings, notes)
    trading = view.trading(settings.fill)
    tape = Tape(price, trading.limit_up, trading.limit_down, trading.delisted_row, settings.delisting_value)
    traded_value = _traded_value(view, members)
    reference, name = _benchmark(view, settings, tape, members, window, benchmark)
    allowed = _allowed(view, settings, judged, traded_value)
    duty = _duty(view.dates, settings, market)

    def scorer(horizon: int) -> Scorer:
        label = forward_returns(price, horizon, delisted_row=trading.delisted_row)
        return Scorer(label, universe=judged, quantiles=settings.quantiles, min_names=settings.min_names)

    with ThreadPoolExecutor(settings.threads) as pool:
        # the shuffles come first: sorting leaves the interpreter free, and this thread loads numba meanwhile
        shuffles = [pool.submit(shuffled_cells, judged, seed) for seed in _shuffle_seeds(settings)]
        scorers = {horizon: pool.submit(scorer, horizon) for horizon in settings.all_horizons}
        neutralizer = _neutralizer(view, settings, judged, traded_value, notes)
    return Setup(
        view=view,
        window=window,
        plan=plan,
        settings=settings,
        costs=costs,
        market=market,
        members=members,
        judged=judged,
        allowed=allowed,
        scorers={horizon: made.result() for horizon, made in scorers.items()},
        tape=tape,
        duty=duty,
        benchmark=reference,
        benchmark_name=name,
        traded_value=traded_value,
        neutralizer=neutralizer,
        exposures=exposures_of(view, settings, judged),
        shuffles=tuple(made.result() for made in shuffles),
        notes=tuple(notes),
    )


def _costs(settings: JudgeSettings, market: str) -> Costs:
    if settings.costs is not None:
        return settings.costs
    if market not in COSTS:
        raise SettingProblems([NO_COSTS])
    return COSTS[market]


def _duty(dates: DateArray, settings: JudgeSettings, market: str) -> FloatArray | None:
    if settings.stamp_duty == "in_costs":
        return None
    if market != "CN":
        problem = Problem("stamp_duty", "dated rates are known for CN", "put the duty into costs.sell_bp")
        raise SettingProblems([problem])
    starts = np.array([day for day, _ in STAMP_DUTY], dtype="datetime64[D]")
    rates = np.array([rate for _, rate in STAMP_DUTY])
    return np.asarray(rates[np.searchsorted(starts, dates, side="right") - 1], dtype=np.float64)


def _price(view: Panel, settings: JudgeSettings, notes: list[str]) -> NDArray[np.float32]:
    if settings.fill not in view.fields:
        raise DataError(
            f"data set {view.name!r} has no field {settings.fill!r} to trade at",
            where="fill",
            fix="choose another fill",
        )
    entry = view.manifest.fields.get(settings.fill)
    if entry is not None and entry.derived:
        notes.append(
            f"trades are filled at {settings.fill} = {entry.derived}: a price nobody was sure to get"
        )
    return view.field(settings.fill)


def _traded_value(view: Panel, members: BoolArray) -> NDArray[np.float32] | None:
    """Money traded: ``amount``, or vwap x volume where that covers too little of the universe."""
    amount = view.field("amount") if "amount" in view.fields else None
    if amount is not None and "close" in view.fields:
        priced = np.isfinite(view.field("close")) & members
        if np.count_nonzero(np.isfinite(amount) & priced) >= KNOWN_AMOUNT * np.count_nonzero(priced):
            return amount
    if "vwap" in view.fields and "volume" in view.fields:
        return np.asarray(view.field("vwap") * view.field("volume"), dtype=np.float32)
    return amount


def _benchmark(
    view: Panel,
    settings: JudgeSettings,
    tape: Tape,
    members: BoolArray,
    window: Window,
    given: NDArray[np.float64] | None,
) -> tuple[FloatArray, str]:
    if settings.book in ("long_short", "dollar_neutral"):
        return np.zeros(view.shape[0]), "none: the book finances itself"
    if given is not None:
        series = np.asarray(given, dtype=np.float64)[window.first : window.stop]
        if series.shape != (view.shape[0],) or not np.isfinite(series).all():
            raise DataError(
                "the benchmark needs one return for each date of the panel, and none missing",
                where="benchmark",
                fix="align it with the panel's dates",
            )
        if np.abs(series).max(initial=0.0) > 1.0:
            row = int(np.abs(series).argmax())
            raise DataError(
                f"the benchmark's return of {view.dates[row]} is {series[row]:g}: no return of a day",
                where="benchmark",
                fix="give returns as fractions (0.01 for 1%), not percent or index levels",
            )
        return series, "given series"
    if settings.benchmark is not None:
        return tape.equal_weight(view.universe(settings.benchmark)), f"equal weight of {settings.benchmark}"
    return tape.equal_weight(members), f"equal weight of {settings.universe or 'all instruments'}"


def _allowed(
    view: Panel, settings: JudgeSettings, judged: BoolArray, traded_value: NDArray[np.float32] | None
) -> BoolArray:
    """Names that the book may choose on a row, by what was known at its signal."""
    rule, lag = settings.filters, settings.lag
    trading = view.trading(settings.fill)
    rows = np.maximum(np.arange(view.shape[0]) - lag, 0)
    price = f"raw_{settings.fill}" if f"raw_{settings.fill}" in view.fields else settings.fill
    if rule.min_traded_value > 0 and traded_value is None:
        raise DataError(
            "a least traded value is asked, and the data set has neither amount nor volume",
            where="filters.min_traded_value",
            fix="leave this filter out",
        )
    value = None if traded_value is None else lag_rows(traded_value, lag)
    return eligible(
        view.shape,
        universe=judged,
        st=trading.st[rows] if rule.exclude_st else None,
        age_bars=trading.age_bars[rows],
        min_age=rule.min_age,
        price=lag_rows(view.field(price), lag) if rule.min_price > 0 else None,
        min_price=rule.min_price,
        traded_value=value if rule.min_traded_value > 0 else None,
        min_traded_value=rule.min_traded_value,
    )


def _neutralizer(
    view: Panel,
    settings: JudgeSettings,
    judged: BoolArray,
    traded_value: NDArray[np.float32] | None,
    notes: list[str],
) -> Neutralizer | None:
    if not settings.neutral:
        return None
    group = next((name for name in GROUP_CHOICES if name in view.groups), None)
    if group is None or traded_value is None or "close" not in view.fields:
        notes.append(
            "no neutral RankIC: it needs close, traded value, and an industry or sector of each name"
        )
        return None
    styles = _styles(view, traded_value)
    lagged = Styles(
        lag_rows(styles.volatility, settings.lag),
        lag_rows(styles.traded_value, settings.lag),
        lag_rows(styles.momentum, settings.lag),
    )
    rows = np.maximum(np.arange(view.shape[0]) - settings.lag, 0)
    return Neutralizer(lagged, view.group(group)[rows], judged, settings.min_names)


def _styles(view: Panel, traded_value: NDArray[np.float32]) -> Styles:
    """Volatility, mean traded value and return over 20 bars, by the engine's kernels; see ``styles_of``."""
    from assay.engine import evaluate

    window = STYLE_WINDOW
    ddof = 0
    closing = Field("close")
    step = Call("ts_return", (closing,), (("window", 1),))
    nodes: dict[str, Node] = {
        "volatility": Call("ts_std", (step,), (("window", window), ("ddof", ddof), ("min_periods", 0))),
        "traded_value": Call("ts_mean", (Field("traded_value"),), (("window", window), ("min_periods", 0))),
        "momentum": Call("ts_return", (closing,), (("window", window),)),
    }
    return Styles(**evaluate(nodes, _Traded(view, traded_value)))


@dataclass(frozen=True, slots=True)
class _Traded:
    """The panel with the money traded as a field of its own."""

    view: Panel
    traded_value: NDArray[np.float32]

    @property
    def shape(self) -> tuple[int, int]:
        return self.view.shape

    def field(self, name: str) -> NDArray[np.float32]:
        return self.traded_value if name == "traded_value" else self.view.field(name)

    def group(self, name: str) -> NDArray[np.int32]:
        return self.view.group(name)

    def vector(self, name: str) -> NDArray[np.float32]:
        return self.view.vector(name)


def _shuffle_seeds(settings: JudgeSettings) -> Iterable[int]:
    if settings.robustness == "off":
        return ()
    count = settings.shuffles if settings.robustness == "full" else min(settings.shuffles, QUICK_SHUFFLES)
    return range(settings.seed, settings.seed + count)


def shuffled_cells(members: BoolArray, seed: int) -> NDArray[np.intp]:
    """Flat cell numbers ``(T, N)``: members of a row in random order, all others where they are."""
    rows, names = members.shape
    bits = max(1, (names - 1).bit_length())
    keys = generator(seed, "shuffle").integers(0, 2**32 - 1, members.shape, dtype=np.uint32)
    keys = (keys << np.uint32(bits)) | np.arange(names, dtype=np.uint32)  # the low bits name the column
    keys[~members] = np.uint32(2**32 - 1)
    keys.sort(axis=1)  # members first
    first = np.arange(names) < np.count_nonzero(members, axis=1)[:, None]
    cells = np.arange(rows * names, dtype=np.intp).reshape(rows, names)
    start = np.broadcast_to(cells[:, :1], cells.shape)
    cells[members] = start[members] + (keys[first] & np.uint32(2**bits - 1)).astype(np.intp)
    return cells
