"""Level *runnable*, and the one function that takes a text through all three levels."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Literal, TypeAlias

from assay.base import did_you_mean
from assay.errors import ExpressionError, Reason
from assay.expr import _names as names
from assay.expr import _reasons as reasons
from assay.expr._exponent import Exponent, exponent
from assay.expr._fields import STANDARD_FIELDS, FieldInfo
from assay.expr._fingerprint import fingerprint, signature
from assay.expr._limits import Limits, default_limits
from assay.expr._lookback import bars_of, lookback
from assay.expr._lower import Notice, kind_of, lower_program
from assay.expr._op import DialectName, Kind
from assay.expr._parser import parse_syntax
from assay.expr._syntax import Program
from assay.expr._table import op_table
from assay.expr._tokens import error_at, span_at
from assay.expr._tree import Call, Field, Node, distinct, fields_of

Level: TypeAlias = Literal["parsed", "typed", "runnable"]
Policy: TypeAlias = Literal["refuse", "warn", "off"]
FieldList: TypeAlias = Mapping[str, FieldInfo] | Iterable[str]

_FORWARD = ("delay", "delta", "ts_return")


@dataclass(frozen=True)
class Expression:
    """A formula that is parsed and typed. Its tree, and what can be said of it without data."""

    text: str
    dialect: DialectName
    node: Node
    warnings: tuple[Notice, ...] = ()
    known: Mapping[str, FieldInfo] | None = None

    @cached_property
    def lookback(self) -> int:
        """Bars needed for the first value, the current one included."""
        return lookback(self.node)

    @cached_property
    def fields(self) -> tuple[str, ...]:
        """Names of the fields used, sorted."""
        return fields_of(self.node)

    @cached_property
    def kind(self) -> Kind:
        """Kind of the value."""
        return kind_of(self.node, self.known)

    @property
    def size(self) -> int:
        """Nodes of the tree written out."""
        return self.node.size

    @property
    def depth(self) -> int:
        """Levels of the tree."""
        return self.node.depth

    @cached_property
    def exponent(self) -> Exponent:
        """What a stock's adjustment factor does to the value."""
        return exponent(self.node, self.known)

    @cached_property
    def fingerprint(self) -> str:
        """Equal for formulas that are equal up to rounding by the rules of the canonical form."""
        return fingerprint(self.node)

    @cached_property
    def signature(self) -> str:
        """Equal for formulas that differ only by a constant factor."""
        return signature(self.node)


@dataclass(frozen=True, slots=True)
class Check:
    """How far a text came. ``error`` says why not further; nothing is raised.

    Parameters
    ----------
    level : the highest level reached, None when the text does not parse.
    program : the syntax tree, from level parsed on.
    expression : from level typed on.
    fragment : a lone assignment; it parses and has no value.
    """

    text: str
    dialect: DialectName
    level: Level | None
    program: Program | None = None
    expression: Expression | None = None
    error: ExpressionError | None = None
    fragment: bool = False


def parse(
    text: str,
    dialect: DialectName = "core",
    *,
    fields: FieldList | None = None,
    limits: Limits | None = None,
    adjustment: Policy = "off",
    level: Level = "runnable",
) -> Expression:
    """Parse, type and, by default, check that a formula can run.

    Parameters
    ----------
    text : at most 4096 characters; never evaluated as code.
    dialect : core, report, fastexpr, qlib, alpha101 or alpha191.
    fields : the fields that the data has (names, or descriptions by name). Without it the standard
        fields are taken as present, and in ``fastexpr`` any other name as a number of the platform.
    adjustment : what to do when a stock's adjustment factor changes the value.
    level : "typed" leaves out the checks of windows, look-ahead, lookback and fields.

    Raises
    ------
    ExpressionError
        With line, column, what was expected, and names that may have been meant.
    """
    allowed = limits or default_limits(dialect)
    known = _described(fields)
    program = parse_syntax(text, dialect, limits=allowed)
    expression = _typed(program, text, dialect, known, allowed, adjustment)
    if level == "runnable":
        require_runnable(expression, fields=known, limits=allowed)
    return expression


def check(
    text: str,
    dialect: DialectName = "core",
    *,
    fields: FieldList | None = None,
    limits: Limits | None = None,
    adjustment: Policy = "off",
) -> Check:
    """Take a text as far as it comes, and say what stopped it; see :func:`parse` for the arguments."""
    allowed = limits or default_limits(dialect)
    known = _described(fields)
    try:
        program = parse_syntax(text, dialect, limits=allowed)
    except ExpressionError as error:
        return Check(text, dialect, None, error=error)
    fragment = program.fragment
    try:
        expression = _typed(program, text, dialect, known, allowed, adjustment)
    except ExpressionError as error:
        return Check(text, dialect, "parsed", program, error=error, fragment=fragment)
    try:
        require_runnable(expression, fields=known, limits=allowed)
    except ExpressionError as error:
        return Check(text, dialect, "typed", program, expression, error)
    return Check(text, dialect, "runnable", program, expression)


def require_runnable(
    expression: Expression, *, fields: FieldList | None = None, limits: Limits | None = None
) -> None:
    """Refuse a typed formula that cannot run: windows, look-ahead, lookback, ops and fields without data.

    Raises
    ------
    ExpressionError
        At level runnable, with the place of the offending part.
    """
    known = _described(fields)
    _Runnable(expression, known, limits or default_limits(expression.dialect)).check()


