# ruff: noqa: E501 - an entry of the op table is read best on one line

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from assay.expr._op import Arg, Composite, Op, Param
from assay.expr._ops._write import ASSAY, BRAIN, DDOF, GTJA, MP, WMP, XY, W, a101, a191, by_hand, fast, qlib
from assay.expr._tree import Call, Node

_CATEGORY = "time series, two inputs"
OUTPUTS = ("residual", "alpha", "beta", "fitted", "sse", "sst", "r2", "mse", "se_beta", "se_alpha")
"""In the order of BRAIN's ``rettype`` 0 .. 9."""

_YX = (Arg("y"), Arg("x"))

OPS = (
    Op(
        name="ts_corr", category=_CATEGORY, args=XY, params=WMP, scope="time", commutative=True, exponent="invariant", lookback="window", missing="strict",
        definition="Pearson correlation over the last w bars; missing where either side is constant; never outside [-1, 1]", source=ASSAY,
        forms=(fast("ts_corr", order="x y window", example=by_hand("x = 1, 2, 3 and y = 2, 4, 6: ts_corr(x, y, 3) = 1")),
               qlib("Corr", order="x y window", min_periods=1), a101("correlation", order="x y window"), a191("CORR", order="x y window")),
    ),
    Op(
        name="ts_cov", category=_CATEGORY, args=XY, params=(W, DDOF, MP), scope="time", commutative=True, exponent="covariance", lookback="window", missing="strict",
        definition="covariance over the last w bars, divisor n - ddof", source=ASSAY,
        forms=(fast("ts_covariance", order="x y window", ddof=0, example=by_hand("x = 1, 2, 3 and y = 2, 4, 6: ts_covariance(y, x, 3) = 1.333 (divisor n)"), renames=(("y", "x"), ("x", "y"))),
               qlib("Cov", order="x y window", ddof=1, min_periods=1), a101("covariance", order="x y window"), a191("COVIANCE", "COV", order="x y window")),
    ),
    Op(
        name="ts_regression", category=_CATEGORY, args=_YX, scope="time", exponent="regression", lookback="window_lag", missing="pairs",
        params=(W, Param("lag", "int", 0, low=0, description="bars by which x is shifted back"), Param("output", "text", "residual", choices=OUTPUTS)),
        definition="least squares of y on x over the last w bars, pairs with a missing side dropped, at least 3 left; fitted and residual at the newest bar; mse = sse / (n - 2), the standard errors from it",
        source=BRAIN,
        platform_note="the divisor of BRAIN's mean squared error is not published; n - 2 is taken",
        forms=(),
    ),
    Op(
        name="ts_partial_corr", category=_CATEGORY, args=(*XY, Arg("z")), params=(W,), scope="time", exponent="invariant", lookback="window", missing="strict",
        definition="correlation of x and y with z held fixed over the last w bars: (r_xy - r_xz r_yz) / sqrt((1 - r_xz^2)(1 - r_yz^2)); missing where z explains x or y (1 - r^2 of 1e-12 or less)", source=BRAIN,
        forms=(fast("ts_partial_corr", order="x y z window", level="consultant"),),
    ),
)  # fmt: skip


def _platform_regression(given: Mapping[str, Any]) -> Node:
    params = (("window", given["window"]), ("lag", given["lag"]), ("output", OUTPUTS[given["rettype"]]))
    return Call("ts_regression", (given["y"], given["x"]), params)


def _regression(output: str) -> Any:
    def build(given: Mapping[str, Any]) -> Node:
        params = (("window", given["window"]), ("lag", 0), ("output", output))
        return Call("ts_regression", (given["y"], given["x"]), params)

    return build


COMPOSITES = (
    Composite(
        dialect="fastexpr", names=("ts_regression",), level="user", build=_platform_regression, source=BRAIN,
        slots=(*_YX, W, Param("lag", "int", 0, low=0), Param("rettype", "int", 0, low=0, high=9)),
        definition="rettype 0 residual, 1 alpha, 2 beta, 3 fitted, 4 SSE, 5 SST, 6 R squared, 7 MSE, 8 and 9 the standard errors of beta and alpha",
        example=by_hand("y = 2x + 1 exactly: ts_regression(y, x, 5, rettype=2) = 2, rettype=1 gives 1, rettype=6 gives 1"),
    ),
    *(
        Composite(
            dialect="alpha191", names=(name,), slots=(*_YX, W), build=_regression(output), source=GTJA,
            definition=f"{output} of the regression of A on B over n bars; B = SEQUENCE(n) is the bar number",
        )
        for name, output in (("REGBETA", "beta"), ("REGRESI", "residual"))
    ),
    Composite(
        dialect="alpha191", names=("SUMIF",), slots=(Arg("x"), Arg("condition", "bool"), W), source=GTJA,
        build=lambda g: Call("ts_sum_if", (g["x"], g["condition"]), (("window", g["window"]),)),
        definition="sum of A over those of the last n bars where the condition holds",
    ),
)  # fmt: skip
