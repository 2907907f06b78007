from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final

from assay.expr import Op
from assay.testing import _time_clauses as time_clauses
from assay.testing import _value_clauses as value_clauses
from assay.testing._declaration import declaration
from assay.testing._report import ClauseResult, Report
from assay.testing._trial import Settings, Trial, trials

_CLAUSES: Final[tuple[Callable[[Trial], ClauseResult], ...]] = (
    value_clauses.kinds,
    time_clauses.causality,
    time_clauses.scramble,
    time_clauses.lookback,
    time_clauses.first_value,
    value_clauses.missing,
    value_clauses.scope,
    value_clauses.permutation,
    value_clauses.exponent,
)


def check_op(op: Op, settings: Sequence[Settings] = ()) -> Report:
    """Hold an op of one's own to the contract that the engine relies on.

    Parameters
    ----------
    op : the entry as the entry point group ``assay.ops`` gives it, with ``evaluate``.
    settings : parameters to try, by name; left-out ones take their defaults. Without any, the op is tried
        once with its defaults, and usual values (a window of 5) where there are none.

    Returns
    -------
    A result for each clause: declaration, kinds, causality, scramble, lookback, first value, missing, scope,
    permutation, exponent. A clause that is broken for any settings is broken, and its message names them.
    When the declaration or the kinds are broken nothing else is tried.

    Notes
    -----
    What ``evaluate`` raises on the test data is not caught: the traceback leads to the fault.
    """
    entry = declaration(op)
    if not entry.passed:
        return Report(op.name, (entry,))
    return Report(op.name, (entry, *run_clauses(op, settings)))


def run_clauses(op: Op, settings: Sequence[Settings] = ()) -> tuple[ClauseResult, ...]:
    """Every clause but the declaration; the kinds alone when they are broken."""
    tried = trials(op, settings)
    results: list[ClauseResult] = []
    for clause in _CLAUSES:
        results.append(_worst([clause(trial) for trial in tried]))
        if clause is value_clauses.kinds and not results[0].passed:
            break
    return tuple(results)


def assert_op(op: Op, settings: Sequence[Settings] = ()) -> None:
    """Fail with every broken clause; for use in a test.

    Raises
    ------
    AssertionError
        The op breaks its contract; the message is the whole report.
    """
    report = check_op(op, settings)
    if not report.passed:
        raise AssertionError(str(report))


def _worst(results: list[ClauseResult]) -> ClauseResult:
    """The first broken result, else the first kept one, else the first."""
    for outcome in ("broken", "kept"):
        for result in results:
            if result.outcome == outcome:
                return result
    return results[0]
