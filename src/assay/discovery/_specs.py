from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from math import comb, prod
from typing import Any, Literal, TypeAlias, get_args

from assay.discovery import _reasons as reasons
from assay.discovery._duration import seconds_of
from assay.errors import ConfigProblems, Problem, Reason
from assay.models import Strategy, StrategyBook

MiningObjective = Literal["|rank_ic|", "signed"]
Objective = Literal["rank_ic", "ic", "rank_icir", "t", "sharpe"]
SearchMethod = Literal["greedy", "exhaustive"]
SweepMethod = Literal["grid", "random"]
Reduction = Literal["indicator", "count", "mean_score", "time_since_last"]
BarKind = Literal["daily", "minutes"]
Choice: TypeAlias = bool | int | float | tuple[str, ...]

MAX_CANDIDATES = 20_000
MAX_DEPTH = 10
MAX_NAMES = 64
MAX_SETS = 5_000
MAX_CONFIGS = 5_000
MAX_WINDOWS = 200
MAX_DIMS = 10
MAX_CHOICES = 64


class SpecProblems(ConfigProblems):
    """A search that is wider than its bounds, or that contradicts itself; all problems at once.

    ``reason`` is that of the first one, from the closed vocabulary of the tools.
    """

    kind = "spec"

    def __init__(self, problems: Sequence[tuple[Reason, Problem]], *, where: str) -> None:
        super().__init__([problem for _, problem in problems], where=where)
        self.reason = problems[0][0]
        self.fix = "mend the listed settings"


Found: TypeAlias = Iterator[tuple[Reason, Problem]]


def _default_strategy() -> Strategy:
    return StrategyBook().get("ridge_default")


@dataclass(frozen=True, slots=True)
class FactorMiningSpec:
    """Random formulas over inputs, ranked by how they foresee a target.

    Parameters
    ----------
    inputs : columns of the panel and features.
    target : a label.
    max_depth : levels of a drawn formula, inputs included; what an input is itself made of is not counted.
    n_candidates : distinct formulas to draw.
    objective : ``|rank_ic|``: a formula and its opposite are one. ``signed``: the larger RankIC is better.
    seed : of the draws.

    Raises
    ------
    SpecProblems
        A setting is out of bounds; all of them at once.
    """

    inputs: tuple[str, ...]
    target: str
    max_depth: int = 3
    n_candidates: int = 200
    objective: MiningObjective = "|rank_ic|"
    seed: int = 0

    def __post_init__(self) -> None:
        _check(self._problems(), "factor mining")

    def _problems(self) -> Found:
        yield from _names("inputs", self.inputs, reasons.BAD_INPUTS)
        yield from _target(self.target)
        yield from _whole("max_depth", self.max_depth, 2, MAX_DEPTH, reasons.BAD_MAX_DEPTH)
        yield from _whole("n_candidates", self.n_candidates, 1, MAX_CANDIDATES, reasons.BAD_N_CANDIDATES)
        yield from _one_of("objective", self.objective, get_args(MiningObjective), reasons.BAD_OBJECTIVE)
        yield from _whole("seed", self.seed, 0, 2**63 - 1, reasons.BAD_SPEC)


@dataclass(frozen=True, slots=True)
class FeatureSearchSpec:
    """Sets of features that a strategy learns from, ranked by what it then says out of fold.

    Parameters
    ----------
    pool : columns of the panel and features; no labels.
    method : ``greedy`` adds the feature that helps most, until none helps; ``exhaustive`` tries every set.
    min_features : least size of a set. Greedy search goes so far whether it helps or not.
    max_features : largest size of a set; by default 4, or the size of a smaller pool.
    objective : the figure to maximise, of :class:`assay.models.EvalMetrics`.
    strategy : estimator, folds, target and seed; its features do not count.
    """

    pool: tuple[str, ...]
    method: SearchMethod = "greedy"
    min_features: int = 1
    max_features: int = 4
    objective: Objective = "rank_ic"
    strategy: Strategy = field(default_factory=_default_strategy)

    def __post_init__(self) -> None:
        _check(self._problems(), "feature search")

    @property
    def largest(self) -> int:
        """Largest size of a set that the pool allows."""
        return min(self.max_features, len(self.pool))

    @property
    def sets(self) -> int:
        """Number of sets that an exhaustive search has."""
        return sum(comb(len(self.pool), size) for size in range(self.min_features, self.largest + 1))

    def _problems(self) -> Found:
        wrong = [*_names("pool", self.pool, reasons.BAD_POOL)]
        wrong += _one_of("method", self.method, get_args(SearchMethod), reasons.BAD_METHOD)
        wrong += _whole("max_features", self.max_features, 1, MAX_NAMES, reasons.BAD_MAX_FEATURES)
        wrong += _whole("min_features", self.min_features, 1, MAX_NAMES, reasons.BAD_MIN_FEATURES)
        wrong += _one_of("objective", self.objective, get_args(Objective), reasons.BAD_OBJECTIVE)
        yield from wrong
        if wrong:
            return
        if self.min_features > self.largest:
            said = f"is {self.min_features}, and the largest set has {self.largest}"
            yield reasons.BAD_MIN_FEATURES, Problem("min_features", said, "give a smaller number")
        elif self.method == "exhaustive" and self.sets > MAX_SETS:
            said = f"gives {self.sets:,} sets, more than {MAX_SETS:,}"
            yield reasons.BAD_SPEC, Problem("max_features", said, "use a smaller pool or sets, or greedy")


