"""Whether the fields of a spec agree with its formula and with each other."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Literal

from assay.spec._expr import ReportExpr, neutralizes_industry, read_expr
from assay.spec._spec import FactorSpec

DeclarationCode = Literal[
    "windows_differ", "neutralized_undeclared", "neutralization_added", "rebalance_faster"
]

_ORDER: Final = {"daily": 0, "weekly": 1, "monthly": 2}


@dataclass(frozen=True, slots=True)
class DeclarationIssue:
    """One disagreement. ``hard`` ones are refused; the others say what the backtest will do."""

    code: DeclarationCode
    message: str
    hard: bool


def declaration_issues(spec: FactorSpec, expr: ReportExpr | None = None) -> tuple[DeclarationIssue, ...]:
    """Hold the declared fields against the formula, which ``expr`` is, where it was read already.

    ``windows_differ``: the declared windows are not those of the formula, in its order (repeats may be left
    out). ``neutralized_undeclared``: the formula neutralises by industry and the field says it does not.
    ``rebalance_faster``: positions would change more often than the factor. ``neutralization_added`` (not
    hard): the field declares the industry, the formula does not contain it, the backtest adds it.
    """
    read = expr if expr is not None else read_expr(spec)
    issues: list[DeclarationIssue] = []
    if read.expression is not None:
        issues += _windows(spec, read)
        issues += _neutralization(spec, neutralizes_industry(read.expression.node))
    declared = spec.frequency in _ORDER and spec.rebalance in _ORDER
    if declared and _ORDER[spec.rebalance] < _ORDER[spec.frequency]:
        message = f"rebalanced {spec.rebalance}, but computed {spec.frequency}"
        issues.append(DeclarationIssue("rebalance_faster", message, hard=True))
    return tuple(issues)


def _windows(spec: FactorSpec, read: ReportExpr) -> list[DeclarationIssue]:
    if tuple(dict.fromkeys(spec.windows)) == tuple(dict.fromkeys(read.windows)):
        return []
    message = f"windows are declared as {list(spec.windows)}, the formula has {list(read.windows)}"
    return [DeclarationIssue("windows_differ", message, hard=True)]


def _neutralization(spec: FactorSpec, in_expr: bool) -> list[DeclarationIssue]:
    declared = spec.neutralization in ("industry", "industry_size")
    if in_expr and not declared:
        message = f"the formula neutralises by industry, and the field says {spec.neutralization}"
        return [DeclarationIssue("neutralized_undeclared", message, hard=True)]
    if declared and not in_expr:
        message = f"neutralization is {spec.neutralization}; the backtest adds it to the formula"
        return [DeclarationIssue("neutralization_added", message, hard=False)]
    return []
