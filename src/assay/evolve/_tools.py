"""``evolve.validate_expr`` and ``evolve.evaluate_factor``."""

from __future__ import annotations

from typing import Final

from pydantic import Field

from assay.errors import Refusal
from assay.evolve._candidate import Candidate, CandidateArguments, Fault, merge
from assay.evolve._notes import EVALUATE, VALIDATE, Notes
from assay.evolve._reasons import (
    BAD_FACTOR_EXPR,
    BAD_FACTOR_NAME,
    BAD_WINDOWS,
    EVALUATIONS_FAILED,
    ILLEGAL_EXPR,
    NOT_VALIDATED,
)
from assay.evolve._search import SearchFigures, SearchJudge
from assay.evolve._terms import FROZEN, Terms
from assay.tools import Annotations, Context, Result, Tool

EVALUATIONS: Final = 4
"""Calls of ``evolve.evaluate_factor`` that run in an episode, on every path."""


class ProblemRow(Result):
    """Why a formula cannot be evaluated."""

    code: str
    message: str
    fix: str


class ValidateResult(Result):
    """Whether a formula may be evaluated, and if not, why."""

    ok: bool
    problem: ProblemRow | None
    formula: str | None = Field(description="In one spelling.")
    fingerprint: str | None = Field(description="Equal for formulas that mean the same.")
    windows: list[int]
    lookback: int | None = Field(description="Bars needed for the first value.")
    is_seed: bool = Field(description="It is the seed up to sign, scale and rank, and earns nothing.")


class EvaluateResult(Result):
    """The formula on the search period, after costs, in the direction that the spec states."""

    name: str | None
    formula: str
    fingerprint: str
    is_seed: bool = Field(description="It trades as the seed does, and earns nothing.")
    ir: float | None = Field(description="Information ratio after cost, over the equally weighted members.")
    net_excess: float | None = Field(description="Yearly return after cost in excess of the members.")
    rank_ic: float | None = Field(description="Mean daily rank correlation of the factor and the label.")
    t: float | None = Field(description="Newey-West t of the mean RankIC.")
    turnover: float | None = Field(description="One-way turnover in a year, as a multiple of the book.")
    coverage: float | None = Field(description="Mean share of the members that have a value.")
    late_share: float | None = Field(description="Share of the RankIC that remains one bar late.")
    shuffled_share: float | None = Field(
        description="Largest share of the RankIC that a shuffled cross-section shows."
    )
    days: int = Field(description="Days with a defined RankIC.")


def evolve_tools(
    terms: Terms | None, judge: SearchJudge, notes: Notes, seed: SearchFigures
) -> tuple[Tool, ...]:
    """The tools of an episode.

    Parameters
    ----------
    terms : what the spec fixes; None where the tools are described and never called.
    notes : what the episode has come to; the tools read it, and the sink of the episode writes it.
    seed : the seed's figures on the search period.
    """
    return (_validate_tool(terms), _evaluate_tool(terms, judge, notes, seed))


def _validate_tool(terms: Terms | None) -> Tool:
    def run(arguments: CandidateArguments, context: Context) -> ValidateResult:
        found = _merged(terms, arguments)
        return _invalid(found) if isinstance(found, Fault) else _valid(found)

    return Tool(
        id=VALIDATE,
        summary="Says whether a changed formula may be evaluated, and if not, what is wrong with it. Costs "
        "no evaluation. A formula that is not ok is no error: mend it.",
        arguments=CandidateArguments,
        result=ValidateResult,
        reasons=(BAD_FACTOR_EXPR, BAD_FACTOR_NAME, BAD_WINDOWS),
        function=run,
        frozen=FROZEN,
        faults=_FAULTS,
    )


def _evaluate_tool(terms: Terms | None, judge: SearchJudge, notes: Notes, seed: SearchFigures) -> Tool:
    def run(arguments: CandidateArguments, context: Context) -> EvaluateResult:
        candidate = _legal(_merged(terms, arguments))
        if candidate.fingerprint not in notes.validated:
            raise Refusal(NOT_VALIDATED)
        if notes.begun >= EVALUATIONS:
            raise Refusal(EVALUATIONS_FAILED)  # a failed one does not count as a call that ran
        figures = judge.evaluate(candidate.traded, context.caller)
        return EvaluateResult(
            name=candidate.name,
            formula=candidate.text,
            fingerprint=candidate.fingerprint,
            is_seed=candidate.is_seed or figures == seed,
            **figures.as_dict(),
        )

    return Tool(
        id=EVALUATE,
        summary=f"Backtests a validated formula on the search period. At most {EVALUATIONS} calls in an "
        "episode, refused ones included; each new formula counts as a trial.",
        arguments=CandidateArguments,
        result=EvaluateResult,
        reasons=(
            BAD_FACTOR_EXPR, BAD_FACTOR_NAME, BAD_WINDOWS, ILLEGAL_EXPR, NOT_VALIDATED, EVALUATIONS_FAILED,
        ),
        function=run,
        annotations=Annotations(read_only=False, idempotent=True),
        frozen=FROZEN,
        faults=_FAULTS,
    )  # fmt: skip


_FAULTS: Final = {"expr": "factor_expr", "name": "factor_name", "windows.*": "windows"}


def _merged(terms: Terms | None, arguments: CandidateArguments) -> Candidate | Fault:
    if terms is None:
        raise AssertionError("tools that are only described evaluate nothing")
    return merge(terms, arguments)


def _legal(found: Candidate | Fault) -> Candidate:
    if isinstance(found, Candidate):
        return found
    reason = BAD_WINDOWS if found.windows else ILLEGAL_EXPR
    raise Refusal(reason, found.message, details={"code": found.code})


def _invalid(fault: Fault) -> ValidateResult:
    return ValidateResult(
        ok=False,
        problem=ProblemRow(code=fault.code, message=fault.message, fix=fault.fix),
        formula=None,
        fingerprint=None,
        windows=[],
        lookback=None,
        is_seed=False,
    )


def _valid(candidate: Candidate) -> ValidateResult:
    return ValidateResult(
        ok=True,
        problem=None,
        formula=candidate.text,
        fingerprint=candidate.fingerprint,
        windows=list(candidate.windows),
        lookback=candidate.traded.lookback,
        is_seed=candidate.is_seed,
    )
