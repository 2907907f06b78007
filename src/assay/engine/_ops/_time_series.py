"""Time-series ops that have a kernel of their own. They run on panels or on ranges of their columns."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from assay.engine._ops._types import ColumnRunner, Params
from assay.engine._program import Place, array_at, place_of

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
    def run(x: Sequence[Place], params: Params, rows: int, n: int, out: Place) -> None:
        from assay.engine._kernels._shift import shift

        shift(operation, *x[0], params["window"], rows, n, *out)

    return run


def _sum(operation: int) -> ColumnRunner:
    def run(x: Sequence[Place], params: Params, rows: int, n: int, out: Place) -> None:
        from assay.engine._kernels._sums import rolling_sum

        rolling_sum(operation, *x[0], params["window"], _need(params), rows, n, *out)

    return run


def _mean_deviation(x: Sequence[Place], params: Params, rows: int, n: int, out: Place) -> None:
    from assay.engine._kernels._sums import DEVIATION, rolling_sum

    rolling_sum(DEVIATION, *x[0], params["window"], 1, rows, n, *out)


def _linear(x: Sequence[Place], params: Params, rows: int, n: int, out: Place) -> None:
    from assay.engine._kernels._sums import rolling_linear

    rolling_linear(*x[0], params["window"], _need(params), params.get("missing") == "zero", rows, n, *out)


def _variance(operation: int) -> ColumnRunner:
    def run(x: Sequence[Place], params: Params, rows: int, n: int, out: Place) -> None:
        from assay.engine._kernels._variance import rolling_variance

        rolling_variance(
            operation, *x[0], params["window"], _need(params), params.get("ddof", 0), rows, n, *out
        )

    return run


def _moments(operation: int) -> ColumnRunner:
    def run(x: Sequence[Place], params: Params, rows: int, n: int, out: Place) -> None:
        from assay.engine._kernels._moments import rolling_moments

        rolling_moments(
            operation, *x[0], params["window"], _need(params), params.get("bias", True), rows, n, *out
        )

    return run


def _pairs(operation: int) -> ColumnRunner:
    def run(x: Sequence[Place], params: Params, rows: int, n: int, out: Place) -> None:
        window, need, ddof = params["window"], _need(params), params.get("ddof", 0)
        if need == window:
            from assay.engine._kernels._pairs import rolling_pairs

            rolling_pairs(operation, *x[0], *x[1], window, ddof, rows, n, *out)
        else:
            from assay.engine._kernels._partial_pairs import rolling_partial_pairs

            rolling_partial_pairs(operation, *x[0], *x[1], window, need, ddof, rows, n, *out)

    return run


def _extremum(sign: float) -> ColumnRunner:
    def run(x: Sequence[Place], params: Params, rows: int, n: int, out: Place) -> None:
        from assay.engine._kernels._extrema import rolling_extremum

        rolling_extremum(sign, *x[0], params["window"], params["min_periods"] > 0, rows, n, *out)
        _keep_counted(x[0], params, rows, n, out)

    return run


def _position(sign: float) -> ColumnRunner:
    def run(x: Sequence[Place], params: Params, rows: int, n: int, out: Place) -> None:
        from assay.engine._kernels._extrema import rolling_position

        from_oldest = params["count_from"] == "oldest"
        rolling_position(sign, *x[0], params["window"], params["min_periods"] > 0, from_oldest, rows, n, *out)
        _keep_counted(x[0], params, rows, n, out)

    return run


def _keep_counted(x: Place, params: Params, rows: int, n: int, out: Place) -> None:
    """Make missing what has fewer valid values than `min_periods`, where that asks for more than one."""
    if params["min_periods"] <= 1:
        return
    from assay.engine._kernels._sums import COUNT, rolling_sum

    count = np.empty((rows, n), np.float32)
    rolling_sum(COUNT, *x, params["window"], 1, rows, n, *place_of(count))
    few = count < params["min_periods"]
    np.copyto(array_at(out, rows, n), np.float32(np.nan), where=few)


def _rank(x: Sequence[Place], params: Params, rows: int, n: int, out: Place) -> None:
    from assay.engine._kernels._window_order import rolling_rank

    rolling_rank(*x[0], params["window"], _need(params), params["scale"] != "r/n", rows, n, *out)


def _quantile(x: Sequence[Place], params: Params, rows: int, n: int, out: Place) -> None:
    from assay.engine._kernels._window_order import rolling_quantile

    rolling_quantile(*x[0], params["window"], _need(params), params["q"], True, rows, n, *out)


def _lower_quantile(x: Sequence[Place], params: Params, rows: int, n: int, out: Place) -> None:
    from assay.engine._kernels._window_order import rolling_quantile

    rolling_quantile(*x[0], params["window"], _need(params), params["q"], False, rows, n, *out)


def _ema(x: Sequence[Place], params: Params, rows: int, n: int, out: Place) -> None:
    from assay.engine._kernels._recursive import EXPONENTIAL, recursive_mean

    span = float(params["span"])
    recursive_mean(
        EXPONENTIAL, *x[0], 2.0 / (span + 1.0), params["min_periods"] or int(np.ceil(span)), rows, n, *out
    )


def _sma(x: Sequence[Place], params: Params, rows: int, n: int, out: Place) -> None:
    from assay.engine._kernels._recursive import SMOOTHED, recursive_mean

    recursive_mean(SMOOTHED, *x[0], params["m"] / params["window"], 1, rows, n, *out)


def _line(output: str) -> ColumnRunner:
    """Regression on the number of the bar."""

    def run(x: Sequence[Place], params: Params, rows: int, n: int, out: Place) -> None:
        from assay.engine._kernels._regression import rolling_regression

        number = _REGRESSION_OUTPUTS.index(output)
        rolling_regression(number, *x[0], *x[0], True, params["window"], _need(params), rows, n, *out)

    return run


def _regression(x: Sequence[Place], params: Params, rows: int, n: int, out: Place) -> None:
    from assay.engine._kernels._regression import rolling_regression

    y, regressor = x
    lag = int(params["lag"])
    shifted = np.full((rows, n), np.nan, np.float32)
    if lag:
        shifted[lag:] = array_at(regressor, max(0, rows - lag), n)
        regressor = place_of(shifted)
    number = _REGRESSION_OUTPUTS.index(params["output"])
    rolling_regression(number, *y, *regressor, False, params["window"], 3, rows, n, *out)
    array_at(out, rows, n)[: int(params["window"]) - 1 + lag] = np.nan


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
    "ts_mad": _moments(0),
    "ts_skew": _moments(1),
    "ts_kurt": _moments(2),
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
