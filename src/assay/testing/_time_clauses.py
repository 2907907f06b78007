"""What an op may know: nothing of the future, and of the past no more than it declares."""

from __future__ import annotations

import numpy as np

from assay.testing._report import ClauseResult, broken, kept, not_applicable
from assay.testing._trial import (
    DATES,
    Array,
    Trial,
    first_place,
    nearly,
    ordinary,
    other_values,
    rows,
    same_bits,
    uneven,
)

_CUTS = (DATES // 4, DATES // 2, DATES - 1)


def causality(trial: Trial) -> ClauseResult:
    """Cutting the data off after a date changes no value before, bit for bit."""
    for inputs in (ordinary(trial.op), uneven(trial.op)):
        whole = trial.run(inputs)
        for stop in _CUTS:
            differ = ~same_bits(trial.run(rows(inputs, stop)), whole[:stop])
            if differ.any():
                return broken(
                    "causality",
                    f"{trial.label}: with only the first {stop} dates given, the value at "
                    f"{first_place(differ)} is another; a value must come from its own and earlier "
                    "dates alone, bit for bit",
                )
    return kept("causality")


def scramble(trial: Trial) -> ClauseResult:
    """Other values after a date change nothing up to it."""
    for inputs in (ordinary(trial.op), uneven(trial.op)):
        whole = trial.run(inputs)
        for stop in _CUTS:

            def later(mask: Array, stop: int = stop) -> None:
                mask[stop:] = True

            differ = ~same_bits(trial.run(other_values(inputs, later, trial.op, 1))[:stop], whole[:stop])
            if differ.any():
                return broken(
                    "scramble",
                    f"{trial.label}: other values from date {stop} on change the value at "
                    f"{first_place(differ)}",
                )
    return kept("scramble")


def lookback(trial: Trial) -> ClauseResult:
    """Other values before the declared lookback change nothing."""
    if trial.op.stateful:
        return not_applicable("lookback", "a stateful op uses all the past it is given")
    bars = trial.lookback
    if bars > DATES:
        return not_applicable("lookback", f"{bars} bars are more than the {DATES} dates of the trial")
    inputs = ordinary(trial.op)
    whole = trial.run(inputs)
    for date in _CUTS:
        if date < bars:
            continue

        def earlier(mask: Array, stop: int = date - bars + 1) -> None:
            mask[:stop] = True

        changed = trial.run(other_values(inputs, earlier, trial.op, 2))[date]
        differ = ~nearly(changed, whole[date], 1e-5, 1e-6)
        if differ.any():
            return broken(
                "lookback",
                f"{trial.label}: declares {bars} bars ({trial.op.lookback!r}), yet other values {bars} and "
                f"more bars back change the value at date {date}, instrument {int(np.argmax(differ))}",
            )
    return kept("lookback", f"{bars} bars")


def first_value(trial: Trial) -> ClauseResult:
    """On data without gaps the first value comes where the lookback says; by the strict rule not before."""
    if trial.op.missing == "defined" or trial.op.stateful:
        return not_applicable("first value", "left to the op's definition")
    if trial.params.get("min_periods", 0) or trial.op.result == "group":
        return not_applicable("first value", "no strict window")
    bars = trial.lookback
    if bars > DATES:
        return not_applicable("first value", f"{bars} bars are more than the {DATES} dates of the trial")
    absent = np.isnan(trial.run(ordinary(trial.op)))
    present = np.asarray(~absent.all(axis=1))
    if not present[bars - 1 :].any():
        return broken("first value", f"{trial.label}: gives no value at all on data without gaps")
    first = int(np.argmax(present))
    if first > bars - 1:
        return broken(
            "first value",
            f"{trial.label}: declares {bars} bars, so row {bars - 1} must have a value; the first is in row "
            f"{first}: declare a longer lookback",
        )
    if first < bars - 1 and trial.op.missing in ("strict", "propagate"):
        return broken(
            "first value",
            f"{trial.label}: declares {bars} bars and missing={trial.op.missing!r}, so rows before "
            f"{bars - 1} must be missing; row {first} has a value: a window that the start of the data cuts "
            "short gives none",
        )
    return kept("first value", f"row {first}")
