# ruff: noqa: E501 - an entry of the op table is read best on one line

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from functools import reduce
from typing import Any

from assay.expr._op import Arg, Composite, ExponentRule, Form, LookbackRule, MissingRule, Op, Param
from assay.expr._ops._write import (
    ASSAY,
    BRAIN,
    DDOF,
    GTJA,
    MP,
    PANDAS,
    QLIB,
    SHIFT,
    WMP,
    XY,
    W,
    X,
    a101,
    a191,
    by_hand,
    example,
    fast,
    qlib,
    report,
)  # fmt: skip
from assay.expr._ops.arithmetic import values_of
from assay.expr._tree import Call, Constant, Node

_CATEGORY = "time series"
_XW = "x window"
_ORIGIN = Param(
    "count_from", "text", "newest", choices=("newest", "oldest"), description="where counting begins"
)
_RANK_SCALE = Param("scale", "text", "r/n", choices=("r/n", "(r-1)/(n-1)"))


def _op(
    name: str,
    params: tuple[Param, ...],
    definition: str,
    *forms: Form,
    exponent: ExponentRule = "same",
    lookback: LookbackRule = "window",
    missing: MissingRule = "strict",
    source: str = ASSAY,
    stateful: bool = False,
    note: str = "",
    args: tuple[Arg, ...] = X,
) -> Op:
    return Op(
        name=name,
        category=_CATEGORY,
        args=args,
        params=params,
        scope="time",
        exponent=exponent,
        lookback=lookback,
        missing=missing,
        definition=definition,
        source=source,
        stateful=stateful,
        platform_note=note,
        forms=forms,
    )


