from __future__ import annotations

from dataclasses import dataclass, field, replace
from datetime import date, datetime
from typing import Any, Literal

from assay.errors import Problem
from assay.judge._settings import JudgeSettings, SettingProblems
from assay.metrics import ADMISSION_MIN_NAMES

Depth = Literal["quick", "full"]

_SET_BY_SEGMENT = ("period", "start", "end")


def _default_judge() -> JudgeSettings:
    return JudgeSettings(book="top_k", min_names=ADMISSION_MIN_NAMES, direction="auto")


@dataclass(frozen=True, slots=True, kw_only=True)
class TrainingSettings:
    """How candidates are scored on the training segment: ``search`` less its ``validate`` tail.

    Parameters
    ----------
    judge : label, lag, universe, book, costs and Newey-West lags, as for any judgement. By default the 30
        best names, rebalanced every 5 bars, over dates of at least 30 names, traded with the sign of the mean
        RankIC. Its dates are those of the segment; robustness, leak checks and bootstrap are not used.
    validate_from : first day of the ``validate`` tail; no row from it on is read.
    validate_bars : the same as a number of bars at the end of ``search``; give one of the two, or neither.
    folds : equal stretches of the segment, each with its own mean RankIC.
    sample_dates : dates on which values are kept, for correlations between factors.
    leaks : how much the candidate gate's leak certificate does.
    """

    judge: JudgeSettings = field(default_factory=_default_judge)
    validate_from: date | None = None
    validate_bars: int = 0
    folds: int = 4
    sample_dates: int = 48
    leaks: Depth = "quick"

    def __post_init__(self) -> None:
        problems = _problems(self)
        if problems:
            raise SettingProblems(problems, where="training settings")

    def scoring(self, end: date | None) -> JudgeSettings:
        """The judge's settings for a segment that ends with ``end``, without what no score is made of."""
        return replace(
            self.judge,
            end=end,
            horizons=(self.judge.horizon,),
            robustness="off",
            leak_checks="off",
            bootstrap=0,
        )

    def to_dict(self) -> dict[str, Any]:
        """JSON-ready."""
        return {
            "judge": self.judge.to_dict(),
            "validate_from": None if self.validate_from is None else self.validate_from.isoformat(),
            "validate_bars": self.validate_bars,
            "folds": self.folds,
            "sample_dates": self.sample_dates,
            "leaks": self.leaks,
        }


def _problems(settings: TrainingSettings) -> list[Problem]:
    found = [
        Problem(f"judge.{name}", "is set, and the training segment has dates of its own", "leave it out")
        for name in _SET_BY_SEGMENT
        if getattr(settings.judge, name) is not None
    ]
    if settings.judge.allow_hidden:
        found.append(Problem("judge.allow_hidden", "is true", "nothing hidden is opened in training"))
    day: Any = settings.validate_from
    if day is not None and (isinstance(day, datetime) or not isinstance(day, date)):
        found.append(Problem("validate_from", f"is {day!r}", "give a date"))
    if day is not None and settings.validate_bars != 0:
        found.append(Problem("validate_bars", "is given beside validate_from", "give one of the two"))
    for name, low, high in (("validate_bars", 0, 100_000), ("folds", 2, 50), ("sample_dates", 8, 1000)):
        value = getattr(settings, name)
        if isinstance(value, bool) or not isinstance(value, int) or not low <= value <= high:
            found.append(Problem(name, f"is {value!r}", f"give a whole number from {low} to {high}"))
    if settings.leaks not in ("quick", "full"):
        found.append(Problem("leaks", f"is {settings.leaks!r}", "use quick or full"))
    return found
