# ruff: noqa: E501 - an entry of the op table is read best on one line

from __future__ import annotations

import math
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
    example,
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
        forms=(fast("signed_power", order="x y", example=by_hand("signed_power(-3, 2) = -9")), a101("SignedPower")),
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


_NAN = Constant(float("nan"))


def values_of(text: str) -> tuple[float, ...]:
    """The numbers of ``"1 2 nan"`` or ``"1, 2, nan"``; ValueError when they are none."""
    try:
        found = tuple(float(part) for part in text.replace(",", " ").split())
    except ValueError:
        raise ValueError(f"{text[:40]!r} is no list of numbers") from None
    if not found or any(math.isinf(value) for value in found):
        raise ValueError(f"{text[:40]!r} is no list of numbers")
    return found


def _between(given: Mapping[str, Any], inside: Node) -> Node:
    """``inside`` where x lies between the bounds, else x."""
    x = given["x"]
    above = Call("gt", (x, Constant(given["lower"])))
    return Call("where", (Call("and", (above, Call("lt", (x, Constant(given["upper"]))))), inside, x))


def _clamp(given: Mapping[str, Any]) -> Node:
    x, lower, upper, mask = given["x"], given["lower"], given["upper"], given["mask"].strip().lower()
    if lower > upper:
        raise ValueError("lower is above upper")
    if not given["inverse"]:
        return Call("clip", (x,), (("low", lower), ("high", upper)))
    if mask == "nearest_bound":
        nearer = Call("lt", (x, Constant(0.5 * (lower + upper))))
        return _between(given, Call("where", (nearer, Constant(lower), Constant(upper))))
    if mask in ("", "mean"):
        raise ValueError(
            'inverse=true needs mask: a number, "NAN" or "nearest_bound" (what "mean" averages is not published)'
        )
    values = values_of(mask)
    if len(values) != 1:
        raise ValueError("mask is one number")
    return _between(given, Constant(values[0]))


def _nan_out(given: Mapping[str, Any]) -> Node:
    x: Node = given["x"]
    result = x
    if given["lower"] is None and given["upper"] is None:
        raise ValueError("needs lower or upper")
    if given["upper"] is not None:
        result = Call("where", (Call("gt", (x, Constant(given["upper"]))), _NAN, result))
    if given["lower"] is not None:
        result = Call("where", (Call("lt", (x, Constant(given["lower"]))), _NAN, result))
    return result


def _replace(given: Mapping[str, Any]) -> Node:
    x: Node = given["x"]
    targets, values = values_of(given["target"]), values_of(given["dest"])
    if len(values) == 1:
        values *= len(targets)
    if len(values) != len(targets):
        raise ValueError("dest needs one value, or one for each of target")
    pairs = list(zip(targets, values, strict=True))
    result = x
    for target, value in reversed([pair for pair in pairs if not math.isnan(pair[0])]):
        result = Call("where", (Call("eq", (x, Constant(target))), Constant(value), result))
    for value in [value for target, value in pairs if math.isnan(target)][:1]:
        result = Call("where", (Call("is_missing", (x,)), Constant(value), result))
    return result


def _nan_mask(given: Mapping[str, Any]) -> Node:
    mask = Call("fill_missing", (given["y"],), (("value", 0.0),))
    return Call("where", (Call("lt", (mask, Constant(0.0))), _NAN, given["x"]))


def _round_down(given: Mapping[str, Any]) -> Node:
    x, f = given["x"], given["f"]
    if f <= 0:
        raise ValueError("f must be above 0")
    if f == 1:
        return Call("floor", (x,))
    return Call("mul", (Call("floor", (Call("div", (x, Constant(f))),)), Constant(f)))


def _arc_sine(x: Node) -> Node:
    """2 atan(x / (1 + sqrt((1 - x)(1 + x)))): right up to both ends, missing beyond them."""
    one = Constant(1.0)
    root = Call("sqrt", (Call("mul", (Call("sub", (one, x)), Call("add", (one, x)))),))
    return Call("mul", (Constant(2.0), Call("arctan", (Call("div", (x, Call("add", (one, root)))),))))


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
        dialect="fastexpr", names=("nan_mask",), slots=XY, level="consultant", build=_nan_mask, source=BRAIN,
        definition="missing where y < 0, else x",
        note="x is kept where y is missing, as a missing y is not negative",
        example=by_hand("x = 5, y = -1: nan_mask(x, y) is missing"),
    ),
    Composite(
        dialect="fastexpr", names=("nan_out",), level="consultant", build=_nan_out, source=BRAIN,
        slots=(Arg("x"), Param("lower", "float", optional=True), Param("upper", "float", optional=True)),
        definition="missing where x < lower or x > upper, else x; at least one of the two is needed",
        note="a bound left out does not bind", example=by_hand("nan_out(3, upper=2) is missing"),
    ),
    Composite(
        dialect="fastexpr", names=("replace",), level="consultant", build=_replace, source=BRAIN,
        slots=(Arg("x"), Param("target", "text"), Param("dest", "text")),
        definition='the value of dest that stands at the place of x in target, else x; one value in dest is taken for all of target; values are separated by blanks or commas, "nan" is a missing one',
        example=by_hand('x = 1, 2, 3: replace(x, target="1 2", dest="7 8") = 7, 8, 3'),
    ),
    Composite(
        dialect="fastexpr", names=("clamp",), level="consultant", build=_clamp, source=BRAIN,
        slots=(Arg("x"), Param("lower", "float", 0.0), Param("upper", "float", 0.0), Param("inverse", "bool", False), Param("mask", "text", "")),
        definition='x, not below lower and not above upper; inverse=true: mask where lower < x < upper, else x; mask is a number, "NAN" or "nearest_bound" (the upper one halfway)',
        example=by_hand("clamp(5, lower=-1, upper=2) = 2"),
    ),
    Composite(
        dialect="fastexpr", names=("tail",), level="consultant", source=BRAIN,
        slots=(Arg("x"), Param("lower", "float", 0.0), Param("upper", "float", 0.0), Param("newval", "float", 0.0)),
        build=lambda g: _between(g, Constant(g["newval"])), definition="newval where lower < x < upper, else x",
        example=by_hand("x = 1, 2, 3: tail(x, lower=1, upper=3, newval=0) = 1, 0, 3"),
    ),
    Composite(
        dialect="fastexpr", names=("round_down",), slots=(Arg("x"), Param("f", "float", 1.0)), level="consultant",
        build=_round_down, definition="largest multiple of f not above x", source=BRAIN,
        example=example("x = 2.5, 3.2, 5.4: round_down(x) = 2, 3, 5"),
    ),
    Composite(
        dialect="fastexpr", names=("arc_sin",), slots=X, level="consultant", source=BRAIN,
        build=lambda g: _arc_sine(g["x"]), definition="inverse sine; missing outside [-1, 1]",
        example=by_hand("arc_sin(1) = 1.5708"),
    ),
    Composite(
        dialect="fastexpr", names=("arc_cos",), slots=X, level="consultant", source=BRAIN,
        build=lambda g: Call("sub", (Constant(0.5 * math.pi), _arc_sine(g["x"]))),
        definition="inverse cosine; missing outside [-1, 1]", example=by_hand("arc_cos(-1) = 3.1416"),
    ),
    Composite(
        dialect="fastexpr", names=("purify",), slots=X, level="consultant", build=lambda g: g["x"],
        definition="x: infinite values are missing here at every node", source=BRAIN,
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
