"""Time-series ops that have a kernel of their own: each runs over a range of columns."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from assay.engine._ops._types import ColumnRunner, Params

_REGRESSION_OUTPUTS = (
    "residual",
    "alpha",
    "beta",
    "fitted",
    "sse",
    "sst",
    "r2",
    "mse",
    "se_beta",
    "se_alpha",
)


def _need(params: Params) -> int:
    """Valid values a window needs: all, or `min_periods` when that is positive."""
    return int(params.get("min_periods", 0)) or int(params["window"])


def _shift(operation: int) -> ColumnRunner:
    def run(x: Sequence[Any], params: Params, left: int, right: int, out: Any) -> None:
        from assay.engine._kernels._shift import shift

        shift(operation, x[0], params["window"], left, right, out)

    return run


def _sum(operation: int) -> ColumnRunner:
    def run(x: Sequence[Any], params: Params, left: int, right: int, out: Any) -> None:
        from assay.engine._kernels._sums import rolling_sum

        rolling_sum(operation, x[0], params["window"], _need(params), left, right, out)

    return run


def _mean_deviation(x: Sequence[Any], params: Params, left: int, right: int, out: Any) -> None:
    from assay.engine._kernels._sums import DEVIATION, rolling_sum

    rolling_sum(DEVIATION, x[0], params["window"], 1, left, right, out)


def _linear(x: Sequence[Any], params: Params, left: int, right: int, out: Any) -> None:
    from assay.engine._kernels._sums import rolling_linear

    rolling_linear(x[0], params["window"], _need(params), params.get("missing") == "zero", left, right, out)


def _variance(operation: int) -> ColumnRunner:
    def run(x: Sequence[Any], params: Params, left: int, right: int, out: Any) -> None:
        from assay.engine._kernels._variance import rolling_variance

        rolling_variance(
            operation, x[0], params["window"], _need(params), params.get("ddof", 0), left, right, out
        )

    return run


def _pairs(operation: int) -> ColumnRunner:
    def run(x: Sequence[Any], params: Params, left: int, right: int, out: Any) -> None:
        from assay.engine._kernels._pairs import rolling_pairs

        rolling_pairs(
            operation, x[0], x[1], params["window"], _need(params), params.get("ddof", 0), left, right, out
        )

    return run


def _extremum(sign: float) -> ColumnRunner:
    def run(x: Sequence[Any], params: Params, left: int, right: int, out: Any) -> None:
        from assay.engine._kernels._extrema import rolling_extremum

        rolling_extremum(sign, x[0], params["window"], params["min_periods"] > 0, left, right, out)
        _keep_counted(x[0], params, left, right, out)

    return run


def _position(sign: float) -> ColumnRunner:
    def run(x: Sequence[Any], params: Params, left: int, right: int, out: Any) -> None:
        from assay.engine._kernels._extrema import rolling_position

        from_oldest = params["count_from"] == "oldest"
        rolling_position(
            sign, x[0], params["window"], params["min_periods"] > 0, from_oldest, left, right, out
        )
        _keep_counted(x[0], params, left, right, out)

    return run


def _keep_counted(x: Any, params: Params, left: int, right: int, out: Any) -> None:
    """Make missing what has fewer valid values than `min_periods`, where that asks for more than one."""
    if params["min_periods"] <= 1:
        return
    from assay.engine._kernels._sums import COUNT, rolling_sum

    count = np.empty_like(out)
    rolling_sum(COUNT, x, params["window"], 1, left, right, count)
    few = count[:, left:right] < params["min_periods"]
    np.copyto(out[:, left:right], np.float32(np.nan), where=few)


def _rank(x: Sequence[Any], params: Params, left: int, right: int, out: Any) -> None:
    from assay.engine._kernels._window_order import rolling_rank

    rolling_rank(x[0], params["window"], _need(params), params["scale"] != "r/n", left, right, out)


def _quantile(x: Sequence[Any], params: Params, left: int, right: int, out: Any) -> None:
    from assay.engine._kernels._window_order import rolling_quantile

    rolling_quantile(x[0], params["window"], _need(params), params["q"], True, left, right, out)


def _lower_quantile(x: Sequence[Any], params: Params, left: int, right: int, out: Any) -> None:
    from assay.engine._kernels._window_order import rolling_quantile

    rolling_quantile(x[0], params["window"], _need(params), params["q"], False, left, right, out)


def _ema(x: Sequence[Any], params: Params, left: int, right: int, out: Any) -> None:
    from assay.engine._kernels._recursive import EXPONENTIAL, recursive_mean

    span = float(params["span"])
    recursive_mean(
        EXPONENTIAL, x[0], 2.0 / (span + 1.0), params["min_periods"] or int(np.ceil(span)), left, right, out
    )


def _sma(x: Sequence[Any], params: Params, left: int, right: int, out: Any) -> None:
    from assay.engine._kernels._recursive import SMOOTHED, recursive_mean

    recursive_mean(SMOOTHED, x[0], params["m"] / params["window"], 1, left, right, out)


def _line(output: str) -> ColumnRunner:
    """Regression on the number of the bar."""

    def run(x: Sequence[Any], params: Params, left: int, right: int, out: Any) -> None:
        from assay.engine._kernels._regression import rolling_regression

        number = _REGRESSION_OUTPUTS.index(output)
        rolling_regression(number, x[0], x[0], True, params["window"], _need(params), left, right, out)

    return run


def _regression(x: Sequence[Any], params: Params, left: int, right: int, out: Any) -> None:
    from assay.engine._kernels._regression import rolling_regression
    from assay.engine._program import read_only

    y, regressor = x
    lag = int(params["lag"])
    if lag:
        shifted = np.full(regressor.shape, np.nan, np.float32)
        shifted[lag:, left:right] = regressor[: max(0, regressor.shape[0] - lag), left:right]
        regressor = read_only(shifted)
    number = _REGRESSION_OUTPUTS.index(params["output"])
    rolling_regression(number, y, regressor, False, params["window"], 3, left, right, out)
    out[: int(params["window"]) - 1 + lag, left:right] = np.nan


RUNNERS: dict[str, ColumnRunner] = {
    "delay": _shift(0),
    "delta": _shift(1),
    "ts_return": _shift(2),
    "ts_sum": _sum(0),
    "ts_mean": _sum(1),
    "ts_mean_deviation": _mean_deviation,
    "ts_wma": _linear,
    "ts_decay_linear": _linear,
    "ts_var": _variance(0),
    "ts_std": _variance(1),
    "ts_zscore": _variance(2),
    "ts_ir": _variance(3),
    "ts_corr": _pairs(0),
    "ts_cov": _pairs(1),
    "ts_max": _extremum(1.0),
    "ts_min": _extremum(-1.0),
    "ts_argmax": _position(1.0),
    "ts_argmin": _position(-1.0),
    "ts_rank": _rank,
    "ts_quantile": _quantile,
    "ts_percentage": _lower_quantile,
    "ts_ema": _ema,
    "ts_sma": _sma,
    "ts_slope": _line("beta"),
    "ts_rsquare": _line("r2"),
    "ts_resid": _line("residual"),
    "ts_regression": _regression,
}