OPS = (
    _op("delay", (SHIFT,), "x of w bars ago", fast("ts_delay", order=_XW, example=by_hand("x = 1, 2, 3 (newest last): ts_delay(x, 1) = 2")),
        qlib("Ref"), a101("delay"), a191("DELAY"), report("DELAY"), lookback="delay", missing="propagate"),
    _op("delta", (SHIFT,), "x - x of w bars ago", fast("ts_delta", order=_XW, example=by_hand("x = 1, 2, 4: ts_delta(x, 1) = 2")),
        qlib("Delta"), a101("delta"), a191("DELTA", "DELAT", note="alpha 131 prints DELAT"), report("DELTA"),
        exponent="shift_free", lookback="delay", missing="propagate"),
    _op("ts_return", (SHIFT,), "x / (x of w bars ago) - 1", fast("ts_returns", order=_XW, level="consultant"), report("TS_PCTCHANGE"),
        exponent="scale_free", lookback="delay", missing="propagate"),
    _op("ts_sum", WMP, "sum of the last w values", fast("ts_sum", order=_XW, example=by_hand("x = 6, 2, 8: ts_sum(x, 3) = 16")),
        qlib("Sum", order=_XW, min_periods=1), a101("sum", "ts_sum", order=_XW), a191("SUM", order=_XW), report("TS_SUM", order=_XW), exponent="window_sum"),
    _op("ts_mean", WMP, "mean of the last w values", fast("ts_mean", order=_XW, example=example("values 6, 5, 4, 5, 10: ts_mean(x, 5) = 6")),
        qlib("Mean", order=_XW, min_periods=1), a101("ts_mean", order=_XW), a191("MEAN", "MA", order=_XW), report("TS_MEAN", order=_XW)),
    _op("ts_product", WMP, "product of the last w values", fast("ts_product", order=_XW, example=by_hand("x = 1, 2, 3: ts_product(x, 3) = 6")),
        a101("product", order=_XW), a191("PROD", order=_XW), exponent="window_product"),
    _op("ts_max", WMP, "largest of the last w values", fast("ts_max", order=_XW, level="consultant"), qlib("Max", order=_XW, min_periods=1),
        a101("ts_max", order=_XW), a191("TSMAX", order=_XW), report("TS_MAX", order=_XW)),
    _op("ts_min", WMP, "smallest of the last w values", fast("ts_min", order=_XW, level="consultant"), qlib("Min", order=_XW, min_periods=1),
        a101("ts_min", order=_XW), a191("TSMIN", order=_XW), report("TS_MIN", order=_XW)),
    _op("ts_median", WMP, "median of the last w values, the mean of the middle two when w is even", fast("ts_median", order=_XW, level="consultant"),
        qlib("Med", order=_XW, min_periods=1)),
    _op("ts_mad", WMP, "mean absolute deviation of the last w values from their mean", qlib("Mad", order=_XW, min_periods=1), exponent="shift_free", source=QLIB),
    _op("ts_std", (W, DDOF, MP), "standard deviation of the last w values, divisor n - ddof",
        fast("ts_std_dev", order=_XW, ddof=0, example=by_hand("x = 100, 0, 50, 60, 25: ts_std_dev(x, 5) = 33.71 (divisor n, as the published zscore of these values shows)")),
        qlib("Std", order=_XW, ddof=1, min_periods=1), a101("stddev", order=_XW), a191("STD", order=_XW), report("TS_STD", order=_XW), exponent="shift_free"),
    _op("ts_var", (W, DDOF, MP), "variance of the last w values, divisor n - ddof", qlib("Var", order=_XW, ddof=1, min_periods=1), exponent="square"),
    _op("ts_zscore", (W, DDOF, MP), "(x - mean) / standard deviation over the last w values; missing where the deviation is 0",
        fast("ts_zscore", order=_XW, ddof=0, example=by_hand("x = 0, 50, 60, 25, 100 (newest last): ts_zscore(x, 5) = 1.57")), exponent="invariant"),
    _op("ts_skew", (W, Param("bias", "bool", True, description="False: corrected for the sample size"), MP), "third standardised moment of the last w values",
        fast("ts_skewness", order=_XW, level="consultant"), qlib("Skew", order=_XW, bias=False, min_periods=1), exponent="invariant", source=PANDAS),
    _op("ts_kurt", (W, Param("bias", "bool", True, description="False: corrected for the sample size"), MP), "fourth standardised moment of the last w values, less 3",
        fast("ts_kurtosis", order=_XW, level="consultant"), qlib("Kurt", order=_XW, bias=False, min_periods=1), exponent="invariant", source=PANDAS),
    _op("ts_argmax", (*WMP, _ORIGIN),
        "bars since the largest of the last w values: 0 = now, the latest wins a tie; count_from oldest: its place counted from the oldest bar of the window, which is 1, and the earliest wins a tie",
        fast("ts_arg_max", order=_XW, example=example("x = 6, 2, 8, 5, 9, 4, newest first: ts_arg_max(x, 6) = 4")),
        qlib("IdxMax", order=_XW, min_periods=1, count_from="oldest"), a101("Ts_ArgMax", order=_XW), a191("HIGHDAY", order=_XW), exponent="invariant",
        note="which bar wins a tie is not published for BRAIN; the latest is taken. The 2016 paper says only 'which day the maximum occurred on'"),
    _op("ts_argmin", (*WMP, _ORIGIN),
        "bars since the smallest of the last w values: 0 = now, the latest wins a tie; count_from oldest: its place counted from the oldest bar of the window, which is 1, and the earliest wins a tie",
        fast("ts_arg_min", order=_XW, example=by_hand("x = 6, 2, 8, 5, 9, 4, newest first: ts_arg_min(x, 6) = 1")),
        qlib("IdxMin", order=_XW, min_periods=1, count_from="oldest"), a101("Ts_ArgMin", order=_XW), a191("LOWDAY", order=_XW), exponent="invariant"),
    _op("ts_rank", (*WMP, _RANK_SCALE), "rank r of x among the last n values, ties averaged: r/n, or (r-1)/(n-1) (0.5 when n is 1)",
        qlib("Rank", order=_XW, min_periods=1), a101("ts_rank", order=_XW), a191("TSRANK", order=_XW), exponent="invariant"),
    _op("ts_quantile", (W, Param("q", "float", low=0.0, high=1.0), MP), "quantile q of the last w values, interpolated linearly",
        qlib("Quantile", order="x window q", min_periods=1), source=PANDAS),
    _op("ts_decay_linear", (W, Param("missing", "text", "strict", choices=("strict", "zero"), description="zero: a missing value counts as 0")),
        "mean of the last w values weighted w, w-1, .., 1 from the newest", a101("decay_linear", order=_XW), a191("DECAYLINEAR", order=_XW)),
    _op("ts_decay_exp", (W, Param("factor", "float", low=0.0, high=1.0)), "sum of factor^i x[t-i] over the sum of factor^i, i = 0 .. w-1",
        fast("ts_decay_exp_window", order="x window factor", level="consultant", inert=(("nan", "true"),), defaults=(("factor", 1.0),)),
        a191("WMA", order=_XW, factor=0.9, note="GTJA: weights 0.9^i, i bars back"), source=BRAIN),
    _op("ts_ema", (Param("span", "float", low=1.0, description="smoothing 2 / (span + 1)"), MP),
        "exponential mean, weights (1 - 2/(span+1))^i over their sum, missing values skipped while their weight decays; min_periods 0 = span, rounded up",
        qlib("EMA", order="x span", min_periods=1), lookback="span", missing="skip", source=PANDAS, stateful=True),
    _op("ts_sma", (W, Param("m", "int", low=1, description="weight of the newest value, out of w")),
        "recursive mean y = (m x + (w - m) y') / w, started at the first valid x; a missing x keeps y' and gives missing",
        a191("SMA"), missing="skip", source=GTJA, stateful=True),
    _op("ts_wma", WMP, "mean of the last w values weighted 1, 2, .., w from the oldest",
        qlib("WMA", order=_XW, min_periods=1, note="the weighted mean that its documentation names; its code divides once more by the number of values"), source=QLIB),
    _op("ts_scale", (W, Param("constant", "float", 0.0)), "(x - min) / (max - min) over the last w values + constant; missing where they are equal",
        fast("ts_scale", order="x window constant", example=example("x = 6, 2, 8, 5, 9, 4, newest first: ts_scale(x, 6, constant=1) = 1.57")), exponent="invariant", source=BRAIN),
    _op("ts_count_missing", (W,), "how many of the last w values are missing", fast("ts_count_nans", order=_XW, example=by_hand("x = 1, nan, 3: ts_count_nans(x, 3) = 1")),
        exponent="zero", missing="never", source=BRAIN),
    _op("ts_count", (W,), "in how many of the last w bars the condition holds", report("COUNT", order="condition window", runnable=False), a191("COUNT"),
        exponent="dimensionless", args=(Arg("condition", "bool"),)),
    _op("ts_sum_if", (W,), "sum of x over those of the last w bars where the condition holds", exponent="first", args=(Arg("x"), Arg("condition", "bool")), source=GTJA),
    _op("ts_mean_deviation", (W,), "x - the mean of the valid values among the last w", fast("ts_av_diff", order=_XW, example=by_hand("x = 6, 2, 8, 5, 9, 4, newest first: ts_av_diff(x, 6) = 0.333")),
        exponent="shift_free", missing="skip", source=BRAIN),
    _op("ts_kth", (W, Param("k", "int", low=1), Param("ignore", "text", "NaN", description="values not counted, separated by blanks")),
        "the k-th newest of the last w values that is not in ignore", fast("kth_element", order="x window k ignore", defaults=(("k", 1),), example=by_hand("x = nan, 0, 7, newest first: kth_element(x, 3, 1, ignore=\"NaN 0\") = 7")),
        missing="defined", source=BRAIN),
    _op("ts_backfill", (W, Param("k", "int", 1, low=1)), "x, and where x is missing the k-th newest valid of the last w values",
        fast("ts_backfill", order="x window k", inert=(("ignore", "nan"),), example=by_hand("x = nan, 5, 7, newest first: ts_backfill(x, 3) = 5")), missing="defined", source=BRAIN),
    _op("ts_rank_gaussian", (W, Param("driver", "text", "gaussian", choices=("gaussian", "cauchy", "uniform"))),
        "the driver's inverse distribution at (r - 1/2)/w, r the rank of x among the last w values, ties averaged; uniform: that minus 1/2",
        fast("ts_quantile", order="x window driver", example=by_hand("the newest is the median of an odd window: ts_quantile(x, d) = 0")), exponent="invariant", source=BRAIN,
        note="BRAIN's text says inverse CDF of ts_rank, which is infinite at 0 and 1, so the rank is centred; its example (0.82) is the normal CDF of the z-score and contradicts the text"),
    _op("ts_last_different", (W,), "the newest of the last w values that differs from x, missing if there is none",
        fast("last_diff_value", order=_XW, example=by_hand("x = 3, 3, 1, newest first: last_diff_value(x, 3) = 1")), missing="defined", source=BRAIN),
    _op("bars_since_change", (), "bars since x last changed, 0 on the bar of the change and before any", fast("days_from_last_change", example=by_hand("x = 1, 2, 2, newest last: days_from_last_change(x) = 1")),
        exponent="zero", lookback="none", missing="defined", source=BRAIN, stateful=True),
    _op("ts_step", (Param("start", "int", 1),), "start on the first bar, one more on each that follows", fast("ts_step", order="start", example=by_hand("third bar: ts_step(1) = 3")),
        exponent="zero", lookback="none", missing="never", source=BRAIN, stateful=True, args=()),
    _op("ts_slope", WMP, "slope of the least-squares line of the last w values on 1, 2, .., w", qlib("Slope", order=_XW, min_periods=1), exponent="shift_free", source=QLIB),
    _op("ts_rsquare", WMP, "share of the variance explained by the least-squares line of the last w values on 1, 2, .., w", qlib("Rsquare", order=_XW, min_periods=1), exponent="invariant", source=QLIB),
    _op("ts_resid", WMP, "x less the least-squares line of the last w values on 1, 2, .., w, at the newest", qlib("Resi", order=_XW, min_periods=1), exponent="shift_free", source=QLIB),
    _op("ts_moment", (W, Param("k", "int", low=0, high=8)), "mean of (x - mean)^k over the last w values", fast("ts_moment", order="x window k", level="consultant", defaults=(("k", 0),)), exponent="moment", source=BRAIN),
    _op("ts_entropy", (W, Param("buckets", "int", 10, low=1, high=1000)), "- sum of p log p, p the shares of the last w values in equal buckets between their least and largest",
        fast("ts_entropy", order="x window buckets", level="consultant"), exponent="invariant", source=BRAIN),
    _op("ts_percentage", (W, Param("q", "float", 0.5, low=0.0, high=1.0)), "quantile q of the last w values, the lower value of the two around it",
        fast("ts_percentage", order="x window q", level="consultant", renames=(("percentage", "q"),)), source=BRAIN),
    _op("ts_ir", (W,), "mean / standard deviation (divisor n) of the last w values", fast("ts_ir", order=_XW, level="consultant"), exponent="scale_free", source=BRAIN),
    _op("cumulative_sum", (), "sum of all values so far, missing values skipped; missing before the first", a191("SUMAC"), lookback="none", missing="skip", source=GTJA, stateful=True),
)  # fmt: skip

