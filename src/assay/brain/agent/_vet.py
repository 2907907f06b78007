"""Proposals before any call: whose fault would cost a simulation is told at once."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from assay.brain._fingerprint import TrialId
from assay.brain._flight import Job, job_id
from assay.brain._platform import Platform
from assay.brain._result import Failure, JobResult, Proposal
from assay.brain._settings import SettingsChoices
from assay.brain.fastexpr import ProgramCheck


@dataclass
class Vetted:
    """What became of proposals: jobs to run, those that cannot work, and what is to be said."""

    jobs: list[Job] = field(default_factory=list)
    invalid: list[JobResult] = field(default_factory=list)
    remarks: list[str] = field(default_factory=list)
    proposed: int = 0
    duplicates: int = 0


class Vet:
    """Holds proposals to the platform's choices, fields and operators, and to what was tried before."""

    def __init__(self, platform: Platform, data_set: str = "") -> None:
        self.programs = ProgramCheck(platform, data_set)
        self._choices: SettingsChoices = platform.choices()

    def problem(self, proposal: Proposal) -> Failure | None:
        """Why a proposal cannot be simulated."""
        found = self.programs.problem(proposal.request.regular)
        if found is not None:
            said = f"{found.message} ({found.hint})" if found.hint else found.message
            return Failure(said, found.place)
        faults = self._choices.problems(proposal.request.settings)
        return Failure("; ".join(f"{key}: {said}" for key, said in faults.items())) if faults else None

    def take(
        self,
        proposals: Sequence[Proposal],
        tried: Mapping[TrialId, str],
        *,
        round: int,
        numbered: int,
        room: int,
    ) -> Vetted:
        """Vet proposals in their order.

        Parameters
        ----------
        tried : jobs by their key.
        round, numbered : the number of the round, and of the last job.
        room : how many may be taken.
        """
        found = Vetted(proposed=len(proposals))
        known = dict(tried)
        for at, proposal in enumerate(proposals):
            number = numbered + len(found.jobs) + len(found.invalid) + 1
            job, key = Job(job_id(number), proposal, round), TrialId.of(proposal.request)
            failure = self.problem(proposal)
            if failure is not None:
                found.invalid.append(_invalid(job, key.fingerprint, failure))
            elif key in known:
                found.duplicates += 1
                found.remarks.append(
                    f"{proposal.request.regular!r} was not run: it is the same as {known[key]}"
                )
            elif len(found.jobs) >= room:
                left = len(proposals) - at
                found.remarks.append(f"{left} proposals were not taken: budget or queue is full")
                break
            else:
                known[key] = job.id
                found.jobs.append(job)
        return found


def _invalid(job: Job, fingerprint: str, failure: Failure) -> JobResult:
    return JobResult(
        job.id, job.proposal, "failed", failure=failure, fingerprint=fingerprint, round=job.round
    )
