"""Short ways to write the entries of the op table."""

from __future__ import annotations

from assay.expr._op import Arg, DialectName, Example, Form, Level, Param
from assay.expr._tree import ParamValue

BRAIN = "WorldQuant BRAIN operator documentation"
QLIB = "qlib, qlib.data.ops"
PAPER101 = "Kakushadze (2016), 101 Formulaic Alphas, appendix A"
GTJA = "Guotai Junan (2017), Short-period price-volume features for multi-factor models"
PANDAS = "pandas, window functions"
ASSAY = "Assay numeric conventions"

X = (Arg("x"),)
XY = (Arg("x"), Arg("y"))
XG = (Arg("x"), Arg("group", "group"))
W = Param("window", "int", low=1, description="bars, the current one included")
SHIFT = Param("window", "int", low=1, description="bars back")
MP = Param("min_periods", "int", 0, low=0, description="valid values needed; 0 = the whole window")
WMP = (W, MP)
DDOF = Param("ddof", "int", 0, low=0, high=1, description="divisor n - ddof")

WINDOW_NAMES = (("d", "window"), ("lookback", "window"), ("n", "window"), ("window", "window"))


def example(text: str, source: str = BRAIN) -> Example:
    return Example(text, source)


def by_hand(text: str) -> Example:
    return Example(text, "worked out by hand", published=False)


def fast(
    *names: str,
    order: str = "",
    level: Level = "user",
    note: str = "",
    example: Example | None = None,
    symbol: str = "",
    variadic: bool = False,
    renames: tuple[tuple[str, str], ...] = (),
    defaults: tuple[tuple[str, ParamValue], ...] = (),
    inert: tuple[tuple[str, str], ...] = (),
    **presets: ParamValue,
) -> Form:
    """BRAIN's FASTEXPR. Windows may be named ``d`` or ``lookback`` there."""
    return Form(
        "fastexpr",
        names,
        tuple(order.split()),
        tuple(presets.items()),
        (*renames, *WINDOW_NAMES),
        defaults,
        symbol,
        variadic,
        True,
        level,
        example,
        note,
        inert,
    )


def _plain(
    dialect: DialectName,
    names: tuple[str, ...],
    order: str,
    symbol: str,
    note: str,
    variadic: bool,
    presets: dict[str, ParamValue],
    runnable: bool = True,
) -> Form:
    return Form(
        dialect,
        names,
        tuple(order.split()),
        tuple(presets.items()),
        symbol=symbol,
        note=note,
        variadic=variadic,
        runnable=runnable,
    )


def qlib(*names: str, order: str = "", symbol: str = "", note: str = "", **presets: ParamValue) -> Form:
    return _plain("qlib", names, order, symbol, note, False, presets)


def a101(*names: str, order: str = "", symbol: str = "", note: str = "", **presets: ParamValue) -> Form:
    return _plain("alpha101", names, order, symbol, note, False, presets)


def a191(*names: str, order: str = "", symbol: str = "", note: str = "", **presets: ParamValue) -> Form:
    return _plain("alpha191", names, order, symbol, note, False, presets)


def report(
    *names: str,
    order: str = "",
    symbol: str = "",
    note: str = "",
    runnable: bool = True,
    **presets: ParamValue,
) -> Form:
    return _plain("report", names, order, symbol, note, False, presets, runnable)


def core(*names: str, order: str = "", symbol: str = "", variadic: bool = False) -> Form:
    return _plain("core", names, order, symbol, "", variadic, {})
