"""Batches of simulations as the rounds of a run: what is recorded is not done again."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final, Protocol

from assay.brain._codec import as_json, from_json
from assay.brain._result import JobResult, Proposal
from assay.errors import DataError, ProviderTransient

if TYPE_CHECKING:
    from assay.brain.search import BatchReport
    from assay.ledger import Run

RESULTS: Final = "results"


class Runner(Protocol):
    """Runs proposals to their end, and answers from its record what it has run before."""

    def run(self, proposals: Sequence[Proposal]) -> tuple[JobResult, ...]:
        """One result for each proposal that came to an answer, in the order of the proposals."""
        ...


class BatchLike(Protocol):
    """What runs a batch; see :class:`assay.brain.search.Batch`."""

    def run(self, proposals: Sequence[Proposal]) -> BatchReport: ...

    def skip(self, count: int) -> None: ...


class RecordedRounds:
    """Runs each batch as a round of an open run of the ledger.

    The rounds that the run has recorded are answered from there, so whoever asks for the same rounds again,
    as a resumed run does, is where it was. A round that was broken off is run again; what it had simulated is
    in the store.

    Parameters
    ----------
    batch : what simulates.
    run : of the ledger; None = nothing is recorded, and nothing can be resumed.
    """

    def __init__(self, batch: BatchLike, run: Run | None = None) -> None:
        self._batch, self._run = batch, run
        self._number = 0
        self.simulated = 0
        """Simulations that were paid for now, not before a resume."""
        self._recorded = {} if run is None else _recorded(run)

    def run(self, proposals: Sequence[Proposal]) -> tuple[JobResult, ...]:
        """The results in the order of the proposals, without those that no answer came to.

        Raises
        ------
        ProviderTransient
            The platform could not be used to the end; resume the run later.
        DataError
            The run did something else in this round before.
        """
        self._number += 1
        known = self._recorded.get(self._number)
        if known is not None:
            self._batch.skip(len(proposals))
            return _same(known, proposals, self._number)
        report = self._batch.run(proposals)
        self.simulated += report.simulated
        if report.stop == "paused":
            raise ProviderTransient(
                f"the run has to pause: {report.message}", fix="go on later with --resume; nothing is lost"
            )
        if self._run is not None:
            self._run.append("round", _body(self._number, proposals, report.results))
        return report.results


def _body(number: int, proposals: Sequence[Proposal], results: Sequence[JobResult]) -> dict[str, Any]:
    asked = [[item.request.regular, item.request.settings_hash] for item in proposals]
    told = [as_json(JobResult, result) for result in results]
    return {"number": number, "outcome": RESULTS, "asked": asked, "results": told}


def _recorded(run: Run) -> dict[int, Mapping[str, Any]]:
    found = (entry.body for entry in run.entries(kind="round"))
    return {body["number"]: body for body in found if body["outcome"] == RESULTS}


def _same(body: Mapping[str, Any], proposals: Sequence[Proposal], number: int) -> tuple[JobResult, ...]:
    asked = [[item.request.regular, item.request.settings_hash] for item in proposals]
    if asked != body["asked"]:
        raise DataError(
            f"round {number} of this run asked for other simulations before",
            where="run",
            fix="resume it with the platform, the data and the release that it was started with",
        )
    return tuple(from_json(JobResult, item) for item in body["results"])
