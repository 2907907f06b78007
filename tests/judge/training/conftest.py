from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import assay.expr._table as table
import assay.expr._words as words
from assay.base import Operator
from assay.expr import Arg, Expression, Form, Op, parse
from assay.judge import Recording
from assay.judge.training import TrainingJudge, TrainingScore, TrainingSettings
from assay.ledger import Ledger, TrialKey
from assay.market import Panel, simulate
from assay.metrics import Moments

TAIL = 80


@pytest.fixture(scope="package")
def market() -> Panel:
    return simulate(instruments=70, days=400, seed=5)


@pytest.fixture(scope="package")
def settings() -> TrainingSettings:
    return TrainingSettings(validate_bars=TAIL)


@pytest.fixture(scope="package")
def trained(market: Panel, settings: TrainingSettings) -> TrainingJudge:
    """A judge that records nothing; what it scored once is served to the tests after."""
    return TrainingJudge(market, settings=settings)


@pytest.fixture
def ledger(tmp_path: Path) -> Ledger:
    return Ledger.create(tmp_path / "ledger")


@pytest.fixture
def recording(ledger: Ledger) -> Recording:
    ledger.run("r-1").start("campaign", Operator.system("test"), "0" * 64, {})
    return Recording(ledger, Operator.system("test"), desk="campaign", run="r-1")


@pytest.fixture
def own_op(monkeypatch: pytest.MonkeyPatch) -> Any:
    """Puts an op of one's own into the op table for the length of a test."""

    def install(name: str, evaluate: Callable[[Any, Any], Any], exponent: Any = "same") -> None:
        op = Op(
            name=name,
            category="test",
            args=(Arg("x"),),
            scope="time",
            exponent=exponent,
            definition="a planted fault",
            source="a test",
            forms=(Form("core", (name,)),),
            evaluate=evaluate,
        )
        point = type("Point", (), {"load": lambda self: op})()
        monkeypatch.setattr(table, "entry_points", lambda group: [point])
        forget()

    def forget() -> None:
        table.op_table.cache_clear()
        words.words.cache_clear()

    yield install
    forget()


def made_score(text: str, rank_ics: Any, ranks: Any, **figures: Any) -> TrainingScore:
    """A score written by hand: what is not given would be admitted."""
    expression: Expression = parse(text)
    series = np.asarray(rank_ics, dtype=np.float64)
    mean = float(np.nanmean(series)) if np.isfinite(series).any() else float("nan")
    plain = TrainingScore(
        key=TrialKey(expression.fingerprint, "hand"),
        expression=expression,
        rank_ic=mean,
        neutral_rank_ic=0.02,
        t=6.0,
        neutral_t=4.0,
        t_lags=10,
        payoff=math.copysign(0.004, mean),
        payoff_t=math.copysign(5.0, mean),
        p=1e-8,
        payoff_p=1e-6,
        ic=0.02,
        icir=0.2,
        rank_icir=0.2,
        days=int(np.isfinite(series).sum()),
        names=50.0,
        coverage=0.95,
        direction=1,
        turnover=20.0,
        break_even_bp=30.0,
        net_excess=0.05,
        ir=0.8,
        fold_rank_ics=(0.02,) * 4,
        fold_neutral_rank_ics=(0.02,) * 4,
        rank_ics=series,
        neutral_rank_ics=series,
        ranks=np.asarray(ranks, dtype=np.uint16),
        excess=np.zeros(0),
        moments=Moments(0.08, 0.0, 3.0, 250),
    )
    return replace(plain, **figures)