_EXTREMES = (Arg("x"), W)


def _extreme(op: str, given: Mapping[str, Any]) -> Call:
    return Call(op, (given["x"],), (("window", given["window"]), ("min_periods", 0)))


def _platform_rank(given: Mapping[str, Any]) -> Node:
    params = (("window", given["window"]), ("min_periods", 0), ("scale", "(r-1)/(n-1)"))
    rank = Call("ts_rank", (given["x"],), params)
    return rank if given["constant"] == 0.0 else Call("add", (rank, Constant(given["constant"])))


def _platform_decay(given: Mapping[str, Any]) -> Node:
    params = (("window", given["window"]), ("missing", "strict" if given["dense"] else "zero"))
    return Call("ts_decay_linear", (given["x"],), params)


def _count_valid(given: Mapping[str, Any]) -> Node:
    valid = Call("not", (Call("is_missing", (given["x"],)),))
    return Call("ts_sum", (valid,), (("window", given["window"]), ("min_periods", 1)))


def _ema(given: Mapping[str, Any]) -> Node:
    span = given["span"]
    if 0.0 < span < 1.0:
        span = 2.0 / span - 1.0
    return Call("ts_ema", (given["x"],), (("span", span), ("min_periods", 1)))


def _turnover(given: Mapping[str, Any]) -> Node:
    params = (("window", given["window"]), ("min_periods", 0))
    traded = Call("abs", (Call("delta", (given["x"],), (("window", 1),)),))
    held = Call("abs", (given["x"],))
    return Call("div", (Call("ts_sum", (traded,), params), Call("ts_sum", (held,), params)))


