"""The training segment: the rows that candidates may be judged on, and no other."""

from __future__ import annotations

from datetime import date
from typing import TYPE_CHECKING

import numpy as np

from assay.config import PeriodPlan
from assay.errors import DataError
from assay.judge._setup import Setup, make_setup
from assay.judge.training._settings import TrainingSettings

if TYPE_CHECKING:
    from assay.market import Panel


def training_end(panel: Panel, plan: PeriodPlan | None, settings: TrainingSettings) -> date:
    """The last day of the training segment: that of ``search`` before its ``validate`` tail.

    Raises
    ------
    DataError
        The tail begins outside ``search``, or nothing is left before it.
    """
    dates = panel.dates
    if plan is not None:
        inside = (dates >= np.datetime64(plan.search.start, "D")) & (
            dates <= np.datetime64(plan.search.end, "D")
        )
        dates = dates[inside]
    span = f"{dates[0]} to {dates[-1]}" if len(dates) else "no date of the panel"
    last = len(dates) - settings.validate_bars
    if settings.validate_from is not None:
        last = int(np.searchsorted(dates, np.datetime64(settings.validate_from, "D")))
        if last == len(dates):
            raise DataError(
                f"validate begins on {settings.validate_from}, and search is {span}",
                where="validate_from",
                fix="give a day within search, or leave it out",
            )
    if last < 1:
        raise DataError(
            f"nothing of search, {span}, is left to train on",
            where="validate_from" if settings.validate_from is not None else "validate_bars",
            fix="make the validate tail shorter",
        )
    day: date = dates[last - 1].astype("datetime64[D]").item()
    return day


def training_setup(panel: Panel, plan: PeriodPlan | None, settings: TrainingSettings) -> Setup:
    """The judge's setup on the segment; its view of the panel ends with the segment's last row.

    Raises
    ------
    DataError, Refusal, ConfigProblems
        As :func:`training_end`, and as any judgement.
    """
    end = training_end(panel, plan, settings)
    setup = make_setup(panel, settings.scoring(end), plan)
    assert_training(setup, end, plan, settings)
    return setup


def assert_training(setup: Setup, end: date, plan: PeriodPlan | None, settings: TrainingSettings) -> None:
    """Fail loudly when the rows in hand reach beyond the segment, whatever the settings said.

    Raises
    ------
    DataError
        A row lies after the segment's end, in the validate tail, or after the end of ``search``.
    """
    last = setup.dates[-1]
    beyond = last != np.datetime64(end, "D") or setup.window.hidden_opened != ()
    if settings.validate_from is not None:
        beyond = beyond or bool(last >= np.datetime64(settings.validate_from, "D"))
    if plan is not None:
        beyond = beyond or bool(last > np.datetime64(plan.search.end, "D"))
    if beyond:
        raise DataError(
            "the rows read are not those of the training segment",
            where="validate_from",
            fix="this is a fault of the data source or of the program; do not use the result",
        )
