from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import fields

from assay.base import did_you_mean, generator
from assay.discovery._desk import DiscoveryDesk, Leaderboard, check_names, leaderboard, renamed
from assay.discovery._reasons import BAD_DIM_NAME, BAD_DIMS, BAD_SPEC
from assay.discovery._specs import Choice, Dim, SweepSpec
from assay.discovery._train import Trainee
from assay.errors import Refusal
from assay.features import FeatureGraph, Formula
from assay.models import PARAMETERS, Evaluated, Strategy, StrategyProblems, WalkForward

FEATURES = "features"
MAX_OWN_FEATURES = 32


def dim_names(strategy: Strategy) -> tuple[str, ...]:
    """What a sweep of a strategy may vary: parameters of its model, settings of its folds, its features."""
    return (*PARAMETERS[strategy.model], *(item.name for item in fields(WalkForward)), FEATURES)


def sweep(desk: DiscoveryDesk, spec: SweepSpec) -> Leaderboard:
    """Search for the settings with which a strategy foresees most, out of fold.

    Configurations that leave no fold on this data are excluded. Settings of the folds change which days are
    tested: each report says which.

    Raises
    ------
    Refusal
        ``bad_dim_name``; ``bad_dims``: a choice is out of the bounds of its setting; ``unknown_feature``;
        ``bad_spec``: no configuration can be trained on this data; ``broken_feature``.
    AssayError
        The strategy cannot be used: its target, or an extra that is not installed.
    """
    base = _with_features(spec, desk.store.graph)
    _check_dims(spec, base, desk.store.graph)
    configs = [(config, _varied(base, config)) for config in _configs(spec)]
    trainee = Trainee(desk.store)
    found: list[Evaluated] = []
    for config, strategy in configs:
        item = trainee.run(strategy)
        if item is not None:
            found.append(renamed(item, "sweep", _words(config)))
    trainee.require_some(found)
    return leaderboard(
        desk,
        found,
        method=f"sweep:{spec.method}",
        objective=spec.objective,
        target=base.target,
        excluded=trainee.excluded,
    )


def _with_features(spec: SweepSpec, graph: FeatureGraph) -> Strategy:
    strategy = spec.strategy
    if strategy.features or any(dim.name == FEATURES for dim in spec.dims):
        return strategy
    own = [name for name, item in graph.items() if isinstance(item.rule, Formula) and not item.namespace]
    if not own:
        raise Refusal(
            BAD_SPEC,
            "there is no formula feature to learn from",
            fix="give a dim features: lists of names",
        )
    return strategy.varied(features=tuple(own[:MAX_OWN_FEATURES]))


def _check_dims(spec: SweepSpec, base: Strategy, graph: FeatureGraph) -> None:
    known = dim_names(base)
    for dim in spec.dims:
        if dim.name not in known:
            near = did_you_mean(dim.name, known)
            raise Refusal(
                BAD_DIM_NAME,
                where="dims",
                fix=f"did you mean {near[0]}?" if near else f"use {', '.join(known)}",
                details={"names": list(known)},
            )
        for choice in dim.choices:
            if isinstance(choice, tuple) != (dim.name == FEATURES):
                message = f"{dim.name} takes {'lists of names' if dim.name == FEATURES else 'no lists'}"
                raise Refusal(BAD_DIMS, message, where="dims")
            if isinstance(choice, tuple):
                check_names(choice, graph, lambda name: name in graph, BAD_DIMS)


def _varied(base: Strategy, config: Mapping[str, Choice]) -> Strategy:
    try:
        return base.varied(**config)
    except StrategyProblems as error:
        first = error.problems[0]
        said = f"{_words(config)}: {first.where} {first.message}"
        raise Refusal(BAD_DIMS, said, where="dims", fix=first.fix or None) from error


def _configs(spec: SweepSpec) -> Iterator[dict[str, Choice]]:
    """The combinations to try, the last dim fastest; drawn ones in the order of the grid, each once."""
    if spec.method == "grid":
        places = list(range(spec.size))
    else:
        rng = generator(spec.strategy.seed, "sweep")
        places = sorted(rng.choice(spec.size, spec.drawn, replace=False, shuffle=False).tolist())
    for place in places:
        yield _config(spec.dims, place)


def _config(dims: tuple[Dim, ...], place: int) -> dict[str, Choice]:
    found = {}
    for dim in reversed(dims):
        place, number = divmod(place, len(dim.choices))
        found[dim.name] = dim.choices[number]
    return {dim.name: found[dim.name] for dim in dims}


def _words(config: Mapping[str, Choice]) -> str:
    told = {name: "+".join(value) if isinstance(value, tuple) else value for name, value in config.items()}
    return ", ".join(f"{name}={value}" for name, value in told.items())
