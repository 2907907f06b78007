from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TypeVar

from assay.base import make_executor
from assay.campaign._events import Events
from assay.campaign._feedback import parents
from assay.campaign._past import Past
from assay.campaign._ports import Count, Judging
from assay.campaign._records import GateNote
from assay.campaign._renew import repeat_text, repeats
from assay.campaign._settings import CampaignConfig
from assay.campaign._slot import Slot
from assay.campaign._stop import RoundDropped, Stop, stop_of
from assay.campaign._types import (
    Backends,
    Brief,
    Candidates,
    Family,
    Feedback,
    FixRequest,
    ProposeContext,
    ReviewContext,
    Reviews,
    Team,
)
from assay.errors import AssayError, ProviderError, Refusal
from assay.expr import Expression

R = TypeVar("R")

Halt = Callable[[int, str], Stop | None]
"""The stop at the beginning of a stage, by number of the round and name of the stage; None: go on."""


@dataclass(frozen=True)
class Desk:
    """All that the rounds of a run work with; ``counts`` are those of a run that is replayed, by round."""

    config: CampaignConfig
    brief: Brief
    families: tuple[Family, ...]
    backends: Backends
    judging: Judging
    events: Events
    halt: Halt
    counts: Mapping[int, Count] = field(default_factory=dict)

    def count(self, number: int) -> Count:
        """N as it is now; on a replay, as it was in this round."""
        return self.counts[number] if number in self.counts else self.judging.count()

    @contextmanager
    def stage(self, number: int, name: str) -> Iterator[None]:
        """One stage of a round: a stop at its beginning, or in a call that it makes, drops the round.

        Raises
        ------
        RoundDropped
            See :func:`stop_of`; other errors of services pass.
        """
        stop = self.halt(number, name)
        if stop is not None:
            raise RoundDropped(stop, name)
        try:
            yield
        except (ProviderError, Refusal) as error:
            stop = stop_of(error)
            if stop is None:
                raise
            raise RoundDropped(stop, name) from error


