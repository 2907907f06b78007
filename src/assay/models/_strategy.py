from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, fields, replace
from typing import Any, Literal, get_args

from assay.base import ID_PATTERN, did_you_mean, json_hash
from assay.errors import ConfigProblems, Problem
from assay.features import FeatureGraph

ModelName = Literal["ridge", "linear", "lasso", "elastic_net", "lightgbm"]
MAX_FEATURES = 256


class StrategyProblems(ConfigProblems):
    """Settings of a strategy that cannot be used, all at once."""

    kind = "strategy"

    def __init__(self, problems: Sequence[Problem], *, where: str = "strategy") -> None:
        super().__init__(problems, where=where)
        self.fix = "mend the listed settings"


@dataclass(frozen=True, slots=True)
class Parameter:
    """A parameter of a model: its default and bounds."""

    default: float
    low: float
    high: float
    whole: bool = False


PARAMETERS: Mapping[ModelName, Mapping[str, Parameter]] = {
    "ridge": {"alpha": Parameter(1.0, 0.0, 1e9)},
    "linear": {},
    "lasso": {"alpha": Parameter(1e-4, 1e-9, 10.0)},
    "elastic_net": {"alpha": Parameter(1e-4, 1e-9, 10.0), "l1_ratio": Parameter(0.5, 0.0, 1.0)},
    "lightgbm": {
        "n_estimators": Parameter(100, 1, 2000, whole=True),
        "num_leaves": Parameter(15, 2, 255, whole=True),
        "learning_rate": Parameter(0.05, 1e-4, 1.0),
        "min_child_samples": Parameter(50, 1, 100_000, whole=True),
    },
}
"""What may be set of each model."""


@dataclass(frozen=True, slots=True)
class WalkForward:
    """How training and test follow each other.

    A fold trains on the ``train_bars`` before its test rows (on all of them with ``expanding``), tests on the
    next ``test_bars``, and the next fold begins ``step_bars`` later. *Purge*: a training row whose label
    reaches into the test rows is left out. *Embargo*: ``embargo_bars`` more rows are left out before the
    test rows.
    """

    train_bars: int = 120
    test_bars: int = 21
    step_bars: int = 21
    embargo_bars: int = 5
    expanding: bool = True


@dataclass(frozen=True, slots=True)
class Strategy:
    """A model, what it learns from, and what it is to foresee.

    Parameters
    ----------
    features : names in a feature graph; empty where each run gives its own.
    target : name of a label.
    parameters : of the model, see :data:`PARAMETERS`; what is left out has its default.

    Raises
    ------
    StrategyProblems
        Settings are out of range; all of them at once.
    """

    slug: str
    title: str = ""
    model: ModelName = "ridge"
    parameters: Mapping[str, float] = field(default_factory=dict)
    features: tuple[str, ...] = ()
    target: str = "fwd_ret_5"
    cv: WalkForward = WalkForward()
    seed: int = 0

    def __post_init__(self) -> None:
        problems = list(_problems(self))
        if problems:
            raise StrategyProblems(problems, where=f"strategy {str(self.slug)[:80]!r}")

    def parameter(self, name: str) -> float:
        """The value of a parameter, its default where it is not set."""
        return self.parameters.get(name, PARAMETERS[self.model][name].default)

    def varied(self, **changes: Any) -> Strategy:
        """The same strategy with other settings: its own fields, those of ``cv``, and parameters, by name.

        Raises
        ------
        StrategyProblems
            A name is unknown, or a value is out of range.
        """
        own = {item.name for item in fields(Strategy)}
        timing = {item.name for item in fields(WalkForward)}
        settings = {name: value for name, value in changes.items() if name in own}
        cv = {name: value for name, value in changes.items() if name in timing}
        rest = {name: value for name, value in changes.items() if name not in own | timing}
        parameters = {**settings.pop("parameters", self.parameters), **rest}
        return replace(self, **settings, parameters=parameters, cv=replace(settings.pop("cv", self.cv), **cv))

    def fingerprint(self, graph: FeatureGraph) -> str:
        """SHA-256 of what is learnt from what: slug, title and the order of the features change nothing.

        Raises
        ------
        Refusal
            ``unknown_feature``.
        """
        content = {
            "model": self.model,
            "parameters": {name: float(self.parameter(name)) for name in PARAMETERS[self.model]},
            "features": sorted(graph.hash(name) for name in self.features),
            "target": graph.hash(self.target),
            "cv": asdict(self.cv),
            "seed": self.seed,
        }
        return f"model:{json_hash(content)}"


