# ruff: noqa: E501 - an entry of the op table is read best on one line

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from assay.expr._op import Arg, Composite, ExponentRule, Form, Op, Param
from assay.expr._ops._write import BRAIN, by_hand, fast
from assay.expr._tree import Call, Node

_CATEGORY = "vector"
_LIST = (Arg("x", "vector"),)


def _op(
    name: str,
    definition: str,
    form: Form,
    *,
    params: tuple[Param, ...] = (),
    exponent: ExponentRule = "same",
    note: str = "",
) -> Op:
    return Op(
        name=name,
        category=_CATEGORY,
        args=_LIST,
        params=params,
        scope="vector",
        exponent=exponent,
        missing="skip",
        definition=f"{definition} of the day's values; missing where there are none",
        source=BRAIN,
        platform_note=note,
        forms=(form,),
    )


OPS = (
    _op("vec_sum", "sum", fast("vec_sum", order="x", example=by_hand("values 2, 3, 5: vec_sum(x) = 10"))),
    _op("vec_avg", "mean", fast("vec_avg", order="x", example=by_hand("values 2, 3, 4: vec_avg(x) = 3"))),
    _op("vec_min", "smallest", fast("vec_min", order="x", level="consultant")),
    _op("vec_max", "largest", fast("vec_max", order="x", level="consultant")),
    _op("vec_count", "number", fast("vec_count", order="x", level="consultant"), exponent="zero"),
    _op("vec_std", "standard deviation (divisor n)", fast("vec_stddev", order="x", level="consultant")),
    _op("vec_median", "median", fast("vec_median", order="x", level="consultant")),
    _op("vec_range", "largest less smallest", fast("vec_range", order="x", level="consultant")),
    _op("vec_norm", "sum of the absolute values", fast("vec_norm", order="x", level="consultant", example=by_hand("values 2, -3, 5: vec_norm(x) = 10"))),
    _op("vec_powersum", "sum of the k-th powers", fast("vec_powersum", order="x k", level="consultant", renames=(("constant", "k"),), example=by_hand("values 2, -3, 5: vec_powersum(x) = 38")),
        params=(Param("k", "float", 2.0, low=0.0, high=64.0),), exponent="moment",
        note="the platform's text does not say what a power that is no real number gives; the sum is missing then"),
    _op("vec_choose", "value number nth in stored order, counted from 0,", fast("vec_choose", order="x nth", level="consultant", example=by_hand("values 2, 3, 5: vec_choose(x, nth=1) = 3")),
        params=(Param("nth", "int", low=0),), note="missing, too, where there are fewer values; missing values are not counted"),
    _op("vec_percentage", "quantile q (the lower value of the two around it)", fast("vec_percentage", order="x q", level="consultant", renames=(("percentage", "q"),), example=by_hand("values 2, 3, 5, 9: vec_percentage(x) = 3")),
        params=(Param("q", "float", 0.5, low=0.0, high=1.0),), note="the platform's text says percentile only; read as ts_percentage is"),
    _op("vec_skew", "third standardised moment (divisor n)", fast("vec_skewness", order="x", level="consultant", example=by_hand("values 0, 0, 3: vec_skewness(x) = 0.7071")), exponent="invariant",
        note="missing where all values are equal; the platform's text says skewness only"),
    _op("vec_kurt", "fourth standardised moment (divisor n), less 3,", fast("vec_kurtosis", order="x", level="consultant", example=by_hand("values 0, 0, 3: vec_kurtosis(x) = -1.5")), exponent="invariant",
        note="missing where all values are equal; the platform's text says kurtosis only, read as ts_kurtosis is"),
)  # fmt: skip


def _filter(given: Mapping[str, Any]) -> Node:
    words = given["value"].replace(",", " ").lower().split()
    if set(words) != {"nan"}:
        raise ValueError('only value="nan" runs: a vector is read as stored, less its missing values')
    vector: Node = given["vec"]
    return vector


COMPOSITES = (
    Composite(
        dialect="fastexpr",
        names=("vec_filter",),
        slots=(Arg("vec", "vector"), Param("value", "text", "nan")),
        result="vector",
        level="consultant",
        build=_filter,
        definition="the vector less its missing values, which every vec_ word leaves out",
        source=BRAIN,
        note="values other than nan cannot be taken out",
        example=by_hand("values 2, nan, 4: vec_avg(vec_filter(x)) = 3"),
    ),
    Composite(
        dialect="fastexpr",
        names=("vec_ir",),
        slots=_LIST,
        level="consultant",
        build=lambda g: Call("div", (Call("vec_avg", (g["x"],)), Call("vec_std", (g["x"],)))),
        definition="mean / standard deviation (divisor n) of the day's values",
        source=BRAIN,
    ),
)