@dataclass(frozen=True, slots=True)
class Dim:
    """One setting that a sweep varies, and the values that it tries."""

    name: str
    choices: tuple[Choice, ...]


@dataclass(frozen=True, slots=True)
class SweepSpec:
    """Settings of a strategy, ranked by what it then says out of fold.

    Parameters
    ----------
    dims : parameters of the model, settings of its folds, and ``features`` with lists of names as choices.
    method : ``grid`` tries every combination, ``random`` draws ``n_random`` different ones of them.
    n_random : how many are drawn; by default 16. For a grid there is none.
    max_configs : most that may be tried.
    objective : the figure to maximise, of :class:`assay.models.EvalMetrics`.
    strategy : what is varied, and the seed. One without features learns from all formula features of the
        generic universe, unless ``features`` is a dim.
    """

    dims: tuple[Dim, ...]
    method: SweepMethod = "grid"
    n_random: int | None = None
    max_configs: int = 64
    objective: Objective = "rank_ic"
    strategy: Strategy = field(default_factory=_default_strategy)

    def __post_init__(self) -> None:
        _check(self._problems(), "sweep")

    @property
    def size(self) -> int:
        """Number of combinations."""
        return prod(len(dim.choices) for dim in self.dims)

    @property
    def drawn(self) -> int:
        """How many of them are drawn, where they are drawn."""
        return min(16 if self.n_random is None else self.n_random, self.max_configs, self.size)

    def _problems(self) -> Found:
        wrong = [*self._dim_problems()]
        wrong += _one_of("method", self.method, get_args(SweepMethod), reasons.BAD_METHOD)
        wrong += _whole("max_configs", self.max_configs, 1, MAX_CONFIGS, reasons.BAD_MAX_CONFIGS)
        if self.n_random is not None:
            wrong += _whole("n_random", self.n_random, 1, MAX_CONFIGS, reasons.BAD_N_RANDOM)
        wrong += _one_of("objective", self.objective, get_args(Objective), reasons.BAD_OBJECTIVE)
        yield from wrong
        if wrong:
            return
        if self.method == "grid" and self.n_random is not None:
            yield reasons.BAD_N_RANDOM, Problem("n_random", "is given for a grid", "leave it out")
        if self.method == "grid" and self.size > self.max_configs:
            said = f"is {self.max_configs}, and the grid has {self.size:,} configurations"
            yield reasons.BAD_MAX_CONFIGS, Problem("max_configs", said, reasons.BAD_MAX_CONFIGS.fix)
        if self.n_random is not None and self.n_random > self.max_configs:
            said = f"is {self.n_random}, above max_configs, {self.max_configs}"
            yield reasons.BAD_N_RANDOM, Problem("n_random", said, "give a smaller number")

    def _dim_problems(self) -> Found:
        if not 1 <= len(self.dims) <= MAX_DIMS:
            yield reasons.BAD_DIMS, Problem("dims", f"has {len(self.dims)}", f"give 1 to {MAX_DIMS}")
        for name, count in Counter(dim.name for dim in self.dims).items():
            if count > 1:
                yield reasons.BAD_DIMS, Problem("dims", f"has {name[:80]!r} {count} times", "give each once")
        for place, dim in enumerate(self.dims):
            where = f"dims.{place}.choices"
            if not 1 <= len(dim.choices) <= MAX_CHOICES:
                said = f"has {len(dim.choices)} values"
                yield reasons.BAD_DIMS, Problem(where, said, f"give 1 to {MAX_CHOICES}")
            elif len(set(dim.choices)) < len(dim.choices):
                yield reasons.BAD_DIMS, Problem(where, "has a value twice", "give each once")