def _returns(given: Mapping[str, Any]) -> Node:
    x, params = given["x"], (("window", given["window"]),)
    if given["mode"] == 1:
        return Call("ts_return", (x,), params)
    middle = Call("div", (Call("add", (x, Call("delay", (x,), params))), Constant(2.0)))
    return Call("div", (Call("delta", (x,), params), middle))


def _weighted_decay(given: Mapping[str, Any]) -> Node:
    k, before = given["k"], Call("delay", (given["x"],), (("window", 1),))
    return Call("add", (Call("mul", (Constant(k), given["x"])), Call("mul", (Constant(1.0 - k), before))))


def _filter(given: Mapping[str, Any]) -> Node:
    if given["t"].strip() and any(values_of(given["t"])):
        raise ValueError("the recursive part t does not run: its start is not published")
    weights = values_of(given["h"])
    if any(map(math.isnan, weights)):
        raise ValueError("h has a missing value")
    terms = [
        Call("mul", (Constant(weight), Call("delay", (given["x"],), (("window", i),))))
        for i, weight in enumerate(weights, 1)
    ]
    return reduce(lambda total, term: Call("add", (total, term)), terms)


def _mean_difference(ranks: Sequence[Node]) -> Node:
    """The geometric mean less the arithmetic one."""
    count = float(len(ranks))
    product = reduce(lambda total, rank: Call("mul", (total, rank)), ranks)
    total = reduce(lambda total, rank: Call("add", (total, rank)), ranks)
    geometric = Call("power", (product, Constant(1.0 / count)))
    return Call("sub", (geometric, Call("div", (total, Constant(count)))))


