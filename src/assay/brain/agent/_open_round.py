"""A round that was asked for and is not done."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from assay.brain._codec import as_json, from_json
from assay.brain._flight import Job, number_of
from assay.brain._result import JobResult
from assay.brain.agent._types import Phase


@dataclass
class OpenRound:
    """What was taken of a policy's answer, and what has come of it."""

    number: int
    phase: Phase
    jobs: list[Job]
    invalid: tuple[JobResult, ...] = ()
    converged: bool = False
    remarks: tuple[str, ...] = ()
    note: str = ""
    results: dict[str, JobResult] = field(default_factory=dict)
    given_up: list[str] = field(default_factory=list)

    @classmethod
    def of(cls, body: Mapping[str, Any]) -> OpenRound:
        """From its record."""
        return cls(
            number=body["number"],
            phase=body["phase"],
            jobs=[from_json(Job, item) for item in body["jobs"]],
            invalid=tuple(from_json(JobResult, item) for item in body["invalid"]),
            converged=body["converged"],
            remarks=tuple(body["remarks"]),
            note=body["note"],
        )

    def take(self, body: Mapping[str, Any]) -> JobResult:
        """A result, and the flipped job that followed from it, if any."""
        result = from_json(JobResult, body["result"])
        self.results[result.job] = result
        if body["flip"] is not None:
            self.jobs.append(from_json(Job, body["flip"]))
        return result

    def waiting(self) -> Iterator[Job]:
        """Jobs without a result, in the order of submission."""
        return (job for job in self.jobs if job.id not in self.results and job.id not in self.given_up)

    @property
    def latest(self) -> tuple[JobResult, ...]:
        """All results of the round in the order of submission, those that were invalid among them."""
        return tuple(
            sorted((*self.invalid, *self.results.values()), key=lambda result: number_of(result.job))
        )


def job_json(job: Job | None) -> Any:
    """A job for a record."""
    return None if job is None else as_json(Job, job)
