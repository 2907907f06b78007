"""What a session writes into its run."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any

from assay.brain._codec import as_json
from assay.brain._flight import Job
from assay.brain._platform import Platform
from assay.brain._result import JobResult
from assay.brain.agent._open_round import job_json
from assay.brain.agent._types import (
    Creative,
    Direction,
    HeldFigures,
    Improvement,
    KnowledgeEntry,
    Research,
    Task,
)
from assay.brain.agent._vet import Vetted
from assay.config import BrainAgentSettings

Body = dict[str, Any]


def begun(
    task: Task,
    platform: Platform,
    policy: str,
    settings: BrainAgentSettings,
    knowledge: tuple[KnowledgeEntry, ...],
) -> Body:
    """The session's start: what it was asked, by whom, where, and what it knew."""
    return {
        "number": 0,
        "outcome": "begun",
        "task": as_json(Task, task),
        "platform": platform.name,
        "simulated": platform.simulated,
        "policy": policy,
        "settings": asdict(settings),
        "knowledge": [as_json(KnowledgeEntry, entry) for entry in knowledge],
    }


def idea(text: str, knowledge: Sequence[KnowledgeEntry] = ()) -> Body:
    """What a policy found where the user gave no idea, and what is known about it."""
    known = [as_json(KnowledgeEntry, entry) for entry in knowledge]
    return {"number": 0, "outcome": "idea", "idea": text, "knowledge": known}


def researched(research: Research) -> Body:
    """The research that the session goes on from."""
    return {"number": 0, "outcome": "researched", "research": as_json(Research, research)}


def asked(
    number: int,
    phase: str,
    vetted: Vetted,
    *,
    directions: tuple[Direction, ...] = (),
    abandoned: tuple[str, ...] = (),
    knowledge: tuple[KnowledgeEntry, ...] = (),
    converged: bool = False,
    note: str = "",
    answer: Creative | Improvement,
) -> Body:
    """A round: a policy's answer, and what was taken of it."""
    return {
        "number": number,
        "outcome": "asked",
        "phase": phase,
        "jobs": [job_json(job) for job in vetted.jobs],
        "invalid": [as_json(JobResult, result) for result in vetted.invalid],
        "proposed": vetted.proposed,
        "duplicates": vetted.duplicates,
        "remarks": list(vetted.remarks),
        "directions": [as_json(Direction, item) for item in directions],
        "abandoned": list(abandoned),
        "knowledge": [as_json(KnowledgeEntry, entry) for entry in knowledge],
        "converged": converged,
        "note": note,
        "answer": as_json(type(answer), answer),
    }


def result(number: int, found: JobResult, flip: Job | None, series: str | None) -> Body:
    """What came of a job, and the job that turns its sign."""
    return {
        "number": number,
        "outcome": "result",
        "result": as_json(JobResult, found),
        "flip": job_json(flip),
        "series": series,
    }


def checked(number: int, found: JobResult) -> Body:
    """A result whose checks were asked for once more."""
    return {"number": number, "outcome": "checked", "result": as_json(JobResult, found)}


def given_up(number: int, job: str, message: str) -> Body:
    """A job without an answer."""
    return {"number": number, "outcome": "given_up", "job": job, "message": message}


def done(number: int) -> Body:
    """The end of a round."""
    return {"number": number, "outcome": "done"}


def critique(number: int, text: str) -> Body:
    """A word of the user between two rounds."""
    return {"number": number, "outcome": "critique", "text": text}


def ended(
    number: int,
    stop: str,
    level: str,
    unmet: tuple[str, ...],
    held: Mapping[str, HeldFigures],
    knowledge: Sequence[KnowledgeEntry] = (),
    answer: Improvement | None = None,
    message: str = "",
) -> Body:
    """The end of the session, with what the policy's last answer had learned; ``message`` says why."""
    return {
        "number": number,
        "outcome": "ended",
        "stop": stop,
        "level": level,
        "unmet": list(unmet),
        "held": {job: as_json(HeldFigures, figures) for job, figures in held.items()},
        "knowledge": [as_json(KnowledgeEntry, entry) for entry in knowledge],
        "answer": None if answer is None else as_json(Improvement, answer),
        "message": message,
    }
