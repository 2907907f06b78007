from __future__ import annotations

from dataclasses import asdict

from pydantic import Field

from assay.base import DAMAGED_STATE
from assay.errors import Refusal
from assay.tools._tool import Annotations, Context, Result, Tool
from assay.tools.builtin._expression import Fields, FormulaArguments, NoticeRow, notices, read_formula
from assay.tools.builtin._judge import MAX_HORIZON, SearchJudge
from assay.tools.builtin._reasons import (
    BAD_DIALECT,
    BAD_EXPRESSION,
    BAD_HORIZON,
    MISSING_EXPRESSION,
    NO_DATA,
)
from assay.tools.builtin._runs import undamaged


class EvaluateArguments(FormulaArguments):
    horizon: int = Field(5, description="Bars that the label spans.", ge=1, le=MAX_HORIZON)


class EvaluateResult(Result):
    fingerprint: str
    horizon: int
    rank_ic: float | None = Field(description="Mean daily rank correlation of the factor and the label.")
    rank_icir: float | None = Field(description="Mean over standard deviation of the daily RankIC.")
    t: float | None = Field(description="Newey-West t of the mean RankIC.")
    turnover: float | None = Field(description="One-way turnover in a year, as a multiple of the book.")
    coverage: float | None = Field(description="Mean share of the members that have a value.")
    days: int = Field(description="Days with a defined RankIC.")
    warnings: list[NoticeRow]


def factor_tools(judge: SearchJudge | None, fields: Fields = None) -> tuple[Tool, ...]:
    """``factor.evaluate``."""

    def run(arguments: EvaluateArguments, context: Context) -> EvaluateResult:
        if judge is None:
            raise Refusal(NO_DATA)
        expression = read_formula(arguments.expression, arguments.dialect, fields)
        with undamaged():
            score = judge.evaluate(expression, arguments.horizon, context.caller)
        return EvaluateResult(
            fingerprint=expression.fingerprint,
            horizon=arguments.horizon,
            **asdict(score),
            warnings=notices(expression),
        )

    return (
        Tool(
            "factor.evaluate",
            "Scores a formula on the search period. Each new formula and horizon counts as a trial.",
            EvaluateArguments,
            EvaluateResult,
            (MISSING_EXPRESSION, BAD_EXPRESSION, BAD_DIALECT, BAD_HORIZON, NO_DATA, DAMAGED_STATE),
            run,
            # the trial is recorded, so the call is not without effect; a repeat adds none
            annotations=Annotations(read_only=False, idempotent=True),
        ),
    )