def _rank_means(given: Mapping[str, Any]) -> Node:
    return _mean_difference([Call("rank", (x,), (("scale", "(r-1)/(n-1)"),)) for x in given["inputs"]])


def _ts_rank_means(given: Mapping[str, Any]) -> Node:
    return _mean_difference([_platform_rank({**given, "x": x, "constant": 0.0}) for x in given["inputs"]])


def _middle(given: Mapping[str, Any]) -> Node:
    return Call("add", (_extreme("ts_min", given), _extreme("ts_max", given)))


COMPOSITES = (
    Composite(
        dialect="fastexpr", names=("ts_rank",), slots=(*_EXTREMES, Param("constant", "float", 0.0)), level="user", build=_platform_rank,
        definition="(r - 1) / (n - 1) + constant, r the rank of x among the last d values", source=BRAIN,
        example=example("x = 10, 12, 11, 15, 13, oldest first: ts_rank(x, 5) = 0.75"),
    ),
    Composite(
        dialect="fastexpr", names=("ts_decay_linear",), slots=(*_EXTREMES, Param("dense", "bool", False)), level="user",
        build=_platform_decay, definition="mean weighted d, d-1, .., 1 from the newest; dense=false takes 0 for a missing value",
        source=BRAIN, example=example("x = .., 6, 8, 10, oldest first: ts_decay_linear(x, 3) = 8.67"),
    ),
    Composite(
        dialect="fastexpr", names=("ts_min_diff",), slots=_EXTREMES, level="consultant",
        build=lambda g: Call("sub", (g["x"], _extreme("ts_min", g))), definition="x - ts_min(x, d)", source=BRAIN,
    ),
    Composite(
        dialect="fastexpr", names=("ts_max_diff",), slots=_EXTREMES, level="consultant",
        build=lambda g: Call("sub", (g["x"], _extreme("ts_max", g))), definition="x - ts_max(x, d)", source=BRAIN,
    ),
    Composite(
        dialect="fastexpr", names=("ts_min_max_diff",), slots=(*_EXTREMES, Param("f", "float", 0.5)), level="consultant",
        build=lambda g: Call("sub", (g["x"], Call("mul", (Constant(g["f"]), _middle(g))))),
        definition="x - f (ts_min(x, d) + ts_max(x, d))", source=BRAIN,
    ),
    Composite(
        dialect="fastexpr", names=("ts_min_max_cps",), slots=(*_EXTREMES, Param("f", "float", 2.0)), level="consultant",
        build=lambda g: Call("sub", (_middle(g), Call("mul", (Constant(g["f"]), g["x"])))),
        definition="ts_min(x, d) + ts_max(x, d) - f x", source=BRAIN,
    ),
    Composite(
        dialect="fastexpr", names=("inst_tvr",), slots=_EXTREMES, level="consultant", build=_turnover, source=BRAIN,
        definition="sum of abs(x - x of the bar before) over the last d bars / sum of abs(x) over them",
        example=by_hand("x = 1, 3, 2, newest last: inst_tvr(x, 2) = 0.6"),
    ),
    Composite(
        dialect="fastexpr", names=("log_diff",), slots=X, level="consultant", source=BRAIN,
        build=lambda g: Call("delta", (Call("log", (g["x"],)),), (("window", 1),)),
        definition="log(x) - log(x of the bar before)", example=by_hand("x = 1, 2, newest last: log_diff(x) = 0.6931"),
    ),
    Composite(
        dialect="fastexpr", names=("ts_returns",), level="consultant", build=_returns, source=BRAIN,
        slots=(Arg("x"), SHIFT, Param("mode", "int", 1, low=1, high=2)),
        definition="x / y - 1, y the x of d bars ago; mode=2: (x - y) / ((x + y) / 2)",
        example=by_hand("x = 1, 3, newest last: ts_returns(x, 1, mode=2) = 1"),
    ),
    Composite(
        dialect="fastexpr", names=("ts_weighted_decay",), slots=(Arg("x"), Param("k", "float", 0.5)), level="consultant",
        build=_weighted_decay, definition="k x + (1 - k) (x of the bar before)", source=BRAIN,
        example=by_hand("x = 1, 3, newest last: ts_weighted_decay(x, k=0.25) = 1.5"),
    ),
    Composite(
        dialect="fastexpr", names=("filter",), slots=(Arg("x"), Param("h", "text"), Param("t", "text", "")), level="consultant",
        build=_filter, definition="h[0] x[t-1] + h[1] x[t-2] + .., h numbers separated by commas", source=BRAIN,
        note="the recursive part, t[0] y[t-1] + .. of the results y, does not run: how it starts is not published",
        example=by_hand('x = 1, 2, 5, newest last: filter(x, h="2,1") = 5'),
    ),
    Composite(
        dialect="fastexpr", names=("rank_gmean_amean_diff",), slots=XY, variadic=True, level="consultant", build=_rank_means, source=BRAIN,
        definition="geometric mean less arithmetic mean of rank(x), rank(y), ..",
        example=by_hand("x = 1, 2, 3 and y = 2, 1, 3: rank_gmean_amean_diff(x, y) = -0.25, -0.25, 0"),
    ),
    Composite(
        dialect="fastexpr", names=("ts_rank_gmean_amean_diff",), slots=(*XY, W), variadic=True, level="consultant", build=_ts_rank_means, source=BRAIN,
        definition="geometric mean less arithmetic mean of ts_rank(x, d), ts_rank(y, d), ..",
        example=by_hand("x rising and y falling for 3 bars: ts_rank_gmean_amean_diff(x, y, 3) = -0.5"),
    ),
    Composite(
        dialect="alpha191", names=("SEQUENCE",), slots=(), build=lambda g: Call("ts_step", (), (("start", 1),)),
        definition="1, 2, 3, ..: the bar number", source=GTJA,
    ),
    Composite(
        dialect="qlib", names=("EMA",), slots=(Arg("x"), Param("span", "float")), build=_ema,
        definition="exponential mean of span N; N below 1 is the smoothing itself", source=QLIB,
    ),
    Composite(
        dialect="qlib", names=("Count",), slots=_EXTREMES, build=_count_valid,
        definition="how many of the last N values are present", source=QLIB,
    ),
)  # fmt: skip