_CV_BOUNDS = {
    "train_bars": (20, 100_000),
    "test_bars": (1, 100_000),
    "step_bars": (1, 100_000),
    "embargo_bars": (0, 10_000),
}


def _problems(strategy: Strategy) -> Iterator[Problem]:
    if not (isinstance(strategy.slug, str) and re.fullmatch(ID_PATTERN, strategy.slug)):
        yield Problem(
            "slug", f"is {str(strategy.slug)[:80]!r}", "use lower case, digits, _ and -, at most 64"
        )
    if not isinstance(strategy.title, str) or len(strategy.title) > 200:
        yield Problem("title", "is no text of at most 200 characters", "shorten it")
    if not _whole(strategy.seed) or not 0 <= strategy.seed <= 2**31 - 1:
        yield Problem("seed", f"is {strategy.seed!r}", "give a whole number from 0 to 2147483647")
    yield from _model_problems(strategy)
    yield from _feature_problems(strategy)
    yield from _cv_problems(strategy.cv)


def _model_problems(strategy: Strategy) -> Iterator[Problem]:
    known = get_args(ModelName)
    if strategy.model not in known:
        near = did_you_mean(str(strategy.model), known)
        hint = f"did you mean {near[0]}?" if near else f"use {', '.join(known)}"
        yield Problem("model", f"is {strategy.model!r}", hint)
        return
    allowed = PARAMETERS[strategy.model]
    for name, value in strategy.parameters.items():
        where = f"parameters.{name}"
        limits = allowed.get(name)
        if limits is None:
            fix = f"it has {', '.join(allowed)}" if allowed else "it has none"
            yield Problem(where, f"is no parameter of {strategy.model}", fix)
        elif (
            not (_whole(value) if limits.whole else _number(value)) or not limits.low <= value <= limits.high
        ):
            noun = "a whole number" if limits.whole else "a number"
            yield Problem(where, f"is {value!r}", f"give {noun} from {limits.low:g} to {limits.high:g}")


def _feature_problems(strategy: Strategy) -> Iterator[Problem]:
    names = strategy.features
    if not isinstance(names, tuple) or not all(isinstance(name, str) and name for name in names):
        yield Problem("features", "is no list of names", "give names of features")
        return
    if twice := sorted({name for name in names if names.count(name) > 1}):
        yield Problem("features", f"names {twice[0]!r} twice", "name each once")
    if len(names) > MAX_FEATURES:
        yield Problem("features", f"has {len(names)} names", f"give at most {MAX_FEATURES}")
    if not isinstance(strategy.target, str) or not strategy.target:
        yield Problem("target", f"is {strategy.target!r}", "give the name of a label, such as fwd_ret_5")
    elif strategy.target in names:
        yield Problem("features", f"has the target {strategy.target!r}", "leave it out")


def _cv_problems(cv: WalkForward) -> Iterator[Problem]:
    switch: Any = cv.expanding  # what a file says
    if not isinstance(switch, bool):
        yield Problem("cv.expanding", f"is {switch!r}", "use true or false")
    for name, (low, high) in _CV_BOUNDS.items():
        value = getattr(cv, name)
        if not _whole(value) or not low <= value <= high:
            yield Problem(f"cv.{name}", f"is {value!r}", f"give a whole number from {low} to {high}")
    if all(_whole(bars) for bars in (cv.step_bars, cv.test_bars)) and cv.step_bars < cv.test_bars:
        fix = "give test_bars or more: a row is tested once"
        yield Problem("cv.step_bars", f"is {cv.step_bars}, below test_bars", fix)


def _whole(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def _number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and value == value