@dataclass
class Researcher:
    """From directions to reviewed candidates: the calls of the proposal groups, and the gate between them.

    The groups of a round make the calls of each stage side by side; everything else is done in the order of
    slots, so that nothing depends on which group was first.
    """

    desk: Desk
    number: int
    past: Past
    feedback: Feedback
    slots: Sequence[Slot]
    gates: list[GateNote] = field(default_factory=list)
    _passed: dict[int, Expression] = field(default_factory=dict)

    def work(self) -> None:
        """Every slot has an outcome, or a candidate to be scored, when this returns."""
        self._propose()
        if self.desk.config.context.send_back_repeats:
            self._renew()
        self._review()

    def _propose(self) -> None:
        waiting = [item for item in self.slots if item.open]
        with self.desk.stage(self.number, "propose"):
            answers = self._side_by_side(
                waiting, lambda team, group, members: team.proposer.propose(self._context(group, members))
            )
        notes = self._take(answers, waiting)
        self._gate([item for item in waiting if item.candidate is not None])
        for item in waiting:
            if item.candidate is None:
                item.end("no_candidate", "no_candidate", notes.get(item.slot, "the proposer gave none"))
        for attempt in range(1, self.desk.config.round.gate_fixes + 1):
            refused = [item for item in waiting if item.open and item.refusal is not None]
            requests = {
                item.slot: item.request("gate", item.refusal.reason, item.refusal.text, attempt)
                for item in refused
                if item.refusal is not None
            }
            self._gate(self._mended(f"fix {attempt}", refused, requests))
        for item in waiting:
            item.close_refused()

    def _renew(self) -> None:
        threshold = self.desk.config.context.theme_correlation
        assert threshold is not None
        passed = [(item.direction, item.passed) for item in self.slots if item.passed is not None]
        near = repeats(
            [(direction, gated) for direction, gated in passed if gated is not None],
            self.desk.judging,
            threshold,
        )
        sent = [item for item in self.slots if item.slot in near]
        requests = {
            item.slot: item.request("repeat", "repeat", repeat_text(near[item.slot])) for item in sent
        }
        mended = self._mended("renew", sent, requests)
        self._gate(mended)
        for item in mended:
            item.close_refused()

    def _review(self) -> None:
        first = [item for item in self.slots if item.passed is not None]
        reviews = self._reviews("review", first, 1)
        again = [item for item in first if item.slot not in reviews]
        sent: list[Slot] = []
        for item in first:
            reasons = reviews.get(item.slot)
            if reasons and item.rewritten:
                item.end("review_rejected", "inconsistent", reasons)
            elif reasons:
                sent.append(item)
        requests = {
            item.slot: item.request("review", "inconsistent", reviews[item.slot] or "") for item in sent
        }
        mended = self._mended("review fix", sent, requests)
        for item in sent:
            if item not in mended:
                item.end("review_rejected", "inconsistent", reviews[item.slot] or "")
        self._gate(mended)
        for item in mended:
            item.close_refused()
        self._review_again(
            sorted([*again, *(item for item in mended if item.open)], key=lambda item: item.slot)
        )

    def _review_again(self, items: Sequence[Slot]) -> None:
        reviews = self._reviews("second review", items, 2)
        for item in items:
            if item.slot not in reviews:
                item.end("review_rejected", "no_review", "the reviewer said nothing of it, twice")
            elif reviews[item.slot]:
                item.end("review_rejected", "inconsistent", reviews[item.slot])

    def _reviews(self, stage: str, items: Sequence[Slot], attempt: int) -> dict[int, str]:
        """The reviewer's reasons by slot; empty where the candidate is consistent."""
        if not items:
            return {}
        with self.desk.stage(self.number, stage):
            answers = self._side_by_side(
                items,
                lambda team, group, members: team.reviewer.review(
                    self._review_context(group, members, attempt)
                ),
            )
        asked = {item.slot for item in items}
        found = {
            review.slot: "" if review.consistent else review.reasons or "no reasons were given"
            for answer in answers
            for review in answer.items
            if review.slot in asked
        }
        self._note(stage, answers)
        for slot in sorted(found):
            self.desk.events.tell(
                "review", round=self.number, slot=slot, consistent=not found[slot], reasons=found[slot]
            )
        return found

    def _mended(self, stage: str, items: Sequence[Slot], requests: Mapping[int, FixRequest]) -> list[Slot]:
        """Send candidates back, one request for each group; the slots for which a rewrite came."""
        if not requests:
            return []
        with self.desk.stage(self.number, stage):
            answers = self._side_by_side(
                items,
                lambda team, group, members: team.proposer.fix(
                    self._context(group, members), [requests[item.slot] for item in members]
                ),
            )
        before = {item.slot: item.candidate for item in items}
        self._take(answers, items)
        self._note(stage, answers)
        return [item for item in items if item.candidate is not before[item.slot]]

    def _take(self, answers: Iterable[Candidates], items: Sequence[Slot]) -> dict[int, str]:
        """Hand candidates to their slots; the notes of those that came without, by slot."""
        found = list(answers)
        by_slot = {candidate.slot: candidate for answer in found for candidate in answer.items}
        for item in items:
            if item.slot in by_slot:
                item.take(by_slot[item.slot])
        return {note.slot: note.text for answer in found for note in answer.notes if note.slot is not None}

    def _note(self, stage: str, answers: Iterable[Candidates | Reviews]) -> None:
        for answer in answers:
            for note in answer.notes:
                self.desk.events.tell(
                    "unusable", round=self.number, stage=stage, slot=note.slot, message=note.text
                )

    def _gate(self, items: Sequence[Slot]) -> None:
        """In the order of slots; each candidate is held against those of the round that have passed."""
        if not items:
            return
        for item in items:
            self._passed.pop(item.slot, None)
        texts = [item.candidate.expression for item in items if item.candidate is not None]
        verdicts = self.desk.judging.gate(texts, [self._passed[slot] for slot in sorted(self._passed)])
        for item, text, verdict in zip(items, texts, verdicts, strict=True):
            item.gate(verdict)
            if item.gated is not None:
                self._passed[item.slot] = item.gated.expression
            self.gates.append(GateNote(item.slot, item.checks, text, verdict))
            self.desk.events.tell(
                "gate", round=self.number, slot=item.slot, passed=verdict.passed, reason=verdict.reason
            )

    def _side_by_side(self, items: Sequence[Slot], call: Callable[[Team, int, Sequence[Slot]], R]) -> list[R]:
        """The answers of the groups that have work, in their order.

        All calls come to their end before the first error, by group, is raised: which calls were made does
        not depend on time.
        """
        if not items:
            return []
        groups = self._groups(items)
        teams = self.desk.backends.lanes(len(groups))

        def one(group: int) -> R | AssayError | None:
            if not groups[group]:
                return None
            try:
                return call(teams[group], group, groups[group])
            except AssayError as error:
                return error

        kind = "serial" if len(groups) == 1 else "threads"
        found = make_executor(kind, len(groups)).map(one, range(len(groups)))
        answers: list[R] = []
        for item in found:
            if isinstance(item, AssayError):
                raise item
            if item is not None:
                answers.append(item)
        return answers

    def _groups(self, items: Sequence[Slot]) -> list[list[Slot]]:
        """The slots of each proposal group: neighbours, as evenly as can be; fixed for the round."""
        count = min(self.desk.config.round.groups, len(self.slots))
        wanted = {item.slot for item in items}
        bounds = [len(self.slots) * group // count for group in range(count + 1)]
        parts = [self.slots[bounds[group] : bounds[group + 1]] for group in range(count)]
        return [[item for item in part if item.slot in wanted] for part in parts]

    def _context(self, group: int, members: Sequence[Slot]) -> ProposeContext:
        return ProposeContext(
            round=self.number,
            seed=self.desk.config.seed,
            group=group,
            directions=tuple(item.direction for item in members),
            brief=self.desk.brief,
            feedback=self.feedback,
            history=self.past.told(self.desk.config),
            parents=parents(self.past, self.desk.config, [item.direction for item in members]),
        )

    def _review_context(self, group: int, members: Sequence[Slot], attempt: int) -> ReviewContext:
        return ReviewContext(
            round=self.number,
            seed=self.desk.config.seed,
            group=group,
            candidates=tuple(item.candidate for item in members if item.candidate is not None),
            directions=tuple(item.direction for item in members),
            brief=self.desk.brief,
            attempt=attempt,
        )