@dataclass(frozen=True, slots=True)
class EventWindowSpec:
    """Windows before a bar in which events are counted, ranked by how that foresees a target.

    An event belongs to the first bar that ends at or after the time at which it was known, and its post
    window is over ``post`` after that bar. A bar that ends at ``s`` counts the events whose post window was
    over at some time in ``[s - pre, s]``: those whose bars ended in ``[s - pre - post, s - post]``. So the
    post window makes an event wait, the pre window says how long it counts from then on, and ``0m`` twice
    counts the events of the bar itself. What is said of a bar is used from the next one on, as any feature.

    Parameters
    ----------
    pre_windows, post_windows : Polars duration strings; a day is 24 hours by the calendar.
    reductions : ``indicator``: whether there is one; ``count``; ``mean_score``; ``time_since_last``: days
        from the time at which the last one was known to the end of the bar. The last two are missing without
        one.
    target : a label; its horizon counts bars.
    max_candidates : most combinations that may be tried.
    min_events : a combination is left out when fewer events count for a bar and name that is scored.
    events : name of the series of events; by default the first of the data set.
    bars : ``daily``, or ``minutes`` for those inside the day.
    """

    pre_windows: tuple[str, ...]
    post_windows: tuple[str, ...]
    reductions: tuple[Reduction, ...]
    target: str = "fwd_ret_1"
    max_candidates: int = 200
    min_events: int = 30
    events: str | None = None
    bars: BarKind = "daily"

    def __post_init__(self) -> None:
        _check(self._problems(), "event windows")

    @property
    def size(self) -> int:
        """Number of combinations."""
        return len(self.pre_windows) * len(self.post_windows) * len(self.reductions)

    def _problems(self) -> Found:
        yield from _windows("pre_windows", self.pre_windows, reasons.BAD_PRE_WINDOWS)
        yield from _windows("post_windows", self.post_windows, reasons.BAD_POST_WINDOWS)
        yield from self._reduction_problems()
        yield from _target(self.target)
        wrong = [
            *_whole("max_candidates", self.max_candidates, 1, MAX_CANDIDATES, reasons.BAD_MAX_CANDIDATES)
        ]
        yield from wrong
        yield from _whole("min_events", self.min_events, 1, 1_000_000_000, reasons.BAD_MIN_EVENTS)
        yield from _one_of("bars", self.bars, get_args(BarKind), reasons.BAD_SPEC)
        if not wrong and self.size > self.max_candidates:
            said = f"is {self.max_candidates}, and there are {self.size:,} combinations"
            fix = reasons.CROSS_PRODUCT_TOO_LARGE.fix
            yield reasons.CROSS_PRODUCT_TOO_LARGE, Problem("max_candidates", said, fix)

    def _reduction_problems(self) -> Found:
        where, reason, known = "reductions", reasons.BAD_REDUCTIONS, get_args(Reduction)
        if not self.reductions:
            yield reason, Problem(where, "is empty", f"use {', '.join(known)}")
        for item in self.reductions:
            yield from _one_of(where, item, known, reason)
        if len(set(self.reductions)) < len(self.reductions):
            yield reason, Problem(where, "names one twice", "name each once")


def _check(found: Iterable[tuple[Reason, Problem]], where: str) -> None:
    problems = list(found)
    if problems:
        raise SpecProblems(problems, where=where)


def _names(where: str, names: tuple[str, ...], reason: Reason) -> Found:
    if not 1 <= len(names) <= MAX_NAMES:
        yield reason, Problem(where, f"has {len(names)} names", f"give 1 to {MAX_NAMES}")
    if len(set(names)) < len(names):
        yield reason, Problem(where, "names one twice", "name each once")


def _target(name: str) -> Found:
    if not name:
        yield reasons.BAD_TARGET, Problem("target", "is empty", reasons.BAD_TARGET.fix)


def _whole(where: str, value: Any, low: int, high: int, reason: Reason) -> Found:
    if isinstance(value, bool) or not isinstance(value, int) or not low <= value <= high:
        yield reason, Problem(where, f"is {str(value)[:40]}", f"give a whole number from {low} to {high:,}")


def _one_of(where: str, value: Any, known: tuple[str, ...], reason: Reason) -> Found:
    if value not in known:
        yield reason, Problem(where, f"has {str(value)[:40]!r}", f"use {', '.join(known)}")


def _windows(where: str, windows: tuple[str, ...], reason: Reason) -> Found:
    if not 1 <= len(windows) <= MAX_WINDOWS:
        yield reason, Problem(where, f"has {len(windows)} windows", f"give 1 to {MAX_WINDOWS}")
    lengths = []
    for text in windows:
        try:
            lengths.append(seconds_of(text))
        except ValueError as error:
            yield reason, Problem(where, f"{text[:40]!r} {error}", "write it as 0m, 5m, 1d or 1d12h")
    if len(set(lengths)) < len(lengths):
        yield reason, Problem(where, "has one length twice", "give each once")
