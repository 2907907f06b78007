"""A signal without what industries and size say of it: what a neutralised book is formed from."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from assay.errors import Reason, Refusal
from assay.judge._settings import JudgeSettings
from assay.metrics import lag_rows

if TYPE_CHECKING:
    from assay.market import Panel

GROUP_CHOICES = ("industry", "sector", "subindustry")
ROUNDING = 1e-12
"""What is left of a value, as a share of the date's largest, below which nothing is left."""

LEAST_KNOWN = 0.80
"""Share of the judged names and dates whose market value must be known."""

UNSUPPORTED_NEUTRALIZATION = Reason(
    "unsupported_neutralization",
    "the data set lacks what the neutralisation needs",
    "choose another neutralisation, or import industries or market values",
)


@dataclass(frozen=True, slots=True)
class Exposures:
    """What is taken out of a signal, known when the signal is.

    ``groups`` is ``(T, N)``: codes from 0; names without an industry form a group of their own. ``size`` is
    the log of market value ``(T, N)``, NaN where unknown, or None.
    """

    groups: NDArray[np.int64]
    size: NDArray[np.float64] | None

    def residual(self, signal: NDArray[np.float32]) -> NDArray[np.float32]:
        """What is left of ``signal`` ``(T, N)`` after least squares, per date, on the groups and on size.

        A name whose size is not known has no value. What the exposures explain fully is 0.
        """
        known = np.isfinite(signal)
        if self.size is not None:
            known = known & np.isfinite(self.size)
        values = np.where(known, signal, 0.0).astype(np.float64)
        largest = np.abs(values).max(axis=1, keepdims=True)
        left = self._demeaned(values, known)
        if self.size is not None:
            size = self._demeaned(np.where(known, self.size, 0.0), known)
            power = np.sum(size * size, axis=1)
            slope = np.divide(
                np.sum(left * size, axis=1), power, out=np.zeros(len(power)), where=power > ROUNDING
            )
            left = left - slope[:, None] * size
        left[np.abs(left) <= ROUNDING * largest] = 0.0
        return np.where(known, left, np.nan).astype(np.float32)

    def _demeaned(self, values: NDArray[np.float64], known: NDArray[np.bool_]) -> NDArray[np.float64]:
        """``values`` minus the mean of their date's group, 0 where not known."""
        width = int(self.groups.max(initial=0)) + 1
        cells = (self.groups + width * np.arange(len(values))[:, None])[known]
        total = np.bincount(cells, values[known], width * len(values))
        count = np.bincount(cells, minlength=width * len(values))
        left = np.zeros(values.shape)
        left[known] = values[known] - (total / np.maximum(count, 1))[cells]
        return left


def exposures_of(view: Panel, settings: JudgeSettings, judged: NDArray[np.bool_]) -> Exposures | None:
    """The exposures that the settings ask to take out; None for ``none``.

    Market value is the field ``cap``, else traded value over the share of the float that traded: the value of
    the float.

    Raises
    ------
    Refusal
        ``unsupported_neutralization``: the panel has no industry, or no market value, or has it for less than
        80% of the ``judged`` names and dates.
    """
    if settings.neutralize == "none":
        return None
    rows = np.maximum(np.arange(view.shape[0]) - settings.lag, 0)
    groups = np.zeros(view.shape, dtype=np.int64)
    if settings.neutralize != "size":
        groups = _groups(view)[rows].astype(np.int64) + 1
    if settings.neutralize == "industry":
        return Exposures(groups, None)
    size = lag_rows(_log_size(view), settings.lag).astype(np.float64)
    known = float(np.isfinite(size[judged]).mean()) if judged.any() else 0.0
    if known < LEAST_KNOWN:
        raise Refusal(
            UNSUPPORTED_NEUTRALIZATION,
            f"market value is known for {known:.0%} of the members: the others would be left out",
            where="neutralize",
        )
    return Exposures(groups, size)


def _groups(view: Panel) -> NDArray[np.int32]:
    name = next((name for name in GROUP_CHOICES if name in view.groups), None)
    if name is None:
        raise Refusal(
            UNSUPPORTED_NEUTRALIZATION,
            f"data set {view.name!r} says of no name which industry it is in",
            where="neutralize",
        )
    return view.group(name)


def _log_size(view: Panel) -> NDArray[np.float32]:
    if "cap" in view.fields:
        value = view.field("cap").astype(np.float64)
    elif "amount" in view.fields and "turn" in view.fields:
        turn = view.field("turn").astype(np.float64)
        value = np.divide(view.field("amount"), turn, out=np.full(view.shape, np.nan), where=turn > 0)
    else:
        raise Refusal(
            UNSUPPORTED_NEUTRALIZATION,
            f"data set {view.name!r} has neither market value nor the share of the float that traded",
            where="neutralize",
        )
    logs = np.log(value, out=np.full(view.shape, np.nan), where=value > 0)
    return logs.astype(np.float32)
