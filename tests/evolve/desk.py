"""An evolution on the simulated market, with doubles where the market does not matter."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from assay.base import Operator
from assay.evolve import Evolution, EvolveSearch, SearchFigures, Terms, evolve
from assay.expr import Expression
from assay.judge import Reward
from assay.llm import ToolCall
from assay.spec import GATE_CHECKS, EvidenceSpan, FactorSpec, GateCheck, GatedSpec, GateVerdict
from assay.tools import Action, Budget, Caller, RulePolicy, TrajectoryStore

VALIDATE, EVALUATE = "evolve.validate_expr", "evolve.evaluate_factor"
AGENT = Operator("agent", "small/017f22e2-79b0-7cc3-98c4-dc0c0c07398f", "small-1")
SEED = "TS_PCTCHANGE($close, 30)"
FIGURES = SearchFigures(
    ir=0.5, net_excess=0.05, rank_ic=0.03, t=3.0, turnover=20.0, coverage=0.98, late_share=0.9,
    shuffled_share=0.1, days=280,
)  # fmt: skip
QUOTE = "The return of the last thirty days, turned around: losers come back."

Turn = Sequence[tuple[str, Any]]


def gated_spec(**changes: Any) -> GatedSpec:
    """A spec as the gate admits it; what the report says may be changed."""
    direction = changes.pop("direction", "negative")
    fields: dict[str, Any] = {
        "name": "Reversal of Broker Zeta",
        "universe": "CSI300",
        "frequency": "daily",
        "neutralization": "none",
        "rebalance": "weekly",
        "expr": SEED,
        "windows": (30,),
        "evidence": (
            EvidenceSpan(field="expr", chunk_id="p1-c0000", quote=QUOTE),
            EvidenceSpan(field="universe", chunk_id="p1-c0000", quote="on CSI 300"),
        ),
    }
    checks = tuple(GateCheck(name, True) for name in GATE_CHECKS)
    return GatedSpec.of(GateVerdict(FactorSpec(**{**fields, **changes}), direction, "0" * 64, (), checks))


@dataclass
class FakeJudge:
    """Gives the seed 0.5 and every other formula what its window says; keeps what it was asked."""

    answer: Callable[[Expression], SearchFigures] = lambda expression: replace(
        FIGURES, ir=round(0.5 + expression.lookback / 100, 3), rank_ic=0.04
    )
    asked: list[Expression] = field(default_factory=list)

    def evaluate(self, expression: Expression, caller: Caller) -> SearchFigures:
        self.asked.append(expression)
        return FIGURES if len(self.asked) == 1 else self.answer(expression)


@dataclass
class FakeRewarder:
    """Says the same of every winner; keeps whose reward was asked."""

    value: Reward = field(default_factory=lambda: Reward(0.5))
    asked: list[Expression] = field(default_factory=list)

    def reward(self, candidate: Expression, seed: Expression, caller: Caller) -> Reward:
        self.asked.append(candidate)
        return self.value


@dataclass
class Played:
    """An episode that was played, with the doubles that it was played with."""

    found: Evolution
    judge: FakeJudge
    rewarder: FakeRewarder

    @property
    def kinds(self) -> list[str | None]:
        return [seen.illegal_kind for seen in self.found.trajectory.observations]

    @property
    def outcomes(self) -> list[tuple[str, str | None]]:
        return [(item.outcome, item.reason) for item in self.found.trajectory.verdicts]

    @property
    def answers(self) -> list[Any]:
        return [json.loads(seen.content) for seen in self.found.trajectory.observations]


def script(turns: Sequence[Turn]) -> Callable[[Terms, SearchFigures], RulePolicy]:
    """A policy that makes the calls of each turn, and then answers."""

    def act(state: Any) -> Action:
        turn = state.spent.turns
        if turn >= len(turns):
            return Action("done")
        calls = (
            ToolCall(f"c{turn}-{n}", name, sent if isinstance(sent, str) else json.dumps(sent))
            for n, (name, sent) in enumerate(turns[turn])
        )
        return Action("", tuple(calls))

    return lambda terms, seed: RulePolicy("script", act)


def expr(formula: str, **more: Any) -> dict[str, Any]:
    return {"factor_expr": formula, **more}


def tried(*formulas: str) -> list[Turn]:
    """Turns that validate and evaluate each formula."""
    return [[(name, expr(text))] for text in formulas for name in (VALIDATE, EVALUATE)]


def play(
    turns: Sequence[Turn],
    *,
    gated: GatedSpec | None = None,
    judge: FakeJudge | None = None,
    rewarder: FakeRewarder | None = None,
    budget: Budget | None = None,
    store: TrajectoryStore | None = None,
) -> Played:
    """Play a script with doubles."""
    judge, rewarder = judge or FakeJudge(), rewarder or FakeRewarder()
    found = evolve(
        gated or gated_spec(),
        search=EvolveSearch(judge),
        rewarder=rewarder,
        policy=script(turns),
        caller=Caller(AGENT),
        budget=budget,
        store=store,
    )
    return Played(found, judge, rewarder)
