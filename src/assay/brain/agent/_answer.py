"""From a policy's answer to the record of a round: what is taken of it, and what is refused with a remark."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from assay.brain._result import Proposal
from assay.brain.agent import _records as records
from assay.brain.agent._criteria import unmet
from assay.brain.agent._directions import may_abandon
from assay.brain.agent._state import State
from assay.brain.agent._types import Creative, Direction, Improvement, KnowledgeEntry
from assay.brain.agent._vet import Vet, Vetted


def creative_answer(
    state: State, answer: Creative, vet: Vet, knowledge: tuple[KnowledgeEntry, ...] = ()
) -> records.Body:
    """A creative round: new directions with their first expressions."""
    number = state.round + 1
    first = 1 + max((int(name[1:]) for name in state.directions), default=0)
    opened = [
        Direction(f"d{first + at}", item.hypothesis, item.target_check, item.approach, number)
        for at, item in enumerate(answer.directions)
    ]
    proposals = [
        replace(proposal, direction=direction.id, replaces=_known(state, proposal.replaces))
        for direction, item in zip(opened, answer.directions, strict=True)
        for proposal in item.proposals
    ]
    vetted = _vetted(state, proposals, vet)
    begun = {job.proposal.direction for job in vetted.jobs}
    begun |= {result.proposal.direction for result in vetted.invalid}
    empty = [item for item in opened if item.id not in begun]
    vetted.remarks += [f"no direction was opened for {item.hypothesis!r}: nothing to run" for item in empty]
    return records.asked(
        number,
        "creative",
        vetted,
        directions=tuple(item for item in opened if item.id in begun),
        knowledge=knowledge,
        note=answer.note,
        answer=answer,
    )


def improvement_answer(
    state: State, answer: Improvement, vet: Vet, knowledge: tuple[KnowledgeEntry, ...] = ()
) -> records.Body:
    """An improvement round: each proposal belongs to a direction that exists and is not abandoned."""
    number = state.round + 1
    remarks: list[str] = []
    abandoned: list[str] = []
    for name in dict.fromkeys(answer.abandoned):
        refusal = _no_abandoning(state, name)
        (remarks if refusal else abandoned).append(refusal or name)
    alive = {item.id for item in state.directions.values() if not item.abandoned} - set(abandoned)
    taken = []
    for proposal in answer.proposals:
        if proposal.direction in alive:
            taken.append(replace(proposal, replaces=_known(state, proposal.replaces)))
        else:
            remarks.append(
                f"{proposal.request.regular!r} was not run: {proposal.direction or 'nothing'!r} is no "
                f"direction to improve; name one of {', '.join(sorted(alive)) or 'none'}"
            )
    vetted = _vetted(state, taken, vet)
    vetted.proposed = len(answer.proposals)
    vetted.remarks[:0] = remarks
    if answer.converged:
        best = state.best
        missing = "a simulation" if best is None else ", ".join(unmet(best, state.settings))
        vetted.remarks.append(f"the session goes on; the criteria lack {missing}")
    return records.asked(
        number,
        "improvement",
        vetted,
        abandoned=tuple(abandoned),
        knowledge=knowledge,
        converged=answer.converged,
        note=answer.note,
        answer=answer,
    )


def _vetted(state: State, proposals: Sequence[Proposal], vet: Vet) -> Vetted:
    return vet.take(
        proposals,
        state.keys,
        round=state.round + 1,
        numbered=state.numbered,
        room=min(state.remaining, state.settings.queue),
    )


def _known(state: State, job: str | None) -> str | None:
    """The job that a proposal improves, if there is one of that id."""
    return job if any(result.job == job for result in state.results) else None


def _no_abandoning(state: State, name: str) -> str:
    """Why a direction may not be abandoned; empty where it may."""
    direction = state.directions.get(name)
    if direction is None or direction.abandoned:
        return f"{name} was not abandoned: there is no such direction to abandon"
    if not may_abandon(direction, state.settings):
        return (
            f"{name} was not abandoned: it had {direction.rounds} of {state.settings.abandon_after} rounds "
            "that a direction gets"
        )
    return ""
