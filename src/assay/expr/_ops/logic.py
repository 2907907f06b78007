# ruff: noqa: E501 - an entry of the op table is read best on one line

from __future__ import annotations

from assay.expr._op import Arg, Composite, Form, Op
from assay.expr._ops._write import ASSAY, XY, a101, a191, by_hand, core, fast, qlib
from assay.expr._tree import Call

_CATEGORY = "logic"
_BOOLS = (Arg("x", "bool"), Arg("y", "bool"))
_INPUTS = (("input1", "x"), ("input2", "y"))


def _compare(
    name: str, symbol: str, meaning: str, platform: str, short: str, *, commutes: bool = False
) -> Op:
    fastexpr = fast(
        platform, symbol=symbol, renames=_INPUTS, example=by_hand(f"1 {symbol} 2 is {int(_TRUTH[symbol])}")
    )
    forms: tuple[Form, ...] = (
        core(name, symbol=symbol),
        fastexpr,
        qlib(short, symbol=symbol),
        a101(symbol=symbol),
        a191(symbol=symbol),
    )
    return Op(
        name=name,
        category=_CATEGORY,
        args=XY,
        result="bool",
        commutative=commutes,
        exponent="compare",
        definition=f"1 where x is {meaning} y, else 0; missing where either is",
        source=ASSAY,
        platform_note="qlib (pandas) gives 0 where an input is missing; here it is missing",
        forms=forms,
    )


_TRUTH = {">": False, ">=": False, "<": True, "<=": True, "==": False, "!=": True}

OPS = (
    _compare("gt", ">", "greater than", "greater", "Gt"),
    _compare("ge", ">=", "at least", "greater_equal", "Ge"),
    _compare("lt", "<", "less than", "less", "Lt"),
    _compare("le", "<=", "at most", "less_equal", "Le"),
    _compare("eq", "==", "equal to", "equal", "Eq", commutes=True),
    _compare("ne", "!=", "different from", "not_equal", "Ne", commutes=True),
    Op(
        name="and", category=_CATEGORY, args=_BOOLS, result="bool", commutative=True, associative=True, exponent="dimensionless",
        definition="1 where both are true, else 0; missing where either is", source=ASSAY,
        forms=(core("and", symbol="&&"), fast("and", symbol="&&", variadic=True, renames=_INPUTS, example=by_hand("and(1, 0) = 0")),
               qlib("And", symbol="&"), a101(symbol="&&"), a191(symbol="&&")),
    ),
    Op(
        name="or", category=_CATEGORY, args=_BOOLS, result="bool", commutative=True, associative=True, exponent="dimensionless",
        definition="1 where at least one is true, else 0; missing where either is", source=ASSAY,
        forms=(core("or", symbol="||"), fast("or", symbol="||", variadic=True, renames=_INPUTS, example=by_hand("or(1, 0) = 1")),
               qlib("Or", symbol="|"), a101(symbol="||"), a191(symbol="||")),
    ),
    Op(
        name="not", category=_CATEGORY, args=(Arg("x", "bool"),), result="bool", exponent="dimensionless",
        definition="1 where x is false, 0 where it is true", source=ASSAY,
        forms=(core("not", symbol="!"), fast("not", symbol="!", example=by_hand("not(1) = 0")), qlib("Not", symbol="~"),
               a101(symbol="!"), a191(symbol="!")),
    ),
    Op(
        name="is_missing", category=_CATEGORY, args=(Arg("x"),), result="bool", exponent="zero", missing="never",
        definition="1 where x is missing, else 0; itself never missing", source=ASSAY,
        forms=(fast("is_nan", renames=(("input", "x"),), example=by_hand("is_nan(nan) = 1, is_nan(3) = 0")),),
    ),
    Op(
        name="where", category=_CATEGORY, args=(Arg("condition", "bool"), *XY), exponent="select", missing="defined",
        definition="x where the condition is true, y where it is false, missing where the condition is missing; the branch not taken may be missing",
        source=ASSAY,
        platform_note="qlib takes y where the condition is missing, as its comparisons with a missing value are false",
        forms=(core("where", symbol="?"), fast("if_else", symbol="?", renames=(("input1", "condition"), ("input2", "x"), ("input3", "y")), example=by_hand("if_else(2 > 1, 10, 20) = 10")),
               qlib("If"), a101(symbol="?"), a191(symbol="?")),
    ),
)  # fmt: skip

COMPOSITES = (
    Composite(
        dialect="fastexpr", names=("is_not_nan",), slots=(Arg("x"),), result="bool", level="consultant",
        build=lambda g: Call("not", (Call("is_missing", (g["x"],)),)), definition="1 where x is present",
        source="WorldQuant BRAIN operator documentation",
    ),
    Composite(
        dialect="fastexpr", names=("is_finite",), slots=(Arg("x"),), result="bool", level="consultant",
        build=lambda g: Call("not", (Call("is_missing", (g["x"],)),)), definition="1 where x is present: infinite values are missing here",
        source="WorldQuant BRAIN operator documentation",
    ),
    Composite(
        dialect="fastexpr", names=("is_not_finite",), slots=(Arg("x"),), result="bool", level="consultant",
        build=lambda g: Call("is_missing", (g["x"],)), definition="1 where x is missing: infinite values are missing here, too",
        source="WorldQuant BRAIN operator documentation",
    ),
)  # fmt: skip
