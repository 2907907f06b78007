from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from assay.errors import Reason, Refusal
from assay.ledger._clusters import LARGEST, effective_number
from assay.ledger._index import Index, locked_index
from assay.ledger._index_rows import LookRow, RunState, TrialRow
from assay.ledger._keys import TrialKey
from assay.ledger._line import Entry
from assay.ledger._runs import UNKNOWN_RUN
from assay.ledger._scan import TornTail
from assay.ledger._series import DailySeries, SeriesMatrix, decode_series, on_common_days

if TYPE_CHECKING:
    from assay.ledger._ledger import Ledger

INCOMPLETE_SCOPE = Reason(
    "incomplete_scope",
    "how many trials there were cannot be said: some may not be recorded",
    "let the runs named finish; resume what was killed, or end it: assay ledger close RUN, or close --looks",
)
_SHOWN = 5
_ROUNDING = 1e-6


@dataclass(frozen=True, slots=True)
class Scope:
    """Which trials are meant: those of a data set, of some runs, of a desk; None is all."""

    data: str | None = None
    runs: tuple[str, ...] | None = None
    desk: str | None = None

    def may_have(self, run: RunState) -> bool:
        """Whether a run may have made trials in the scope: one that names no data set may, on any."""
        return (
            (self.data is None or run.data is None or self.data in run.data)
            and (self.desk is None or run.desk in (None, self.desk))
            and (self.runs is None or run.id in self.runs)
        )


@dataclass(frozen=True)
class Trials:
    """The trials of a scope: what N, V[SR], PBO and false-discovery figures are computed from.

    Parameters
    ----------
    keys : distinct keys in order of their first record.
    sharpes : Sharpe ratio per bar, not annualised, of each key; NaN where there is none.
    p_values : of each key's mean RankIC; NaN where there is none.
    unrecorded : trials that were made, or may have been, and are not recorded; ``n`` counts them.
    """

    keys: tuple[TrialKey, ...]
    sharpes: npt.NDArray[np.float64]
    p_values: npt.NDArray[np.float64]
    unrecorded: int
    objects: tuple[str | None, ...]
    read: Callable[[str], bytes]

    @property
    def n(self) -> int:
        """N: distinct keys, and what is unrecorded."""
        return len(self.keys) + self.unrecorded

    @property
    def sharpe_variance(self) -> float:
        """V[SR]: sample variance (one degree of freedom less) of the known Sharpe ratios; NaN below two."""
        known = self.sharpes[np.isfinite(self.sharpes)]
        return float(np.var(known, ddof=1)) if len(known) >= 2 else math.nan

    @cached_property
    def effective_n(self) -> int:
        """N after trials whose returns move together count once; see :func:`effective_number`. Rounded up.

        Trials without a series, and unrecorded ones, count one each. Of more than 4,000 different series the
        first 4,000 are looked at, and each other counts one.
        """
        distinct = list(dict.fromkeys(name for name in self.objects if name is not None))
        number = effective_number([self._load(name) for name in distinct[:LARGEST]])
        apart = len(distinct[LARGEST:]) + sum(name is None for name in self.objects)
        return math.ceil(number - _ROUNDING) + apart + self.unrecorded

    def series(self) -> SeriesMatrix:
        """The daily series of all keys that have one, side by side over the days that all of them have."""
        named = [
            (key, self._load(name))
            for key, name in zip(self.keys, self.objects, strict=True)
            if name is not None
        ]
        return on_common_days([key for key, _ in named], [series for _, series in named])

    def _load(self, name: str) -> DailySeries:
        return decode_series(self.read(name))


