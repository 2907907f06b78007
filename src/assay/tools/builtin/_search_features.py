from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

from assay.config import Workspace
from assay.expr import Expression
from assay.features import (
    Feature,
    FeatureStore,
    installed_features,
    python_field,
    read_features,
    standard_graph,
)
from assay.library import reference_factors
from assay.market import Fill, Panel
from assay.tools.builtin._view import SearchView


def search_features(
    view: SearchView,
    *,
    formulas: Mapping[str, Expression | str] | None = None,
    extra: Iterable[Feature] = (),
    cache: Path | None = None,
    lag: int = 1,
    fill: Fill = "close",
) -> FeatureStore:
    """The features that may be searched with: of the panel, of the library's classics, and given ones.

    It ends with the search period, and its clock stands there; models train and are evaluated within it.

    Raises
    ------
    FeatureProblems
        The given features do not go together with the others.
    ExpressionError
        A formula that is given as text cannot be used.
    """
    named = {**dict(classics(view.panel)), **(formulas or {})}
    graph = standard_graph(view.panel, formulas=named, extra=extra, lag=lag, fill=fill)
    return FeatureStore(
        view.panel,
        graph,
        universe=view.universe,
        cache=cache,
        clock=view.plan.clock,
        period="search",
        start=view.search.start,
    )


def workspace_features(view: SearchView, workspace: Workspace) -> FeatureStore:
    """:func:`search_features` with the features of a workspace's ``features.toml``, its lag, fill and cache.

    Raises
    ------
    FeatureProblems, DataError
        The file cannot be used.
    """
    settings = workspace.settings(view.panel.name)
    known = {**view.panel.fields, **{item.name: python_field(item) for item in installed_features()}}
    extra = read_features(workspace.features_path, known, lag=settings.lag)
    cache = workspace.cache_dir / "features"
    return search_features(view, extra=extra, cache=cache, lag=settings.lag, fill=settings.fill)


def classics(panel: Panel) -> Iterator[tuple[str, Expression]]:
    """The classics of the library that a panel has the fields for, by id."""
    for factor in reference_factors("classics"):
        if set(factor.fields) <= panel.fields.keys():
            yield factor.id, factor.expression
