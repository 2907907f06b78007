from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

from assay.expr import Expression
from assay.features import Feature, FeatureStore, standard_graph
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


def classics(panel: Panel) -> Iterator[tuple[str, Expression]]:
    """The classics of the library that a panel has the fields for, by id."""
    for factor in reference_factors("classics"):
        if set(factor.fields) <= panel.fields.keys():
            yield factor.id, factor.expression
