from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated

from pydantic import Field

from assay.base import DAMAGED_STATE, did_you_mean
from assay.errors import LedgerDamaged, Refusal
from assay.features import BROKEN_FEATURE
from assay.models import (
    EMPTY_FOLD,
    NO_FOLDS,
    UNKNOWN_STRATEGY,
    ModelMissing,
    StrategyBook,
    StrategyProblems,
    record_trials,
    walk_forward,
)
from assay.tools._tool import Arguments, Context, Tool
from assay.tools.builtin._eval import EvalResult, eval_result
from assay.tools.builtin._features import needed
from assay.tools.builtin._judge import MAX_HORIZON
from assay.tools.builtin._reasons import (
    BAD_FEATURES,
    BAD_HORIZON,
    BAD_MAX_BARS,
    BAD_STRATEGY_SLUG,
    NO_FEATURE_STORE,
    NOT_IMPLEMENTED,
)

if TYPE_CHECKING:
    from assay.features import FeatureGraph, FeatureStore
    from assay.ledger import Ledger
    from assay.models import Fitted, Strategy

MAX_FEATURES = 64
MAX_BARS = 100_000
DESK = "backtest"

FeatureName = Annotated[str, Field(min_length=1, max_length=64)]


class BacktestArguments(Arguments):
    strategy_slug: str = Field(
        description="A registered strategy, such as ridge_default.", pattern="^[a-z0-9][a-z0-9_-]{0,63}$"
    )
    features: list[FeatureName] = Field(
        description="Names of features that the strategy learns from; labels are none.",
        min_length=1,
        max_length=MAX_FEATURES,
    )
    horizon: int | None = Field(
        None, description="Bars that the label spans; by default those of the strategy.", ge=1, le=MAX_HORIZON
    )
    max_bars: int | None = Field(
        None, description="How many of the last bars are used; by default all.", ge=1, le=MAX_BARS
    )


def backtest_tools(
    store: FeatureStore | None, strategies: StrategyBook | None, ledger: Ledger | None
) -> tuple[Tool, ...]:
    """``backtest.run``."""

    book = strategies or StrategyBook()

    def run(arguments: BacktestArguments, context: Context) -> EvalResult:
        fitted = _fitted(needed(store), book, arguments)
        if ledger is None:
            return eval_result(fitted.report)
        caller = context.caller
        try:
            recorded = record_trials(ledger, [fitted], operator=caller.operator, desk=DESK, run=caller.run)
        except LedgerDamaged as error:
            raise Refusal(DAMAGED_STATE, "the ledger is damaged: nothing can be counted") from error
        return eval_result(recorded[0])

    return (
        Tool(
            "backtest.run",
            "Trains a strategy on features, fold after fold, and evaluates it out of fold on the search "
            "period. Each new strategy, set of features and horizon counts as a trial.",
            BacktestArguments,
            EvalResult,
            (
                BAD_STRATEGY_SLUG,
                BAD_FEATURES,
                BAD_HORIZON,
                BAD_MAX_BARS,
                NO_FEATURE_STORE,
                DAMAGED_STATE,
                NOT_IMPLEMENTED,
            ),
            run,
            reserved=(NOT_IMPLEMENTED.code,),
        ),
    )


def _fitted(store: FeatureStore, book: StrategyBook, asked: BacktestArguments) -> Fitted:
    strategy = _strategy(book, asked.strategy_slug)
    _check_features(asked.features, store.graph)
    try:
        strategy = strategy.varied(features=tuple(asked.features))
        return walk_forward(store, strategy, max_bars=asked.max_bars, horizon=asked.horizon)
    except StrategyProblems as error:  # of its target: the features are checked
        raise Refusal(DAMAGED_STATE, f"the strategy {strategy.slug!r} cannot run on this data") from error
    except ModelMissing as error:
        raise Refusal(BAD_STRATEGY_SLUG, error.message, fix="use another strategy") from error
    except Refusal as refusal:
        raise _told(refusal, asked) from refusal


def _strategy(book: StrategyBook, slug: str) -> Strategy:
    try:
        return book.get(slug)
    except Refusal as refusal:
        if refusal.reason is UNKNOWN_STRATEGY:
            raise Refusal(
                BAD_STRATEGY_SLUG, refusal.message, fix=refusal.fix, details=refusal.details
            ) from refusal
        raise


def _check_features(names: Sequence[str], graph: FeatureGraph) -> None:
    unknown = [place for place, name in enumerate(names) if name not in graph]
    if unknown:
        near = did_you_mean(names[unknown[0]], graph)
        fix = f"did you mean {', '.join(near)}?" if near else None
        details = {"places": unknown, "did_you_mean": list(near)}
        raise Refusal(BAD_FEATURES, "a feature is unknown", fix=fix, details=details)
    if len(set(names)) < len(names):
        raise Refusal(BAD_FEATURES, "a feature is named twice", fix="name each once")
    labels = [name for name in names if graph[name].is_label]
    if labels:
        message = f"{labels[0]} is a label: it tells what is to be foreseen"
        raise Refusal(BAD_FEATURES, message, fix="leave labels out", details={"labels": labels})


def _told(refusal: Refusal, asked: BacktestArguments) -> Refusal:
    """The refusal of an evaluation by the argument that it is about."""
    if refusal.reason is NO_FOLDS:
        reason = BAD_HORIZON if asked.horizon is not None else BAD_STRATEGY_SLUG
        reason = BAD_MAX_BARS if asked.max_bars is not None else reason
        return Refusal(reason, refusal.message, fix=refusal.fix)
    if refusal.reason is EMPTY_FOLD:
        return Refusal(BAD_FEATURES, refusal.message, fix=refusal.fix)
    if refusal.reason is BROKEN_FEATURE:
        return Refusal(DAMAGED_STATE, refusal.message)
    return refusal
