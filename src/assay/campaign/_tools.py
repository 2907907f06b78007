"""``campaign.status``: what a campaign came to so far, without its dates, texts and files."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Final

from pydantic import Field

from assay.base import DAMAGED_STATE, ID_PATTERN
from assay.campaign._reasons import NOT_A_CAMPAIGN
from assay.errors import LedgerDamaged, Refusal
from assay.ledger import UNKNOWN_RUN
from assay.tools import Arguments, Context, Result, Tool
from assay.tools.builtin import BAD_RUN, MISSING_RUN, NO_LEDGER

if TYPE_CHECKING:
    from assay.campaign._report_types import CampaignReport
    from assay.campaign._types import TrialRecord
    from assay.ledger import Ledger

MOST_ROWS: Final = 50
"""Admitted factors, and reasons of refusals, that one answer lists."""


class StatusArguments(Arguments):
    run: str = Field(
        description="Id of a campaign's run; run.list with the desk 'campaign' gives them.",
        min_length=1,
        max_length=64,
        pattern=f"^{ID_PATTERN.pattern}$",
    )


class FunnelRow(Result):
    slots: int
    candidates: int = Field(description="For which a formula came.")
    gated: int = Field(description="Whose formula passed the gate.")
    evaluated: int = Field(description="That were scored; these are trials.")
    admitted: int = Field(description="That joined the zoo.")


class FactorRow(Result):
    trial: str
    expression: str | None
    fingerprint: str | None
    mechanism: str
    rank_ic: float | None = Field(description="On the training segment.")
    t: float | None


class RefusalRow(Result):
    stage: str
    reason: str
    times: int
    slots: int = Field(description="Slots that ended by it.")


class StatusResult(Result):
    run: str
    state: str = Field(description="open (going on, or killed), finished, stopped, failed or abandoned.")
    data: str
    rounds: int
    dropped_rounds: int
    funnel: FunnelRow
    trials: int | None = Field(description="N of the data set at the last admission.")
    best: FactorRow | None = Field(description="Picked from all that were tried, so it is flattering.")
    zoo: list[FactorRow] = Field(description=f"The first {MOST_ROWS} that were admitted.")
    refusals: list[RefusalRow]
    calls: int = Field(description="Calls of models.")
    tokens: int
    money: float = Field(description="In the currency of the price table; unpriced calls are left out.")


def campaign_tools(ledger: Ledger | None, runs: Path | None) -> tuple[Tool, ...]:
    """``campaign.status``, on a workspace's ledger and its folder of runs."""

    def status(arguments: StatusArguments, context: Context) -> StatusResult:
        if ledger is None or runs is None:
            raise Refusal(NO_LEDGER)
        from assay.campaign._report import campaign_report

        try:
            return _told(campaign_report(ledger, runs, arguments.run))
        except LedgerDamaged as error:
            raise Refusal(DAMAGED_STATE, "the ledger is damaged") from error
        except Refusal as refusal:
            # what the report itself says is for a person, and names commands
            raise Refusal(refusal.reason, fix="ask run.list with the desk 'campaign'") from refusal

    return (
        Tool(
            "campaign.status",
            "Says how far a campaign has come: rounds, funnel, best trial, admitted factors, refusals, cost.",
            StatusArguments,
            StatusResult,
            (MISSING_RUN, BAD_RUN, UNKNOWN_RUN, NOT_A_CAMPAIGN, NO_LEDGER, DAMAGED_STATE),
            status,
        ),
    )


def _told(found: CampaignReport) -> StatusResult:
    dropped = sum(bool(row.dropped) for row in found.rounds)
    return StatusResult(
        run=found.run,
        state=found.state,
        data=found.data,
        rounds=len(found.rounds) - dropped,
        dropped_rounds=dropped,
        funnel=FunnelRow(**asdict(found.funnel)),
        trials=found.n,
        best=None if found.best is None else _factor(found.best),
        zoo=[_factor(factor.trial) for factor in found.zoo[:MOST_ROWS]],
        refusals=[
            RefusalRow(stage=row.stage, reason=row.reason, times=row.times, slots=row.slots)
            for row in found.refusals[:MOST_ROWS]
        ],
        calls=sum(cost.calls for cost in found.costs),
        tokens=found.tokens,
        money=found.money,
    )


def _factor(trial: TrialRecord) -> FactorRow:
    return FactorRow(
        trial=trial.id,
        expression=None if trial.candidate is None else trial.candidate.expression,
        fingerprint=trial.fingerprint,
        mechanism=trial.mechanism,
        rank_ic=trial.figures.get("rank_ic"),
        t=trial.figures.get("t"),
    )
