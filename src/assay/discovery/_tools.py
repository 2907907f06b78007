from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from pydantic import Field

from assay.base import DAMAGED_STATE
from assay.discovery import _reasons as reasons
from assay.discovery._arguments import (
    MAX_TRIED,
    EventArguments,
    MiningArguments,
    SelectArguments,
    SweepArguments,
)
from assay.discovery._desk import DiscoveryDesk, Leaderboard
from assay.discovery._events import search_events
from assay.discovery._mine import mine
from assay.discovery._select import select
from assay.discovery._specs import SpecProblems
from assay.discovery._sweep import sweep
from assay.errors import LedgerDamaged, Reason, Refusal
from assay.features import BROKEN_FEATURE, UNKNOWN_FEATURE
from assay.models import ModelMissing, Strategy, StrategyBook, StrategyProblems
from assay.tools import Context, Result, Tool
from assay.tools.builtin import NO_DATA, NO_FEATURE_STORE, EvalResult, Workbench, eval_result

MODEL = "ridge_default"
FOLDS = 24
"""Folds that a row shows: twenty rows are a lot to read."""


class RowResult(Result):
    rank: int
    score: float = Field(description="The objective.")
    report: EvalResult


class LeaderboardResult(Result):
    method: str
    objective: str
    target: str
    evaluated: int = Field(description="Candidates that were evaluated; each distinct one is a trial.")
    excluded: int = Field(description="Candidates for which there was too little data, not evaluated.")
    undefined: int = Field(description="Evaluated ones whose objective is undefined, or of too few bars.")
    repeated: int = Field(description="Passed over: they rank the names as a better one does.")
    rows: list[RowResult] = Field(description="The best 20; of each the last 24 folds.")
    n: int | None = Field(description="Trials on the data set, these included; missing if not known.")


def discovery_tools(bench: Workbench) -> tuple[Tool, ...]:
    """The four searches on a workbench: its features, strategies and ledger."""
    strategies = bench.strategies or StrategyBook()

    def desk(context: Context, absent: Reason = NO_FEATURE_STORE) -> DiscoveryDesk:
        if bench.features is None:
            raise Refusal(absent)
        return DiscoveryDesk(bench.features, bench.ledger, context.caller.operator, context.caller.run)

    def run_mine(arguments: MiningArguments, context: Context) -> LeaderboardResult:
        return _asked(lambda: mine(desk(context), arguments.spec(_strategy(strategies).seed)))

    def run_select(arguments: SelectArguments, context: Context) -> LeaderboardResult:
        def search() -> Leaderboard:
            found, spec = desk(context), arguments.spec(_strategy(strategies))
            if spec.method == "exhaustive" and spec.sets > MAX_TRIED:
                message = f"{spec.sets:,} sets are more than {MAX_TRIED}"
                raise Refusal(reasons.BAD_SPEC, message, fix="use a smaller pool or sets, or greedy")
            return select(found, spec)

        return _asked(search)

    def run_sweep(arguments: SweepArguments, context: Context) -> LeaderboardResult:
        return _asked(lambda: sweep(desk(context), arguments.spec(_strategy(strategies))))

    def run_events(arguments: EventArguments, context: Context) -> LeaderboardResult:
        return _asked(lambda: search_events(desk(context, NO_DATA), arguments.spec()))

    return (
        Tool(
            "discovery.factor_mining",
            "Draws random formulas over inputs and ranks them by how they foresee a target on the search "
            "period. Each new formula counts as a trial.",
            MiningArguments,
            LeaderboardResult,
            (
                reasons.BAD_INPUTS,
                reasons.BAD_TARGET,
                reasons.BAD_MAX_DEPTH,
                reasons.BAD_N_CANDIDATES,
                reasons.BAD_OBJECTIVE,
                reasons.BAD_SPEC,
                UNKNOWN_FEATURE,
                NO_FEATURE_STORE,
                DAMAGED_STATE,
            ),
            run_mine,
        ),
        Tool(
            "discovery.feature_search",
            "Searches for the set of features from which the default model learns most, out of fold, on the "
            "search period. Each new set counts as a trial.",
            SelectArguments,
            LeaderboardResult,
            (
                reasons.BAD_POOL,
                reasons.BAD_METHOD,
                reasons.BAD_MAX_FEATURES,
                reasons.BAD_MIN_FEATURES,
                reasons.BAD_OBJECTIVE,
                reasons.BAD_SPEC,
                UNKNOWN_FEATURE,
                NO_FEATURE_STORE,
                DAMAGED_STATE,
            ),
            run_select,
        ),
        Tool(
            "discovery.sweep",
            "Varies settings of the default model and ranks them by what it then says out of fold, on the "
            "search period. Each new configuration counts as a trial.",
            SweepArguments,
            LeaderboardResult,
            (
                reasons.BAD_DIMS,
                reasons.BAD_DIM_NAME,
                reasons.BAD_METHOD,
                reasons.BAD_MAX_CONFIGS,
                reasons.BAD_N_RANDOM,
                reasons.BAD_OBJECTIVE,
                reasons.BAD_SPEC,
                UNKNOWN_FEATURE,
                NO_FEATURE_STORE,
                DAMAGED_STATE,
            ),
            run_sweep,
            faults={"dims.*.name": "dim_name"},
        ),
        Tool(
            "discovery.event_window_search",
            "Counts events in windows before each bar, in every combination of windows and reductions, and "
            "ranks these by RankIC on the search period. Each new combination counts as a trial.",
            EventArguments,
            LeaderboardResult,
            (
                reasons.BAD_PRE_WINDOWS,
                reasons.BAD_POST_WINDOWS,
                reasons.BAD_REDUCTIONS,
                reasons.BAD_TARGET,
                reasons.BAD_MAX_CANDIDATES,
                reasons.BAD_MIN_EVENTS,
                reasons.CROSS_PRODUCT_TOO_LARGE,
                reasons.BAD_SPEC,
                NO_DATA,
                DAMAGED_STATE,
            ),
            run_events,
            faults={"events": "spec", "bars": "spec"},
        ),
    )


def _strategy(book: StrategyBook) -> Strategy:
    """The default model, as the operator set it."""
    return book.get(MODEL)


def _asked(search: Callable[[], Leaderboard]) -> LeaderboardResult:
    with _told():
        found = search()
    return LeaderboardResult(
        method=found.method,
        objective=found.objective,
        target=found.target,
        evaluated=found.evaluated,
        excluded=found.excluded,
        undefined=found.undefined,
        repeated=found.repeated,
        rows=[
            RowResult(rank=row.rank, score=row.score, report=eval_result(row.report, FOLDS))
            for row in found.rows
        ],
        n=found.n,
    )


@contextmanager
def _told() -> Iterator[None]:
    """What goes wrong in a search, as the tools refuse it."""
    try:
        yield
    except SpecProblems as error:
        first = error.problems[0]
        raise Refusal(error.reason, f"{first.where} {first.message}", fix=first.fix or None) from error
    except (StrategyProblems, ModelMissing) as error:  # the operator's: what the caller names is checked
        raise Refusal(DAMAGED_STATE, f"the strategy {MODEL!r} cannot run on this data") from error
    except LedgerDamaged as error:
        raise Refusal(DAMAGED_STATE, "the ledger is damaged: nothing can be counted") from error
    except Refusal as refusal:
        if refusal.reason is BROKEN_FEATURE:
            raise Refusal(DAMAGED_STATE, refusal.message) from refusal
        raise
