# ruff: noqa: E501 - an entry of the op table is read best on one line

from __future__ import annotations

import math
from collections.abc import Mapping
from itertools import pairwise
from typing import Any

from assay.expr._op import Arg, Composite, ExponentRule, Form, Kind, MissingRule, Op, Param
from assay.expr._ops._write import ASSAY, BRAIN, XY, X, a101, a191, by_hand, example, fast, report
from assay.expr._tree import Call, Node

_CATEGORY = "cross section"
RANK_SCALE = Param("scale", "text", "r/n", choices=("r/n", "(r-1)/(n-1)"))
_MOST_EDGES = 1000


def _op(
    name: str,
    params: tuple[Param, ...],
    definition: str,
    *forms: Form,
    args: tuple[Arg, ...] = X,
    result: Kind = "number",
    missing: MissingRule = "skip",
    exponent: ExponentRule = "cross",
    source: str = ASSAY,
    note: str = "",
) -> Op:
    return Op(
        name=name,
        category=_CATEGORY,
        args=args,
        params=params,
        result=result,
        scope="section",
        exponent=exponent,
        missing=missing,
        definition=definition,
        source=source,
        platform_note=note,
        forms=forms,
    )


OPS = (
    _op("rank", (RANK_SCALE,), "rank r of x among the n valid values of the date, ties averaged: r/n, or (r-1)/(n-1) (0.5 when n is 1)",
        a101("rank", order="x"), a191("RANK", order="x"), report("RANK", order="x"),
        note="tie handling and the approximate sort of rate=2 are not published for BRAIN; ties are averaged and the sort is exact"),
    _op("zscore", (Param("ddof", "int", 0, low=0, high=1),), "(x - mean) / standard deviation over the date; missing where the deviation is 0",
        fast("zscore", order="x", ddof=0, example=example("x = 100, 0, 50, 60, 25: zscore(x) = 1.57, -1.39, 0.09, 0.39, -0.65"))),
    _op("demean", (), "x - mean over the date"),
    _op("scale", (Param("scale", "float", 1.0), Param("longscale", "float", 0.0), Param("shortscale", "float", 0.0)),
        "x times scale / (sum of abs(x) over the date); with longscale or shortscale > 0 instead: positive values sum to longscale, negative ones to -shortscale",
        fast("scale", order="x scale longscale shortscale", example=example("x = 2, -3, 5: scale(x) = 0.2, -0.3, 0.5")), a101("scale", order="x scale"), source=BRAIN),
    _op("normalize", (Param("use_std", "bool", False), Param("limit", "float", 0.0, low=0.0)),
        "x - mean over the date; use_std: divided by the standard deviation (divisor n - 1); limit > 0: cut to [-limit, limit]",
        fast("normalize", order="x use_std limit", renames=(("useStd", "use_std"),), example=by_hand("x = 3, 5, 6, 2: normalize(x) = -1, 1, 2, -2; with useStd=true divided by 1.83")), source=BRAIN,
        note="the published example divides by the deviation with divisor n - 1 (1.82), unlike zscore"),
    _op("rank_gaussian", (Param("driver", "text", "gaussian", choices=("gaussian", "cauchy", "uniform")), Param("sigma", "float", 1.0)),
        "p = 1/n + (r-1)/(n-1) (1 - 2/n), r the rank; the driver's inverse distribution at p, uniform: p less its mean; times sigma. n <= 2: missing",
        fast("quantile", order="x driver sigma", example=by_hand("the middle of three values: quantile(x) = 0")), source=BRAIN),
    _op("winsorize", (Param("std", "float", 4.0, low=0.0),), "x cut to mean +- std * standard deviation (divisor n) of the date",
        fast("winsorize", order="x std", example=example("x = 2, 4, 5, 6, 3, 8, 10, std=1: cut to 2.81 .. 8.03")), source=BRAIN),
    _op("truncate", (Param("max_percent", "float", 0.01, low=0.0, high=1.0),), "x cut so that abs(x) <= max_percent * (sum of abs(x) over the date)",
        fast("truncate", order="x max_percent", level="consultant", renames=(("maxPercent", "max_percent"),)), source=BRAIN),
    _op("vector_neutralize", (), "x - y (x.y / y.y) over the date, dates and names with either missing left out", fast("vector_neut", order="x y", level="consultant"), args=XY, missing="pairs", source=BRAIN),
    _op("regression_neutralize", (), "residual of the least squares of y on x with a constant over the date", fast("regression_neut", order="y x", level="consultant"),
        args=(Arg("y"), Arg("x")), missing="pairs", source=BRAIN),
    _op("bucket", (Param("edges", "text", description="rising numbers, separated by commas"), Param("skip_both", "bool", False), Param("missing_group", "bool", False)),
        "number of the interval of x: how many edges (as float32) lie below x, so that an edge belongs to the interval below it; skip_both: the two outer intervals are no group; missing_group: missing x is a group of its own",
        result="group", exponent="cross", missing="defined", source=BRAIN),
    _op("densify", (), "the same groups, numbered without gaps on each date", fast("densify", order="g", example=by_hand("groups 7, 7, 99: densify gives 0, 0, 1")),
        args=(Arg("g", "group"),), result="group", exponent="zero", missing="propagate", source=BRAIN),
    _op("scale_down", (Param("constant", "float", 0.0),), "(x - min) / (max - min) over the date, less constant", fast("scale_down", order="x constant", level="consultant"), source=BRAIN),
    _op("left_tail", (Param("limit", "float", 0.0),), "x where x <= limit (as float32), else missing", fast("left_tail", order="x limit", level="consultant", renames=(("maximum", "limit"),)),
        missing="propagate", exponent="fill", source=BRAIN),
    _op("right_tail", (Param("limit", "float", 0.0),), "x where x >= limit (as float32), else missing", fast("right_tail", order="x limit", level="consultant", renames=(("minimum", "limit"),)),
        missing="propagate", exponent="fill", source=BRAIN),
    _op("rank_by_side", (Param("scale", "float", 1.0, low=0.0),),
        "(r - 1) / (n - 1), r the rank of x among the n positive values of the date, ties averaged (0.5 when n is 1); of negative values minus that of -x; 0 where x is 0; times scale / (sum of the absolute results), missing where that sum is 0",
        source=BRAIN, note="the platform's text says no more than that the sides are ranked apart and scaled to the book: the rank is that of its rank(), the book the sum of the absolute values"),
)  # fmt: skip


