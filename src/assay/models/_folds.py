from __future__ import annotations

from typing import NamedTuple

from assay.errors import Refusal
from assay.models._reasons import NO_FOLDS
from assay.models._strategy import WalkForward


class Fold(NamedTuple):
    """Rows of a fold, half-open."""

    train_start: int
    train_stop: int
    test_start: int
    test_stop: int


def folds_of(first: int, stop: int, cv: WalkForward, reach: int) -> tuple[Fold, ...]:
    """The folds on rows ``[first, stop)``.

    Parameters
    ----------
    reach : rows from a training row to the last one that its label needs.

    Raises
    ------
    Refusal
        ``no_folds``: not one fold has a training row and a test row.
    """
    found = []
    for test in range(first + cv.train_bars, stop, cv.step_bars):
        start = first if cv.expanding else test - cv.train_bars
        # the label of the last training row is known on the row before the test rows; see purge, embargo
        end = test - reach - cv.embargo_bars
        if end > start:
            found.append(Fold(start, end, test, min(test + cv.test_bars, stop)))
    if not found:
        least = cv.train_bars + 1
        short = reach + cv.embargo_bars
        raise Refusal(
            NO_FOLDS,
            f"there are {max(0, stop - first)} bars; a fold needs {least}, and of the {cv.train_bars} for "
            f"training the label and the embargo take {short}",
            where="cv",
        )
    return tuple(found)
