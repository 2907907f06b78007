"""What an op declares about its values: kind, missing inputs, neighbours, order, adjustment."""

from __future__ import annotations

import numpy as np

from assay.expr import Exponent, exponent_of_call
from assay.testing._report import ClauseResult, broken, kept, not_applicable
from assay.testing._trial import Array, Trial, first_place, nearly, ordinary, other_values, same_bits, uneven

_DATE, _NAME = 30, 4
_CHANGES = (1.0, 2.0, 0.5, 8.0, 0.25, 4.0, 2.0)
"""A power of two for each instrument: multiplying by it rounds nothing."""


def kinds(trial: Trial) -> ClauseResult:
    """One value for each date and instrument, of the declared kind, and the same ones in a second run."""
    for inputs in (ordinary(trial.op), uneven(trial.op)):
        shape = inputs[0].shape[-2:]
        result = trial.run(inputs)
        if result.shape != shape:
            return broken("kinds", f"{trial.label}: result has shape {result.shape}, the inputs {shape}")
        if not same_bits(result, trial.run(inputs)).all():
            return broken(
                "kinds", f"{trial.label}: a second run gives other values; evaluate must be a pure function"
            )
        present = result[~np.isnan(result)] if result.dtype.kind == "f" else result
        if trial.op.result == "bool" and not np.isin(present, (0, 1)).all():
            return broken("kinds", f"{trial.label}: declares bool, yet a value is neither 0, 1 nor missing")
        if trial.op.result == "group" and not (np.equal(np.floor(present), present) & (present >= -1)).all():
            return broken(
                "kinds", f"{trial.label}: declares group, yet a code is no whole number of at least -1"
            )
    return kept("kinds", trial.op.result)


def missing(trial: Trial) -> ClauseResult:
    """Missing inputs do what the declared rule says."""
    rule = trial.op.missing
    if rule == "never":
        # before the first whole window there is no value to speak of
        absent = np.isnan(trial.run(uneven(trial.op)))[trial.lookback - 1 :]
        if absent.any():
            return broken(
                "missing",
                f"{trial.label}: missing='never', yet the value at {first_place(absent)} is missing",
            )
        return kept("missing", rule)
    if rule == "defined":
        return not_applicable("missing", "left to the op's definition")
    inputs = ordinary(trial.op)
    gaps = [i for i, arg in enumerate(trial.op.args) if arg.kind != "group"]
    for i in gaps:
        problem = _one_gap(trial, inputs, i) if rule in ("propagate", "strict") else ""
        if rule == "pairs":
            problem = _half_a_pair(trial, inputs, i, gaps)
        if problem:
            return broken("missing", problem)
    empty = [np.full_like(a, np.nan) if i in gaps else a for i, a in enumerate(inputs)]
    if gaps and not np.isnan(trial.run(empty)).all() and trial.op.result != "group":
        return broken("missing", f"{trial.label}: missing={rule!r}, yet inputs without any value give values")
    return kept("missing", rule)


def _one_gap(trial: Trial, inputs: list[Array], which: int) -> str:
    """A gap spoils its own bar, or every window that holds it."""
    if trial.params.get("min_periods", 0):
        return ""
    result = trial.run(_with_gap(inputs, [which]))
    if trial.op.result == "group":
        return ""
    touched = range(_DATE, _DATE + trial.lookback)
    if trial.op.missing == "propagate":
        # with a delay the gap shows where it is looked back to
        there = _DATE + trial.lookback - 1 if trial.op.lookback == "delay" else _DATE
        touched = range(there, there + 1)
    elif trial.op.lookback == "delay":
        # one input may be needed at the oldest bar and another not
        touched = range(_DATE, _DATE + trial.lookback - 1)
    for date in touched:
        if date < result.shape[0] and not np.isnan(result[date, _NAME]):
            return (
                f"{trial.label}: missing={trial.op.missing!r}, yet a gap in {trial.op.args[which].name!r} at "
                f"date {_DATE} leaves a value at date {date} of the same instrument"
            )
    return ""


def _half_a_pair(trial: Trial, inputs: list[Array], which: int, gaps: list[int]) -> str:
    half, both = trial.run(_with_gap(inputs, [which])), trial.run(_with_gap(inputs, gaps))
    # where the gap itself stands, a result may need one side only
    half[_DATE, _NAME] = both[_DATE, _NAME] = np.nan
    differ = ~nearly(half, both, 1e-5, 1e-6)
    if not differ.any():
        return ""
    return (
        f"{trial.label}: missing='pairs', yet a gap in {trial.op.args[which].name!r} alone gives another "
        f"value at {first_place(differ)} than a gap in all inputs"
    )


