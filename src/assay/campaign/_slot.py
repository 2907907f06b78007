from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import Any

from assay.campaign._ports import AdmissionVerdict, GateVerdict, Scored
from assay.campaign._types import (
    Candidate,
    Direction,
    FixCause,
    FixRequest,
    Gated,
    Outcome,
    TrialRecord,
    trial_id,
)


@dataclass
class Slot:
    """One slot of a round on its way from a direction to an outcome.

    ``refusal`` is that of the gate for the candidate as it is now; ``rewritten``: it was sent back once after
    it had passed the gate, and is not again.
    """

    direction: Direction
    candidate: Candidate | None = None
    gated: Gated | None = None
    refusal: GateVerdict | None = None
    fingerprint: str | None = None
    checks: int = 0
    rewritten: bool = False
    scored: Scored | None = None
    admission: AdmissionVerdict | None = None
    outcome: Outcome | None = None
    reason: str = ""
    detail: str = ""
    fixes: Counter[FixCause] = field(default_factory=Counter)

    @property
    def slot(self) -> int:
        """Its number."""
        return self.direction.slot

    @property
    def open(self) -> bool:
        """Whether it has no outcome yet."""
        return self.outcome is None

    @property
    def passed(self) -> Gated | None:
        """The candidate that passed the gate, while the slot is open."""
        return self.gated if self.open else None

    def end(self, outcome: Outcome, reason: str = "", detail: str = "") -> None:
        """Give it its outcome."""
        self.outcome, self.reason, self.detail = outcome, reason, detail

    def take(self, candidate: Candidate) -> None:
        """A candidate came, the first or a rewrite; it has to pass the gate."""
        self.candidate, self.gated, self.refusal = candidate, None, None

    def gate(self, verdict: GateVerdict) -> None:
        """What the gate said of the candidate."""
        assert self.candidate is not None
        self.checks += 1
        self.fingerprint = None if verdict.expression is None else verdict.expression.fingerprint
        if verdict.passed and verdict.expression is not None:
            self.gated = Gated(self.candidate, verdict.expression)
        else:
            self.refusal = verdict

    def close_refused(self) -> None:
        """End it if the gate's refusal stands."""
        if self.open and self.refusal is not None:
            self.end("gate_refused", self.refusal.reason, self.refusal.text)

    def request(self, cause: FixCause, reason: str, text: str, attempt: int = 1) -> FixRequest:
        """Send the candidate back."""
        assert self.candidate is not None
        self.fixes[cause] += 1
        if cause != "gate":
            self.rewritten = True
        return FixRequest(self.direction, self.candidate, cause, reason, text, attempt)

    def score(self, scored: Scored) -> None:
        """The figures of the training segment."""
        self.scored, self.fingerprint = scored, scored.expression.fingerprint

    def judge(self, verdict: AdmissionVerdict) -> None:
        """What admission said."""
        self.admission = verdict
        self.end("admitted" if verdict.admitted else "rejected", verdict.reason, verdict.detail)

    def record(self, number: int) -> TrialRecord:
        """The slot as it is recorded."""
        assert self.outcome is not None
        return TrialRecord(
            id=trial_id(number, self.slot),
            round=number,
            slot=self.slot,
            direction=self.direction,
            candidate=self.candidate,
            outcome=self.outcome,
            reason=self.reason,
            detail=self.detail,
            fingerprint=self.fingerprint,
            figures={} if self.scored is None else dict(self.scored.figures),
            checks=() if self.admission is None else self.admission.checks,
            fixes={str(cause): count for cause, count in self.fixes.items()},
        )

    def plan_row(self) -> dict[str, Any]:
        """The slot in the plan event."""
        direction = self.direction
        return {
            "slot": self.slot,
            "mechanism": direction.mechanism,
            "kind": direction.kind,
            "parent": direction.parent,
            "usable": self.open,
        }
