"""How much the order of admission decided in a run: what it tried, admitted under other orders."""

from __future__ import annotations

from typing import Final

from assay.campaign._accept_types import OrderSpread
from assay.campaign._pools import usable_factors
from assay.campaign._ports import Count
from assay.campaign._prepare import Market, on_threads
from assay.campaign._records import DONE
from assay.campaign._replay import kept_pools
from assay.campaign._resume import pools_of
from assay.campaign._settings import CampaignConfig
from assay.campaign._types import History, TrialRecord
from assay.config import Workspace
from assay.expr import parse
from assay.ledger import Run

ORDERS: Final = 100

_BY_COMPANY: Final = frozenset({"value_corr", "ic_corr", "residual_ic", "deflated"})
"""Checks whose outcome hangs on what was admitted or tried before."""


def order_spread(
    workspace: Workspace, run: Run, config: CampaignConfig, history: History, market: Market, threads: int
) -> OrderSpread:
    """Admit a run's trials in orders other than that of proposal, each with its pool growing.

    Only the training segment is read, and no trial is added: all of them are recorded. N and the pools are
    those of the run's end.

    Parameters
    ----------
    market : the data that the run worked with.

    Raises
    ------
    AssayError
        The run's copy of the pools is missing or was altered.
    """
    from assay.judge.training import TrainingJudge, order_effect

    entries = list(run.entries(kind="round"))
    counts = [
        Count(**entry.body["ledger_n"])
        for entry in entries
        if entry.body["outcome"] == DONE and entry.body["ledger_n"] is not None
    ]
    count = counts[-1] if counts else Count(None, None)
    pools = kept_pools(workspace.runs_dir / run.id, pools_of(entries)[-1])
    market = on_threads(market, threads)
    judge = TrainingJudge(market.panel, market.plan, market.settings)
    found = order_effect(
        judge.score([parse(text, fields=judge.fields) for text in _able(history)]),
        config.admission,
        pool=judge.pool(usable_factors(pools, judge.fields)),
        n=count.n,
        variance=float("nan") if count.variance is None else count.variance,
        orders=ORDERS,
        seed=config.seed,
    )
    return OrderSpread(
        orders=found.orders,
        given=found.counts[0],
        least=min(found.counts),
        most=max(found.counts),
        always=found.always,
        ever=len(found.shares),
        overlap=found.overlap,
    )


def _able(history: History) -> list[str]:
    """The formulas that no order shuts out, as they were decided on."""
    return [
        trial.candidate.expression
        for trial in history.trials
        if trial.evaluated and trial.candidate is not None and _passed_alone(trial)
    ]


def _passed_alone(trial: TrialRecord) -> bool:
    return all(check["outcome"] == "passed" for check in trial.checks if check["name"] not in _BY_COMPANY)
