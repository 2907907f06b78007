"""gplearn as a contender: it evolves programs; our engine and judge evaluate them.

gplearn hands arrays to functions. Here each array holds one number, the handle of a tree: a function makes
the tree of its op on the trees of its inputs, and the fitness scores the tree that it is given. So all
contenders are scored by one judge, and a formula counts once however often gplearn meets it.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import numpy as np

from assay.base import generator
from assay.errors import Refusal
from assay.expr import Expression, Limits, Node, exponent, parse, to_text
from assay.judge.training import TrainingJudge, TrainingScore
from assay.ledger import TrialKey

ROWS = 4
GENERATIONS = 20
"""Of one population: gplearn's own default."""
WINDOWS = (5, 10, 20, 40, 60)
ELEMENTWISE = (
    "{0} + {1}",
    "{0} - {1}",
    "{0} * {1}",
    "{0} / {1}",
    "abs({0})",
    "-{0}",
    "log({0})",
    "rank({0})",
)
ROLLING = (
    "delay({0}, {w})", "delta({0}, {w})", "ts_mean({0}, {w})", "ts_std({0}, {w})", "ts_max({0}, {w})",
    "ts_min({0}, {w})", "ts_rank({0}, {w})", "ts_sum({0}, {w})", "ts_corr({0}, {1}, {w})",
)  # fmt: skip
RAW = ("open", "high", "low", "close", "vwap", "volume", "amount", "returns")
INVARIANT = (
    "returns", "open / close", "high / close", "low / close", "vwap / close", "open / delay(close, 1)",
    "volume / ts_mean(volume, 20)", "amount / ts_mean(amount, 20)",
)  # fmt: skip


@dataclass
class Evolution:
    """What gplearn met, in the order in which formulas were first scored."""

    judge: TrainingJudge
    budget: int
    invariant: bool
    _distinct: dict[TrialKey, TrainingScore] = field(default_factory=dict)
    _trees: list[Node] = field(default_factory=list)
    _handles: dict[Node, int] = field(default_factory=dict)
    _fitness: dict[Node, float] = field(default_factory=dict)

    @property
    def scores(self) -> list[TrainingScore]:
        """One of each formula."""
        return list(self._distinct.values())

    def handle(self, node: Node) -> int:
        """The number of a tree, from 1."""
        if node not in self._handles:
            self._trees.append(node)
            self._handles[node] = len(self._trees)
        return self._handles[node]

    def tree(self, array: np.ndarray) -> Node | None:
        """The tree of a handle; None for the numbers with which gplearn tries its functions."""
        value = float(array[0])
        known = value.is_integer() and 1 <= value <= len(self._trees) and len(array) == ROWS
        return self._trees[int(value) - 1] if known else None

    def function(self, template: str) -> Callable[..., np.ndarray]:
        """The op of a template on handles."""
        fields = self.judge.fields

        def one(first: np.ndarray) -> np.ndarray:
            return joined(first)

        def two(first: np.ndarray, second: np.ndarray) -> np.ndarray:
            return joined(first, second)

        def joined(*arrays: np.ndarray) -> np.ndarray:
            trees = [self.tree(array) for array in arrays]
            if any(tree is None for tree in trees):
                return np.zeros(len(arrays[0]))
            text = template.format(*(f"({to_text(tree, 'core')})" for tree in trees if tree is not None))
            try:
                # a tree that grew beyond the limits is cut off by the fitness
                node = parse(text, "core", fields=fields, limits=Limits(200_000, 4000, 60, 400, 5000)).node
            except Refusal:
                return np.zeros(len(arrays[0]))
            return np.full(len(arrays[0]), float(self.handle(node)))

        return two if "{1}" in template else one

    def fitness(self, predicted: np.ndarray) -> float:
        """|mean daily RankIC|, 0 under 80% coverage or where the formula cannot be scored."""
        node = self.tree(predicted)
        if node is None:
            return 0.0
        if node not in self._fitness:
            self._fitness[node] = self._scored(node)
        return self._fitness[node]

    def _scored(self, node: Node) -> float:
        if len(self._distinct) >= self.budget or (
            self.invariant and not exponent(node, self.judge.fields).invariant
        ):
            return 0.0
        try:
            text = to_text(node, "core")
            expression: Expression = parse(text, "core", fields=self.judge.fields)
            (score,) = self.judge.score([expression])
        except Refusal:
            return 0.0
        self._distinct.setdefault(score.key, score)
        return abs(score.rank_ic) if score.coverage >= 0.8 and math.isfinite(score.rank_ic) else 0.0


def evolve(judge: TrainingJudge, budget: int, seed: int, *, invariant: bool) -> Sequence[TrainingScore]:
    """Let gplearn evolve, one population after the other, until ``budget`` distinct formulas were scored.

    ``invariant``: inputs are free of the adjustment factor and formulas that are not get fitness 0 unscored.
    """
    from gplearn.fitness import make_fitness
    from gplearn.functions import make_function
    from gplearn.genetic import SymbolicRegressor

    evolution = Evolution(judge, budget, invariant)
    texts = [*ELEMENTWISE, *(text.replace("{w}", str(w)) for text in ROLLING for w in WINDOWS)]
    functions = [
        make_function(
            function=evolution.function(text), name=f"f{n}", arity=2 if "{1}" in text else 1, wrap=False
        )
        for n, text in enumerate(texts)
    ]
    inputs = [parse(text, "core", fields=judge.fields).node for text in (INVARIANT if invariant else RAW)]
    x = np.tile([float(evolution.handle(node)) for node in inputs], (ROWS, 1))

    def fitness(truth: np.ndarray, predicted: np.ndarray, weight: np.ndarray) -> float:
        return evolution.fitness(predicted)

    seeds = generator(seed, "gplearn")
    metric = make_fitness(function=fitness, greater_is_better=True, wrap=False)
    while len(evolution.scores) < budget:
        # a population that has converged meets little that is new: a fresh one goes on
        model = SymbolicRegressor(
            population_size=200,
            generations=GENERATIONS,
            function_set=functions,
            metric=metric,
            const_range=None,
            init_depth=(2, 4),
            parsimony_coefficient=0.0001,
            tournament_size=10,
            random_state=int(seeds.integers(2**31)),
        )
        model.fit(x, np.arange(ROWS, dtype=float))
    return evolution.scores
