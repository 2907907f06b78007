from __future__ import annotations

from assay.expr._op import Arg, Composite, Form, Op
from assay.expr._ops._write import BRAIN, by_hand, fast
from assay.expr._tree import Call

_CATEGORY = "vector"


def _op(name: str, definition: str, form: Form, *, zero: bool = False) -> Op:
    return Op(
        name=name,
        category=_CATEGORY,
        args=(Arg("x", "vector"),),
        scope="vector",
        exponent="zero" if zero else "same",
        missing="skip",
        definition=f"{definition} of the day's values; missing where there are none",
        source=BRAIN,
        forms=(form,),
    )


OPS = (
    _op("vec_sum", "sum", fast("vec_sum", order="x", example=by_hand("values 2, 3, 5: vec_sum(x) = 10"))),
    _op("vec_avg", "mean", fast("vec_avg", order="x", example=by_hand("values 2, 3, 4: vec_avg(x) = 3"))),
    _op("vec_min", "smallest", fast("vec_min", order="x", level="consultant")),
    _op("vec_max", "largest", fast("vec_max", order="x", level="consultant")),
    _op("vec_count", "number", fast("vec_count", order="x", level="consultant"), zero=True),
    _op("vec_std", "standard deviation (divisor n)", fast("vec_stddev", order="x", level="consultant")),
    _op("vec_median", "median", fast("vec_median", order="x", level="consultant")),
    _op("vec_range", "largest less smallest", fast("vec_range", order="x", level="consultant")),
)  # fmt: skip

COMPOSITES = (
    Composite(
        dialect="fastexpr",
        names=("vec_ir",),
        slots=(Arg("x", "vector"),),
        level="consultant",
        build=lambda g: Call("div", (Call("vec_avg", (g["x"],)), Call("vec_std", (g["x"],)))),
        definition="mean / standard deviation (divisor n) of the day's values",
        source=BRAIN,
    ),
)
