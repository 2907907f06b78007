# ruff: noqa: E501 - an entry of the op table is read best on one line

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from assay.expr._op import Arg, Composite, DialectName, ExponentRule, Form, Op, Param
from assay.expr._ops._write import (
    ASSAY,
    BRAIN,
    GTJA,
    PAPER101,
    XY,
    X,
    a101,
    a191,
    by_hand,
    core,
    fast,
    qlib,
    report,
)  # fmt: skip
from assay.expr._tree import Call, Constant, Node

_CATEGORY = "arithmetic"
_FILTER = Param("filter", "bool", False, description="replace missing inputs by the neutral element")


def _infix(
    name: str, symbol: str, exponent: ExponentRule, definition: str, forms: tuple[Form, ...], commutes: bool
) -> Op:
    shared = (
        core(name, symbol=symbol),
        report(symbol=symbol),
        a101(symbol=symbol),
        a191(symbol=symbol),
        *forms,
    )
    return Op(
        name=name,
        category=_CATEGORY,
        args=XY,
        commutative=commutes,
        associative=commutes,
        exponent=exponent,
        definition=definition,
        source=ASSAY,
        forms=shared,
    )


def _unary(name: str, exponent: ExponentRule, definition: str, *forms: Form, note: str = "") -> Op:
    return Op(
        name=name,
        category=_CATEGORY,
        args=X,
        exponent=exponent,
        definition=definition,
        source=ASSAY,
        platform_note=note,
        forms=forms,
    )


OPS = (
    _infix(
        "add", "+", "sum", "x + y", (
            fast("add", order="x y", symbol="+", variadic=True),
            qlib("Add", symbol="+"),
        ), True,
    ),
    _infix(
        "sub", "-", "difference", "x - y", (
            fast("subtract", order="x y", symbol="-", variadic=True),
            qlib("Sub", symbol="-"),
        ), False,
    ),
    _infix(
        "mul", "*", "product", "x * y", (
            fast("multiply", order="x y", symbol="*", variadic=True),
            qlib("Mul", symbol="*"),
        ), True,
    ),
    _infix(
        "div", "/", "quotient", "x / y; missing where y is 0", (
            fast("divide", order="x y", symbol="/", example=by_hand("divide(6, 4) = 1.5")),
            qlib("Div", symbol="/", note="x/0 is infinite there, missing here"),
        ), False,
    ),
    Op(
        name="neg", category=_CATEGORY, args=X, exponent="same", definition="-x", source=ASSAY,
        forms=(core("neg", symbol="-"), report(symbol="-"), a101(symbol="-"), a191(symbol="-"), qlib(symbol="-"),
               fast("reverse", symbol="-", example=by_hand("reverse(3) = -3"))),
    ),
    _unary("abs", "same", "absolute value of x", fast("abs", example=by_hand("abs(-3) = 3")), qlib("Abs"), a101("abs"), a191("ABS"), report("ABS")),
    _unary("sign", "invariant", "1 where x > 0, -1 where x < 0, 0 where x is 0",
           fast("sign", example=by_hand("sign(-3) = -1, sign(0) = 0")), qlib("Sign"), a101("sign"), a191("SIGN"), report("SIGN")),
    _unary("log", "logarithm", "natural logarithm; missing where x <= 0",
           fast("log", example=by_hand("log(1) = 0, log(2.718281828) = 1")), qlib("Log"), a101("log"), a191("LOG"), report("LOG")),
    _unary("exp", "exponential", "e to the power x", fast("exp", level="consultant"), qlib("Exp"), a191("EXP")),
    _unary("sqrt", "root", "square root; missing where x < 0", fast("sqrt", example=by_hand("sqrt(9) = 3")), qlib("Sqrt"), a191("SQRT")),
    _unary("floor", "dimensionless", "largest integer not above x", fast("floor", level="consultant")),
    _unary("ceil", "dimensionless", "smallest integer not below x", fast("ceiling", level="consultant")),
    _unary("round", "dimensionless", "nearest integer, halves to the even one", fast("round", level="consultant")),
    _unary("tanh", "dimensionless", "hyperbolic tangent", fast("tanh", level="consultant")),
    _unary("sigmoid", "dimensionless", "1 / (1 + exp(-x))", fast("sigmoid", level="consultant")),
    _unary("arctan", "dimensionless", "inverse tangent", fast("arc_tan", level="consultant")),
    _unary("signed_log1p", "dimensionless", "sign(x) * log(1 + abs(x))", fast("s_log_1p", level="consultant")),
    Op(
        name="power", category=_CATEGORY, args=XY, exponent="power", missing="defined",
        definition="x to the power y; missing where that is not a real number", source=ASSAY,
        forms=(core("power", symbol="^"), fast("power", order="x y", symbol="^", example=by_hand("power(2, 3) = 8; power(-8, 0.5) is missing")),
               qlib("Power", symbol="**"), a101("power", symbol="^"), a191("POWER", symbol="^")),
    ),
    Op(
        name="signed_power", category=_CATEGORY, args=XY, exponent="power",
        definition="sign(x) * abs(x) ^ y", source=BRAIN,
        platform_note="the 2016 paper defines signedpower(x, a) as x^a; BRAIN's text keeps the sign, and is followed",
        forms=(fast("signed_power", "signedpower", order="x y", example=by_hand("signed_power(-3, 2) = -9")), a101("SignedPower")),
    ),
    Op(
        name="maximum", category=_CATEGORY, args=XY, commutative=True, associative=True, exponent="same",
        definition="the larger of x and y", source=ASSAY,
        forms=(fast("max", order="x y", variadic=True, example=by_hand("max(1, 5, 3) = 5")), qlib("Greater")),
    ),
    Op(
        name="minimum", category=_CATEGORY, args=XY, commutative=True, associative=True, exponent="same",
        definition="the smaller of x and y", source=ASSAY,
        forms=(fast("min", order="x y", variadic=True, example=by_hand("min(1, 5, 3) = 1")), qlib("Less")),
    ),
    Op(
        name="clip", category=_CATEGORY, args=X, params=(Param("low", "float"), Param("high", "float")), exponent="clip",
        definition="x, not below low and not above high", source=ASSAY, forms=(qlib("Clip"),),
    ),
    Op(
        name="fill_missing", category=_CATEGORY, args=X, params=(Param("value", "float", 0.0),), exponent="fill", missing="never",
        definition="x, and value where x is missing", source=ASSAY, forms=(),
    ),
    Op(
        name="fraction", category=_CATEGORY, args=X, exponent="dimensionless",
        definition="sign(x) * (abs(x) - floor(abs(x)))", source=BRAIN, forms=(fast("fraction", level="consultant"),),
    ),
)  # fmt: skip


