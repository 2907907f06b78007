"""What is said of each bar and name by the events in a window before the bar's end."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from assay.discovery._event_bars import EventBars
from assay.discovery._specs import Reduction

_DAY = 86_400.0
_NEVER = np.iinfo(np.int64).min


@dataclass(frozen=True)
class Sums:
    """Running totals over bars: row ``r`` has those of the events on the first ``r`` bars, ``(T + 1, N)``."""

    events: EventBars
    count: NDArray[np.int64]
    score: NDArray[np.float64]
    last: NDArray[np.int64]

    @classmethod
    def of(cls, events: EventBars) -> Sums:
        """The totals of events on bars."""
        rows, names = events.shape
        place = (events.row + 1, events.column)
        count = np.zeros((rows + 1, names), dtype=np.int64)
        score = np.zeros((rows + 1, names))
        last = np.full((rows + 1, names), _NEVER)
        np.add.at(count, place, 1)
        np.add.at(score, place, events.score)
        np.maximum.at(last, place, events.known)
        return cls(
            events,
            np.cumsum(count, axis=0),
            np.cumsum(score, axis=0),
            np.maximum.accumulate(last, axis=0),
        )

    def window(self, pre: int, post: int) -> Window:
        """The window of ``pre`` seconds, of events that wait for ``post`` seconds."""
        ends = self.events.ends
        start = np.searchsorted(ends, ends - pre - post, side="left")
        stop = np.searchsorted(ends, ends - post, side="right")
        return Window(self, start, stop)


@dataclass(frozen=True)
class Window:
    """For each bar the bars whose events count: ``[start, stop)``, none of them later than the bar itself."""

    sums: Sums
    start: NDArray[np.intp]
    stop: NDArray[np.intp]

    def reduced(self, how: Reduction) -> NDArray[np.float32]:
        """The value said of each bar, float32 ``(T, N)``; see :class:`EventWindowSpec`."""
        sums, start, stop = self.sums, self.start, self.stop
        count = sums.count[stop] - sums.count[start]
        if how == "count":
            return count.astype(np.float32)
        if how == "indicator":
            return (count > 0).astype(np.float32)
        if how == "mean_score":
            total = sums.score[stop] - sums.score[start]
            found = np.divide(total, count, out=np.full(count.shape, np.nan), where=count > 0)
            return np.asarray(found, dtype=np.float32)
        age = (sums.events.ends[:, None] - np.where(count > 0, sums.last[stop], 0)) / _DAY
        age[count == 0] = np.nan
        return np.asarray(age, dtype=np.float32)

    def matched(self, judged: NDArray[np.bool_], lag: int) -> int:
        """How many events count for a bar and name whose signal, ``lag`` bars later, is judged."""
        events, rows = self.sums.events, len(self.start)
        said = np.zeros_like(judged)
        said[: max(0, rows - lag)] = judged[lag:]
        before = np.vstack([np.zeros((1, said.shape[1]), dtype=np.int64), np.cumsum(said, axis=0)])
        # the bars that an event of bar r counts for: start <= r < stop; both bounds ascend
        first = np.searchsorted(self.stop, events.row, side="right")
        last = np.searchsorted(self.start, events.row, side="right")
        counted = before[np.maximum(last, first), events.column] - before[first, events.column]
        return int(np.count_nonzero(counted))