def _numbers(text: str) -> tuple[float, ...]:
    try:
        return tuple(float(part) for part in text.split(","))
    except ValueError:
        raise ValueError(f"{text[:40]!r} is no list of numbers separated by commas") from None


def edges_of(text: str) -> tuple[float, ...]:
    """The numbers of ``"2,5,6"``; ValueError when they do not rise or are not numbers."""
    edges = _numbers(text)
    if any(not math.isfinite(e) for e in edges) or any(a >= b for a, b in pairwise(edges)):
        raise ValueError("edges must rise")
    return edges


def _edges(given: Mapping[str, Any]) -> str:
    if (given["range"] is None) == (given["buckets"] is None):
        raise ValueError('needs either range="first,last,step" or buckets="edge,edge,.."')
    if given["buckets"] is not None:
        edges = edges_of(given["buckets"])
    else:
        parts = _numbers(given["range"])
        if len(parts) != 3 or not all(map(math.isfinite, parts)) or parts[2] <= 0 or parts[1] <= parts[0]:
            raise ValueError('range is "first,last,step" with first < last and step > 0')
        count = (parts[1] - parts[0]) / parts[2]
        if count > _MOST_EDGES:
            raise ValueError(f"range gives more than {_MOST_EDGES} buckets")
        edges = tuple(parts[0] + i * parts[2] for i in range(round(count + 1e-9) + 1))
    if len(edges) > _MOST_EDGES:
        raise ValueError(f"more than {_MOST_EDGES} buckets")
    return ",".join(f"{edge:.10g}" for edge in edges)


def _bucket(given: Mapping[str, Any]) -> Node:
    params = (
        ("edges", _edges(given)),
        ("skip_both", given["skipBoth"]),
        ("missing_group", given["NaNGroup"]),
    )
    return Call("bucket", (given["x"],), params)


def _platform_rank(given: Mapping[str, Any]) -> Node:
    return Call("rank", (given["x"],), (("scale", "(r-1)/(n-1)"),))


COMPOSITES = (
    Composite(
        dialect="fastexpr", names=("rank",), slots=(Arg("x"), Param("rate", "int", 2, low=0)), level="user", build=_platform_rank, source=BRAIN,
        definition="(r - 1) / (n - 1), r the rank of x on the date; rate is the precision of the platform's sort and changes nothing here",
        example=example("x = 4, 3, 6, 10, 2: rank(x) = 0.5, 0.25, 0.75, 1, 0"),
    ),
    Composite(
        dialect="fastexpr", names=("bucket",), level="user", build=_bucket, result="group", source=BRAIN,
        slots=(Arg("x"), Param("range", "text", optional=True), Param("buckets", "text", optional=True), Param("skipBoth", "bool", False), Param("NaNGroup", "bool", False)),
        definition='groups by the edges of range="first,last,step" or buckets="edge,edge,.."',
        example=by_hand('bucket(x, range="0,1,0.1") puts 0.25 into group 3, counted from 0 below the first edge'),
    ),
    Composite(
        dialect="fastexpr", names=("rank_by_side",), level="consultant", source=BRAIN,
        slots=(Arg("x"), Param("rate", "int", 2, low=0), Param("scale", "float", 1.0, low=0.0)),
        build=lambda g: Call("rank_by_side", (g["x"],), (("scale", g["scale"]),)),
        definition="ranks (r - 1) / (n - 1) of the positive values and, with a minus, of the sizes of the negative ones; scaled so that the absolute results sum to scale; rate changes nothing here",
        example=by_hand("x = 1, 4, 2, -3, -1, 0: rank_by_side(x) = 0, 0.4, 0.2, -0.4, 0, 0"),
    ),
    Composite(
        dialect="fastexpr", names=("vector_proj",), slots=XY, level="consultant", source=BRAIN,
        build=lambda g: Call("sub", (g["x"], Call("vector_neutralize", (g["x"], g["y"])))), definition="x - vector_neut(x, y)",
    ),
    Composite(
        dialect="fastexpr", names=("regression_proj",), slots=(Arg("y"), Arg("x")), level="consultant", source=BRAIN,
        build=lambda g: Call("sub", (g["y"], Call("regression_neutralize", (g["y"], g["x"])))), definition="y - regression_neut(y, x)",
    ),
)  # fmt: skip
