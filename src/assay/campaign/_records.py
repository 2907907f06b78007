"""The bodies of a campaign's records, and the past that they tell."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any, Final

from assay.base import canonical_json
from assay.campaign._ports import AdmissionVerdict, Count, GateVerdict
from assay.campaign._stop import Stop
from assay.campaign._types import Candidate, Direction, History, RoundRecord, TrialRecord
from assay.errors import LedgerDamaged
from assay.ledger import Draft, Entry

DESK: Final = "campaign"
DONE: Final = "done"
DROPPED: Final = "dropped"
STOPPED: Final = "stopped"


@dataclass(frozen=True, slots=True)
class GateNote:
    """One check of a candidate: ``attempt`` counts the slot's checks from 1."""

    slot: int
    attempt: int
    text: str
    verdict: GateVerdict


@dataclass(frozen=True, slots=True)
class AdmissionNote:
    """One admission, or refusal of it."""

    trial: str
    slot: int
    fingerprint: str
    verdict: AdmissionVerdict


def round_drafts(
    record: RoundRecord,
    gates: Sequence[GateNote],
    admissions: Sequence[AdmissionNote],
    pools: Mapping[str, str],
    count: Count | None,
) -> list[Draft]:
    """All that a round leaves besides its calls and trials, to be appended in one go, the round last."""
    drafts = [Draft("gate_verdict", _gate_body(record.number, note)) for note in gates]
    drafts += [Draft("admission", _admission_body(record.number, note)) for note in admissions]
    return [*drafts, Draft("round", round_body(record, pools, count))]


def _gate_body(number: int, note: GateNote) -> dict[str, Any]:
    return {
        "gate": "candidate",
        "passed": note.verdict.passed,
        "round": number,
        "slot": note.slot,
        "attempt": note.attempt,
        "expression": note.text,
        "reason": note.verdict.reason or None,
        "message": note.verdict.text or None,
    }


def _admission_body(number: int, note: AdmissionNote) -> dict[str, Any]:
    # no certificate: the factor joins the campaign's zoo, not yet the workspace's
    return {
        "certificate": None,
        "admitted": note.verdict.admitted,
        "desk": DESK,
        "round": number,
        "slot": note.slot,
        "trial": note.trial,
        "fingerprint": note.fingerprint,
        "reason": note.verdict.reason or None,
        "message": note.verdict.detail or None,
        "checks": [dict(check) for check in note.verdict.checks],
    }


def round_body(record: RoundRecord, pools: Mapping[str, str], count: Count | None = None) -> dict[str, Any]:
    """The record of a round that is done; ``count`` is what admission was deflated by, if it was."""
    return {
        "number": record.number,
        "outcome": DONE,
        # lists, since the order of types and slots means something and that of keys does not
        "quota": [[name, count] for name, count in record.quota.items()],
        "claims": [[slot, parent] for slot, parent in sorted(record.claims.items())],
        "slots": [_slot_body(trial) for trial in record.trials],
        "admitted": [trial.id for trial in record.admitted],
        "memory": record.memory,
        "pools": dict(pools),
        "ledger_n": None if count is None else asdict(count),
    }


def dropped_body(number: int, stop: Stop | None, stage: str) -> dict[str, Any]:
    """The record of a round that was dropped; without a stop, by a crash."""
    return {
        "number": number,
        "outcome": DROPPED,
        "by": None if stop is None else stop.by,
        "message": "the program ended in mid-round" if stop is None else stop.message,
        "stage": stage,
    }


def stopped_body(number: int, stop: Stop) -> dict[str, Any]:
    """The record that a limit kept a round from beginning."""
    return {"number": number, "outcome": STOPPED, "by": stop.by, "message": stop.message}


def _slot_body(trial: TrialRecord) -> dict[str, Any]:
    return {
        "slot": trial.slot,
        "direction": asdict(trial.direction),
        "candidate": None if trial.candidate is None else asdict(trial.candidate),
        "outcome": trial.outcome,
        "reason": trial.reason,
        "detail": trial.detail,
        "fingerprint": trial.fingerprint,
        "figures": dict(trial.figures),
        "checks": [dict(check) for check in trial.checks],
        "fixes": dict(trial.fixes),
    }


def history_of(entries: Iterable[Entry]) -> History:
    """The past that the ``round`` records of a run tell.

    Raises
    ------
    LedgerDamaged
        A record is none that this version writes, or a round is missing.
    """
    rounds: list[RoundRecord] = []
    for entry in entries:
        if entry.kind == "round" and entry.body["outcome"] == DONE:
            rounds.append(round_of(entry))
            if rounds[-1].number != len(rounds):
                raise _foreign(entry, f"tells of round {rounds[-1].number}, after {len(rounds) - 1} rounds")
    return with_rounds(rounds)


def with_rounds(rounds: Sequence[RoundRecord]) -> History:
    """The past of these rounds."""
    kept = [(item.number, item.memory) for item in rounds if item.memory is not None]
    number, memory = kept[-1] if kept else (0, "")
    return History(tuple(rounds), memory or "", number)


def history_digest(rounds: Iterable[Mapping[str, Any]]) -> str:
    """A hash of the bodies of rounds, each taken over the one before; no times or places are in it."""
    digest = ""
    for body in rounds:
        digest = next_digest(digest, body)
    return digest


def next_digest(digest: str, body: Mapping[str, Any]) -> str:
    """The hash of the rounds so far with one more."""
    return hashlib.sha256((digest + canonical_json(body)).encode("utf-8", "backslashreplace")).hexdigest()


def round_of(entry: Entry) -> RoundRecord:
    """The round that a record tells of.

    Raises
    ------
    LedgerDamaged
        It is none that this version writes.
    """
    body = entry.body
    try:
        return RoundRecord(
            number=body["number"],
            quota=dict(body["quota"]),
            claims=dict(body["claims"]),
            trials=tuple(_trial(body["number"], slot) for slot in body["slots"]),
            memory=body["memory"],
        )
    except (KeyError, TypeError, ValueError) as error:
        raise _foreign(entry, "is no round that this version writes") from error


def _trial(number: int, body: Mapping[str, Any]) -> TrialRecord:
    from assay.campaign._types import trial_id

    candidate = body["candidate"]
    return TrialRecord(
        id=trial_id(number, body["slot"]),
        round=number,
        slot=body["slot"],
        direction=Direction(**body["direction"]),
        candidate=None if candidate is None else Candidate(**candidate),
        outcome=body["outcome"],
        reason=body["reason"],
        detail=body["detail"],
        fingerprint=body["fingerprint"],
        figures=body["figures"],
        checks=tuple(body["checks"]),
        fixes=body["fixes"],
    )


def _foreign(entry: Entry, what: str) -> LedgerDamaged:
    return LedgerDamaged(
        f"line {entry.line} {what}", where=f"line {entry.line}", fix="verify it: assay ledger verify"
    )