def _filtered(op: str, neutral: float) -> Any:
    def build(given: Mapping[str, Any]) -> Node:
        inputs: tuple[Node, ...] = given["inputs"]
        if given["filter"]:
            inputs = tuple(Call("fill_missing", (x,), (("value", neutral),)) for x in inputs)
        result = inputs[0]
        for other in inputs[1:]:
            result = Call(op, (result, other))
        return result

    return build


def _series_or_pair(element: str, series: str) -> Any:
    """``max(x, 5)`` is a window of 5 bars in the paper; ``max(x, y)`` is the larger of two."""

    def build(given: Mapping[str, Any]) -> Node:
        x, y = given["x"], given["y"]
        if isinstance(y, Constant) and y.value >= 1:
            return Call(series, (x,), (("window", int(y.value)), ("min_periods", 0)))
        return Call(element, (x, y))

    return build


_PAPER_EXTREMES: tuple[tuple[DialectName, str, tuple[str, str]], ...] = (
    ("alpha101", PAPER101, ("max", "min")),
    ("alpha191", GTJA, ("MAX", "MIN")),
)

COMPOSITES = (
    *(
        Composite(
            dialect="fastexpr", names=(name,), slots=(*XY, _FILTER), variadic=True, level="user",
            build=_filtered(op, neutral), definition=f"{op} of the inputs from the left; filter=true takes {neutral:g} for a missing one",
            source=BRAIN, example=by_hand(shown),
        )
        for name, op, neutral, shown in (
            ("add", "add", 0.0, "add(1, 2, 3) = 6; add(nan, 2, filter=true) = 2"),
            ("subtract", "sub", 0.0, "subtract(5, 2) = 3; subtract(nan, 2, filter=true) = -2"),
            ("multiply", "mul", 1.0, "multiply(2, 3, 4) = 24; multiply(nan, 3, filter=true) = 3"),
        )
    ),
    Composite(
        dialect="fastexpr", names=("inverse",), slots=X, level="user",
        build=lambda g: Call("div", (Constant(1.0), g["x"])), definition="1 / x", source=BRAIN,
        example=by_hand("inverse(4) = 0.25"),
    ),
    Composite(
        dialect="qlib", names=("Reciprocal",), slots=X,
        build=lambda g: Call("div", (Constant(1.0), g["x"])), definition="1 / x", source="qlib-style formula collections",
    ),
    Composite(
        dialect="fastexpr", names=("to_nan",), level="consultant",
        slots=(Arg("x"), Param("value", "float", 0.0), Param("reverse", "bool", False)),
        build=lambda g: Call(
            "where",
            (Call("ne" if not g["reverse"] else "eq", (g["x"], Constant(g["value"]))), g["x"], Constant(float("nan"))),
        ),
        definition="missing where x equals value; reverse=true: missing everywhere else", source=BRAIN,
    ),
    Composite(
        dialect="fastexpr", names=("pasteurize",), slots=X, level="consultant", build=lambda g: g["x"],
        definition="x: infinite values are missing here at every node, and the universe masks outside", source=BRAIN,
    ),
    *(
        Composite(
            dialect=dialect, names=(name,), slots=XY, build=_series_or_pair(element, series),
            definition=f"{series} when the second input is a number >= 1, else {element}", source=source,
        )
        for dialect, source, names in _PAPER_EXTREMES
        for name, element, series in ((names[0], "maximum", "ts_max"), (names[1], "minimum", "ts_min"))
    ),
)  # fmt: skip