def _with_gap(inputs: list[Array], which: list[int]) -> list[Array]:
    copies = [a.copy() for a in inputs]
    for i in which:
        copies[i][..., _DATE, _NAME] = np.nan
    return copies


def scope(trial: Trial) -> ClauseResult:
    """Other values in one cell reach no result that the declared scope rules out."""
    inputs = ordinary(trial.op)
    before = trial.run(inputs)

    def one_cell(mask: Array) -> None:
        mask[_DATE, _NAME] = True

    after = trial.run(other_values(inputs, one_cell, trial.op, 3))
    # a running sum may differ in its last bit long after a value has left the window
    changed = ~nearly(after, before, 1e-5, 1e-6)
    allowed = np.zeros_like(changed)
    last = before.shape[0] if trial.op.stateful else _DATE + trial.lookback
    if trial.op.scope in ("element", "vector"):
        allowed[_DATE, _NAME] = True
    elif trial.op.scope == "time":
        allowed[_DATE:last, _NAME] = True
    else:
        allowed[_DATE:last] = True
    wrong = changed & ~allowed
    if wrong.any():
        return broken(
            "scope",
            f"{trial.label}: scope={trial.op.scope!r}, yet another value at date {_DATE}, instrument {_NAME} "
            f"changes the result at {first_place(wrong)}",
        )
    return kept("scope", trial.op.scope)


def permutation(trial: Trial) -> ClauseResult:
    """Instruments in another order give the same values in that order, to one float32 step."""
    for inputs in (ordinary(trial.op), uneven(trial.op)):
        order = np.arange(inputs[0].shape[-1])[::-1]
        straight = trial.run(inputs)[:, order]
        turned = trial.run([np.ascontiguousarray(a[..., order]) for a in inputs])
        step = 0.0 if straight.dtype.kind == "i" else float(np.finfo(np.float32).eps)
        differ = ~nearly(turned, straight, 2 * step, 1e-12)
        if differ.any():
            return broken(
                "permutation",
                f"{trial.label}: with the instruments in reverse order the value at {first_place(differ)} is "
                "another",
            )
    return kept("permutation")


def exponent(trial: Trial) -> ClauseResult:
    """Random powers of two as adjustment factors do to the value what the declared rule says."""
    numbers = [i for i, arg in enumerate(trial.op.args) if arg.kind in ("number", "any", "vector")]
    if not numbers:
        return not_applicable("exponent", "no numeric input")
    if trial.op.result == "group":
        return not_applicable("exponent", "a group has no scale")
    tried = 0
    for powers in _powers(len(numbers)):
        given = [
            Exponent("power", powers[numbers.index(i)] if i in numbers else 0.0)
            for i in range(len(trial.op.args))
        ]
        claim = exponent_of_call(trial.call, given, trial.op.exponent)
        if claim.kind != "power":
            continue
        tried += 1
        problem = _scaled(trial, numbers, powers, claim.value)
        if problem:
            return broken("exponent", problem)
    if not tried:
        return not_applicable(
            "exponent", f"the rule {trial.op.exponent!r} makes no claim for these parameters"
        )
    return kept("exponent", trial.op.exponent)


def _powers(count: int) -> list[tuple[float, ...]]:
    """Exponents of the numeric inputs: all free, all prices, all volumes, and one price among free ones."""
    mixed = [tuple(1.0 if i == j else 0.0 for i in range(count)) for j in range(count)]
    return list(dict.fromkeys([(0.0,) * count, (1.0,) * count, (-1.0,) * count, *mixed]))


def _scaled(trial: Trial, numbers: list[int], powers: tuple[float, ...], want: float) -> str:
    factor = np.array(_CHANGES, dtype=np.float64)
    for inputs in (ordinary(trial.op), uneven(trial.op)):
        scaled = [a.copy() for a in inputs]
        for i, power in zip(numbers, powers, strict=True):
            scaled[i] = (scaled[i] * factor**power).astype(np.float32)
        expected = trial.run(inputs).astype(float) * factor**want
        differ = ~nearly(trial.run(scaled), expected, 1e-4, 1e-6)
        if differ.any():
            names = ", ".join(f"{trial.op.args[i].name} {p:g}" for i, p in zip(numbers, powers, strict=True))
            return (
                f"{trial.label}: exponent={trial.op.exponent!r} says that inputs of exponents ({names}) "
                f"give a value of exponent {want:g}, yet the value at {first_place(differ)} scales otherwise"
            )
    return ""
