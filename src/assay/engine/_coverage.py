from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from assay.engine._evaluate import evaluate
from assay.engine._inputs import Inputs, Mask
from assay.expr import Call, Node, distinct, op_table

_NOTICED = 0.01
"""A loss smaller than this share of the cells is not worth a row range."""


@dataclass(frozen=True, slots=True)
class Coverage:
    """How much of one sub-expression is there.

    Parameters
    ----------
    node : the sub-expression.
    share : valid values over all cells (of the members, with a universe), in [0, 1].
    inputs : share of the cells where every input is valid; 1 for a field or a constant.
    lost : cells where every input is valid and the result is missing, over all cells.
    first_row, last_row : first and last row that hold a valid value; None when there is none.
    worst_rows : first and last row of the stretch in which the share falls below half of the inputs',
    where the node
        loses most; None when it loses less than 1 %.
    """

    node: Node
    share: float
    inputs: float
    lost: float
    first_row: int | None
    last_row: int | None
    worst_rows: tuple[int, int] | None


def trace_coverage(node: Node, data: Inputs, *, universe: Mask | None = None) -> list[Coverage]:
    """Share of valid values at each distinct node of an expression, inputs first, and the rows where it
    falls.

    Parameters
    ----------
    node : the expression.
    data : what it is evaluated on.
    universe : membership by date; shares then count the members' cells only.

    Returns
    -------
    One entry for each distinct sub-expression that is a number (groups and vectors are left out).
    """
    shown = _numbers(node)
    values = evaluate({str(i): part for i, part in enumerate(shown)}, data, universe=universe)
    valid: dict[Node, Mask] = {part: np.isfinite(values[str(i)]) for i, part in enumerate(shown)}
    members = np.ones(tuple(data.shape), np.bool_) if universe is None else np.asarray(universe, np.bool_)
    return [_coverage(part, valid, members) for part in shown]


def _numbers(node: Node) -> list[Node]:
    """Distinct parts that are numbers: a leaf by the op that reads it, a call by its own result."""
    ops = op_table()
    read_as_number = {node}
    for part in distinct(node):
        if isinstance(part, Call):
            for arg, slot in zip(part.args, ops[part.op].args, strict=True):
                if slot.kind not in ("group", "vector"):
                    read_as_number.add(arg)
    return [
        part
        for part in distinct(node)
        if part in read_as_number and not (isinstance(part, Call) and ops[part.op].result == "group")
    ]


def _coverage(node: Node, valid: dict[Node, Mask], members: Mask) -> Coverage:
    mine = valid[node] & members
    fed = members.copy()
    if isinstance(node, Call):
        for arg in node.args:
            if arg in valid:
                fed &= valid[arg]
    cells = max(1, int(members.sum()))
    lost = fed & ~mine
    rows = np.flatnonzero(mine.any(axis=1))
    noticed = lost.sum() >= _NOTICED * cells
    return Coverage(
        node=node,
        share=float(mine.sum() / cells),
        inputs=float(fed.sum() / cells),
        lost=float(lost.sum() / cells),
        first_row=int(rows[0]) if rows.size else None,
        last_row=int(rows[-1]) if rows.size else None,
        worst_rows=_worst_stretch(lost.sum(axis=1), fed.sum(axis=1)) if noticed else None,
    )


def _worst_stretch(lost: npt.NDArray[np.int64], fed: npt.NDArray[np.int64]) -> tuple[int, int] | None:
    """The stretch of rows, each losing more than half of what its inputs hold, that loses most in all."""
    falls = lost * 2 > fed
    best: tuple[int, int] | None = None
    most = 0
    start = 0
    while start < falls.size:
        if not falls[start]:
            start += 1
            continue
        stop = start
        while stop < falls.size and falls[stop]:
            stop += 1
        if int(lost[start:stop].sum()) > most:
            most, best = int(lost[start:stop].sum()), (start, stop - 1)
        start = stop
    return best
