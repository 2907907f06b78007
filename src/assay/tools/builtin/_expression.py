"""Tools that read formulas; no data is touched."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

from pydantic import Field

from assay.errors import ExpressionError, Refusal
from assay.expr import DialectName, Expression, FieldInfo, check, explain, parse
from assay.tools._tool import Arguments, Context, Result, Tool
from assay.tools.builtin._reasons import BAD_DIALECT, BAD_EXPRESSION, MISSING_EXPRESSION

MAX_CHARACTERS = 4096
Fields = Mapping[str, FieldInfo] | None


class FormulaArguments(Arguments):
    expression: str = Field(description="The formula.", min_length=1, max_length=MAX_CHARACTERS)
    dialect: DialectName = Field("core", description="The language in which it is written.")


class NoticeRow(Result):
    code: str
    message: str
    line: int
    column: int


class FaultRow(Result):
    code: str
    message: str
    fix: str
    line: int
    column: int
    expected: list[str]
    did_you_mean: list[str]


class CheckResult(Result):
    ok: bool = Field(description="Whether the formula can be evaluated.")
    level: Literal["parsed", "typed", "runnable"] | None = Field(description="How far it came.")
    error: FaultRow | None
    warnings: list[NoticeRow]
    canonical: str | None
    fingerprint: str | None = Field(description="Equal for formulas that mean the same.")
    lookback: int | None = Field(description="Bars needed for the first value.")


class FieldRow(Result):
    name: str
    kind: str
    unit: str
    description: str


class OpRow(Result):
    name: str
    definition: str


class AdjustmentRow(Result):
    exponent: str = Field(description="Power of a stock's adjustment factor that the value carries.")
    invariant: bool | None
    breaks_at: str | None
    why: str | None


class ExplainResult(Result):
    canonical: str
    fingerprint: str
    signature: str
    kind: str
    lookback: int
    size: int
    depth: int
    fields: list[FieldRow]
    ops: list[OpRow]
    adjustment: AdjustmentRow
    warnings: list[NoticeRow]


def expression_tools(fields: Fields = None) -> tuple[Tool, ...]:
    """``expression.check`` and ``expression.explain`` for these fields (by default the standard ones)."""
    reasons = (MISSING_EXPRESSION, BAD_EXPRESSION, BAD_DIALECT)

    def run_check(arguments: FormulaArguments, context: Context) -> CheckResult:
        return _check(arguments, fields)

    def run_explain(arguments: FormulaArguments, context: Context) -> ExplainResult:
        return _explain(read_formula(arguments.expression, arguments.dialect, fields))

    return (
        Tool(
            "expression.check",
            "Says whether a formula can be evaluated, and if not, where and why. Costs no trial.",
            FormulaArguments,
            CheckResult,
            reasons,
            run_check,
        ),
        Tool(
            "expression.explain",
            "Explains a formula: canonical form, ops, fields, lookback, dependence on adjustment.",
            FormulaArguments,
            ExplainResult,
            reasons,
            run_explain,
        ),
    )


def read_formula(text: str, dialect: DialectName, fields: Fields) -> Expression:
    """The formula, ready to be evaluated.

    Raises
    ------
    Refusal
        ``bad_expression``, with the code and the place of the parser's error in its details.
    """
    try:
        return parse(text, dialect, fields=fields, adjustment="warn")
    except ExpressionError as error:
        details = {"code": error.reason.code, **error.details}
        raise Refusal(BAD_EXPRESSION, error.message, fix=error.fix, details=details) from error


def notices(expression: Expression | None) -> list[NoticeRow]:
    """The warnings of a formula."""
    found = () if expression is None else expression.warnings
    return [NoticeRow(code=n.code, message=n.message, line=n.line, column=n.column) for n in found]


def _check(arguments: FormulaArguments, fields: Fields) -> CheckResult:
    found = check(arguments.expression, arguments.dialect, fields=fields, adjustment="warn")
    known = found.expression
    told = None if known is None or found.error is not None else explain(known)
    return CheckResult(
        ok=told is not None,
        level=found.level,
        error=None if found.error is None else _fault(found.error),
        warnings=notices(known),
        canonical=None if told is None else told["canonical"],
        fingerprint=None if told is None else told["fingerprint"],
        lookback=None if told is None else told["lookback"],
    )


def _fault(error: ExpressionError) -> FaultRow:
    return FaultRow(
        code=error.reason.code,
        message=error.message,
        fix=error.fix or "",
        line=error.span.line,
        column=error.span.column,
        expected=list(error.expected),
        did_you_mean=list(error.suggestions),
    )


def _explain(expression: Expression) -> ExplainResult:
    told = explain(expression)
    breaks = told["breaks_at"] or {"text": None, "why": None}
    plain = ("canonical", "fingerprint", "signature", "kind", "lookback", "size", "depth")
    return ExplainResult(
        **{name: told[name] for name in plain},
        fields=[FieldRow(**{key: row[key] for key in FieldRow.model_fields}) for row in told["fields"]],
        ops=[OpRow(**row) for row in told["ops"]],
        adjustment=AdjustmentRow(
            exponent=told["exponent"],
            invariant=told["invariant"],
            breaks_at=breaks["text"],
            why=breaks["why"],
        ),
        warnings=notices(expression),
    )
