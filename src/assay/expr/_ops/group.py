# ruff: noqa: E501 - an entry of the op table is read best on one line

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from assay.expr._op import Arg, Composite, ExponentRule, Form, Kind, MissingRule, Op, Param
from assay.expr._ops._write import ASSAY, BRAIN, PAPER101, XG, W, a101, by_hand, example, fast, report
from assay.expr._ops.cross_section import RANK_SCALE
from assay.expr._tree import Call, Constant, Node

_CATEGORY = "group"
_XG = "x group"


def _op(
    name: str,
    definition: str,
    *forms: Form,
    args: tuple[Arg, ...] = XG,
    params: tuple[Param, ...] = (),
    result: Kind = "number",
    exponent: ExponentRule = "cross",
    missing: MissingRule = "skip",
    source: str = BRAIN,
    note: str = "",
) -> Op:
    return Op(
        name=name,
        category=_CATEGORY,
        args=args,
        params=params,
        result=result,
        scope="group",
        exponent=exponent,
        lookback="window" if params and params[0].name == "window" else "none",
        missing=missing,
        definition=definition,
        source=source,
        platform_note=note,
        forms=forms,
    )


OPS = (
    _op("group_neutralize", "x - mean of the group", fast("group_neutralize", order=_XG, example=by_hand("one group, x = 1, 2, 6: -2, -1, 3")), a101("indneutralize", order=_XG), source=PAPER101),
    _op("group_zscore", "(x - mean) / standard deviation (divisor n) of the group; missing where the deviation is 0",
        fast("group_zscore", order=_XG, example=by_hand("one group, x = 1, 2, 3: -1.2247, 0, 1.2247")), report("INDUSTRY_NEUTRALIZE", order=_XG)),
    _op("group_rank", "rank r of x in its group of n, ties averaged: r/n, or (r-1)/(n-1) (0.5 when n is 1)",
        fast("group_rank", order=_XG, scale="(r-1)/(n-1)", example=by_hand("one group, x = 4, 3, 6, 10, 2: 0.5, 0.25, 0.75, 1, 0, as rank on its own")), params=(RANK_SCALE,), source=ASSAY),
    _op("group_scale", "(x - min) / (max - min) in the group; missing where they are equal", fast("group_scale", order=_XG, example=by_hand("one group, x = 1, 2, 5: 0, 0.25, 1"))),
    _op("group_sum", "sum of the group, for every member", fast("group_sum", order=_XG, level="consultant")),
    _op("group_max", "largest of the group, for every member", fast("group_max", order=_XG, level="consultant")),
    _op("group_min", "smallest of the group, for every member", fast("group_min", order=_XG, level="consultant")),
    _op("group_median", "median of the group, for every member", fast("group_median", order=_XG, level="consultant")),
    _op("group_std", "standard deviation (divisor n) of the group, for every member", fast("group_std_dev", order=_XG, level="consultant")),
    _op("group_count", "number of valid values in the group, for every member; 0 where there are none", fast("group_count", order=_XG, level="consultant"), missing="defined"),
    _op("group_mean", "weighted mean of the group, for every member: sum(w x) / sum(w); harmonic: sum(w) / sum(w / x). Names with x or w missing are left out",
        fast("group_mean", order="x weight group", mean="harmonic", example=example("10, 15, 20 with weight 1: 13.85")),
        args=(Arg("x"), Arg("weight"), Arg("group", "group")), params=(Param("mean", "text", "arithmetic", choices=("arithmetic", "harmonic")),), missing="pairs",
        note="BRAIN's description says mean, its published example is the harmonic mean; fastexpr follows the example"),
    _op("group_backfill", "x, and where x is missing the mean of the group's valid values of the last w bars, cut to their mean +- std * standard deviation (divisor n - 1)",
        fast("group_backfill", order="x group window std", example=by_hand("valid values 4, 4, 4 in the group: a missing member gets 4")), params=(W, Param("std", "float", 4.0, low=0.0)), missing="defined",
        note="the published example cuts with a deviation of divisor n - 1 (3.71)"),
    _op("group_normalize", "x * scale / (sum of abs(x) in the group); constant_check: missing where that sum is below tolerance",
        fast("group_normalize", order="x group constant_check tolerance scale", level="consultant", renames=(("constantCheck", "constant_check"),)),
        params=(Param("constant_check", "bool", False), Param("tolerance", "float", 0.01, low=0.0), Param("scale", "float", 1.0))),
    _op("group_quantile", "quantile q of the group, interpolated linearly, for every member",
        fast("group_percentage", order="x group q", level="consultant", defaults=(("q", 0.5),), renames=(("percentage", "q"),), example=by_hand("one group, x = 1, 2, 4: group_percentage(x, g, percentage=0.25) = 1.5")),
        params=(Param("q", "float", low=0.0, high=1.0),),
        note="the platform's text says only that 0.5 is the group's median, which an interpolation gives"),
    _op("group_coalesce", "g1, and where there is none the largest number in g1 on the date + 1 + g2",
        fast("group_coalesce", order="g1 g2", level="consultant", variadic=True, example=example("g1 = 0, 1, none, none and g2 = 0, 1, 0, 1: 0, 1, 2, 3")),
        args=(Arg("g1", "group"), Arg("g2", "group")), result="group", exponent="zero", missing="defined"),
    _op("group_cross", "a group for each pair of groups that occurs", fast("group_cartesian_product", order="g1 g2", level="consultant"),
        args=(Arg("g1", "group"), Arg("g2", "group")), result="group", exponent="zero", missing="propagate"),
)  # fmt: skip


def _extra(given: Mapping[str, Any]) -> Node:
    mean = Call("group_mean", (given["x"], given["weight"], given["group"]), (("mean", "arithmetic"),))
    return Call("where", (Call("is_missing", (given["x"],)), mean, given["x"]))


def _projected(given: Mapping[str, Any]) -> Node:
    x, g = given["x"], given["g"]
    y = Call("where", (Call("is_missing", (x,)), Constant(float("nan")), given["y"]))
    share = Call("div", tuple(Call("group_sum", (Call("mul", (a, y)), g)) for a in (x, y)))
    return Call("mul", (share, y))


_XYG = (Arg("x"), Arg("y"), Arg("g", "group"))

COMPOSITES = (
    Composite(
        dialect="fastexpr", names=("group_vector_proj",), slots=_XYG, level="consultant", build=_projected, source=BRAIN,
        definition="y (x.y / y.y) over the group, names with either missing left out",
        example=by_hand("one group, x = 1, 3 and y = 1, 1: 2, 2"),
    ),
    Composite(
        dialect="fastexpr", names=("group_vector_neut",), slots=_XYG, level="consultant", source=BRAIN,
        build=lambda g: Call("sub", (g["x"], _projected(g))), definition="x - group_vector_proj(x, y, g)",
        example=by_hand("one group, x = 1, 3 and y = 1, 1: -1, 1"),
    ),
    Composite(
        dialect="fastexpr", names=("group_extra",), slots=(Arg("x"), Arg("weight"), Arg("group", "group")), level="consultant",
        build=_extra, definition="x, and where x is missing the weighted mean of its group", source=BRAIN,
    ),
)  # fmt: skip