def collect(index: Index, read: Callable[[str], bytes], scope: Scope, within: str | None) -> Trials:
    """The trials of a scope; see :meth:`Ledger.trials`."""
    runs = index.runs()
    for name in scope.runs or ():
        if name not in runs:
            raise Refusal(UNKNOWN_RUN, f"no run {name!r} was started", where="scope")
    rows = index.trials(data=scope.data, desk=scope.desk)
    if scope.runs is not None:
        rows = [row for row in rows if row.run in scope.runs]
    _require_complete(index, runs, scope, within)
    firsts: dict[TrialKey, TrialRow] = {}
    sharpes: dict[TrialKey, float] = {}
    p_values: dict[TrialKey, float] = {}
    objects: dict[TrialKey, str] = {}
    for row in rows:
        firsts.setdefault(row.key, row)
        if row.sharpe is not None:
            sharpes.setdefault(row.key, row.sharpe)
        if row.p_value is not None:
            p_values.setdefault(row.key, row.p_value)
        if row.series is not None:
            objects.setdefault(row.key, row.series)
    return Trials(
        keys=tuple(firsts),
        sharpes=np.array([sharpes.get(key, math.nan) for key in firsts]),
        p_values=np.array([p_values.get(key, math.nan) for key in firsts]),
        unrecorded=sum(run.unrecorded for run in runs.values() if scope.may_have(run)),
        objects=tuple(objects.get(key) for key in firsts),
        read=read,
    )


def _require_complete(index: Index, runs: dict[str, RunState], scope: Scope, within: str | None) -> None:
    opened = [run.id for run in runs.values() if run.open and run.id != within and scope.may_have(run)]
    judged = looks_without_trial(index, runs, scope)
    torn = index.torn
    if not opened and not judged and torn is None:
        return
    raise Refusal(
        INCOMPLETE_SCOPE,
        "; ".join(_gaps(torn, opened, judged)),
        where="scope",
        details={
            "torn_tail": None if torn is None else torn.bytes,
            "open_runs": opened,
            "unrecorded": [{"line": look.line, **look.key.as_body()} for look in judged],
        },
    )


def looks_without_trial(index: Index, runs: dict[str, RunState], scope: Scope) -> list[LookRow]:
    """The first look of each key that no trial has, outside runs that account for theirs: open, abandoned."""
    settled = {row.key for row in index.trials(controls=True)}
    found = []
    for look in index.looks(data=scope.data):
        run = None if look.run is None else runs.get(look.run)
        if run is None:
            inside = scope.runs is None
        else:
            inside = scope.may_have(run) and not run.open and run.stopped != "abandoned"
        if inside and look.key not in settled:
            settled.add(look.key)
            found.append(look)
    return found


def close_looks(ledger: Ledger) -> tuple[Entry, ...]:
    """Record a trial without a Sharpe ratio for each look that no trial followed; for a person to do.

    What was judged may have been seen, though whoever judged was stopped before recording it.
    """
    with locked_index(ledger) as index:
        looks = looks_without_trial(index, index.runs(), Scope())
        return tuple(ledger.append("trial", _unseen(look), run=look.run) for look in looks)


def _unseen(look: LookRow) -> dict[str, Any]:
    unknown = dict.fromkeys(("expression", "universe", "bars", "sharpe", "series", "desk"))
    return {**look.key.as_body(), **unknown, "data": look.data, "period": look.period, "control": False}


def _gaps(torn: TornTail | None, opened: list[str], judged: list[LookRow]) -> Iterable[str]:
    if torn is not None:
        what = f"{torn.bytes} bytes at the end of the ledger are no whole record"
        yield f"{what} (to move them away: assay ledger close --looks)"
    if opened:
        yield f"{_counted(len(opened), 'run')} not stopped: {_listed(opened)}"
    if judged:
        lines = [str(look.line) for look in judged]
        yield f"{_counted(len(judged), 'look')} without a trial: line {_listed(lines)}"


def _counted(n: int, noun: str) -> str:
    return f"{n} {noun}" if n == 1 else f"{n} {noun}s"


def _listed(names: list[str]) -> str:
    more = f" and {len(names) - _SHOWN} more" if len(names) > _SHOWN else ""
    return ", ".join(names[:_SHOWN]) + more
