from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np

from assay.engine._inputs import Inputs, Mask, Panel
from assay.errors import AssayError, DataError
from assay.expr import Node, op_table

if TYPE_CHECKING:
    from assay.engine._execute import Sink


def evaluate(
    nodes: Mapping[str, Node],
    data: Inputs,
    *,
    universe: Mask | None = None,
    threads: int = 1,
    sink: Sink | None = None,
) -> dict[str, Panel]:
    """Values of a batch of expressions at every date and instrument.

    The batch becomes one graph in which every distinct sub-expression is computed once. Row t of a result
    uses rows <= t of the inputs; a lag is the caller's to apply.

    Parameters
    ----------
    nodes : trees by name.
    data : fields float32 (T, N), groups int32 (T, N) with -1 for none, vectors float32 (K, T, N). NaN is
        missing; infinite inputs are missing.
    universe : membership by date, bool (T, N); None = all. Cross-section and group ops see the members of
        the date only and give NaN to the others; time-series ops see all rows.
    threads : how many blocks of instruments, or of dates, are worked on at a time. The result does not
        depend on it.
    sink : called with the name and the array of each output soon after it is ready; the array is read-only
        and is used again after the call. Then nothing is kept.

    Returns
    -------
    float32 (T, N) by name, NaN = missing, no infinities; a group expression gives its codes. Names of equal
    expressions share one array. Empty with a `sink`.

    Raises
    ------
    DataError
        An input or the universe does not have the shape of the data.
    AssayError
        An op can not be evaluated, or ``threads`` is below 1.
    """
    from assay.engine._execute import Execution
    from assay.engine._plan import plan

    if threads < 1:
        raise AssayError(f"threads is {threads}", where="threads", fix="give at least 1 thread")
    ops = op_table()
    members = None if universe is None else _checked_universe(universe, data)
    graph = plan(nodes, ops, masked=members is not None)
    return Execution(graph, data, ops, members, sink).run(threads)


def _checked_universe(universe: Mask, data: Inputs) -> Mask:
    members = np.asarray(universe, np.bool_)
    if members.shape != tuple(data.shape):
        raise DataError(
            f"the universe has shape {members.shape}, the data {tuple(data.shape)}",
            where="universe",
            fix="give one truth value for each date and instrument",
        )
    return members
