"""Element-wise ops of constants are constants."""

from __future__ import annotations

import numpy as np

from assay.engine._elements import ELEMENT_CODES, NUMPY_ELEMENTS, run_numpy_element
from assay.engine._graph import CONSTANT, Graph, Program, Step, rewritten
from assay.engine._program import ProgramRunner, place_of


def fold_constants(graph: Graph) -> Graph:
    """The graph with element-wise steps of constants computed, in the arithmetic that panels get."""

    def rewrite(fresh: Graph, step: Step) -> int:
        element = step.op in ELEMENT_CODES or step.op in NUMPY_ELEMENTS
        if not element or any(fresh.steps[i].op != CONSTANT for i in step.inputs):
            return fresh.add(step)
        values = [np.full((1, 1), fresh.steps[i].constant, np.float32) for i in step.inputs]
        out = np.empty((1, 1), np.float32)
        with np.errstate(all="ignore"):
            if step.op in ELEMENT_CODES:
                places = [*range(len(values)), 0, 0][:3]
                code = (ELEMENT_CODES[step.op], len(values), places[0], places[1], places[2])
                ProgramRunner(Program((code,), ()))([place_of(x) for x in values], 1, 1, place_of(out))
            else:
                run_numpy_element(step.op, values, dict(step.params), out)
        return fresh.number(float(out[0, 0]))

    return rewritten(graph, rewrite)