def require_windows(expression: Expression) -> None:
    """Refuse a typed formula that reads the future, or whose windows are no fixed number of bars.

    Raises
    ------
    ExpressionError
        At level runnable, with the place of the offending part.
    """
    _Runnable(expression, None, _UNLIMITED).check_windows()


def _described(fields: FieldList | None) -> Mapping[str, FieldInfo] | None:
    if fields is None or isinstance(fields, Mapping):
        return fields
    return {name: STANDARD_FIELDS.get(name, FieldInfo(name, "any")) for name in fields}


def _typed(
    program: Program,
    text: str,
    dialect: DialectName,
    known: Mapping[str, FieldInfo] | None,
    limits: Limits,
    adjustment: Policy,
) -> Expression:
    # places are recorded on the way, because a warning about adjustment, which is common, names one
    record = adjustment != "off"
    lowered = lower_program(program, text, dialect, fields=known, limits=limits, record=record)
    expression = Expression(text, dialect, lowered.node, lowered.notices, known)
    return expression if adjustment == "off" else _with_policy(expression, lowered.spans, adjustment)


def _with_policy(
    expression: Expression, places: Mapping[Node, tuple[int, int]], policy: Policy
) -> Expression:
    """Refuse or mark a formula whose value changes with one stock's adjustment factor."""
    found = expression.exponent
    if found.invariant or found.unknown:
        return expression
    text = expression.text
    # a part that nobody wrote has no place of its own
    start, end = places.get(found.culprit or expression.node, (0, len(text)))
    if policy == "refuse":
        raise error_at(reasons.ADJUSTMENT, found.why, text, start, end, level="typed")
    span = span_at(text, start, end)
    notice = Notice(reasons.ADJUSTMENT.code, found.why, span.line, span.column)
    return Expression(
        text, expression.dialect, expression.node, (*expression.warnings, notice), expression.known
    )


def _place(expression: Expression, part: Node) -> tuple[int, int]:
    """Where a part of the tree stands in the text; the whole text for a part that nobody wrote."""
    program = parse_syntax(expression.text, expression.dialect, limits=_UNLIMITED)
    lowered = lower_program(
        program, expression.text, expression.dialect, fields=expression.known, limits=_UNLIMITED, record=True
    )
    return lowered.spans.get(part, (0, len(expression.text)))


_UNLIMITED = Limits(10**9, 10**9, 10**9, 10**9, 10**9)


class _Runnable:
    def __init__(self, expression: Expression, known: Mapping[str, FieldInfo] | None, limits: Limits) -> None:
        self.expression = expression
        self.known = known
        self.limits = limits

    def check_windows(self) -> None:
        for part in distinct(self.expression.node):
            if isinstance(part, Call):
                self._bounds(part)

    def check(self) -> None:
        parts = distinct(self.expression.node)
        for part in parts:
            if isinstance(part, Call):
                self._call(part)
            elif isinstance(part, Field):
                self._field(part)
        bars = bars_of(parts)
        if bars[self.expression.node] > self.limits.lookback:
            long = next(part for part in parts if bars[part] > self.limits.lookback)
            shown = bars[self.expression.node]
            message = (
                f"the formula needs {shown if shown < 10**9 else 'more than a billion'} bars, "
                f"at most {self.limits.lookback} are allowed"
            )
            raise self._error(reasons.LOOKBACK, message, long)

    def _call(self, call: Call) -> None:
        self._bounds(call)
        form = op_table()[call.op].form(self.expression.dialect)
        if form is not None and not form.runnable:
            message = f"{form.names[0]} is on the list of the dialect, but nothing evaluates it"
            raise self._error(reasons.UNSUPPORTED_OP, message, call)

    def _bounds(self, call: Call) -> None:
        op = op_table()[call.op]
        if op.params and op.params[0].name in ("window", "span"):
            name, window = call.params[0]
            assert not isinstance(window, str)
            if window < 1:
                raise self._window(call, name, window)

    def _window(self, call: Call, name: str, window: float) -> ExpressionError:
        if call.op in _FORWARD and window < 0:
            return self._error(reasons.LOOK_AHEAD, f"a shift of {window} bars reads the future", call)
        if window == 0 and self.expression.dialect == "qlib":
            message = "a window of 0 stands for all history there; give a fixed number of bars"
            return self._error(reasons.EXPANDING, message, call)
        return self._error(reasons.WINDOW_BOUNDS, f"the {name} is {window:g}, at least 1 is needed", call)

    def _field(self, part: Field) -> None:
        name = part.name
        if self.expression.dialect == "report" and name in names.REPORT_WITHOUT_DATA:
            if self.known is None or name not in self.known:
                raise self._error(reasons.UNSUPPORTED_FIELD, f"there is no data for ${name}", part)
            return
        if self.known is None:
            if name in STANDARD_FIELDS or self.expression.dialect == "fastexpr":
                return
            present: Iterable[str] = STANDARD_FIELDS
        elif name in self.known:
            return
        else:
            present = self.known
        near = did_you_mean(name, present)
        raise self._error(reasons.UNKNOWN_FIELD, f"the data has no field {name!r}", part, near)

    def _error(self, reason: Reason, message: str, part: Node, near: tuple[str, ...] = ()) -> ExpressionError:
        start, end = _place(self.expression, part)
        return error_at(reason, message, self.expression.text, start, end, level="runnable", suggestions=near)
