from __future__ import annotations

from collections.abc import Iterable, Mapping

from assay.expr import Expression, FieldInfo, parse
from assay.features._code import code_digest
from assay.features._feature import LAG, Base, Feature, formula_feature, label_feature
from assay.features._graph import FeatureGraph
from assay.features._python import installed_features
from assay.market import Fill, Panel

HORIZONS = (1, 5, 10, 20)


def standard_graph(
    panel: Panel,
    *,
    formulas: Mapping[str, Expression | str] | None = None,
    extra: Iterable[Feature] = (),
    lag: int = LAG,
    horizons: Iterable[int] = HORIZONS,
    fill: Fill = "close",
) -> FeatureGraph:
    """The features that a panel has by itself, and those that are given.

    They are its numeric fields, the labels ``fwd_ret_<h>``, the formulas, the Python features of installed
    packages as far as the panel has what they need, and ``extra``.

    Parameters
    ----------
    formulas : by name; their fields may be fields of the panel and features of ``extra``. Text is read in the
        core dialect.
    lag : of fields and formulas: their value of row ``t`` is known ``lag`` bars later.
    fill : price from which labels are made.

    Raises
    ------
    FeatureProblems
        The features do not go together; all problems at once.
    ExpressionError
        A formula that is given as text cannot be used.
    """
    given = tuple(extra)
    named = [*_bases(panel, lag), *_labels(panel, horizons, fill), *given]
    named += [item for item in installed_features() if _complete(item, named)]
    inputs = frozenset(name for name, info in panel.fields.items() if info.kind in ("group", "vector"))
    known = {**panel.fields, **{item.name: python_field(item) for item in given}}
    for name, formula in (formulas or {}).items():
        expression = parse(formula, fields=known, adjustment="warn") if isinstance(formula, str) else formula
        named.append(formula_feature(name, expression, lag=lag, inputs=inputs))
    return FeatureGraph(named)


def _bases(panel: Panel, lag: int) -> list[Feature]:
    made = {item.info.name: code_digest(item.build) for item in panel.own}
    return [
        Feature(name, Base(name, made.get(name, "")), (), info.description, lag)
        for name, info in sorted(panel.fields.items())
        if info.kind not in ("group", "vector")
    ]


def _labels(panel: Panel, horizons: Iterable[int], fill: Fill) -> list[Feature]:
    return [label_feature(h, fill=fill) for h in horizons] if fill in panel.fields else []


def _complete(item: Feature, others: Iterable[Feature]) -> bool:
    return set(item.deps) <= {other.name for other in others}


def python_field(item: Feature) -> FieldInfo:
    """A feature as the parser wants a field described."""
    # how a Python feature moves with a stock's adjustment factor is not known
    return FieldInfo(item.name, "number", None, "", item.doc)
