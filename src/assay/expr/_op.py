from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

from assay.expr._tree import Node, Params, ParamValue

if TYPE_CHECKING:
    import numpy as np

Kind: TypeAlias = Literal["number", "bool", "group", "vector", "any"]
"""Kind of a value. ``any`` is a field nobody described: it fits wherever it stands."""

ParamType: TypeAlias = Literal["int", "float", "bool", "text"]

Scope: TypeAlias = Literal["element", "time", "section", "group", "vector"]
"""What one result looks at: its own bar, the past of its instrument, a date, a group of a date, a list."""

ExponentRule: TypeAlias = Literal[
    "clip", "compare", "covariance", "cross", "difference", "dimensionless", "exponential", "fill",
    "first", "invariant", "logarithm", "moment", "power", "product", "quotient", "regression", "root",
    "same", "scale_free", "select", "shift_free", "square", "sum", "threshold", "window_product",
    "window_sum", "zero",
]  # fmt: skip
"""How an adjustment factor passes through an op; see ``assay.expr.exponent``."""

LookbackRule: TypeAlias = Literal["none", "window", "delay", "window_lag", "span"]
"""Bars an op adds: 0, w-1, w, w-1+lag, ceil(span)-1."""

MissingRule: TypeAlias = Literal["propagate", "strict", "skip", "pairs", "never", "defined"]
"""Missing inputs: give missing; spoil the window (see ``min_periods``); are skipped; drop the pair;
never give missing; as the definition says."""

DialectName: TypeAlias = Literal["core", "report", "fastexpr", "qlib", "alpha101", "alpha191"]

Level: TypeAlias = Literal["user", "consultant", "legacy", ""]
"""On the BRAIN platform: open to every user, to consultants, or a name from before 2016."""


@dataclass(frozen=True, slots=True)
class Arg:
    """A data input."""

    name: str
    kind: Kind = "number"


@dataclass(frozen=True, slots=True)
class Param:
    """A literal parameter. ``default=None`` makes it required unless ``optional``; bounds are inclusive."""

    name: str
    type: ParamType = "int"
    default: ParamValue | None = None
    low: float | None = None
    high: float | None = None
    choices: tuple[str, ...] = ()
    description: str = ""
    optional: bool = False


@dataclass(frozen=True, slots=True)
class Example:
    """A value that a public text states, or that was worked out by hand (``published=False``)."""

    text: str
    source: str
    published: bool = True


@dataclass(frozen=True, slots=True)
class Form:
    """How one dialect writes an op.

    Parameters
    ----------
    names : accepted names, the first is printed.
    order : names of inputs and parameters in written order; empty = as the op declares them.
    presets : parameters this dialect fixes.
    renames : ``(written, canonical)`` names of arguments.
    defaults : defaults that differ from the op's own.
    symbol : infix or prefix operator, printed instead of the name.
    variadic : takes two or more inputs, folded from the left.
    runnable : False for a word the dialect knows and nobody can evaluate.
    inert : arguments that older lists of the platform name, each with the one value that changes nothing.
    """

    dialect: DialectName
    names: tuple[str, ...]
    order: tuple[str, ...] = ()
    presets: tuple[tuple[str, ParamValue], ...] = ()
    renames: tuple[tuple[str, str], ...] = ()
    defaults: tuple[tuple[str, ParamValue], ...] = ()
    symbol: str = ""
    variadic: bool = False
    runnable: bool = True
    level: Level = ""
    example: Example | None = None
    note: str = ""
    inert: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Op:
    """One entry of the op table: what a formula's operator takes, gives and means.

    A custom op (entry point group ``assay.ops``) sets ``evaluate(inputs, params) -> array``: float32
    arrays ``(T, N)`` in the order of ``args`` (groups int32, -1 = none), ``params`` by name.
    """

    name: str
    category: str
    args: tuple[Arg, ...]
    params: tuple[Param, ...] = ()
    result: Kind = "number"
    scope: Scope = "element"
    commutative: bool = False
    associative: bool = False
    stateful: bool = False
    exponent: ExponentRule
    lookback: LookbackRule = "none"
    missing: MissingRule = "propagate"
    definition: str
    source: str
    example: Example | None = None
    platform_note: str = ""
    forms: tuple[Form, ...] = ()
    evaluate: Callable[[Sequence[np.ndarray], Mapping[str, ParamValue]], np.ndarray] | None = None
    param_index: Mapping[str, int] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "param_index", {p.name: i for i, p in enumerate(self.params)})

    def form(self, dialect: str) -> Form | None:
        """The way ``dialect`` writes this op, or None."""
        for form in self.forms:
            if form.dialect == dialect:
                return form
        return None

    def fill(self, given: Mapping[str, ParamValue]) -> Params:
        """All parameters in declared order, defaults filled.

        Raises
        ------
        KeyError
            A required parameter is not given, or a given one does not exist.
        """
        unknown = set(given) - set(self.param_index)
        if unknown:
            raise KeyError(f"op {self.name!r} has no parameter {min(unknown)!r}")
        values: list[tuple[str, ParamValue]] = []
        for param in self.params:
            value = given.get(param.name, param.default)
            if value is None:
                raise KeyError(f"op {self.name!r} needs the parameter {param.name!r}")
            values.append((param.name, coerce(param, value)))
        return tuple(values)


@dataclass(frozen=True, slots=True, kw_only=True)
class Composite:
    """A word of a dialect that stands for a small tree of ops.

    ``slots`` are its written arguments in order; ``build`` gets them by name, inputs as nodes and
    parameters as values (None for an optional one left out), and returns the tree. ``variadic``: the
    inputs come as one tuple under ``inputs``.
    """

    dialect: DialectName
    names: tuple[str, ...]
    slots: tuple[Arg | Param, ...]
    build: Callable[[Mapping[str, Any]], Node]
    result: Kind = "number"
    variadic: bool = False
    level: Level = ""
    definition: str
    source: str
    example: Example | None = None
    note: str = ""


def coerce(param: Param, value: ParamValue) -> ParamValue:
    """``value`` as the parameter's type, so that equal trees hold equal values."""
    if param.type == "int":
        return int(value)
    if param.type == "float":
        return float(value) + 0.0
    if param.type == "bool":
        return bool(value)
    return str(value)
