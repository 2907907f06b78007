from __future__ import annotations

from collections.abc import Iterable
from itertools import combinations
from typing import TypeAlias

from assay.discovery._desk import DiscoveryDesk, Leaderboard, check_names, leaderboard, renamed, score_of
from assay.discovery._reasons import BAD_POOL
from assay.discovery._specs import FeatureSearchSpec
from assay.discovery._train import Trainee
from assay.models import Evaluated


def select(desk: DiscoveryDesk, spec: FeatureSearchSpec) -> Leaderboard:
    """Search for the set of features from which a strategy learns most, out of fold.

    Greedy search evaluates each feature alone, keeps the best, evaluates it with each of the others, and so
    on while the objective grows, or ``min_features`` is not reached; of equal scores the earlier of the pool
    is kept. Each evaluated set is a trial; those of at least ``min_features`` have a place. In a set features
    stand as in the pool.

    Raises
    ------
    Refusal
        ``unknown_feature``; ``bad_pool``: a label; ``bad_spec``: no set can be trained on this data;
        ``broken_feature``.
    AssayError
        The strategy cannot be used: its target, its parameters, or an extra that is not installed.
    """
    graph = desk.store.graph
    check_names(spec.pool, graph, lambda name: name in graph, BAD_POOL)
    search = _Search(Trainee(desk.store), spec)
    tried = search.greedy() if spec.method == "greedy" else search.exhaustive()
    found = [item for _, item in tried]
    search.trainee.require_some(found)
    return leaderboard(
        desk,
        found,
        method=f"feature_search:{spec.method}",
        objective=spec.objective,
        target=spec.strategy.target,
        excluded=search.trainee.excluded,
        ranked=[place for place, (names, _) in enumerate(tried) if len(names) >= spec.min_features],
    )


_Tried: TypeAlias = tuple[tuple[str, ...], Evaluated]


class _Search:
    def __init__(self, trainee: Trainee, spec: FeatureSearchSpec) -> None:
        self.trainee, self._spec = trainee, spec

    def exhaustive(self) -> list[_Tried]:
        sizes = range(self._spec.min_features, self._spec.largest + 1)
        return [item for size in sizes for item in self._tried(combinations(self._spec.pool, size))]

    def greedy(self) -> list[_Tried]:
        spec, chosen, best = self._spec, frozenset[str](), None
        found: list[_Tried] = []
        while len(chosen) < spec.largest:
            wider = [self._ordered(chosen | {name}) for name in spec.pool if name not in chosen]
            tried = self._tried(wider)
            found += tried
            scored = [
                (score, names)
                for names, item in tried
                if (score := score_of(item, spec.objective)) is not None
            ]
            if not scored:
                break
            score, names = max(scored, key=lambda pair: pair[0])  # the first of equal ones
            if len(chosen) >= spec.min_features and best is not None and score <= best:
                break
            chosen, best = frozenset(names), score
        return found

    def _ordered(self, names: frozenset[str]) -> tuple[str, ...]:
        return tuple(name for name in self._spec.pool if name in names)

    def _tried(self, sets: Iterable[tuple[str, ...]]) -> list[_Tried]:
        found = []
        for names in sets:
            item = self.trainee.run(self._spec.strategy.varied(features=names))
            if item is not None:
                found.append((names, renamed(item, "feature_search", ", ".join(names))))
        return found
