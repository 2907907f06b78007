"""Bodies of requests and answers: the OpenAPI document is made from these."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from assay.expr import DialectName

SPEC_ID = r"^spec-[0-9a-f]{16}$"


class _Strict(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)


class TestRequest(_Strict):
    """A formula to parse, type and run, without any figure of it."""

    __test__ = False  # pytest takes every Test... for a test

    expression: str = Field(min_length=1, max_length=4096)
    dialect: DialectName = "report"


class TestAnswer(_Strict):
    """What the formula is; ``share`` is the part of names and dates of the tape's last bars with a value."""

    __test__ = False

    canonical: str
    fingerprint: str
    fields: list[str]
    lookback: int
    share: float


class BacktestRequest(_Strict):
    """A formula under the terms of a registered spec. Universe, costs and dates are the service's."""

    expression: str = Field(min_length=1, max_length=4096)
    spec_id: str = Field(pattern=SPEC_ID)
    period: Literal["search", "score", "eval"] = "search"
    dialect: DialectName = "report"


class Check(_Strict):
    """One criterion of the judge's decision, or one leak check."""

    name: str
    outcome: Literal["passed", "failed", "undefined", "not_applicable", "not_run"]
    detail: str


class SearchAnswer(_Strict):
    """The formula on the search period; a figure that is undefined is null."""

    period: Literal["search"]
    simulated: bool
    fingerprint: str
    decision: Literal["passed", "rejected", "undefined"]
    sentence: str
    figures: dict[str, float | None]
    criteria: list[Check]
    leaks: list[Check]
    warnings: list[str]


class ScoreAnswer(_Strict):
    """All that is told of the score period: a multiple of 0.05."""

    period: Literal["score"]
    reward: float = Field(ge=-1, le=1)


class EvalFigures(_Strict):
    """Figures after cost on the sealed period; one that is undefined is null."""

    ir: float | None
    net_excess: float | None
    max_drawdown: float | None
    turnover: float | None
    rank_ic: float | None
    days: int


class EvalAnswer(_Strict):
    """The formula on the sealed period, beside that of the spec."""

    period: Literal["eval"]
    candidate: EvalFigures
    seed: EvalFigures | None


class SpecAnswer(_Strict):
    """The id under which the spec is registered."""

    spec_id: str = Field(pattern=SPEC_ID)


class Health(_Strict):
    """The service is up."""

    status: Literal["ok"]
    version: str


class ErrorBody(_Strict):
    """Why not: ``model`` is the formula or spec, ``environment`` the service, ``client`` how it was asked."""

    source: Literal["model", "environment", "client"]
    reason: str
    message: str
    fix: str | None = None
    details: dict[str, Any] | None = None
