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
    Op(
        name="ts_triple_corr", category=_CATEGORY, args=(*XY, Arg("z")), params=(W,), scope="time", exponent="invariant", lookback="window", missing="strict",
        definition="mean of the product of the deviations of x, y and z from their means over the last w bars, over the product of their standard deviations (divisor n); missing where one is constant", source=BRAIN,
        platform_note="the platform's text says triple correlation only",
        forms=(fast("ts_triple_corr", order="x y z window", level="consultant", example=by_hand("x = y = z = 0, 0, 3: ts_triple_corr(x, y, z, 3) = 0.7071")),),
    ),
    Op(
        name="ts_co_kurt", category=_CATEGORY, args=_YX, params=(W,), scope="time", exponent="invariant", lookback="window", missing="strict",
        definition="mean of a b^3 over the last w bars, a and b the deviations of y and x from their means in standard deviations (divisor n); missing where one is constant", source=BRAIN,
        platform_note="the platform's text says cokurtosis of y and x only; it is x that is cubed, as in the cokurtosis of an asset y with the market x, and nothing is taken off",
        forms=(fast("ts_co_kurtosis", order="y x window", level="consultant", example=by_hand("x = y = 0, 0, 3: ts_co_kurtosis(y, x, 3) = 1.5")),),
    ),
    Op(
        name="ts_theilsen", category=_CATEGORY, args=_YX, params=(W,), scope="time", exponent="regression", lookback="window", missing="strict",
        definition="median of the slopes of y on x between every two of the last w bars whose x differ; the work grows with the square of w", source=BRAIN,
        platform_note="the platform's text says Theil-Sen slope of ts_theilsen(x, y, d) only; it is y on x, the mean of the middle two when their number is even",
        forms=(fast("ts_theilsen", order="x y window", level="consultant", example=by_hand("x = 1, 2, 3 and y = 2, 4, 9: ts_theilsen(x, y, 3) = 3.5")),),
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


def _projected(given: Mapping[str, Any]) -> Node:
    x, y, params = given["x"], given["y"], (("window", given["window"]), ("min_periods", 0))
    share = Call("div", tuple(Call("ts_sum", (Call("mul", (a, y)),), params) for a in (x, y)))
    return Call("mul", (share, y))


def _polynomial(given: Mapping[str, Any]) -> Node:
    return _platform_regression({**given, "lag": 0, "rettype": 0})


_XYW = (*XY, W)

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
    Composite(
        dialect="fastexpr", names=("ts_co_skewness",), slots=(*_YX, W), level="consultant", source=BRAIN,
        build=lambda g: Call("ts_triple_corr", (g["y"], g["x"], g["x"]), (("window", g["window"]),)),
        definition="ts_triple_corr(y, x, x, d)",
        note="the platform's text says coskewness of y and x only; it is x that is squared, as in the coskewness of an asset y with the market x",
        example=by_hand("x = y = 0, 0, 3: ts_co_skewness(y, x, 3) = 0.7071"),
    ),
    Composite(
        dialect="fastexpr", names=("ts_vector_proj",), slots=_XYW, level="consultant", build=_projected, source=BRAIN,
        definition="y (x.y / y.y) over the last d bars, at the newest",
        example=by_hand("x = 1, 3 and y = 1, 1: ts_vector_proj(x, y, 2) = 2"),
    ),
    Composite(
        dialect="fastexpr", names=("ts_vector_neut",), slots=_XYW, level="consultant", source=BRAIN,
        build=lambda g: Call("sub", (g["x"], _projected(g))), definition="x - ts_vector_proj(x, y, d)",
        example=by_hand("x = 1, 3 and y = 1, 1: ts_vector_neut(x, y, 2) = 1"),
    ),
    Composite(
        dialect="fastexpr", names=("ts_poly_regression",), level="consultant", build=_polynomial, source=BRAIN,
        slots=(*_YX, W, Param("k", "int", 1, low=1, high=1)),
        definition="residual of the least squares of y on x with a constant over the last d bars; k, the degree, is 1",
        note="degrees above 1 do not run, and the platform's text does not name a constant",
        example=by_hand("x = 0, 1, 2 and y = 0, 1, 5: ts_poly_regression(y, x, 3) = 0.5"),
    ),
)  # fmt: skip
