"""Random formulas over inputs, written out as formulas over the columns of the panel."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from assay.base import generator, json_hash
from assay.discovery._desk import check_names
from assay.discovery._reasons import BAD_INPUTS, BAD_SPEC
from assay.discovery._specs import FactorMiningSpec
from assay.errors import Refusal
from assay.expr import (
    Call,
    Expression,
    Field,
    FieldInfo,
    Node,
    Space,
    canonical,
    default_limits,
    exponent,
    kind_of,
    lookback,
    sample,
    to_text,
)
from assay.features import Base, FeatureGraph, Formula
from assay.market import Panel

_WINDOWS = (3, 5, 10, 20, 40, 60, 120)
_NODES = 40
_DRAWS = 20
"""Draws for each candidate that is wanted: with few inputs most draws have been made before."""


@dataclass(frozen=True, slots=True)
class Drawn:
    """A formula over the columns of the panel and features that are no formulas."""

    expression: Expression
    fingerprint: str


class Inputs:
    """What formulas are drawn from: features and columns by name.

    Raises
    ------
    Refusal
        ``unknown_feature``; ``bad_inputs``: a label, or nothing that is a number.
    """

    def __init__(self, panel: Panel, graph: FeatureGraph, names: Sequence[str]) -> None:
        check_names(names, graph, lambda name: name in graph or name in panel.fields, BAD_INPUTS)
        self._panel, self._graph = panel, graph
        self._written: dict[str, Node] = {}
        self.fields = {name: self._info(name) for name in names}
        if all(info.kind != "number" for info in self.fields.values()):
            raise Refusal(BAD_INPUTS, "none of the inputs is a number", fix="add one, such as close")

    def written(self, node: Node) -> Node:
        """A tree over inputs with each feature that is a formula written out."""
        if isinstance(node, Call):
            return Call(node.op, tuple(self.written(arg) for arg in node.args), node.params)
        return self._feature(node.name) if isinstance(node, Field) else node

    def fingerprint(self, expression: Expression) -> str:
        """That of the formula, where it reads columns alone; else one over the features' content, too."""
        own = {
            name: self._graph.hash(name)
            for name in expression.fields
            if name in self._graph and self._graph[name].rule != Base(name)
        }
        if not own:
            return expression.fingerprint
        content = {"formula": to_text(canonical(expression.node), "core"), "features": own}
        return f"formula:{json_hash(content)}"

    def known(self) -> Mapping[str, FieldInfo]:
        """All that a written formula may name."""
        return {
            **{name: FieldInfo(name, "number", None) for name in self._graph},
            **self._panel.fields,
        }

    def _feature(self, name: str) -> Node:
        if name not in self._written:
            rule = self._graph[name].rule if name in self._graph else None
            self._written[name] = (
                self.written(rule.expression.node) if isinstance(rule, Formula) else Field(name)
            )
        return self._written[name]

    def _info(self, name: str) -> FieldInfo:
        if name in self._panel.fields:
            return self._panel.fields[name]
        node, known = self._feature(name), self.known()
        found = exponent(node, known)
        value = found.value if found.kind == "power" and not found.unknown else None
        return FieldInfo(name, kind_of(node, known), value)


def draw(panel: Panel, graph: FeatureGraph, spec: FactorMiningSpec) -> tuple[Drawn, ...]:
    """The candidates of a search, each once, in the order of the draws: at most as many as are wanted.

    Candidates are adjustment-invariant, as far as that is known, and within the limits of the language when
    they are written out.

    Raises
    ------
    Refusal
        ``unknown_feature``, ``bad_inputs``; ``bad_spec``: no formula can be drawn.
    """
    inputs = Inputs(panel, graph, spec.inputs)
    limits, bars = default_limits("core"), len(panel.dates)
    known = inputs.known()
    found: dict[str, Drawn] = {}
    for node in _trees(inputs, spec):
        written = inputs.written(node)
        small = written.size <= limits.nodes and written.depth <= limits.depth
        if not small or lookback(written) > min(limits.lookback, bars - 1):
            continue
        effect = exponent(written, known)
        if not (effect.invariant or effect.unknown):
            continue
        expression = Expression(to_text(canonical(written), "core"), "core", written, (), known)
        drawn = Drawn(expression, inputs.fingerprint(expression))
        # in absolute terms a formula and its multiples, the opposite too, are one
        same = expression.signature if spec.objective == "|rank_ic|" else drawn.fingerprint
        found.setdefault(same, drawn)
        if len(found) == spec.n_candidates:
            break
    if not found:
        raise Refusal(BAD_SPEC, "no formula can be drawn from these inputs within the limits of the language")
    return tuple(found.values())


def _trees(inputs: Inputs, spec: FactorMiningSpec) -> Iterator[Node]:
    space = Space(fields=inputs.fields, windows=_WINDOWS, nodes=_NODES, depth=spec.max_depth)
    rng = generator(spec.seed, "factor mining")
    for _ in range(_DRAWS * spec.n_candidates):
        try:
            yield sample(rng, space)
        except Refusal as refusal:
            raise Refusal(BAD_SPEC, f"no formula can be drawn: {refusal.message}") from refusal
