"""The formula of a spec: how far it comes, which names it uses, and which other one it equals."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import Final, Literal

from assay.errors import Refusal
from assay.expr import (
    REPORT_FIELDS,
    Call,
    DialectName,
    Expression,
    Field,
    Node,
    check,
    fingerprint,
    op_table,
    walk,
)
from assay.spec._reasons import NO_FIELD, OFF_WHITELIST
from assay.spec._spec import FactorSpec, Neutralization

REPORT: Final[DialectName] = "report"

_COMMENT: Final = re.compile(r"#[^\n]*|/\*.*?\*/", re.DOTALL)
_NAME: Final = re.compile(r"\$([A-Za-z_][\w.]*)|(?<![\w.$])([A-Za-z_]\w*)\s*\(")

ExprLevel = Literal["unparsed", "parsed", "typed", "runnable"]


@dataclass(frozen=True, slots=True)
class Whitelist:
    """The names that a spec may use: functions (infix symbols always), and fields without ``$``."""

    ops: tuple[str, ...]
    fields: tuple[str, ...]


@lru_cache(maxsize=1)
def whitelist() -> Whitelist:
    """The named ops and the fields of the report dialect, as the op table has them."""
    forms = [form for op in op_table().values() if (form := op.form(REPORT)) is not None]
    return Whitelist(
        ops=tuple(name for form in forms for name in form.names if not form.symbol),
        fields=tuple(REPORT_FIELDS),
    )


@dataclass(frozen=True, slots=True)
class ReportExpr:
    """How far the formula of a spec comes.

    Parameters
    ----------
    level : ``runnable`` where an engine can evaluate it.
    expression : from level typed on.
    refusal : what stopped it, None where it runs: a reason of ``expr`` (``unsupported_op`` and
        ``unsupported_field`` for whitelisted names that nothing evaluates), ``off_whitelist``, ``no_field``.
    off_whitelist : names that the formula uses and the dialect does not list, in the order of the text.
    windows : the bar counts in the order of the text, repeated ones repeated.
    """

    text: str
    level: ExprLevel
    expression: Expression | None
    refusal: Refusal | None
    off_whitelist: tuple[str, ...] = ()
    windows: tuple[int, ...] = ()

    @property
    def runnable(self) -> bool:
        """Whether an engine can evaluate it."""
        return self.level == "runnable"

    @property
    def unsupported(self) -> bool:
        """Whether it stops only at a whitelisted name that nothing evaluates."""
        return self.refusal is not None and self.refusal.reason.code in (
            "unsupported_op",
            "unsupported_field",
        )


def read_expr(spec: FactorSpec | str) -> ReportExpr:
    """Read the formula of a spec in the report dialect; raises nothing.

    A name outside the whitelist is reported by name, even one that the language knows in other dialects, or
    a field that the data has.
    """
    text = spec if isinstance(spec, str) else spec.expr
    result = check(text, REPORT)
    if result.program is None:
        return ReportExpr(text, "unparsed", None, result.error)
    unlisted = _unlisted(text)
    if unlisted:
        refusal = Refusal(
            OFF_WHITELIST,
            f"outside the whitelist: {', '.join(unlisted)}",
            where="expr",
            details={"names": list(unlisted)},
        )
        return ReportExpr(text, "parsed", None, refusal, unlisted)
    expression = result.expression
    if expression is None:
        return ReportExpr(text, "parsed", None, result.error)
    windows = tuple(windows_in(expression.node))
    if result.error is not None:
        return ReportExpr(text, "typed", expression, result.error, windows=windows)
    if expression.kind != "number" or not _reads_numbers(expression.node):
        # a constant and a group have values, and neither is a factor
        return ReportExpr(text, "typed", expression, Refusal(NO_FIELD, where="expr"), windows=windows)
    return ReportExpr(text, "runnable", expression, None, windows=windows)


def windows_in(node: Node) -> Iterator[int]:
    """The bar counts of a tree in the order in which the report dialect writes them."""
    if not isinstance(node, Call):
        return
    for arg in node.args:
        yield from windows_in(arg)
    for name, value in node.params:
        if name == "window" and isinstance(value, int):
            yield value


def same_formula(a: str, b: str, *, neutralization: Neutralization = "undeclared") -> bool:
    """Whether two texts of the report dialect are one formula, up to rounding.

    Brackets, order of sums and products, and wrappers that change nothing (``1 * x``, ``x + 0``, ``-(-x)``)
    do not matter. Where the neutralisation declares the industry, an outermost ``INDUSTRY_NEUTRALIZE`` by
    ``$industry`` says the same again and does not matter either. Texts that cannot be typed equal nothing.
    """
    first, second = read_expr(a).expression, read_expr(b).expression
    if first is None or second is None:
        return False
    peel = neutralization in ("industry", "industry_size")
    return _identity(first.node, peel) == _identity(second.node, peel)


def neutralizes_industry(node: Node) -> bool:
    """Whether a tree neutralises by industry anywhere."""
    return any(isinstance(part, Call) and part.op == "group_zscore" for part in walk(node))


def _identity(node: Node, peel: bool) -> str:
    while peel and isinstance(node, Call) and node.op == "group_zscore" and node.args[1] == Field("industry"):
        node = node.args[0]
    return fingerprint(node)


def _reads_numbers(node: Node) -> bool:
    return any(isinstance(part, Field) and part.name != "industry" for part in walk(node))


def _unlisted(text: str) -> tuple[str, ...]:
    """Names of a text that parses which are not on the list, each once, in order."""
    allowed = whitelist()
    names: dict[str, None] = {}
    for match in _NAME.finditer(_COMMENT.sub(" ", text)):
        field, function = match.groups()
        if field is not None and field.lower() not in allowed.fields:
            names[f"${field}"] = None
        elif function is not None and function not in allowed.ops:
            names[function] = None
    return tuple(names)
