"""Ops that are another op in disguise, so that fewer kernels are compiled and more steps are shared."""

from __future__ import annotations

from collections.abc import Callable

from assay.engine._elements import ELEMENT_CODES, NUMPY_ELEMENTS
from assay.engine._graph import CONSTANT, FIELD, SPREAD, Graph, Step, rewritten

_Lowering = Callable[[Graph, Step], int]


def _swapped(op: str) -> _Lowering:
    return lambda g, s: g.call(op, s.inputs[1], s.inputs[0])


def _power(g: Graph, s: Step) -> int:
    x, y = s.inputs
    exponent = g.steps[y]
    if exponent.op == CONSTANT and exponent.constant == 2.0:
        return g.call("mul", x, x)
    return g.add(s)


def _clip(g: Graph, s: Step) -> int:
    low = g.call("maximum", s.inputs[0], g.number(float(s.param("low"))))
    return g.call("minimum", low, g.number(float(s.param("high"))))


def _holds(g: Graph, condition: int) -> int:
    return g.call("ne", condition, g.number(0.0))


def _sum(g: Graph, x: int, s: Step) -> int:
    return g.call("ts_sum", x, window=s.param("window"), min_periods=0)


def _count(g: Graph, s: Step) -> int:
    return _sum(g, _holds(g, s.inputs[0]), s)


def _sum_if(g: Graph, s: Step) -> int:
    return _sum(g, g.call("mul", s.inputs[0], _holds(g, s.inputs[1])), s)


def _scale(g: Graph, s: Step) -> int:
    (x,) = s.inputs
    low = g.call("ts_min", x, window=s.param("window"), min_periods=0)
    high = g.call("ts_max", x, window=s.param("window"), min_periods=0)
    share = g.call("div", g.call("sub", x, low), g.call("sub", high, low))
    constant = float(s.param("constant"))
    return share if constant == 0.0 else g.call("add", share, g.number(constant))


def _decay(g: Graph, s: Step) -> int:
    if s.param("missing") == "strict":
        return g.call("ts_wma", s.inputs[0], window=s.param("window"), min_periods=0)
    return g.add(s)


def _median(g: Graph, s: Step) -> int:
    return g.call(
        "ts_quantile", s.inputs[0], window=s.param("window"), q=0.5, min_periods=s.param("min_periods")
    )


def _rank_gaussian(g: Graph, s: Step) -> int:
    window = int(s.param("window"))
    rank = g.call("ts_rank", s.inputs[0], window=window, min_periods=0, scale="r/n")
    return g.call("inverse_distribution", rank, window=window, driver=s.param("driver"))


def _tail(compare: str) -> _Lowering:
    def lower(g: Graph, s: Step) -> int:
        (x,) = s.inputs
        limit = g.number(float(s.param("limit")))
        inside = g.call("ge", limit, x) if compare == "le" else g.call("ge", x, limit)
        return g.call("where", inside, x, g.number(float("nan")))

    return lower


_LOWERINGS: dict[str, _Lowering] = {
    "lt": _swapped("gt"),
    "le": _swapped("ge"),
    "power": _power,
    "clip": _clip,
    "fill_missing": lambda g, s: g.call("fill", s.inputs[0], g.number(float(s.param("value")))),
    "ts_count": _count,
    "ts_sum_if": _sum_if,
    "ts_count_missing": lambda g, s: _sum(g, g.call("is_missing", s.inputs[0]), s),
    "ts_scale": _scale,
    "ts_decay_linear": _decay,
    "ts_median": _median,
    "ts_rank_gaussian": _rank_gaussian,
    "left_tail": _tail("le"),
    "right_tail": _tail("ge"),
}

LOWERED = frozenset(_LOWERINGS)


def lower(graph: Graph) -> Graph:
    """The graph in the ops that kernels know."""

    def rewrite(fresh: Graph, step: Step) -> int:
        lowering = _LOWERINGS.get(step.op)
        return fresh.add(step) if lowering is None else lowering(fresh, step)

    return rewritten(graph, rewrite)


def spread_inputs(graph: Graph) -> Graph:
    """The graph with panels for constants where an op is not element-wise; folding must be done."""

    def rewrite(fresh: Graph, step: Step) -> int:
        if step.op in ELEMENT_CODES or step.op in NUMPY_ELEMENTS or step.op in (CONSTANT, FIELD, SPREAD):
            return fresh.add(step)
        inputs = tuple(fresh.call(SPREAD, i) if fresh.steps[i].op == CONSTANT else i for i in step.inputs)
        return fresh.add(Step(step.op, inputs, step.params, step.kind))

    return rewritten(graph, rewrite)


def spread_outputs(graph: Graph) -> Graph:
    """The graph with a panel for each output that is a constant."""
    for name, position in graph.outputs.items():
        if graph.steps[position].op == CONSTANT:
            graph.outputs[name] = graph.call(SPREAD, position)
    return graph
